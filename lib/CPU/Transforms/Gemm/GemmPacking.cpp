//===- GemmPacking.cpp - Operands in the order that tiles read them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file packs the operands of a matmul. A panel holds `group` elements
// along k side by side for each column, so that one load feeds one instruction.
// A group is one element, or as many narrow ones as make up the 32 bits of the
// sum:
//   B[0, 0], B[1, 0], B[0, 1], B[1, 1], ...    for two bf16
//
//===----------------------------------------------------------------------===//

#include "../Loops/LoopPlan.h"
#include "../Loops/RegisterTiles.h"
#include "GemmEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// A scalar or vector with wider elements of `type`.
Value GemmEmitter::widen(Value value, Type type, bool isUnsigned) {
  Type from = getElementTypeOrSelf(value.getType()), to = type;
  if (from == type)
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    to = vector.clone(type);
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(b, loc, to, value);
  if (isa<FloatType>(type))
    return isUnsigned ? arith::UIToFPOp::create(b, loc, to, value).getResult()
                      : arith::SIToFPOp::create(b, loc, to, value).getResult();
  return isUnsigned ? arith::ExtUIOp::create(b, loc, to, value).getResult()
                    : arith::ExtSIOp::create(b, loc, to, value).getResult();
}

/// A scalar or vector of A or B with elements as they are stored in panels.
Value GemmEmitter::convert(Value value, bool isUnsigned) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == stored || !stored.isBF16())
    return widen(value, stored, isUnsigned);
  // The value is exact as bf16, so that the lower half of its f32 is zero.
  auto withElements = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  Type word = withElements(b.getI32Type());
  Value bits = arith::BitcastOp::create(
      b, loc, word, widen(value, b.getF32Type(), isUnsigned));
  Value half = arith::ConstantOp::create(
      b, loc,
      isa<VectorType>(word)
          ? TypedAttr(DenseElementsAttr::get(cast<VectorType>(word),
                                             b.getI32IntegerAttr(16)))
          : b.getI32IntegerAttr(16));
  bits = arith::ShRUIOp::create(b, loc, bits, half);
  bits = arith::TruncIOp::create(b, loc, withElements(b.getI16Type()), bits);
  return arith::BitcastOp::create(b, loc, withElements(stored), bits);
}

/// Copies `from` into `to`, converting elements. With `addsOffset`, integers
/// from -128 on become ones from 0 on.
void GemmEmitter::convertInto(Value from, Value to, AffineMap map,
                              unsigned rank, bool isUnsigned, bool addsOffset) {
  SmallVector<AffineMap> maps{map, b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, from, to, maps, kinds,
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value value = convert(arguments[0], isUnsigned);
        if (addsOffset)
          value = arith::XOrIOp::create(
              b, loc, value,
              arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(-128)));
        linalg::YieldOp::create(b, loc, value);
      });
}

/// Whether tiles read a copy of A. They read 8 rows at once: rows that are a
/// large power of two apart fall into the same set of the cache, and
/// conversions are better done in vectors.
bool GemmEmitter::packsA() const {
  Type type = cast<MemRefType>(gemm.a.getType()).getElementType();
  bool converts = type != stored || tiling.offsetsA ||
                  (tiling.group > 1 && gemm.transposeA);
  bool isFarApart = tiling.group == 1 && !gemm.transposeA && gemm.k >= 64 &&
                    gemm.n >= 4 * tiling.getPanel();
  return converts || isFarApart;
}

/// Of the copy of a block of A for one pass.
MemRefType GemmEmitter::getTypeOfA() const {
  int64_t line = 512 / stored.getIntOrFloatBitWidth();
  return MemRefType::get({tiling.height, tiling.depth + line}, stored);
}

/// Copies a block of A row by row, which converts its elements. Rows are padded
/// by a cache line, so that 8 of them are in different cache sets.
void GemmEmitter::packA(Value k0, Value depth) {
  OpFoldResult zero = b.getIndexAttr(0), rows = b.getIndexAttr(gemm.m);
  OpFoldResult columns = getAsOpFoldResult(depth);
  Value from = view(gemm.a, gemm.transposeA, zero, k0, rows, columns);
  Value to = view(packedA, false, zero, zero, rows, columns);
  AffineMap map = b.getMultiDimIdentityMap(2);
  if (gemm.transposeA)
    map =
        AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, b.getContext());
  convertInto(from, to, map, 2, gemm.unsignedA, tiling.offsetsA);
}

