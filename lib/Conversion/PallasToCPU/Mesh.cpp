//===- Mesh.cpp - Which scratch a core of a mesh sees ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file numbers the instances of a scratch allocation of a mesh.
//
//===----------------------------------------------------------------------===//

#include "Mesh.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"

using namespace mlir;
using namespace mlir::pallas;

/// The number of an instance is its position in row-major order:
///
///   %0 = arith.muli %core, %c16 : index
///   %instance = arith.addi %0, %subcore : index
///
/// A coordinate is that of the calling core unless `chosen` or `last` names
/// another one. An axis that `from` does not have counts as 0.
Value pallas::getInstance(MemoryBuilder &b, Location loc,
                          const PlacedKernel &from, const PlacedKernel &owner,
                          Type refType, Value last,
                          ArrayRef<std::pair<std::string, Value>> chosen) {
  Value instance = b.createIndex(loc, 0);
  ArrayRef<MeshAxisAttr> axes = owner.getConcurrentAxes();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (!separatesScratch(axis, refType))
      continue;
    Value id;
    for (auto [k, other] : llvm::enumerate(from.mesh.getAxes()))
      if (other.getName() == axis.getName())
        id = b.toIndex(from.ids[k]);
    for (auto [name, value] : chosen)
      if (axis.getName().getValue() == name)
        id = b.toIndex(value);
    if (last && i + 1 == axes.size())
      id = b.toIndex(last);
    instance = arith::MulIOp::create(b, loc, instance,
                                     b.createIndex(loc, axis.getSize()));
    if (id)
      instance = arith::AddIOp::create(b, loc, instance, id);
  }
  return instance;
}

/// For axes "x" and "y" of which "y" joins points:
///
///   %0 = arith.muli %c0, %size_x : index
///   %group = arith.addi %0, %x : index
///   %1 = arith.muli %c0, %size_y : index
///   %member = arith.addi %1, %y : index
PointGroup pallas::numberPoints(MemoryBuilder &b, Location loc,
                                ArrayRef<MeshAxisAttr> axes,
                                ArrayRef<Value> ids,
                                function_ref<bool(MeshAxisAttr)> joins) {
  PointGroup point{b.createIndex(loc, 0), b.createIndex(loc, 0)};
  for (auto [axis, id] : llvm::zip_equal(axes, ids)) {
    bool isJoined = joins(axis);
    if (isJoined)
      point.numMembers *= axis.getSize();
    Value &number = isJoined ? point.member : point.group;
    number = arith::MulIOp::create(b, loc, number,
                                   b.createIndex(loc, axis.getSize()));
    number = arith::AddIOp::create(b, loc, number, b.toIndex(id));
  }
  return point;
}

/// Memory that belongs to a kind of core is the only one that another kernel
/// can name from outside of its mesh.
MeshAxisAttr
pallas::findOpenAxis(const PlacedKernel &from, const PlacedKernel &owner,
                     Type refType, Value last,
                     ArrayRef<std::pair<std::string, Value>> chosen) {
  auto ref = dyn_cast<RefType>(refType);
  if (!ref || !ref.getMemorySpace().getCore())
    return {};
  ArrayRef<MeshAxisAttr> axes = owner.getConcurrentAxes();
  for (MeshAxisAttr axis : last ? axes.drop_back() : axes) {
    StringRef name = axis.getName().getValue();
    if (axis.getSize() > 1 && separatesScratch(axis, refType) &&
        !from.mesh.getAxisSize(name) &&
        llvm::none_of(chosen, [&](auto &pair) { return pair.first == name; }))
      return axis;
  }
  return {};
}
