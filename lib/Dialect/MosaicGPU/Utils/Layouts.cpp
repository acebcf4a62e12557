//===- Layouts.cpp - How lanes share vectors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/Utils/Layouts.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

namespace {
/// A dimension of the tiled shape, and the slot that holds it.
struct TiledDim {
  int64_t size;
  std::optional<unsigned> lane, warp;
};
} // namespace

/// For each slot the number, from the end, of the dimension that it holds, or
/// how many copies there are.
static ArrayAttr listSlots(Builder &b, ArrayRef<int64_t> slots,
                           ArrayRef<TiledDim> dims,
                           std::optional<unsigned> TiledDim::*held) {
  SmallVector<Attribute> list;
  for (auto [slot, size] : llvm::enumerate(slots)) {
    const TiledDim *holder =
        llvm::find_if(dims, [&, number = slot](const TiledDim &dim) {
          return dim.*held == static_cast<unsigned>(number);
        });
    if (holder == dims.end())
      list.push_back(ReplicatedAttr::get(b.getContext(), size));
    else
      list.push_back(b.getI64IntegerAttr(holder - dims.end()));
  }
  return b.getArrayAttr(list);
}

TiledLayoutAttr mlir::mosaic_gpu::getLayout(MLIRContext *context,
                                            const Slots &slots,
                                            ArrayRef<DimSlots> dims) {
  Builder b(context);
  auto getSize = [](ArrayRef<int64_t> sizes, std::optional<unsigned> slot) {
    return slot ? sizes[*slot] : 1;
  };
  // Warps hold the tile in front, of which each holds a smaller one, whose
  // leading sizes of one are left out.
  SmallVector<int64_t> tile, lanes;
  SmallVector<TiledDim> tiled;
  for (const DimSlots &dim : dims) {
    lanes.push_back(getSize(slots.lanes, dim.lane));
    tile.push_back(lanes.back() * getSize(slots.warps, dim.warp));
    tiled.push_back({tile.back(), dim.lane, dim.warp});
  }
  SmallVector<Attribute> tiles{b.getI64ArrayAttr(tile)};
  ArrayRef<int64_t> inner = lanes;
  while (inner.size() > 1 && inner.front() == 1)
    inner = inner.drop_front();
  ArrayRef<int64_t> last(tile);
  if (last.take_back(inner.size()) != inner) {
    auto outer = MutableArrayRef(tiled).take_back(inner.size());
    SmallVector<TiledDim> parts;
    for (auto [dim, size] : llvm::zip_equal(outer, inner)) {
      parts.push_back({size, dim.lane, std::nullopt});
      dim = {dim.size / size, std::nullopt, dim.warp};
    }
    tiled.append(parts);
    tiles.push_back(b.getI64ArrayAttr(inner));
    last = inner;
  }
  // One element per register.
  if (last.back() != 1) {
    tiled.push_back({1, std::nullopt, std::nullopt});
    tiles.push_back(b.getI64ArrayAttr({1}));
  }
  return TiledLayoutAttr::get(context, b.getArrayAttr(tiles),
                              listSlots(b, slots.warps, tiled, &TiledDim::warp),
                              listSlots(b, slots.lanes, tiled, &TiledDim::lane),
                              /*vector_dim=*/-1);
}
