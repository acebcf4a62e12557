//===- Buffers.h - Memory of cores over time --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_BUFFERS_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_BUFFERS_H

#include "MemoryBuilder.h"

namespace mlir::pallas {

/// Tells the timeline of checked code that a core has memory for these refs
/// from now on; returns for how many it has some.
int64_t beginBuffers(MemoryBuilder &b, Location loc, TypeRange refs);
/// For how many refs of these types that is.
int64_t countBuffers(TypeRange refs);
/// The same for an attribute that lists the types.
int64_t beginBuffers(MemoryBuilder &b, Location loc, ArrayAttr refs);
int64_t countBuffers(ArrayAttr refs);
/// The core gives the last ones back.
void endBuffers(MemoryBuilder &b, Location loc, int64_t number);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_BUFFERS_H
