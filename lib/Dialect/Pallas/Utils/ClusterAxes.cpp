//===- ClusterAxes.cpp - Which blocks a barrier joins ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"

using namespace mlir;
using namespace mlir::pallas;

/// A name is a group of one axis: `["x", ["y", "z"]]` has the groups x, and y
/// with z.
SmallVector<SmallVector<StringAttr>>
mlir::pallas::getAxisGroups(ClusterBarrierType barrier) {
  SmallVector<SmallVector<StringAttr>> groups;
  for (Attribute axis : barrier.getCollectiveAxes()) {
    if (auto group = dyn_cast<ArrayAttr>(axis))
      groups.push_back(llvm::to_vector(group.getAsRange<StringAttr>()));
    else
      groups.push_back({cast<StringAttr>(axis)});
  }
  return groups;
}

bool mlir::pallas::isCollectiveAxis(ClusterBarrierType barrier,
                                    StringAttr axis) {
  return llvm::any_of(getAxisGroups(barrier), [&](ArrayRef<StringAttr> group) {
    return llvm::is_contained(group, axis);
  });
}

/// The axes of a barrier of a cluster are its own.
bool mlir::pallas::isSharedAlong(RunScopedOp scope, BlockArgument ref,
                                 StringAttr axis) {
  std::optional<ArrayAttr> axes = scope.getCollectiveAxes();
  if (axes && llvm::is_contained(*axes, axis))
    return true;
  auto type = dyn_cast<ShapedType>(ref.getType());
  auto barrier = dyn_cast_or_null<ClusterBarrierType>(
      type ? type.getElementType() : Type());
  return barrier && isCollectiveAxis(barrier, axis);
}
