//===- JoinedCost.h - Cycles of joined steps that are apart -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_JOINEDCOST_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_JOINEDCOST_H

#include "StepCost.h"
#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"

namespace mlir::pallas {

/// The windows of a call whose steps are joined by these coarsening factors.
SmallVector<tpu::WindowTraffic> joinWindows(ArrayRef<CallWindow> windows,
                                            ArrayRef<StepJoin> joins,
                                            ArrayRef<int64_t> factors);

/// Estimates the cycles of a call with `cost` whose steps are joined, and whose
/// windows are these. Parts of a grown block share control flow and chains. At
/// best they share weights, too, and parts in a loop are scheduled together.
double estimateJoined(const CallCost &cost,
                      ArrayRef<tpu::WindowTraffic> windows,
                      ArrayRef<StepJoin> joins, ArrayRef<int64_t> factors,
                      bool atBest, const tpu::CostTable &table);

/// The windows and layouts of a call whose steps are joined. Nothing where a
/// window has no plan then.
std::optional<CallCost> planJoinedWindows(PallasCallOp call,
                                          const CallCost &cost,
                                          ArrayRef<StepJoin> joins,
                                          ArrayRef<int64_t> factors,
                                          const TPUChip &chip);

/// The dimension along which blocks grow, if nothing else happens to the steps.
/// Dimensions that were analyzed have a body.
std::optional<unsigned>
findOnlyGrown(GridMappingOpInterface grid, ArrayRef<int64_t> factors,
              ArrayRef<StepJoin> joins,
              ArrayRef<std::unique_ptr<GrownBody>> bodies, IndexTables &tables);

/// Predicts a call whose blocks grow along one dimension alone as if they had
/// grown: `planned` has the windows, and gets the rest. Returns
/// whether it is known to fit. `cost` has been measured. Kernels that allocate
/// memory in scopes are not looked into.
bool predictGrown(PallasCallOp call, const CallCost &cost, int64_t factor,
                  GrownBody &body, const TPUChip &chip,
                  const tpu::CostTable &table, CallCost &planned);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_JOINEDCOST_H
