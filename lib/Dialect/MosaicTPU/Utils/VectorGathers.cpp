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

/// Gathers along one of the last two dimensions: the hardware picks from the
/// registers of one tile, so a longer dimension is searched tile by tile.
///
///   %0 = tpu.dynamic_gather %tile0[%within] in [1]
///   %1 = tpu.dynamic_gather %tile1[%within] in [1]
///   %2 = arith.cmpi sge, %indices, %c128
///   %3 = arith.select %2, %1, %0
///
/// is a gather from 256 lanes. The last tile whose start is not above the index
/// wins.
static Value gatherTiles(Emitter &emit, Value value, Value indices, int64_t dim,
                         int64_t tile) {
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
    Value here = emit.extractSlice(places, dim, out, tile);
    // The place within a tile: the size of a tile is a power of two.
    Value within = emit.create<arith::AndIOp>(
        here, emit.integer(here.getType(), tile - 1));
    Value part;
    for (int64_t in = 0; in < size; in += tile) {
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
Value mlir::tpu::takeAlong(Emitter &emit, Value value, Value indices,
                           int64_t dim) {
  Type element = getElementType(value.getType());
  // Equal elements are found anywhere.
  if (SplatElementsAttr all; matchPattern(value, m_Constant(&all)))
    return emit.splat(withElementType(indices.getType(), element),
                      all.getSplatValue<TypedAttr>());
  if (element.getIntOrFloatBitWidth() < 32)
    return narrow(emit, takeAlong(emit, widen(emit, value), indices, dim),
                  element);
  indices = widen(emit, indices);
  int64_t rank = getShape(value.getType()).size();
  if (rank == 1)
    return gatherFromRow(emit, value, indices);
  if (dim >= rank - 2)
    return gatherTiles(emit, value, indices, dim,
                       emit.getChip().getRegisterSize(rank, dim));
  return gatherLeading(emit, value, indices, dim);
}

/// Takes element `at(k)` along `dim` for each `k` below `size`.
static Value takeComputed(Emitter &emit, Value value, int64_t dim, int64_t size,
                          function_ref<Value(Value)> at) {
  SmallVector<int64_t> shape(getShape(value.getType()));
  shape[dim] = size;
  return takeAlong(emit, value, at(emit.iota(shape, dim)), dim);
}

/// Every n-th element: element k of the result is n * k of the source.
Value mlir::tpu::takeEveryNth(Emitter &emit, Value value, int64_t dim,
                              int64_t stride) {
  if (stride == 1)
    return value;
  int64_t size = (getShape(value.getType())[dim] - 1) / stride + 1;
  return takeComputed(emit, value, dim, size, [&](Value k) {
    return emit.mul(k, emit.integer(k.getType(), stride));
  });
}

/// The inverse: element k of the result is k / n of the source, so that each
/// one is repeated. The caller masks those in between.
Value mlir::tpu::spreadEveryNth(Emitter &emit, Value value, int64_t dim,
                                int64_t stride) {
  if (stride == 1)
    return value;
  int64_t size = (getShape(value.getType())[dim] - 1) * stride + 1;
  return takeComputed(emit, value, dim, size, [&](Value k) -> Value {
    return emit.create<arith::DivSIOp>(k, emit.integer(k.getType(), stride));
  });
}
