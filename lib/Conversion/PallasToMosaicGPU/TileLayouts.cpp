//===- TileLayouts.cpp - Vectors that lanes hold in tiles -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts in tiles divide the last two dimensions of a vector, and registers
// are numbered along all others. Tiles of accumulators have 64 rows, those of
// tensor memory 128:
//
//   %w = vector.shape_cast %v : vector<384x8xf32> to vector<6x64x8xf32>
//   %x = vector.extract %w[2] : vector<64x8xf32> from vector<6x64x8xf32>
//
//===----------------------------------------------------------------------===//

#include "TileLayouts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether a layout in tiles is asked for, or comes with a sum of products.
/// Vectors from memory have the layout that their users want, which for more
/// than two dimensions is none in tiles.
static bool isInTiles(Value vector) {
  // Each value once: v * v has its operand twice.
  llvm::SetVector<Value> sources;
  sources.insert(vector);
  for (size_t next = 0; next < sources.size(); ++next) {
    Operation *op = sources[next].getDefiningOp();
    if (!op)
      continue;
    if (isa<mosaic_gpu::WGMMAOp>(op))
      return true;
    if (auto cast = dyn_cast<mosaic_gpu::LayoutCastOp>(op)) {
      if (isa<mosaic_gpu::TiledLayoutAttr>(cast.getNewLayout()))
        return true;
    } else if (isa<vector::ShapeCastOp, vector::ExtractOp,
                   vector::ExtractStridedSliceOp,
                   mosaic_gpu::OptimizationBarrierOp>(op) ||
               op->hasTrait<OpTrait::Elementwise>()) {
      sources.insert(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

Value mlir::pallas::reshapeTiles(KernelEmitter &emit, Value vector,
                                 VectorType type) {
  int64_t rows = emit.target.tensorColumns ? 128 : 64;
  auto hasTiles = [&](VectorType type) {
    return type.getRank() > 1 &&
           *std::prev(type.getShape().end(), 2) % rows == 0;
  };
  auto from = cast<VectorType>(vector.getType());
  if (!hasTiles(from) || !hasTiles(type) || !isInTiles(vector) ||
      from.getShape().back() != type.getShape().back())
    return {};
  return vector::ShapeCastOp::create(emit.b, emit.loc, type, vector);
}

/// Whether a slice of the last two dimensions is made of tiles of accumulators.
static bool takesTiles(ArrayRef<int64_t> whole, ArrayRef<int64_t> offsets,
                       ArrayRef<int64_t> sizes) {
  static constexpr std::array<int64_t, 2> kTile = {64, 8};
  if (whole.size() < kTile.size())
    return false;
  return llvm::all_of(llvm::zip_equal(whole.take_back(2), offsets.take_back(2),
                                      sizes.take_back(2), kTile),
                      [](auto dim) {
                        auto [all, offset, size, tile] = dim;
                        return all % tile == 0 && offset % tile == 0 &&
                               size % tile == 0;
                      });
}

///   %part = tensor.extract_slice %v[1, 64, 0] [1, 64, 8] [1, 1, 1]
/// -->
///   %w = vector.extract %v[1]
///   %part = vector.extract_strided_slice %w
///       {offsets = [64, 0], sizes = [64, 8], strides = [1, 1]}
Value mlir::pallas::extractTiles(KernelEmitter &emit, Value vector,
                                 tensor::ExtractSliceOp slice) {
  SmallVector<int64_t> offsets, sizes;
  for (auto [whole, offset, size, stride] : llvm::zip_equal(
           slice.getSourceType().getShape(), slice.getStaticOffsets(),
           slice.getStaticSizes(), slice.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || stride != 1)
      return {};
    if (whole == 1)
      continue;
    offsets.push_back(offset);
    sizes.push_back(size);
  }
  auto type = cast<VectorType>(vector.getType());
  if (!takesTiles(type.getShape(), offsets, sizes))
    return {};
  ArrayRef<int64_t> leading = ArrayRef(sizes).drop_back(2);
  size_t numPicked = llvm::count(leading, 1);
  bool isPlain =
      leading.empty() ||
      (isInTiles(vector) && (numPicked == 0 || numPicked == leading.size()));
  if (!isPlain)
    return {};
  if (numPicked != 0)
    vector = vector::ExtractOp::create(emit.b, emit.loc, vector,
                                       ArrayRef(offsets).take_front(numPicked));
  ArrayRef<int64_t> left = ArrayRef(sizes).drop_front(numPicked);
  if (cast<VectorType>(vector.getType()).getShape() == left)
    return vector;
  SmallVector<int64_t> ones(left.size(), 1);
  return vector::ExtractStridedSliceOp::create(
      emit.b, emit.loc, vector, ArrayRef(offsets).drop_front(numPicked), left,
      ones);
}
