//===- SharedLoop.h - Memory of operations in one loop ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SHAREDLOOP_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SHAREDLOOP_H

#include "LoopGroups.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pallas::cpu {

/// How the operations that share a loop touch one memory.
struct TouchedMemory {
  Value memory;
  /// Which dimension of the memory the loop goes through, if any.
  std::optional<unsigned> position;
  bool isWritten;
  /// Whether all operations agree on the above.
  bool isUniform;
};

/// All memory that they touch, by its root.
class LoopMemory {
public:
  /// Adds an operation, unless an iteration would need what another one writes.
  /// `getPosition` tells the dimension that the loop goes through.
  bool
  add(linalg::LinalgOp op, ArrayRef<MemoryUse> uses,
      function_ref<std::optional<unsigned>(const MemoryUse &)> getPosition);

  /// Whether only these operations use a buffer, each iteration a part of its
  /// own that it shares with no later run of the loop.
  bool isPrivate(memref::AllocOp alloc) const;

  auto getTouched() const { return llvm::make_second_range(touched); }

private:
  llvm::SetVector<Operation *> operations;
  llvm::MapVector<Value, TouchedMemory> touched;
};

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SHAREDLOOP_H
