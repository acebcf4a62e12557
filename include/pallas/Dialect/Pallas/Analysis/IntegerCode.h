//===- IntegerCode.h - Integer arithmetic at many points --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_INTEGERCODE_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_INTEGERCODE_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include <array>

namespace mlir::pallas {

/// Integer arithmetic as a list of steps on machine integers. Index maps and
/// conditions are tried out for many choices of ids, and an attribute for each
/// result would take many times as long:
///
///   %0 = arith.muli %i, %c256 : i32      slot 2 = slot 0 * slot 1
///   %1 = arith.cmpi sgt, %0, %j : i32    slot 4 = slot 2 > slot 3
class IntegerCode {
public:
  /// `findInput` tells the number of the input that a value is. Nothing for a
  /// value that takes more than inputs, constants and known arithmetic.
  static std::optional<IntegerCode>
  compile(Value value, function_ref<std::optional<unsigned>(Value)> findInput);

  /// Nothing where a division has no result.
  std::optional<int64_t> run(ArrayRef<int64_t> inputs);

private:
  struct Step {
    /// Null for inputs and constants.
    Operation *op = nullptr;
    std::optional<unsigned> input = std::nullopt;
    int64_t constant = 0;
    std::array<unsigned, 3> operands = {};
    /// Bits of the result and of the first operand.
    unsigned width = 64, from = 64;
  };

  std::optional<unsigned>
  add(Value value, function_ref<std::optional<unsigned>(Value)> findInput);
  std::optional<int64_t> compute(const Step &step) const;

  SmallVector<Step, 0> steps;
  llvm::SmallDenseMap<Value, unsigned, 16> places;
  /// The results of the steps, with their sign; booleans are 0 and 1.
  SmallVector<int64_t> slots;
};

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_INTEGERCODE_H
