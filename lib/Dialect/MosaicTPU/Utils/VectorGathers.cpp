//===- VectorGathers.cpp - Elements of vectors by their places ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// Where elements come from that are taken, repeated or in turns: element k is
/// `k % period * stride / copies` of the source.
struct Places {
  int64_t period, stride = 1, copies = 1;
  int64_t operator()(int64_t k) const { return k % period * stride / copies; }
};
} // namespace

/// Gathers along one of the last two dimensions: the hardware picks from the
/// registers of one tile, so a longer dimension is searched tile by tile.
///
///   %0 = tpu.dynamic_gather %tile0[%within] in [1]
///   %1 = tpu.dynamic_gather %tile1[%within] in [1]
///   %2 = arith.cmpi sge, %indices, %c128
///   %3 = arith.select %2, %1, %0
///
/// is a gather from 256 lanes. The last tile whose start is not above the index
/// wins. Known indices are searched only where they are: `at` are their values.
static Value gatherTiles(Emitter &emit, Value value, Value indices, int64_t dim,
                         int64_t tile, const Places *at = nullptr) {
  int64_t wanted = getShape(indices.getType())[dim];
  int64_t size = getShape(value.getType())[dim];
  auto pick = [&](Value from, Value places) -> Value {
    return emit.create<tpu::DynamicGatherOp>(
        VectorType::get(getShape(places.getType()),
                        getElementType(from.getType())),
        from, places, emit.getBuilder().getDenseI32ArrayAttr({int32_t(dim)}));
  };
  // One register needs no search.
  if (size <= tile && wanted <= tile)
    return pick(value, indices);
  Value source = padTo(emit, value, dim, llvm::alignTo(size, tile));
  Value places = padTo(emit, indices, dim, llvm::alignTo(wanted, tile));
  SmallVector<Value> parts;
  for (int64_t out = 0; out < wanted; out += tile) {
    int64_t first = 0, last = size - 1;
    if (at) {
      auto from =
          llvm::map_range(llvm::seq(out, std::min(out + tile, wanted)), *at);
      first = llvm::alignDown(*llvm::min_element(from), tile);
      last = *llvm::max_element(from);
    }
    // Turns that fill tiles are equal.
    if (at && out > 0 && tile % at->period == 0) {
      parts.push_back(parts.front());
      continue;
    }
    Value here = emit.extractSlice(places, dim, out, tile);
    // The place within a tile: the size of a tile is a power of two.
    Value within = emit.create<arith::AndIOp>(
        here, emit.integer(here.getType(), tile - 1));
    Value part;
    for (int64_t in = first; in <= last; in += tile) {
      Value from = emit.extractSlice(source, dim, in, tile);
      Value picked = pick(from, within);
      if (!part) {
        part = picked;
        continue;
      }
      Value inThis = emit.compare(arith::CmpIPredicate::sge, here,
                                  emit.integer(here.getType(), in));
      part = emit.select(inThis, picked, part);
    }
    parts.push_back(part);
  }
  return emit.extractSlice(emit.concatenate(parts, dim), dim, 0, wanted);
}

/// Gathers from a single row: each of its registers is searched for as many
/// places as a register has.
static Value gatherFromRow(Emitter &emit, Value value, Value indices) {
  int64_t size = getShape(value.getType())[0];
  int64_t wanted = getShape(indices.getType())[0];
  Value source = emit.reshape(value, {1, size});
  Value places = emit.reshape(indices, {1, wanted});
  int64_t lanes = emit.getChip().lanes;
  int64_t rows = llvm::divideCeil(wanted, lanes);
  if (rows == 1)
    return emit.reshape(gatherTiles(emit, source, places, 1, lanes), {wanted});
  // The row is repeated in every row of a matrix of as many places.
  places =
      reshapeVector(emit, padTo(emit, places, 1, rows * lanes), {rows, lanes});
  Value picked =
      gatherTiles(emit, emit.broadcast(source, {rows, size}), places, 1, lanes);
  picked = reshapeVector(emit, picked, {1, rows * lanes});
  return emit.reshape(emit.extractSlice(picked, 1, 0, wanted), {wanted});
}

