//===- Concurrency.h - Which cores run concurrently -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_CONCURRENCY_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_CONCURRENCY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Whether `op` may wait for another task or device, or let one go on.
bool isSynchronization(Operation *op);

/// The first axis of a mesh whose points must make progress at the same time
/// as those along all later axes; the number of axes if no points have to.
unsigned getFirstConcurrentAxis(MeshAttr mesh, Region &kernel);

/// Whether cores of the mesh, or kernels of the map, are tasks of the runtime.
bool needsTasks(MeshAttr mesh, Region &kernel);
bool needsTasks(MpmdMapOp map);

/// The services of the runtime that a function needs.
struct Concurrency {
  explicit Concurrency(func::FuncOp func);

  /// Tasks or devices wait for each other.
  bool synchronizes = false;
  /// Operations name memory of other devices or tasks.
  bool namesOthers = false;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_CONCURRENCY_H
