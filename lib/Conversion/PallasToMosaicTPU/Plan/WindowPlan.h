//===- WindowPlan.h - How an operand reaches the kernel ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware moves whole tiles, so a window must have whole tiles, or all of
// the array, in its last two dimensions. An operand whose blocks are different
// is relaid out by the host: each offending dimension of size n with blocks
// of b becomes two, (n / b, b), and the second ones come last, where they are
// the whole of their dimension.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_WINDOWPLAN_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_WINDOWPLAN_H

#include "../Memory/TargetUtils.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// One dimension of a window as the compiler sees it.
struct PlannedDim {
  int64_t bound = 1;
  /// Dimension of the array whose block index is the index here; none means
  /// the index zero.
  std::optional<unsigned> source;
  /// The block index is multiplied by this: windows of elements count them.
  int64_t scale = 1;
  /// Whether the kernel sees the dimension.
  bool visible = true;
  /// The window holds all of the array dimension, and the kernel sees the part
  /// that begins at the block index of this dimension, times the scale.
  std::optional<unsigned> offsetSource;
  int64_t visibleSize = 1;
};

struct WindowPlan {
  Type element;
  tpu::MemorySpace space = tpu::MemorySpace::Vmem;
  /// Whether the compiler moves windows; otherwise the kernel gets the array.
  bool isWindowed = true;
  /// Whether the window is the whole array in every program.
  bool isTrivial = false;
  bool isElementWindow = false;
  SmallVector<int64_t> padLow, padHigh;
  SmallVector<PlannedDim> dims;
  PipelineModeAttr pipelineMode;

  // Steps of the host to relay out the array. The padding adds zeros in front
  // and behind.
  SmallVector<int64_t> original;
  SmallVector<int64_t> hostPadLow, hostPadHigh;
  SmallVector<int64_t> split;
  SmallVector<int64_t> permutation;

  /// Shape of the array of the custom call.
  SmallVector<int64_t> getArrayShape() const;
  SmallVector<int64_t> getBounds() const;
  bool isRelaidOut() const;
  bool hasOffsets() const;
};

/// Plans how block `index` of a call reaches its kernel on a TensorCore.
/// Reports an error where there is no way.
FailureOr<WindowPlan> planWindow(GridMappingOpInterface op, unsigned index,
                                 const TPUChip &chip);

/// The same of a block that is larger than the call's.
FailureOr<WindowPlan> planWindow(GridMappingOpInterface op, unsigned index,
                                 BlockMappingAttr mapping, const TPUChip &chip);

/// Plans all of them, up to the first that there is no way for.
FailureOr<SmallVector<WindowPlan, 0>> planWindows(GridMappingOpInterface op,
                                                  const TPUChip &chip);

/// Whether a block of this size along a dimension is made of whole tiles.
/// `fromMinor` counts dimensions from the last one.
bool isTiledBlock(int64_t block, int64_t array, int64_t fromMinor, int64_t rank,
                  int64_t bits, const TPUChip &chip);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_WINDOWPLAN_H
