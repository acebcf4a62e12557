//===- CheckInserter.h - Checks of one operation ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_CHECKINSERTER_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_CHECKINSERTER_H

#include "AccumulatorReads.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"

namespace mlir::pallas {

/// Numbers by which checks name what has no memory.
struct CheckNumbers {
  int64_t numCoreBarriers = 0;
  ProductNumbers products;
};

/// Inserts the checks of one operation.
class CheckInserter {
public:
  CheckInserter(Operation *op, CheckNumbers &numbers)
      : op(op), b(op), numbers(numbers) {}

  void insert();

private:
  StringAttr getName(Value ref);
  StringAttr getAccessor() { return op->getName().getIdentifier(); }

  // Accesses, in PallasInsertChecks.cpp.
  void access(CheckedAccess kind, Value mask = {},
              OutsideElements outside = OutsideElements::Moved);
  void swap(Value old, bool isSlice, Value mask = {},
            OutsideElements outside = OutsideElements::Moved);
  void maskedLoad(MaskedLoadOp load);
  void contents(CheckedAccess kind, Value ref, bool async = false);
  void bounds(SliceRefOp slice);
  void viewBounds(SliceRefOp slice);
  void state(RunStateOp state);
  void accumulator(AccumulatorDerefOp deref);

  // Synchronization, in SynchronizationChecks.cpp.
  void insertSynchronization();
  void signal(SemaphoreSignalOp signal);
  void semaphoreWait(SemaphoreWaitOp wait);
  void copyWait(DMAWaitOp wait);
  void coreBarrier(CoreBarrierOp barrier);
  void arrival(Value barrier);
  void phase(Value barrier, bool parity = false);
  void barrierTest(BarrierTestOp test);
  void enter(Value predicate);
  void copyBounds(Value source, Value target);
  void padding(SliceRefOp part);
  void copy(DMAStartOp start);
  void copyToShared(CopyGmemToSmemOp copy);
  void copyToGlobal(CopySmemToGmemOp copy);
  void tensorCopy(AsyncCopyToTmemOp copy);
  void product(ValueRange matrices, Value acc = {}, Value accumulate = {},
               Value barrier = {});
  void groupedProduct(ValueRange matrices, Value acc = {});
  void tensorProduct(Tcgen05MMAOp product);
  void missingWork(QueryClusterCancelOp query);
  void commit(CommittedWork kind);
  void wait(AwaitedWork kind, int64_t pending = 0);
  void tensorWait(TensorMemoryWork kind);

  Operation *op;
  OpBuilder b;
  CheckNumbers &numbers;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_CHECKINSERTER_H
