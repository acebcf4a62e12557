//===- ExpandPipelines.h - Pipelines as loops of copies ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_EXPANDPIPELINES_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_EXPANDPIPELINES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The unit that memory moves: rows and columns of 32-bit words. Zeros where it
/// moves single elements.
struct TileSize {
  int64_t rows = 0, columns = 0;
};

/// Reports an error for a window that pallas-expand-pipelines can't copy.
LogicalResult verifyPipelineWindows(EmitPipelineOp op, TileSize tile);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_EXPANDPIPELINES_H
