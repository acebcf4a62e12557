//===- CoarseningSearch.h - How many steps become one -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGSEARCH_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGSEARCH_H

#include "StepCost.h"
#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"

namespace mlir::pallas {

/// A coarsening factor for each dimension, and what they bring.
struct CoarseningChoice {
  SmallVector<int64_t> factors;
  CallCost cost;
  /// A copy of the call with joined steps, in front of it, and remarks about
  /// these.
  PallasCallOp copy;
  SmallVector<JoinObstacle> remarks;
  /// The cycles of the call as it is.
  double before = 0;
};

/// The best choice for a call, or nothing where no steps are worth joining.
/// With `reassociate`, sums may be added up in another order.
std::optional<CoarseningChoice> chooseCoarsening(PallasCallOp call,
                                                 const TPUChip &chip,
                                                 const tpu::CostTable &table,
                                                 bool reassociate);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGSEARCH_H
