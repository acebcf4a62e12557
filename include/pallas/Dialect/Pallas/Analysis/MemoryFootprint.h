//===- MemoryFootprint.h - How much memory kernels take ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_MEMORYFOOTPRINT_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_MEMORYFOOTPRINT_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Memory that a kernel has for one of its refs.
struct MemoryBuffer {
  enum class Role { Prefetch, Input, Output, Scratch, Scoped };
  Role role;
  /// Position among the refs of this role.
  unsigned index = 0;
  /// The operation that the memory belongs to.
  Operation *owner = nullptr;
  /// A ref or an accumulator.
  Type type;
  /// The name of the operand in the source, if known.
  StringAttr origin;
  /// How many times it is there, so that copies run while the kernel computes.
  int64_t count = 1;
  /// Bytes of one of them; none where only a target knows.
  std::optional<int64_t> bytes;

  /// Name of the memory space; accumulators are in `acc`.
  StringRef getSpace() const;
};

StringRef stringifyRole(MemoryBuffer::Role role);

struct MemoryFootprint {
  SmallVector<MemoryBuffer> buffers;
  /// The most bytes of a space that are in use at a time. Scopes that follow
  /// each other share their memory.
  llvm::MapVector<StringRef, int64_t> bytes;
  /// Whether all sizes are known.
  bool isComplete = true;

  /// Adds a note per buffer of known size.
  void attachBuffers(Diagnostic &diag) const;
};

/// How many buffers hold the window of a block.
int64_t getNumBuffers(GridMappingOpInterface grid, unsigned block);

/// Adds up the memory of a call and of everything in its kernels. `sizeOf`
/// returns how many bytes one buffer takes where a target pads it; by default
/// it is the bytes of the elements.
MemoryFootprint computeMemoryFootprint(
    Operation *call,
    function_ref<std::optional<int64_t>(const MemoryBuffer &)> sizeOf = {});

/// Bytes of the elements, each sub-byte one packed with its neighbours, but a
/// boolean in a byte; none for semaphores and dynamic shapes.
std::optional<int64_t> getElementBytes(Type shaped);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_MEMORYFOOTPRINT_H
