//===- CostModel.h - Cycles of a TPU kernel ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts what the compiler for TPUs estimates, without asking it. Each term
// of the model is a count (vector registers, KiB, steps) times a constant that
// CostTerms.inc has per chip; utils/fit-cost.py fits the constants.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_ANALYSIS_COSTMODEL_H
#define PALLAS_DIALECT_MOSAICTPU_ANALYSIS_COSTMODEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include <array>

namespace mlir::tpu {

/// The terms of the model.
enum class CostTerm {
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X) NAME,
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
};
inline constexpr size_t kNumCostTerms = 0
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X) +1
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
    ;

/// The parts of a report.
enum class CostPart {
  Call,
  Steps,
  Copies,
  Control,
  Matmul,
  Vector,
  CrossLane,
  Memory,
  Spills,
  /// Chains of operations that wait for each other.
  Latency,
  Last = Latency
};

/// Units of a core that work side by side; nothing overlaps with `None`.
enum class CostUnit {
  None,
  Scalar,
  /// The matrix unit takes the next weights while rows stream through it.
  Weights,
  Matrix,
  Vector,
  Special,
  Cross,
  Load,
  Store,
  Chain
};
inline constexpr size_t kNumCostUnits = size_t(CostUnit::Chain) + 1;

StringRef stringifyCostTerm(CostTerm term);
StringRef stringifyCostPart(CostPart part);
CostPart getCostPart(CostTerm term);
CostUnit getCostUnit(CostTerm term);
std::optional<CostTerm> symbolizeCostTerm(StringRef name);

/// The constants of one chip.
using CostTable = std::array<double, kNumCostTerms>;
/// Null for chips whose compiler has no figures to fit to.
const CostTable *findCostTable(const TPUChip &chip);

/// How often each term counts; what works at the same time as something slower
/// counts less. Cycles are the sum of counts times constants.
struct CostCounts {
  std::array<double, kNumCostTerms> counts = {};

  double &operator[](CostTerm term) { return counts[size_t(term)]; }
  double operator[](CostTerm term) const { return counts[size_t(term)]; }
  CostCounts &add(const CostCounts &other, double times = 1);
  double getCycles(const CostTable &table) const;
  double getCycles(const CostTable &table, CostPart part) const;
};

/// How long one copy of a window takes.
struct WindowCopy {
  unsigned index = 0;
  bool isOutput = false;
  double cycles = 0;
};

/// The cycles of one call of a kernel.
struct KernelCycles {
  CostCounts counts;
  double cycles = 0;
  int64_t steps = 1;
  /// Cycles of all steps if nothing were waited for, and the time in which
  /// copies alone would be done.
  double computeCycles = 0;
  double copyCycles = 0;
  int64_t bytesCopied = 0;
  SmallVector<WindowCopy, 4> copies;
};

/// A window that a grid moves over an array.
struct WindowTraffic {
  /// Its place among the windows of the kernel.
  unsigned index = 0;
  bool isOutput = false;
  double kib = 0;
  /// In how many steps it lies elsewhere than in the one before.
  double moves = 1;
  /// Its index map yields numbers alone, so no step asks where it lies.
  bool isStill = false;
  /// It goes to scalar memory.
  bool isScalar = false;
};

/// Predicts the cycles of a grid whose copies run beside its steps; `steps`
/// counts the work of all of them.
KernelCycles predictGridCycles(ArrayRef<WindowTraffic> windows,
                               CostCounts steps, int64_t numSteps,
                               const CostTable &table);

/// The cycles alone, of steps that compute for `stepCycles` in all.
double predictGridTime(ArrayRef<WindowTraffic> windows, double stepCycles,
                       int64_t numSteps, const CostTable &table);

/// Predicts the cycles of a kernel of a TensorCore in the form that
/// `pallas-to-mosaic-tpu` gives it. Conditions and bounds that depend on data
/// are decided as if memory held zeros, as the compiler's own estimate does.
FailureOr<KernelCycles> predictKernelCycles(func::FuncOp kernel,
                                            const TPUChip &chip,
                                            const CostTable &table);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_ANALYSIS_COSTMODEL_H
