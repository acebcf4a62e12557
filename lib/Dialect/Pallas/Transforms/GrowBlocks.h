//===- GrowBlocks.h - Kernels on blocks of several steps --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GROWBLOCKS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GROWBLOCKS_H

#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"

namespace mlir::pallas {

/// Lets a kernel compute on blocks that hold all parts of a step. `body` has
/// the values that grow. Blocks and scratch memory get their larger types; the
/// grid, and queries about it, stay.
void growBlocks(GridMappingOpInterface grid, const StepJoin &join,
                GrownBody &body);

/// The inverse: lets a kernel compute on one of `numParts` parts of its blocks,
/// the one with the i32 number `part`.
void shrinkBlocks(GridMappingOpInterface grid, int64_t numParts, Value part,
                  GrownBody &body);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GROWBLOCKS_H
