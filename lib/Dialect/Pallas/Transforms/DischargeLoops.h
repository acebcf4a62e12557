//===- DischargeLoops.h - Programs one after the other ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGELOOPS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGELOOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

namespace mlir::pallas {

/// Runs `body` once per point of a grid, the last dimension fastest. What
/// `refs` hold, and the values `others`, go from point to point; `body` changes
/// both in place and gets the coordinates, as i32.
LogicalResult
createProgramLoops(OpBuilder &builder, Location loc, DischargeState &state,
                   ValueRange sizes, ArrayRef<Value> refs,
                   MutableArrayRef<Value> others,
                   function_ref<LogicalResult(ValueRange ids)> body);

/// Sizes of a grid as values; `dynamic` are those that aren't static.
SmallVector<Value> createGridSizes(OpBuilder &builder, Location loc,
                                   ArrayRef<int64_t> shape, ValueRange dynamic);

/// Where the programs of an operation stand, for operations that ask.
struct GridPoint {
  /// The operation that `program_id` means, or null.
  GridMappingOpInterface grid;
  SmallVector<StringRef> names;
  SmallVector<Value> ids, sizes;
};
/// Answers what `region` asks about this grid, not about one around or inside.
void replaceGridQueries(OpBuilder &builder, Region &region,
                        const GridPoint &point);

/// Moves what a block holds, but its terminator, to where the builder stands.
void spliceBody(OpBuilder &builder, Block &body);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGELOOPS_H
