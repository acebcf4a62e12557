//===- GrownDimensions.h - Where dimensions come from -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_ANALYSIS_GROWNDIMENSIONS_H
#define PALLAS_LIB_DIALECT_PALLAS_ANALYSIS_GROWNDIMENSIONS_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include <optional>

namespace mlir::pallas {

/// For each operand the dimension that dimension `dim` of the result is, or
/// none where each of its elements depends on all of the operand. Nothing if
/// the operation doesn't treat the elements along `dim` alike, so that a longer
/// result is another one. `natural` tells which dimension of an operand is
/// meant where several would do.
std::optional<SmallVector<std::optional<unsigned>>>
mapToOperands(Operation *op, unsigned dim,
              function_ref<std::optional<unsigned>(Value)> natural);

/// Whether an operation adds up rows that are so short that CPUs add several at
/// once, in another order than each alone.
bool addsShortRows(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_ANALYSIS_GROWNDIMENSIONS_H
