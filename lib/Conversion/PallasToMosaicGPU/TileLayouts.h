//===- TileLayouts.h - Vectors that lanes hold in tiles ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of vectors that leave whole tiles in the registers where they are.
// Each yields null where it doesn't.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_TILELAYOUTS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_TILELAYOUTS_H

#include "KernelEmitter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::pallas {

Value reshapeTiles(KernelEmitter &emit, Value vector, VectorType type);
Value extractTiles(KernelEmitter &emit, Value vector,
                   tensor::ExtractSliceOp slice);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_TILELAYOUTS_H
