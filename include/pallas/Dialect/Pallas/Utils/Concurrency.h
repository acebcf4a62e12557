//===- Concurrency.h - Which cores run concurrently -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_CONCURRENCY_H
#define PALLAS_DIALECT_PALLAS_UTILS_CONCURRENCY_H

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

/// Whether cores that differ along this axis have scratch of their own.
bool separatesScratch(MeshAxisAttr axis, Type refType);
/// How many instances of scratch of this type the cores of a mesh have along
/// its axes from `firstAxis` on.
int64_t countInstances(MeshAttr mesh, unsigned firstAxis, Type refType);

/// Whether something in the region draws random bits: then it runs in order.
bool usesRandomState(Region &region);

/// Whether a kernel in `op` uses the semaphore at which devices meet.
bool usesBarrierSemaphore(Operation *op);
/// The collective that the call around `op`, or `op` itself, belongs to.
/// Barrier semaphores of calls with the same id are one semaphore. Kernels that
/// run at the same time without knowing each other have different ids.
int64_t getCollectiveId(Operation *op);
/// Notes the collective at each barrier semaphore, as bodies leave their calls
/// before they are lowered.
void markCollective(GetBarrierSemaphoreOp op);

/// The services of the runtime that a function needs.
struct Concurrency {
  explicit Concurrency(func::FuncOp func);

  /// Tasks or devices wait for each other.
  bool synchronizes = false;
  /// Operations name memory of other devices or tasks.
  bool namesOthers = false;
};

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_CONCURRENCY_H
