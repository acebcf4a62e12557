//===- MemoryParts.h - Parts of memory that become refs ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_MEMORYPARTS_H
#define PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_MEMORYPARTS_H

#include "Kernel.h"

namespace mlir::pallas {

/// A part of shared or tensor memory that is one ref.
struct Part {
  /// Where it lies, in bytes or columns.
  int64_t offset, size;
  SmallVector<Operation *> slices;
  Type elementType;
  /// Tells it from other memory that the kernel has there at other times.
  Attribute alias;
  SmallVector<OpOperand *> accesses;

  bool overlaps(const Part &other) const {
    return offset < other.offset + other.size && other.offset < offset + size;
  }
  Location getLoc() const { return slices.front()->getLoc(); }
};

/// Checks that parts that overlap are in use one after the other. `what` names
/// the memory in reports, as "bytes" and "of shared memory".
LogicalResult checkReuse(ArrayRef<Part> parts, Block *kernel, bool isShared,
                         std::pair<StringRef, StringRef> what);

/// Checks that a slice ends where the shared memory of the launch does, or
/// before.
LogicalResult checkEnd(Operation *slice, int64_t offset, int64_t bytes,
                       std::optional<int64_t> sharedBytes);

/// Makes each part a scratch ref of the kernel, which takes the place of the
/// part's slices. The slices stay, without uses.
void replaceSlices(KernelRaiser &raiser, ArrayRef<Part> parts);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_MEMORYPARTS_H
