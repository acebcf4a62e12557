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

/// The VMEM that they take, two buffers to each.
double getWindowBytes(ArrayRef<CallWindow> windows, ArrayRef<StepJoin> joins,
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

/// The parts of a joined step: along some dimensions blocks grow, along one at
/// most there is a loop.
struct StepParts {
  struct Dim {
    GrownBody *body;
    int64_t factor;
    /// How many times the registers a value takes that grows. It is less than
    /// the coarsening factor where tiles were not full.
    double growth;
  };
  SmallVector<Dim, 2> grown;
  int64_t numLooped = 1;

  /// How many times the registers values take, or one value.
  double getGrowth() const;
  double getGrowth(Value value) const;
};

/// The parts if all that they cost is known without joining steps. Dimensions
/// that were analyzed and along which blocks grow have a body.
std::optional<StepParts> findParts(GridMappingOpInterface grid,
                                   const CallCost &cost,
                                   ArrayRef<int64_t> factors,
                                   ArrayRef<StepJoin> joins,
                                   ArrayRef<std::unique_ptr<GrownBody>> bodies,
                                   const TPUChip &chip, IndexTables &tables);

/// Predicts a call as if its steps had been joined: `planned` has the windows,
/// and gets the rest. Returns whether it is known to fit. `cost` has been
/// measured. Kernels that allocate memory in scopes are not looked into.
bool predictJoined(PallasCallOp call, const CallCost &cost,
                   const StepParts &parts, const TPUChip &chip,
                   const tpu::CostTable &table, CallCost &planned);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_JOINEDCOST_H