/// Whether the columns of B are rows in memory that can be packed in square
/// tiles of registers.
bool GemmEmitter::canTransposeTiles() const {
  return gemm.transposeB && gemm.n % tiling.lanes == 0 &&
         gemm.k % (tiling.lanes * tiling.group) == 0 &&
         cast<MemRefType>(gemm.b.getType()).isLastDimUnitStride();
}

/// Fills panels from columns `n0` on. If `partial` is not zero there is one
/// panel, of which only that many columns exist. The copy is a `linalg.generic`
/// with three loops, which the later lowering of linalg vectorizes:
///
///   linalg.generic {indexing_maps = [(p, k, j) -> (k, p * 32 + j),
///                                    (p, k, j) -> (p, k, j)]}
///       ins(%B : memref<256x64xf32>)
///       outs(%panels : memref<2x256x32xf32>) {...}
void GemmEmitter::packB(Value k0, Value depth, Value n0, Value count,
                        int64_t partial) {
  if (tiling.readsB)
    return;
  if (canTransposeTiles())
    return packTransposed(k0, depth, n0, count, partial);
  if (tiling.group > 1 || tiling.packsRows)
    return packGroups(k0, depth, n0, count, partial);
  int64_t panel = tiling.getPanel();
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult columns = partial ? OpFoldResult(b.getIndexAttr(partial))
                                 : getAsOpFoldResult(multiply(count, panel));
  Value from =
      view(gemm.b, gemm.transposeB, k0, n0, getAsOpFoldResult(depth), columns);
  SmallVector<OpFoldResult> offsets(3, zero), strides(3, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{getAsOpFoldResult(count),
                                  getAsOpFoldResult(depth),
                                  b.getIndexAttr(partial ? partial : panel)};
  Value to = memref::SubViewOp::create(b, loc, panels, offsets, sizes, strides);
  AffineExpr p, k, j;
  bindDims(b.getContext(), p, k, j);
  SmallVector<AffineExpr> results{k, p * panel + j};
  if (gemm.transposeB)
    std::swap(results[0], results[1]);
  convertInto(from, to, AffineMap::get(3, 0, results, b.getContext()), 3,
              gemm.unsignedB);
}

/// A vector of a row of B, in the type of B.
Value GemmEmitter::loadB(Value row, Value column, Value mask) {
  auto type = lanesOf(cast<MemRefType>(gemm.b.getType()).getElementType());
  Values place{row, column};
  if (!mask)
    return vector::LoadOp::create(b, loc, type, gemm.b, place);
  return vector::MaskedLoadOp::create(
      b, loc, type, gemm.b, place, mask,
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
}

/// Pairs of bf16 from two rows of a narrower type. Each is the upper half of an
/// f32, so that both fit into one word without a change of width.
///
///   %shifted = arith.shrui %low, %c16 : vector<16xi32>
///   %pairs = arith.ori %shifted, %high : vector<16xi32>
Value GemmEmitter::joinHalves(Value low, Value high) {
  VectorType words = lanesOf(b.getI32Type());
  auto toBits = [&](Value row) {
    return arith::BitcastOp::create(b, loc, words,
                                    widen(row, b.getF32Type(), gemm.unsignedB));
  };
  Value half = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(16)));
  Value pairs = arith::OrIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, toBits(low), half), toBits(high));
  return vector::BitCastOp::create(b, loc, lanesOf(stored, 2), pairs);
}

/// `group` rows of a vector of B, element by element in turns.
///
///   %1 = vector.interleave %row0, %row2 : vector<16xi8> -> vector<32xi8>
///   %2 = vector.interleave %row1, %row3 : vector<16xi8> -> vector<32xi8>
///   %3 = vector.interleave %1, %2 : vector<32xi8> -> vector<64xi8>
Value GemmEmitter::interleaveRows(Value row, Value column, Value mask) {
  Values rows;
  for (int64_t i = 0; i < tiling.group; ++i)
    rows.push_back(loadB(add(row, index(i)), column, mask));
  Type type = getElementTypeOrSelf(rows[0].getType());
  if (stored.isBF16() && type != stored)
    return joinHalves(rows[0], rows[1]);
  for (Value &loaded : rows)
    loaded = convert(loaded, gemm.unsignedB);
  // Rows i and i + group/2 first, so that the order comes out right.
  for (int64_t size = tiling.group; size > 1; size /= 2) {
    Values pairs;
    for (int64_t i = 0; i < size / 2; ++i)
      pairs.push_back(
          vector::InterleaveOp::create(b, loc, rows[i], rows[i + size / 2]));
    rows = pairs;
  }
  return rows[0];
}

