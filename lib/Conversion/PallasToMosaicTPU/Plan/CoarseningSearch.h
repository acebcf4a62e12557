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
  /// The call or pipeline with joined steps, and remarks about these.
  GridMappingOpInterface grid;
  SmallVector<JoinObstacle> remarks;
  /// The cycles of what is there.
  double before = 0;
};

/// Joins steps of a call or a pipeline by the best choice, or does nothing
/// where none is worth it. The operation may be another one afterwards. With
/// `reassociate`, sums may be added up in another order.
std::optional<CoarseningChoice> chooseCoarsening(GridMappingOpInterface grid,
                                                 const TPUChip &chip,
                                                 const tpu::CostTable &table,
                                                 bool reassociate);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGSEARCH_H
