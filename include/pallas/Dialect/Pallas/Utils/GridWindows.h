//===- GridWindows.h - Properties of windows --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_GRIDWINDOWS_H
#define PALLAS_DIALECT_PALLAS_UTILS_GRIDWINDOWS_H

#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"

namespace mlir::pallas {

/// The greatest value that an index of a window may have, where grids are loops
/// and it is easy to see: counters of static loops, and constants.
std::optional<int64_t> getLargestIndex(Value index);

/// Whether programs that differ along this grid dimension never share a window
/// of this block: the index map yields the id as a block index.
bool separatesWindows(GridMappingOpInterface op, unsigned index, unsigned dim);

/// The padding in front of each dimension of the array.
SmallVector<int64_t> getLowPadding(BlockMappingAttr mapping);

/// Whether some device copies windows of this block to a private buffer. If the
/// memory space is default, that is VMEM on a TPU, and elsewhere an aliased
/// output may be the array itself.
bool hasWindowBuffer(GridMappingOpInterface op, unsigned index);

/// Whether the contents of a window persist where the grid comes back to it: it
/// is aliased or the array itself, or the pipeline mode allows it.
bool mayReturnToWindow(GridMappingOpInterface op, unsigned index);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_GRIDWINDOWS_H
