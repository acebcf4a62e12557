//===- CoreParts.h - Pipelines that cores share -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_COREPARTS_H
#define PALLAS_DIALECT_PALLAS_UTILS_COREPARTS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Makes a pipeline whose grid is shared along a core axis one that walks over
/// the part of the core that runs it. Other pipelines stay as they are.
LogicalResult takeCorePart(EmitPipelineOp op);

/// Makes the pipelines under `root` whose grids are shared along a core axis
/// such that walk over the part of the core that runs them.
LogicalResult takeCoreParts(Operation *root);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_COREPARTS_H
