//===- Layouts.cpp - How lanes share vectors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/Utils/Layouts.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Takes powers of two out of the sizes, from the last one, until their product
/// is `count`. What is left of `count` stays there.
static SmallVector<int64_t> takeFactors(MutableArrayRef<int64_t> sizes,
                                        int64_t &count) {
  SmallVector<int64_t> taken(sizes.size(), 1);
  for (auto [size, power] : llvm::reverse(llvm::zip_equal(sizes, taken))) {
    while (count > 1 && size % 2 == 0) {
      size /= 2;
      power *= 2;
      count /= 2;
    }
  }
  return taken;
}

namespace {
/// The numbers that tell apart the elements along a dimension of the tiled
/// shape.
enum class Holder { Warp, Lane, Vector };
struct TiledDim {
  Holder holder;
  int64_t size;
};
} // namespace

/// The numbers, from the end, of the dimensions that `holder` holds, and how
/// many copies there are.
static ArrayAttr listDims(Builder &b, ArrayRef<TiledDim> dims, Holder holder,
                          int64_t copies) {
  SmallVector<Attribute> list;
  for (auto [position, dim] : llvm::enumerate(dims))
    if (dim.holder == holder && dim.size > 1)
      list.push_back(b.getI64IntegerAttr(static_cast<int64_t>(position) -
                                         static_cast<int64_t>(dims.size())));
  if (copies > 1)
    list.push_back(ReplicatedAttr::get(b.getContext(), copies));
  return b.getArrayAttr(list);
}

TiledLayoutAttr mlir::mosaic_gpu::getSpreadLayout(MLIRContext *context,
                                                  ArrayRef<int64_t> shape) {
  Builder b(context);
  SmallVector<int64_t> left(shape);
  int64_t laneCopies = 32, warpCopies = 4;
  SmallVector<int64_t> lanes = takeFactors(left, laneCopies);
  SmallVector<int64_t> warps = takeFactors(left, warpCopies);
  // Warps hold the tile in front, of which each holds a smaller one, whose
  // leading sizes of one are left out.
  SmallVector<int64_t> tile;
  SmallVector<TiledDim> dims;
  for (auto [lane, warp] : llvm::zip_equal(lanes, warps)) {
    tile.push_back(lane * warp);
    dims.push_back({lane == 1 ? Holder::Warp : Holder::Lane, lane * warp});
  }
  SmallVector<Attribute> tiles{b.getI64ArrayAttr(tile)};
  ArrayRef<int64_t> inner = lanes;
  while (inner.size() > 1 && inner.front() == 1)
    inner = inner.drop_front();
  ArrayRef<int64_t> last(tile);
  if (ArrayRef<int64_t>(tile).take_back(inner.size()) != inner) {
    for (TiledDim &dim : MutableArrayRef(dims).take_back(inner.size()))
      dim.holder = Holder::Warp;
    for (auto [dim, size] :
         llvm::zip_equal(MutableArrayRef(dims).take_back(inner.size()), inner))
      dim.size /= size;
    for (int64_t size : inner)
      dims.push_back({Holder::Lane, size});
    tiles.push_back(b.getI64ArrayAttr(inner));
    last = inner;
  }
  // One element per register.
  if (last.back() != 1) {
    dims.push_back({Holder::Vector, 1});
    tiles.push_back(b.getI64ArrayAttr({1}));
  }
  return TiledLayoutAttr::get(context, b.getArrayAttr(tiles),
                              listDims(b, dims, Holder::Warp, warpCopies),
                              listDims(b, dims, Holder::Lane, laneCopies),
                              /*vector_dim=*/-1);
}
