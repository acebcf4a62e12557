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

/// The coordinates of a program, and the names and sizes of its dimensions.
struct GridPoint {
  SmallVector<StringRef> names;
  SmallVector<Value> ids, sizes;
};
/// Answers what `region` asks about the grid or mesh of the op around it.
void answerGridQueries(Region &region, const GridPoint &point);

/// Moves the operations of a block, but its terminator, to the insertion point
/// of the builder.
void spliceBody(OpBuilder &builder, Block &body);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGELOOPS_H
