//===- StepCost.h - Cycles of a call before it is lowered -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPCOST_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPCOST_H

#include "TPUFootprint.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/Pallas/Analysis/IndexTables.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::pallas {

/// A window of a call.
struct CallWindow {
  unsigned block;
  tpu::WindowTraffic traffic;
  /// How many dimensions of the grid there are up to the last one that moves
  /// it.
  unsigned numMoving = 0;
  /// Whether its index map yields ids and numbers alone.
  bool isPlain = false;
};

SmallVector<tpu::WindowTraffic> getTraffic(ArrayRef<CallWindow> windows);

/// The cycles of a step by what its parts have in common once steps are joined:
/// chains of operations, control flow, and weights of matmuls. A matmul of more
/// rows loads no more weights than one.
struct StepCycles {
  StepCycles() = default;
  StepCycles(const tpu::CostCounts &step, const tpu::CostTable &table);

  double work = 0, control = 0, latency = 0, weights = 0;

private:
  double &getKind(tpu::CostTerm term);
};

/// A contraction, and the size of its matmul.
struct StepDot {
  DotGeneralOp op;
  tpu::MatmulShape shape;
};

/// A run of operations without control flow.
struct StepRun {
  /// Without the work of contractions, which don't grow evenly.
  tpu::BlockLoad load;
  /// How often a step runs it on average.
  double times = 1;
  /// Whether it is no part of a branch or of a loop.
  bool isOutside = false;
  SmallVector<StepDot, 1> dots;
  /// Values that are read from windows that all parts share don't grow.
  SmallVector<Operation *, 4> reads;
};

/// The cycles and the memory of a call, or of a pipeline in its kernel, as it
/// is.
struct CallCost {
  tpu::KernelCycles cycles;
  /// The cycles if copies that the host makes for another layout stay in VMEM,
  /// as small ones may.
  double leastCycles = 0;
  /// The work of a step on average. For an exact figure of larger blocks also
  /// the runs of operations, and cycles of the control flow around them and of
  /// values that loops carry through memory.
  StepCycles step;
  SmallVector<StepRun, 0> runs;
  double control = 0, carried = 0;
  /// The number of operations that a loop over parts would run without control
  /// flow, once branches of the first and the last part run outside of it. Zero
  /// where the kernel has a loop, so that parts are scheduled one by one, and
  /// none where a branch may stay in the loop.
  std::optional<int64_t> loopSize;
  SmallVector<CallWindow, 0> windows;
  /// Of all blocks. A pipeline has none.
  SmallVector<WindowPlan, 0> plans;
  bool hasContractions = false;
  /// Zero and null where it wasn't measured.
  int64_t vmemBytes = 0;
  std::shared_ptr<const TPUFootprint> footprint;
  /// Whether it gets by with the VMEM that the compiler gives to each kernel.
  bool fits = true;
  /// The blocks whose arrays the host lays out differently.
  llvm::SmallBitVector relaidOut;
  bool isPadded = false;
};

/// Predicts a call from its operations, by the rules for the vectors that they
/// become. Nothing where a window has no plan, or where the kernel does what
/// the rules don't cover: copies of its own, waiting, loops without an end in
/// sight. Memory is measured on demand. What index maps yield may be known.
std::optional<CallCost> predictCall(PallasCallOp call, const TPUChip &chip,
                                    const tpu::CostTable &table,
                                    bool mustMeasure,
                                    IndexTables *tables = nullptr);

/// The same of a call or of a pipeline. A pipeline counts as a grid with the
/// same windows, and its memory is that of the call around it.
std::optional<CallCost> predictGrid(GridMappingOpInterface grid,
                                    const TPUChip &chip,
                                    const tpu::CostTable &table,
                                    bool mustMeasure,
                                    IndexTables *tables = nullptr);

/// The same of a pipeline. Nothing where it keeps blocks elsewhere than a call
/// does, or runs no known number of steps.
std::optional<CallCost> predictPipeline(EmitPipelineOp pipeline,
                                        const TPUChip &chip,
                                        const tpu::CostTable &table,
                                        bool mustMeasure,
                                        IndexTables *tables = nullptr);

/// Measures the memory of a predicted call. Fails where a window has no plan.
LogicalResult measureMemory(PallasCallOp call, const TPUChip &chip,
                            CallCost &cost);

/// Finds the layouts that follow from the plans of `result`.
void setLayouts(CallCost &result);
/// The VMEM that a window takes, padding to tiles included.
double getKiB(const WindowPlan &plan);
/// The windows whose copies only XLA's placement could save are left out.
SmallVector<tpu::WindowTraffic> getWindowsInHbm(GridMappingOpInterface grid,
                                                const CallCost &cost);

/// In how many steps the last of these windows lies elsewhere than before.
void countMoves(GridMappingOpInterface grid,
                MutableArrayRef<CallWindow> windows, bool isTrivial,
                IndexTables &tables);

/// Predicts the cycles of all steps from the windows that `result` has. Returns
/// the cost of the steps together.
std::optional<tpu::CostCounts> predictSteps(GridMappingOpInterface grid,
                                            int64_t steps, const TPUChip &chip,
                                            const tpu::CostTable &table,
                                            CallCost &result);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPCOST_H
