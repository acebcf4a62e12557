//===- GridCanonicalization.cpp - Ids that are known ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An axis of size 1 has one program, so its id is a constant. Index arithmetic
// folds away after that.
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Replaces an operation whose result is known to be zero.
static void replaceByZero(Operation *op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, rewriter.getZeroAttr(op->getResult(0).getType()));
}

/// Along a dimension of size 1 there is one program, the first. For example, in
/// a kernel with grid(4, 1):
///
///   %0 = pallas.program_id 1
///
/// becomes
///
///   %0 = arith.constant 0 : i32
static LogicalResult replaceOnlyProgram(ProgramIdOp op,
                                        PatternRewriter &rewriter) {
  GridMappingOpInterface grid = getEnclosingGrid(op);
  if (!grid || op.getAxis() >= grid.getNumUserGridDimensions() ||
      grid.getGridShape()[grid.getGridDimensionOfAxis(op.getAxis())] != 1)
    return failure();
  replaceByZero(op, rewriter);
  return success();
}

/// The same for a mesh: an axis of size 1 has one index, the first.
///
///   %0 = pallas.axis_index "core"
///
/// becomes
///
///   %0 = arith.constant 0 : i32
static LogicalResult replaceOnlyIndex(AxisIndexOp op,
                                      PatternRewriter &rewriter) {
  if (lookUpAxis(op, op.getAxisName()).size != 1)
    return failure();
  replaceByZero(op, rewriter);
  return success();
}

void mlir::pallas::addGridPatterns(RewritePatternSet &patterns) {
  patterns.add(replaceOnlyProgram);
  patterns.add(replaceOnlyIndex);
}