/// Gathers along a leading dimension: tries one source position after another.
///
///   %0 = arith.cmpi eq, %indices, %k
///   %1 = arith.select %0, %slice, %others
///
/// for each slice k. A long dimension does this in a loop, on memory.
static Value gatherLeading(Emitter &emit, Value value, Value indices,
                           int64_t dim) {
  SmallVector<int64_t> shape(getShape(indices.getType()));
  int64_t size = getShape(value.getType())[dim];
  auto pick = [&](Value part, Value numbers, Value others) -> Value {
    Value from = emit.broadcast(part, shape);
    Value here = emit.compare(arith::CmpIPredicate::eq, indices, numbers);
    return others ? emit.select(here, from, others) : from;
  };
  // The first one is everywhere, so that indices out of bounds have some
  // element.
  Value result;
  if (size <= kMaxStepsWrittenOut) {
    for (int64_t k = 0; k < size; ++k)
      result = pick(emit.extractSlice(value, dim, k, 1),
                    emit.integer(indices.getType(), k), result);
    return result;
  }
  OpBuilder &builder = emit.getBuilder();
  Type type = VectorType::get(shape, getElementType(value.getType()));
  ScopedBuffer buffer(emit, value, dim, type);
  Value first = emit.broadcast(buffer.load(emit.i32(0)), shape);
  auto loop =
      emit.create<scf::ForOp>(emit.i32(1), emit.i32(size), emit.i32(1), first);
  builder.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  emit.create<scf::YieldOp>(pick(buffer.load(k), emit.broadcast(k, shape),
                                 loop.getRegionIterArgs().front()));
  builder.setInsertionPointAfter(loop);
  return buffer.finish(loop->getResult(0));
}

/// Narrow elements are gathered in 32 bits, since places are lanes of words.
static Value takeAt(Emitter &emit, Value value, Value indices, int64_t dim,
                    const Places *at) {
  Type element = getElementType(value.getType());
  // Equal elements are found anywhere.
  if (SplatElementsAttr all; matchPattern(value, m_Constant(&all)))
    return emit.splat(withElementType(indices.getType(), element),
                      all.getSplatValue<TypedAttr>());
  if (element.getIntOrFloatBitWidth() < 32)
    return narrow(emit, takeAt(emit, widen(emit, value), indices, dim, at),
                  element);
  indices = widen(emit, indices);
  int64_t rank = getShape(value.getType()).size();
  if (rank == 1)
    return gatherFromRow(emit, value, indices);
  if (dim >= rank - 2)
    return gatherTiles(emit, value, indices, dim,
                       emit.getChip().getRegisterSize(rank, dim), at);
  return gatherLeading(emit, value, indices, dim);
}

Value mlir::tpu::takeAlong(Emitter &emit, Value value, Value indices,
                           int64_t dim) {
  return takeAt(emit, value, indices, dim, /*at=*/nullptr);
}

/// The quotients of numbers below `limit` by a constant: as the upper bits of a
/// product with its inverse, where that is exact in 31 bits.
static Value divide(Emitter &emit, Value number, int64_t divisor,
                    int64_t limit) {
  Type type = number.getType();
  if (limit >= int64_t(1) << 15)
    return emit.create<arith::DivUIOp>(number, emit.integer(type, divisor));
  unsigned bits = llvm::Log2_64(divisor);
  if (!llvm::isPowerOf2_64(divisor)) {
    bits = llvm::Log2_64_Ceil(limit * divisor);
    int64_t inverse = (int64_t(1) << bits) / divisor + 1;
    number = emit.mul(number, emit.integer(type, inverse));
  }
  return emit.create<arith::ShRUIOp>(number, emit.integer(type, bits));
}

