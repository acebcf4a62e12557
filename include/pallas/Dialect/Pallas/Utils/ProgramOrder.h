//===- ProgramOrder.h - Programs in order and at once -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_PROGRAMORDER_H
#define PALLAS_DIALECT_PALLAS_UTILS_PROGRAMORDER_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The kind of each dimension of the grid. Without semantics, programs run
/// in order, but at once in a call with parameters for GPUs.
SmallVector<DimensionSemantics> getProgramOrder(PallasCallOp call);

/// Accumulators among the scratch of a call start at zero wherever a parallel
/// program starts, since they are registers of its block. For targets on which
/// programs share their scratch, this writes the zeros:
///
///   %first = arith.cmpi eq, %k, %c0 : i32
///   scf.if %first {
///     pallas.accumulator_store %acc, %zeros
///   }
///
/// Fails where programs that share an accumulator take turns.
LogicalResult restartAccumulators(PallasCallOp call);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_PROGRAMORDER_H
