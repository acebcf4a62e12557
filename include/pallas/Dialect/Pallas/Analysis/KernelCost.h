//===- KernelCost.h - What kernels compute and move -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_KERNELCOST_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_KERNELCOST_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

struct KernelCost {
  uint64_t flops = 0;
  uint64_t transcendentals = 0;
  /// Bytes of all arrays, once each.
  uint64_t bytesAccessed = 0;
  /// Bytes of the windows and copies that go between memory spaces.
  uint64_t bytesMoved = 0;
  uint64_t remoteBytes = 0;
  /// Whether all trip counts and branches are known. If not, a loop counts
  /// once, and of several branches the one that costs most.
  bool isExact = true;

  KernelCost &operator+=(const KernelCost &other);
  KernelCost &operator*=(uint64_t times);
};

/// The cost of one operation, without what is in its regions. Counts as JAX's
/// estimates do: arithmetic on elements is one operation each, a contraction
/// two per product; conversions, reductions and moves are none. Functions that
/// JAX leaves out, such as exp2 and rsqrt, count as transcendental here.
KernelCost getOperationCost(Operation *op);

/// The cost of a call: that of its kernels times the programs that run them.
/// Conditions on program ids are evaluated for at most `maxPrograms` programs.
KernelCost computeKernelCost(Operation *call, int64_t maxPrograms);

/// The cost of a call that its author declares, or null.
CostEstimateAttr getCostEstimate(Operation *call);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_KERNELCOST_H
