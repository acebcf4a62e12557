//===- Mesh.h - A kernel while it runs on a mesh ----------------*- C++ -*-===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MESH_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MESH_H

#include "Lowering.h"

namespace mlir::pallas {

struct Lowering::MeshKernel {
  MeshAttr mesh;
  Region *body;
  std::string name;
  /// Coordinates of the point, as i32.
  SmallVector<Value> ids = {};
  /// The first axis whose points are tasks, and the number of the first point
  /// among the tasks of all kernels.
  unsigned firstConcurrent = 0;
  int64_t firstTask = 0;

  ArrayRef<MeshAxisAttr> getConcurrentAxes() const {
    return mesh.getAxes().drop_front(firstConcurrent);
  }
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MESH_H
