//===- GPUArrayAccesses.h - Accesses of blocks, in their arrays -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUARRAYACCESSES_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUARRAYACCESSES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Whether all accesses of a block may be ones of its array that leave out what
/// lies behind the array's end, so that no block has to be there as a whole.
bool canAccessInArray(BlockArgument block, BlockMappingAttr mapping,
                      ArrayRef<int64_t> array);

/// Makes them so. `indices` has the block's index along each dimension of the
/// array, null where that is zero.
void accessInArray(BlockArgument block, BlockMappingAttr mapping, Value array,
                   ArrayRef<Value> indices);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUARRAYACCESSES_H
