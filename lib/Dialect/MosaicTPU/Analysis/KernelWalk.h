//===- KernelWalk.h - Cycles of regions with control flow -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_KERNELWALK_H
#define PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_KERNELWALK_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"
#include <map>

namespace mlir::tpu {

/// One of the few indices that are taken for many.
struct Sample {
  int64_t index;
  double weight;
};
/// The first, those in the middle, and the last of so many.
SmallVector<Sample, 5> sampleIndices(int64_t count);

/// The size of an array, zero if that is not known.
double getKiB(MemRefType type);

/// Walks a kernel as it runs, with the numbers that conditions and bounds come
/// from; what memory holds is zero, unless the walk has seen a store.
class KernelWalk {
public:
  KernelWalk(const TPUChip &chip, const CostTable &table)
      : chip(chip), table(table) {}

  /// Gives a scalar its value, as long as the walk is in its region.
  void set(Value value, int64_t number);
  int64_t evaluate(Value value);

  /// Counts a region, from its start, without copies under way.
  CostCounts run(Region &region);

private:
  struct Copy {
    Value semaphore;
    CostCounts end;
  };

  void walk(Region &region);
  void walkControl(Operation *op);
  void walkLoop(scf::ForOp op);
  void walkWhile(scf::WhileOp op);
  void startCopy(Operation *op);
  void waitForCopy(Operation *op);
  Attribute compute(Value value);
  void followMemory(Operation *op);
  /// The part that runs up to an operation with a region or a copy.
  const CostCounts &getRun(Operation *first, ArrayRef<Operation *> ops);

  const TPUChip &chip;
  const CostTable &table;
  CostCounts now;
  /// Iterations of loops without a number of them, in all steps together.
  int64_t iterationsLeft = 4096;
  SmallVector<Copy, 0> copies;
  DenseMap<Value, Attribute> values;
  /// Numbers in scalar memory, by buffer and indices.
  std::map<std::pair<void *, SmallVector<int64_t>>, Attribute> stored;
  DenseMap<Operation *, std::unique_ptr<CostCounts>> runs;
};

} // namespace mlir::tpu

#endif // PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_KERNELWALK_H
