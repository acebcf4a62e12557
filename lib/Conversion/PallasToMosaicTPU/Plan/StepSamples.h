//===- StepSamples.h - Scalars in the steps of a grid -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPSAMPLES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPSAMPLES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/IntegerCode.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"

namespace mlir::pallas {

/// The grid with a number in the place of sizes that are known at run time
/// only. Choices for the other dimensions hardly depend on it:
///
///   grid(4, %groups, 4)    as grid(4, 8, 4)
SmallVector<int64_t> getAssumedGrid(GridMappingOpInterface grid);

/// Evaluates scalars of a kernel in a sample of the steps.
class StepSamples {
public:
  explicit StepSamples(GridMappingOpInterface grid)
      : grid(grid), evaluator(grid) {}

  /// The share of the steps in which a value is this number, as `pl.when` on
  /// the last step of a dimension of 16 is taken in 1/16 of them.
  double getShare(Value value, int64_t number);
  /// Bounds may come from ids; the first program is taken for all.
  std::optional<int64_t> getTripCount(scf::ForOp loop);

private:
  struct Counter {
    Value value;
    scf::ForOp loop;
    /// Where they are numbers.
    std::optional<int64_t> first, step;
  };

  /// Inputs are ids, then counters. Nothing for values that take more.
  std::optional<IntegerCode> compile(Value value, ArrayRef<Counter> counters);
  /// At a point of ids, then iterations.
  std::optional<int64_t> evaluate(Value value, ArrayRef<Counter> counters,
                                  ArrayRef<int64_t> point);

  GridMappingOpInterface grid;
  ProgramEvaluator evaluator;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPSAMPLES_H
