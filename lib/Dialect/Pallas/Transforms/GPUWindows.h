//===- GPUWindows.h - Blocks that a kernel of a GPU sees --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUWINDOWS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUWINDOWS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// A block of an operand or result, and where it is kept.
struct GPUWindow {
  unsigned index = 0;
  bool isInput = false;
  /// Whether the kernel sees the array, or its block, where it lies.
  bool isGlobal = false;
  /// Whether it reaches the array, as a partial block isn't there as a whole.
  bool isInArray = false;
  /// Whether there are several blocks, and the dimensions of more than one step
  /// along which steps see the same one.
  bool changes = false;
  SmallVector<unsigned> runDims;
  /// Whether an input is copied once, in front of the steps: they see one
  /// block, and nothing writes to it.
  bool isOnce = false;
  /// The input whose block an output starts with.
  std::optional<unsigned> source;
  int64_t delay = 0;
  BlockMappingAttr mapping;
  /// The array, and the ring of blocks or the block.
  Value array, memory;

  /// Whether its blocks come into slots of a ring while steps run.
  bool isStreamed() const { return isInput && !isGlobal && !isOnce; }
  /// Whether there is a slot for each step of a ring, not one block.
  bool hasSlots() const { return isInput ? !isOnce : changes; }
};

/// The blocks of a grid whose sequential dimensions are a loop of `steps`, with
/// `depth` of them in a ring. Reports what has no form on GPUs.
FailureOr<SmallVector<GPUWindow>>
findGPUWindows(GridMappingOpInterface grid, ArrayRef<unsigned> sequentialDims,
               int64_t steps, int64_t depth);

/// Leaves the largest blocks of pointers of Triton in their arrays until the
/// others take no more than `room` bytes of shared memory.
void leaveInArrays(GridMappingOpInterface grid,
                   MutableArrayRef<GPUWindow> windows, uint64_t room);

/// Gives a ref in the memory of a block, and its views, this space.
void setMemorySpace(Value ref, MemorySpaceAttr space);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUWINDOWS_H
