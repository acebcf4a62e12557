//===- StepCost.h - Cycles of a call before it is lowered -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPCOST_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPCOST_H

#include "../Memory/TargetUtils.h"
#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::pallas {

/// A window of a call.
struct CallWindow {
  unsigned block;
  tpu::WindowTraffic traffic;
  /// How many dimensions of the grid there are up to the last one that moves
  /// it.
  unsigned numMoving = 0;
};

/// The cycles and the memory of a call, or of a pipeline in its kernel, as it
/// is.
struct CallCost {
  tpu::KernelCycles cycles;
  /// The cycles if copies that the host makes for another layout stay in VMEM,
  /// as small ones may.
  double leastCycles = 0;
  /// The work of a step on average, and the windows.
  tpu::CostCounts step;
  SmallVector<CallWindow, 0> windows;
  bool hasContractions = false;
  /// Zero where it wasn't measured.
  int64_t vmemBytes = 0;
  /// Whether it gets by with the VMEM that the compiler gives to each kernel.
  bool fits = true;
  /// The blocks whose arrays the host lays out differently.
  llvm::SmallBitVector relaidOut;
  bool isPadded = false;
};

/// Predicts a call from its operations, by the rules for the vectors that they
/// become. Nothing where a window has no plan, or where the kernel does what
/// the rules don't cover: copies of its own, waiting, loops without an end in
/// sight. Memory is measured on demand.
std::optional<CallCost> predictCall(PallasCallOp call, const TPUChip &chip,
                                    const tpu::CostTable &table,
                                    bool mustMeasure);

/// The same of a call or of a pipeline. A pipeline counts as a grid with the
/// same windows, and its memory is that of the call around it.
std::optional<CallCost> predictGrid(GridMappingOpInterface grid,
                                    const TPUChip &chip,
                                    const tpu::CostTable &table,
                                    bool mustMeasure);

/// The same of a pipeline. Nothing where it keeps blocks elsewhere than a call
/// does, or runs no known number of steps.
std::optional<CallCost> predictPipeline(EmitPipelineOp pipeline,
                                        const TPUChip &chip,
                                        const tpu::CostTable &table,
                                        bool mustMeasure);

/// Measures the memory of a predicted call. Fails where a window has no plan.
LogicalResult measureMemory(PallasCallOp call, const TPUChip &chip,
                            CallCost &cost);

/// In how many steps the last of these windows lies elsewhere than before.
void countMoves(GridMappingOpInterface grid,
                MutableArrayRef<CallWindow> windows, bool isTrivial);

/// Predicts the cycles of all steps from the windows that `result` has. Returns
/// the cost of the steps together.
std::optional<tpu::CostCounts> predictSteps(GridMappingOpInterface grid,
                                            int64_t steps, const TPUChip &chip,
                                            const tpu::CostTable &table,
                                            CallCost &result);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPCOST_H
