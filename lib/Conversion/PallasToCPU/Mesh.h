//===- Mesh.h - A kernel while it runs on a mesh ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MESH_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MESH_H

#include "MemoryBuilder.h"

namespace mlir::pallas {

/// A mesh, and a core of it where a kernel runs.
struct PlacedKernel {
  MeshAttr mesh;
  /// Coordinates of the core, as i32.
  SmallVector<Value> ids = {};
  /// The first axis whose cores are tasks, and the number of the first core
  /// among the tasks of all kernels.
  unsigned firstConcurrent = 0;
  int64_t firstTask = 0;

  ArrayRef<MeshAxisAttr> getConcurrentAxes() const {
    return mesh.getAxes().drop_front(firstConcurrent);
  }
};

/// Which instance of the scratch of `owner` the point of `from` sees: the one
/// with the same coordinates along axes of the same name. With `last`, that is
/// the coordinate along the last axis; `chosen` are those along other axes.
Value getInstance(MemoryBuilder &b, Location loc, const PlacedKernel &from,
                  const PlacedKernel &owner, Type refType, Value last,
                  ArrayRef<std::pair<std::string, Value>> chosen = {});

/// A point among those that agree with it on all axes but the ones that `joins`
/// names: the number of these points, the position of the point among them, and
/// the number of their group, both in row-major order.
struct PointGroup {
  Value group, member;
  int64_t numMembers = 1;
};
PointGroup numberPoints(MemoryBuilder &b, Location loc,
                        ArrayRef<MeshAxisAttr> axes, ArrayRef<Value> ids,
                        function_ref<bool(MeshAxisAttr)> joins);

/// An axis along which the instance of the scratch of `owner` is undetermined;
/// null if there is none, or if the scratch belongs to no core.
MeshAxisAttr findOpenAxis(const PlacedKernel &from, const PlacedKernel &owner,
                          Type refType, Value last,
                          ArrayRef<std::pair<std::string, Value>> chosen);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MESH_H
