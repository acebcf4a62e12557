//===- MosaicGPUAttributes.cpp - Attributes of the dialect ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

#define GET_ATTRDEF_CLASSES
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUAttributes.cpp.inc"

void MosaicGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUAttributes.cpp.inc"
      >();
}

/// Each lane holds runs of this many elements, one after the other.
LogicalResult
WGStridedFragLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                DenseI64ArrayAttr shape, int vectorSize) {
  if (vectorSize >= 1)
    return success();
  return emitError() << "strided layout has runs of " << vectorSize
                     << " elements; give at least 1";
}

/// Once means that nothing is replicated, which a layout may still write.
LogicalResult
ReplicatedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int times) {
  if (times >= 1)
    return success();
  return emitError() << "replicates " << times << " times; give at least 1";
}

/// Whether tiles divide the memref is checked where both are known.
LogicalResult
TileTransformAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          DenseI32ArrayAttr tiling) {
  for (int32_t size : tiling.asArrayRef())
    if (size < 1)
      return emitError() << "tile has a size of " << size
                         << "; sizes are positive";
  return success();
}

//===----------------------------------------------------------------------===//
// TiledLayoutAttr
//===----------------------------------------------------------------------===//

/// Number of dimensions that the tiles leave, or failure: each tile but the
/// first cuts trailing dimensions that are there.
static FailureOr<int64_t>
getTiledRank(function_ref<InFlightDiagnostic()> emitError, ArrayAttr tiling) {
  int64_t rank = 0;
  for (auto [index, attr] : llvm::enumerate(tiling)) {
    auto tile = dyn_cast<ArrayAttr>(attr);
    if (!tile || tile.empty() || !llvm::all_of(tile, [](Attribute size) {
          auto integer = dyn_cast<IntegerAttr>(size);
          return integer && integer.getInt() > 0;
        })) {
      emitError() << "tile " << index << " is " << attr
                  << "; a tile is a list of positive integers";
      return failure();
    }
    int64_t size = tile.size();
    if (index > 0 && size > rank) {
      emitError() << "tile " << index << " has " << size
                  << " dimensions, but the tiles before it leave " << rank;
      return failure();
    }
    rank = std::max(rank, size) + size;
  }
  return rank;
}

/// Each dimension is one that the tiles leave, counted from the end.
static LogicalResult
verifyDimensions(function_ref<InFlightDiagnostic()> emitError, StringRef what,
                 ArrayAttr dimensions, int64_t rank) {
  for (Attribute attr : dimensions) {
    if (isa<ReplicatedAttr>(attr))
      continue;
    auto dimension = dyn_cast<IntegerAttr>(attr);
    if (!dimension || dimension.getInt() >= 0 || dimension.getInt() < -rank)
      return emitError() << what << " has " << attr
                         << "; give dimensions from -" << rank
                         << " to -1, or #mosaic_gpu.Replicated";
  }
  return success();
}

/// Tiles cut the shape again and again, from the end; for example, tiles of
/// [64, 8] and [16, 8] leave four dimensions and then six. Warps, lanes and
/// registers each take some of the dimensions that are left, counted from the
/// end so that leading ones may be added.
LogicalResult
TiledLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayAttr tiling, ArrayAttr warpDims,
                        ArrayAttr laneDims, int vectorDim) {
  FailureOr<int64_t> rank = getTiledRank(emitError, tiling);
  if (failed(rank) ||
      failed(verifyDimensions(emitError, "warp_dims", warpDims, *rank)) ||
      failed(verifyDimensions(emitError, "lane_dims", laneDims, *rank)))
    return failure();
  if (vectorDim >= 0 || vectorDim < -*rank)
    return emitError() << "vector_dim is " << vectorDim
                       << "; give a dimension from -" << *rank << " to -1";
  return success();
}