/// One step along k of a panel, which is kept for the tiles below. Returns the
/// vectors as well, for the first tile.
GemmEmitter::Values GemmEmitter::fillPanel(Value panel, Value k0, Value k,
                                           Value n0) {
  Values columns;
  int64_t step = tiling.lanes * tiling.group;
  Value row = add(k0, multiply(k, tiling.group));
  for (int64_t v = 0; v < tiling.vectors; ++v) {
    Value words = interleaveRows(row, add(n0, index(v * tiling.lanes)), {});
    vector::StoreOp::create(b, loc, words, panels,
                            Values{panel, k, index(v * step)});
    columns.push_back(words);
  }
  return columns;
}

/// Interleaves `group` rows of B, or copies them one by one.
void GemmEmitter::packGroups(Value k0, Value depth, Value n0, Value count,
                             int64_t partial) {
  int64_t group = tiling.group, lanes = tiling.lanes;
  int64_t width = partial ? partial : tiling.getPanel();
  auto packRows = [&](Value panel, Value k) {
    Value first = add(n0, multiply(panel, tiling.getPanel()));
    Value row = add(k0, multiply(k, group));
    for (int64_t at = 0; at < width; at += lanes) {
      Value mask = createMask(width - at, lanes);
      Value words = interleaveRows(row, add(first, index(at)), mask);
      vector::StoreOp::create(b, loc, words, panels,
                              Values{panel, k, index(at * group)});
    }
  };
  // A few panels at once, so that rows are read in longer pieces, but no more
  // than the nearest cache has ways: panels lie a power of two apart. Stores
  // that fill whole lines need none of them for long.
  int64_t together = group > 1 ? 4 : 8;
  loop(index(0), count, together, [&](Value start) {
    Value end =
        arith::MinUIOp::create(b, loc, add(start, index(together)), count);
    loop(index(0), divide(depth, group), 1, [&](Value k) {
      loop(start, end, 1, [&](Value panel) { packRows(panel, k); });
    });
  });
}

