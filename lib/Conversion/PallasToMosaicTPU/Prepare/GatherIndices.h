//===- GatherIndices.h - Arrays of indices ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PREPARE_GATHERINDICES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PREPARE_GATHERINDICES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The indices in 32 bits, in one dimension.
Value flattenIndices(OpBuilder &builder, Location loc, Value indices);

/// Component `k` of all index vectors, in 32 bits: `indices` without their last
/// dimension, or one scalar.
Value getIndexColumn(OpBuilder &builder, Location loc, Value indices,
                     int64_t k);

/// Brings indices, an array or a scalar, into 0 to `last`.
Value clampIndices(OpBuilder &builder, Location loc, Value indices,
                   int64_t last);

/// Shape of a vector register in elements of 32 bits.
struct RegisterShape {
  int64_t rows;
  int64_t columns;
};

/// Decomposes a gather into operations along one dimension, and a scatter into
/// one update after the other. Gathers that would search too many registers
/// are errors.
FailureOr<Value> decomposeGather(OpBuilder &builder, GatherOp op,
                                 RegisterShape registers);
FailureOr<Value> decomposeScatter(OpBuilder &builder, ScatterOp op);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PREPARE_GATHERINDICES_H
