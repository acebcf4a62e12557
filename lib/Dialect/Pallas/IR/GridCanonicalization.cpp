//===- GridCanonicalization.cpp - Ids that are known ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

static void replaceByZero(Operation *op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, rewriter.getZeroAttr(op->getResult(0).getType()));
}

/// Along a dimension of size 1 there is one program, the first.
static LogicalResult replaceOnlyProgram(ProgramIdOp op,
                                        PatternRewriter &rewriter) {
  GridMappingOpInterface grid = getEnclosingGrid(op);
  if (!grid || op.getAxis() >= grid.getNumUserGridDimensions() ||
      grid.getGridShape()[grid.getGridDimensionOfAxis(op.getAxis())] != 1)
    return failure();
  replaceByZero(op, rewriter);
  return success();
}

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
