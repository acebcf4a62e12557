//===- GridThreads.h - Which dimensions of a grid run on threads -*- C++ -*===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDTHREADS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDTHREADS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// How many leading dimensions to run on threads.
unsigned countParallelDims(GridMappingOpInterface op);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDTHREADS_H
