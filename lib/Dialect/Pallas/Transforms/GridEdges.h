//===- GridEdges.h - Blocks that extend past the end of an array *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDEDGES_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDEDGES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// How windows that extend past the end of an array are made: parts of a padded
/// array, copies of what the array has, or, if programs find nothing in the
/// array, fresh memory.
enum class EdgeKind { Padded, Copied, Fresh };

/// How those of block `index` are made. Copies are only chosen where no program
/// can find what another one wrote behind the end of the array.
EdgeKind chooseEdges(GridMappingOpInterface op, unsigned index);

/// Whether anything may read what a ref holds. A swap whose old value is unused
/// only writes.
bool mayBeRead(Value ref);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDEDGES_H