/// Takes `size` elements along `dim`.
static Value takePlaces(Emitter &emit, Value value, int64_t dim, int64_t size,
                        const Places &at) {
  SmallVector<int64_t> shape(getShape(value.getType()));
  shape[dim] = size;
  Value k = emit.iota(shape, dim);
  auto times = [&](Value number, int64_t factor) {
    return emit.mul(number, emit.integer(k.getType(), factor));
  };
  if (at.period < size)
    k = emit.sub(k, times(divide(emit, k, at.period, size), at.period));
  if (at.stride != 1)
    k = times(k, at.stride);
  if (at.copies != 1)
    k = divide(emit, k, at.copies, size);
  return takeAt(emit, value, k, dim, &at);
}

/// Every n-th element: element k of the result is n * k of the source.
Value mlir::tpu::takeEveryNth(Emitter &emit, Value value, int64_t dim,
                              int64_t stride) {
  if (stride == 1)
    return value;
  int64_t size = (getShape(value.getType())[dim] - 1) / stride + 1;
  return takePlaces(emit, value, dim, size, {/*period=*/size, stride});
}

/// The inverse: element k of the result is k / n of the source, so that each
/// one is repeated. The caller masks those in between.
Value mlir::tpu::spreadEveryNth(Emitter &emit, Value value, int64_t dim,
                                int64_t stride) {
  if (stride == 1)
    return value;
  int64_t size = (getShape(value.getType())[dim] - 1) * stride + 1;
  return takePlaces(emit, value, dim, size,
                    {/*period=*/size, /*stride=*/1, /*copies=*/stride});
}

/// Copies of rows side by side are registers where rows fill them:
///
///   %0 = vector.broadcast %x : vector<8x1x128xf32> to vector<8x4x128xf32>
///   %1 = vector.shape_cast %0 : vector<8x4x128xf32> to vector<8x512xf32>
///
/// is tpu.concatenate %x, %x, %x, %x in 1. Shorter ones, and lanes that are
/// repeated one by one, are gathered.
Value mlir::tpu::joinRepeated(Emitter &emit, Value value,
                              ArrayRef<int64_t> shape) {
  constexpr int64_t kMaxCopies = 16;
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  ArrayRef<int64_t> wide = getShape(value.getType());
  if (!broadcast || !isa<VectorType>(broadcast.getSourceType()) ||
      wide.size() < 2 || shape.back() == wide.back())
    return {};
  SmallVector<int64_t> once(getShape(broadcast.getSourceType()));
  once.insert(once.begin(), wide.size() - once.size(), 1);
  int64_t copies = wide.back() / once.back();
  int64_t turns = wide.end()[-2] / once.end()[-2];
  if (copies > 1 && shape.back() % (copies * turns) == 0)
    copies *= std::exchange(turns, 1);
  else if (copies > 1)
    once.end()[-2] *= std::exchange(turns, 1);
  int64_t size = shape.back() / (copies * turns);
  bool fills = size % emit.getChip().lanes == 0;
  if (copies * turns == 1 || size * copies * turns != shape.back() ||
      (turns > 1 && size != wide.back()) || (fills && turns > kMaxCopies))
    return {};
  // Other dimensions are repeated before.
  llvm::copy(wide.drop_back(2), once.begin());
  SmallVector<int64_t> rows(shape);
  rows.back() = size;
  Value source =
      reshapeVector(emit, emit.broadcast(broadcast.getSource(), once), rows);
  int64_t dim = shape.size() - 1;
  if (size == 1)
    return emit.broadcast(source, shape);
  if (turns > 1 && fills)
    return emit.concatenate(SmallVector<Value>(turns, source), dim);
  return takePlaces(emit, source, dim, shape.back(),
                    {turns > 1 ? size : shape.back(), /*stride=*/1, copies});
}
