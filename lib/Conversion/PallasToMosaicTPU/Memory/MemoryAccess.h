//===- MemoryAccess.h - Loads and stores of parts of buffers ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_MEMORYACCESS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_MEMORYACCESS_H

#include "MemRefView.h"

namespace mlir::pallas {

/// The first element of a view in its buffer, as indices.
SmallVector<Value> getStartIndices(Emitter &emit, const MemRefView &view);

/// Reads a view: a vector of the visible shape, or a scalar. Booleans come as
/// the 32-bit integers that memory holds. What the hardware cannot address is
/// read with what lies around it and cut out.
FailureOr<Value> loadView(Emitter &emit, const MemRefView &view);

/// Writes a view, where `mask` is set if there is one.
LogicalResult storeView(Emitter &emit, const MemRefView &view, Value value,
                        Value mask = {});

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_MEMORYACCESS_H