/// Transposes tiles of as many columns as there are lanes in registers. A
/// column of B is then a row in memory, so reading it lane by lane would take a
/// cache line per element.
void GemmEmitter::packTransposed(Value k0, Value depth, Value n0, Value count,
                                 int64_t partial) {
  int64_t group = tiling.group, lanes = tiling.lanes;
  int64_t width = partial ? partial : tiling.getPanel();
  VectorType storedType = lanesOf(stored, group);
  VectorType loadedType =
      storedType.clone(cast<MemRefType>(gemm.b.getType()).getElementType());
  loop(index(0), count, 1, [&](Value panel) {
    Value first = add(n0, multiply(panel, tiling.getPanel()));
    loop(index(0), divide(depth, group), lanes, [&](Value k) {
      Value column = add(k0, multiply(k, group));
      loop(index(0), index(width), lanes, [&](Value at) {
        Values tile;
        Value start = add(first, at);
        for (int64_t i = 0; i < lanes; ++i)
          tile.push_back(vector::BitCastOp::create(
              b, loc, vectorType,
              convert(
                  vector::LoadOp::create(b, loc, loadedType, gemm.b,
                                         Values{add(start, index(i)), column}),
                  gemm.unsignedB)));
        tile = transposeTile(b, loc, std::move(tile));
        for (int64_t i = 0; i < lanes; ++i)
          vector::StoreOp::create(
              b, loc, vector::BitCastOp::create(b, loc, storedType, tile[i]),
              panels, Values{panel, add(k, index(i)), multiply(at, group)});
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Prefetching
//===----------------------------------------------------------------------===//

/// Whether rows of the matrix lie apart, so that the hardware doesn't foresee
/// the next one, at a distance that is known. Hardware prefetchers stop at the
/// end of a page.
static bool hasDistantRows(Value matrix, int64_t columns) {
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getElementTypeBitWidth() >= 8 &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.size() == 2 && strides[1] == 1 &&
         !ShapedType::isDynamic(strides[0]) && strides[0] > columns;
}

/// Lets step `k` of the `steps` along a tile ask for `bytes` of one of `rows`
/// rows, or a part of the steps for the same one. An address is enough for
/// that, whether anything lies there or not.
void GemmEmitter::prefetch(Value start, Value stride, int64_t bytes,
                           int64_t rows, Value k, int64_t steps,
                           bool forWriting) {
  constexpr int64_t lineBytes = 64;
  // Each iteration asks once, and none asks for two rows.
  int64_t stepsPerRow =
      std::max<int64_t>(llvm::divideCeil(steps, rows), tiling.unroll);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value line =
      add(start, arith::MulIOp::create(b, loc, divide(k, stepsPerRow), stride));
  for (int64_t at = 0; at < bytes; at += lineBytes) {
    Value place = at ? add(line, index(at)) : line;
    place = arith::IndexCastOp::create(b, loc, b.getI64Type(), place);
    place = LLVM::IntToPtrOp::create(b, loc, pointer, place);
    // Data that is written into the nearest cache, else into the next one.
    LLVM::Prefetch::create(b, loc, place, /*rw=*/forWriting,
                           /*hint=*/forWriting ? 3 : 2, /*cache=*/1);
  }
}

/// The address of an element.
Value GemmEmitter::getAddress(Value matrix, Value row, Value column) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t stride = type.getStridesAndOffset().first[0];
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, matrix);
  Value offset =
      memref::ExtractStridedMetadataOp::create(b, loc, matrix).getOffset();
  offset = add(add(offset, column), multiply(row, stride));
  return add(start, multiply(offset, bytes));
}

/// Where the shared panel begins that is read behind `panel`: the next one, or
/// behind the last one the first one of the next pass.
Value GemmEmitter::getNextPanel(Value panel) {
  auto type = cast<MemRefType>(panels.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t size = type.getDimSize(1) * type.getDimSize(2) * bytes;
  int64_t last = type.getDimSize(0) - 1;
  int64_t pass = cast<MemRefType>(sharedPanels.getType()).getDimSize(1) * size;
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, panel,
                                       index(last));
  Value next = arith::SelectOp::create(b, loc, isLast, index(pass),
                                       multiply(add(panel, index(1)), size));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, panels);
  Value offset =
      memref::ExtractStridedMetadataOp::create(b, loc, panels).getOffset();
  return add(add(start, multiply(offset, bytes)), next);
}

/// While a tile is computed, fetches its share of what comes next in most
/// kernels: the part of B below this one, which is packed then, or the next
/// shared panel, which the hardware foresees only to the end of a page, and the
/// place that the sums are copied to. Returns what each step along the tile
/// does.
std::function<void(Value)> GemmEmitter::prefetchAround(Value m0, Value k0,
                                                       Value depth,
                                                       Value column,
                                                       Value panel) {
  int64_t steps = tiling.depth / tiling.group, tiles = gemm.m / tiling.rows;
  int64_t share = llvm::divideCeil(tiling.depth, tiles);
  Value below, filled, filledStride;
  int64_t belowStride = 0, belowBytes = 0;
  auto getElementBytes = [](Value matrix) {
    return cast<MemRefType>(matrix.getType()).getElementTypeBitWidth() / 8;
  };
  auto getRowBytes = [&](Value matrix) {
    return *getStrideBytes(cast<MemRefType>(matrix.getType()), 0);
  };
  if (sharedPanels) {
    share = llvm::divideCeil(steps, tiles);
    belowStride = belowBytes =
        tiling.getPanel() * tiling.group * stored.getIntOrFloatBitWidth() / 8;
    below = add(getNextPanel(panel),
                multiply(divide(m0, tiling.rows), share * belowStride));
  } else if (!tiling.readsB && !gemm.transposeB && share <= steps &&
             hasDistantRows(gemm.b, gemm.n)) {
    Value first = multiply(divide(m0, tiling.rows), share);
    below = getAddress(gemm.b, add(add(k0, depth), first), column);
    belowStride = getRowBytes(gemm.b);
    belowBytes = tiling.getPanel() * getElementBytes(gemm.b);
  }
  if (gemm.destination && tiling.rows <= steps &&
      hasDistantRows(gemm.destination, gemm.n)) {
    filled = getAddress(gemm.destination, m0, column);
    filledStride = index(getRowBytes(gemm.destination));
    // Until the last pass, the sums stay where they are. Those of the next tile
    // are needed at once when it begins. Where an iteration is one step, that
    // would take instructions that it has no time for.
    if (tiling.unroll > 1 && gemm.k > tiling.depth) {
      int64_t last =
          (llvm::divideCeil(gemm.k, tiling.depth) - 1) * tiling.depth;
      Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, k0,
                                           index(last));
      Value next = getAddress(gemm.c, add(m0, index(tiling.rows)), column);
      filled = arith::SelectOp::create(b, loc, isLast, filled, next);
      filledStride = arith::SelectOp::create(b, loc, isLast, filledStride,
                                             index(getRowBytes(gemm.c)));
    }
  }
  return [=](Value k) {
    if (below)
      prefetch(below, index(belowStride), belowBytes, share, k, steps,
               /*forWriting=*/false);
    if (filled)
      prefetch(filled, filledStride,
               tiling.getPanel() * getElementBytes(gemm.destination),
               tiling.rows, k, steps, /*forWriting=*/true);
  };
}
