//===- Layouts.h - How lanes share vectors ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_UTILS_LAYOUTS_H
#define PALLAS_DIALECT_MOSAICGPU_UTILS_LAYOUTS_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::mosaic_gpu {

/// The number of a lane in its warp, and of a warp in its warpgroup, are cut
/// into slots of bits from the highest ones. A slot has as many values as its
/// size.
struct Slots {
  SmallVector<int64_t> lanes, warps;
};

/// The slots that tell apart the elements along a dimension of a vector.
struct DimSlots {
  std::optional<unsigned> lane, warp;
};

/// The layout of vectors whose dimensions take these slots; lanes and warps
/// hold copies where a slot is taken by none. It is in the form that the
/// compiler calls canonical, so that the layout less a dimension is the one of
/// the other dimensions.
TiledLayoutAttr getLayout(MLIRContext *context, const Slots &slots,
                          ArrayRef<DimSlots> dims);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_UTILS_LAYOUTS_H
