//===- BlockCost.h - Cycles of operations without control flow --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_BLOCKCOST_H
#define PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_BLOCKCOST_H

#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"

namespace mlir::tpu {

/// The terms that one operation counts, and how long its result takes: a term
/// of the part `latency` and how often.
struct OperationCost {
  SmallVector<std::pair<CostTerm, double>, 4> work;
  CostTerm latency = CostTerm::ArithLatency;
  double waits = 0;

  OperationCost &count(CostTerm term, double times) {
    work.emplace_back(term, times);
    return *this;
  }
  OperationCost &wait(CostTerm term, double times = 1) {
    latency = term;
    waits = times;
    return *this;
  }
};

OperationCost getOperationCost(Operation *op, const TPUChip &chip);

/// Vector registers of 32-bit elements that a vector fills; zero for scalars.
double getNumRegisters(Type type);

/// Counts a run of operations: they are scheduled together, so that the
/// units work side by side, and none ends before the longest chain of them.
CostCounts getBlockCost(ArrayRef<Operation *> ops, const TPUChip &chip,
                        const CostTable &table);

} // namespace mlir::tpu

#endif // PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_BLOCKCOST_H
