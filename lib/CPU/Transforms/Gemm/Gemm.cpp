//===- Gemm.cpp - Matmul of 2-D memrefs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits the loops of a matmul. The scheme is that of GotoBLAS and
// BLIS: a block of B is packed into panels as wide as a register tile, so that
// the inner loop reads it in one stream; rows of A are broadcast element by
// element; a tile of C stays in registers along k.
//
// The loops, from the outside: passes of `depth` steps along k, blocks of
// `width` columns and of `height` rows that fit into a cache, panels of
// columns, tiles of rows, steps along k. GemmBlocks.cpp has the loops around
// the tiles, GemmPacking.cpp the packing and the prefetching, and
// GemmSharing.cpp lets several matmuls share packed operands.
//
//===----------------------------------------------------------------------===//

#include "../Loops/LoopPlan.h"
#include "GemmEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// Element type of a matrix.
static Type getElement(Value matrix) {
  return cast<MemRefType>(matrix.getType()).getElementType();
}

/// Whether bf16 has every value of the type, none of them subnormal: the
/// instruction takes those as zero.
static bool isExactAsBF16(Type type) {
  if (type.isBF16())
    return true;
  return type.getIntOrFloatBitWidth() <= 8 && !isa<Float8E8M0FNUType>(type);
}

/// Whether the signed integer of `width` bits has every value of the type.
static bool isExactAsInteger(Type type, bool isUnsigned, unsigned width) {
  return type.getIntOrFloatBitWidth() + (isUnsigned ? 1 : 0) <= width;
}

/// How many elements along k one instruction can take: pairs of bf16 or i16 or
/// of types that convert to them exactly, or four bytes. Those of B must be
/// signed, and on some CPUs those of A as well.
static int64_t getLongestGroup(const Gemm &gemm, const Target &target) {
  Type a = getElement(gemm.a), bElement = getElement(gemm.b),
       sum = getElement(gemm.c);
  if (sum.isF32() && !target.bf16Dot.empty() &&
      (a.isBF16() || bElement.isBF16()) && isExactAsBF16(a) &&
      isExactAsBF16(bElement))
    return 2;
  bool fitsA = target.int8DotIsMixed ? a.getIntOrFloatBitWidth() <= 8
                                     : isExactAsInteger(a, gemm.unsignedA, 8);
  if (sum.isInteger(32) && !target.int8Dot.empty() && fitsA &&
      isExactAsInteger(bElement, gemm.unsignedB, 8))
    return 4;
  if (sum.isInteger(32) && !target.int16Dot.empty() &&
      isExactAsInteger(a, gemm.unsignedA, 16) &&
      isExactAsInteger(bElement, gemm.unsignedB, 16))
    return 2;
  return 1;
}

/// How many elements along k one instruction takes. A group must be contiguous
/// in A, and a multiple of it in k, since there is no form for a partial group.
static int64_t chooseGroup(const Gemm &gemm, const Target &target) {
  auto aType = cast<MemRefType>(gemm.a.getType());
  auto bType = cast<MemRefType>(gemm.b.getType());
  int64_t group = getLongestGroup(gemm, target);
  int64_t lanes = target.vectorBits / 32;
  if (gemm.k % group || (!gemm.transposeA && !aType.isLastDimUnitStride()))
    return 1;
  // Columns are packed by squares of registers or not at all.
  if (gemm.transposeB && (gemm.k % (group * lanes) || gemm.n % lanes))
    return 1;
  return bType.isLastDimUnitStride() ? group : 1;
}

/// How much of the second cache a matmul counts on.
static int64_t getCachedBytes(const Target &target) {
  return target.secondCacheBytes / 2;
}

/// Whether tiles read A where it is and the second cache cannot hold it.
static bool streamsA(const Gemm &gemm, const Target &target, Type element) {
  return getElement(gemm.a) == element && !gemm.transposeA &&
         gemm.m * gemm.k * element.getIntOrFloatBitWidth() / 8 >
             getCachedBytes(target);
}

/// Whether rows of A fall into one set of the nearest cache, which has ways of
/// 4 KiB on CPUs of all makes.
static bool hasRowsInOneSet(const Gemm &gemm) {
  constexpr int64_t wayBytes = 4096;
  std::optional<int64_t> rowBytes =
      getStrideBytes(cast<MemRefType>(gemm.a.getType()), 0);
  return rowBytes && *rowBytes % wayBytes == 0;
}

/// The sizes follow from the registers: `rows * vectors` accumulators,
/// `vectors` of B and one broadcast of A have to fit. With 32 registers that is
/// 8 x 2 + 3; with 16 it is 6 x 2 + 3, or 4 x 2 + 3 where products that are not
/// added up at once need registers, too. A tile of one vector has 8 rows: two
/// instructions per cycle that take four cycles each need as many sums. It has
/// one less if 8 rows of A would leave no way of their set for B.
static int64_t getMostRows(const Gemm &gemm, const Target &target, Type element,
                           int64_t vectors) {
  constexpr int64_t most = 8, ways = 8;
  if (target.numVectorRegisters >= 32)
    return most;
  if (vectors == 1)
    return streamsA(gemm, target, element) && hasRowsInOneSet(gemm) ? ways - 1
                                                                    : most;
  return target.hasFMA && isa<FloatType>(element) ? 6 : 4;
}

/// Whether B is one panel already: packing would copy it as it is.
static bool isPanel(const Gemm &gemm, const Tiling &tiling, Type element) {
  auto type = cast<MemRefType>(gemm.b.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return tiling.group == 1 && !gemm.transposeB &&
         type.getElementType() == element && gemm.n == tiling.getPanel() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[0] == gemm.n && strides[1] == 1;
}

/// How many rows of A stay in the second cache beside B and C. Those of a
/// window at the end of an array may be known at run time only.
static int64_t chooseHeight(const Gemm &gemm, const Target &target,
                            const Tiling &tiling) {
  int64_t bits = getElement(gemm.c).getIntOrFloatBitWidth() / tiling.group;
  int64_t rows = 8 * getCachedBytes(target) / (tiling.depth * bits);
  if (gemm.usedRows || gemm.m <= 2 * rows)
    return gemm.m;
  int64_t blocks = llvm::divideCeil(gemm.m, rows);
  return gemm.m % blocks == 0
             ? gemm.m / blocks
             : llvm::alignTo(llvm::divideCeil(gemm.m, blocks), tiling.rows);
}

static Tiling chooseTiling(const Gemm &gemm, const Target &target,
                           Type element) {
  Tiling tiling;
  tiling.lanes = target.vectorBits / element.getIntOrFloatBitWidth();
  tiling.vectors = gemm.n > tiling.lanes ? 2 : 1;
  int64_t mostRows = getMostRows(gemm, target, element, tiling.vectors);
  // Tiles of few rows leave instructions waiting for each other, so 8 rows
  // become 4 + 4 instead of 6 + 2.
  tiling.rows = llvm::divideCeil(gemm.m, llvm::divideCeil(gemm.m, mostRows));
  auto bType = cast<MemRefType>(gemm.b.getType());
  bool isMixed = getElement(gemm.a) != getElement(gemm.b);
  // Few rows don't repay packing, and vectors of B are converted for all rows
  // at once.
  bool isShort =
      gemm.m <= mostRows && !gemm.transposeB && bType.isLastDimUnitStride();
  // The same is true of bf16, whose bits only move, in two tiles.
  bool isShortBF16 = gemm.m < 2 * mostRows && bType.getElementType().isBF16() &&
                     isa<FloatType>(element);
  bool convertsInRegisters =
      isMixed || isShortBF16 || bType.getElementType() == element;
  if (!isMixed || !isShort || !isa<FloatType>(element))
    tiling.group = chooseGroup(gemm, target);
  tiling.offsetsA =
      tiling.group == 4 && target.int8DotIsMixed && !gemm.unsignedA;
  // Few columns leave lanes idle, and CPUs multiply more narrow vectors at
  // once.
  constexpr int64_t leastBits = 128;
  int64_t leastLanes = leastBits / element.getIntOrFloatBitWidth();
  while (tiling.group == 1 && tiling.lanes > leastLanes &&
         gemm.n <= tiling.lanes / 2)
    tiling.lanes /= 2;
  tiling.readsB = isPanel(gemm, tiling, element) ||
                  (isShort && (tiling.group == 2 ||
                               (tiling.group == 1 && convertsInRegisters)));
  // Few rows leave registers for more columns.
  if (tiling.readsB && gemm.m <= mostRows / 2 && gemm.n > 2 * tiling.lanes)
    tiling.vectors = 4;
  tiling.depth = std::min(gemm.k, stepsPerPass * tiling.group);
  // The hardware prefetches long rows of A. The panel of B stays small, since a
  // step takes one vector of it.
  constexpr int64_t passesTogether = 4;
  bool takesLongRows = tiling.vectors == 1 && tiling.group == 1 &&
                       streamsA(gemm, target, element);
  if (takesLongRows)
    tiling.depth = std::min(gemm.k, passesTogether * stepsPerPass);
  tiling.width = std::min<int64_t>(gemm.n, 512);
  // A step with short vectors takes fewer cycles than the addresses and fetches
  // around it.
  constexpr int64_t stepsTogether = 4;
  if (target.vectorBits < 512 && gemm.k % (tiling.group * stepsTogether) == 0 &&
      tiling.depth % (2 * tiling.group * stepsTogether) == 0)
    tiling.unroll = stepsTogether;
  bool isSimple =
      tiling.group == 2 ||
      (tiling.group == 1 && convertsInRegisters && bType.isLastDimUnitStride());
  tiling.fillsPanels = isSimple && !tiling.readsB && !gemm.transposeB &&
                       gemm.m > tiling.rows && gemm.n >= tiling.getPanel();
  tiling.height = takesLongRows ? gemm.m : chooseHeight(gemm, target, tiling);
  if (tiling.fillsPanels && tiling.height < gemm.m) {
    tiling.fillsPanels = false;
    tiling.packsRows = true;
  }
  if (!tiling.fillsPanels || gemm.k <= tiling.depth ||
      tiling.depth <= countCachedRows(bType, 0, target))
    return tiling;
  // Rows of B are fetched one pass ahead, and get lost if they don't fit. With
  // a small cache they are packed in long pieces instead, which the hardware
  // foresees, if there are tiles enough to repay a loop that does nothing else.
  // Else shorter passes do, unless long blocks of A repay reading their rows
  // less often.
  constexpr int64_t tilesPerPacking = 4;
  if (target.vectorBits < 512 && gemm.m >= tilesPerPacking * tiling.rows) {
    tiling.fillsPanels = false;
    tiling.packsRows = true;
  } else if (gemm.m <= tiling.depth / 2) {
    tiling.depth /= 2;
  }
  return tiling;
}

/// Panels hold the type that the instruction takes; converting while packing is
/// done once per element instead of once per use.
GemmEmitter::GemmEmitter(RewriterBase &rewriter, Location loc, const Gemm &gemm,
                         const Target &target)
    : b(rewriter), loc(loc), gemm(gemm),
      element(cast<MemRefType>(gemm.c.getType()).getElementType()),
      tiling(chooseTiling(gemm, target, element)),
      vectorType(VectorType::get({tiling.lanes}, element)),
      hasFMA(target.hasFMA), stored(element) {
  if (tiling.group == 4) {
    stored = b.getI8Type();
    dot = target.int8Dot;
  } else if (tiling.group == 2) {
    bool isFloat = isa<FloatType>(element);
    stored = isFloat ? Type(b.getBF16Type()) : b.getI16Type();
    dot = isFloat ? target.bf16Dot : target.int16Dot;
  }
}

/// Null if all lanes exist.
Value GemmEmitter::createMask(int64_t count, int64_t lanes) {
  if (count >= lanes)
    return {};
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes}, b.getI1Type()), index(count));
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

/// The operand that multiplies every lane: one element of A, or a group.
///
///   %1 = memref.load %A[%row, %k] : memref<128x512xf32>
///   %a = vector.broadcast %1 : f32 to vector<16xf32>
///
/// A group is broadcast as one word of 32 bits.
Value GemmEmitter::loadA(Value row, Value k0, Value k) {
  Value column = multiply(k, tiling.group);
  Value matrix = packedA ? packedA : gemm.a;
  Values at{row, packedA ? column : add(k0, column)};
  if (!packedA && gemm.transposeA)
    std::swap(at[0], at[1]);
  if (tiling.group == 1)
    return vector::BroadcastOp::create(
        b, loc, vectorType, memref::LoadOp::create(b, loc, matrix, at));
  Value loaded = vector::LoadOp::create(
      b, loc, VectorType::get({tiling.group}, stored), matrix, at);
  Type word = b.getI32Type();
  Value group = vector::ExtractOp::create(
      b, loc,
      vector::BitCastOp::create(b, loc, VectorType::get({1}, word), loaded), 0);
  Value spread = vector::BroadcastOp::create(b, loc, lanesOf(word), group);
  return vector::BitCastOp::create(b, loc, lanesOf(stored, tiling.group),
                                   spread);
}

///   %sum = vector.fma %a, %column, %before : vector<16xf32>
///
/// or the intrinsic that takes a group.
Value GemmEmitter::multiplyAdd(Value a, Value vector, Value sum) {
  if (stored.isInteger(16))
    return add(sum, LLVM::CallIntrinsicOp::create(
                        b, loc, vectorType, b.getStringAttr(dot), {a, vector})
                        .getResult(0));
  if (tiling.group > 1)
    return LLVM::CallIntrinsicOp::create(b, loc, vectorType,
                                         b.getStringAttr(dot), {sum, a, vector})
        .getResult(0);
  if (isa<FloatType>(element) && hasFMA)
    return vector::FMAOp::create(b, loc, a, vector, sum);
  if (isa<FloatType>(element))
    return arith::AddFOp::create(b, loc,
                                 arith::MulFOp::create(b, loc, a, vector), sum);
  return add(arith::MulIOp::create(b, loc, a, vector), sum);
}

/// Elements of a row of B or C.
Value GemmEmitter::loadVector(Value matrix, Value row, Value column,
                              Value mask) {
  Values at{row, column};
  if (!mask)
    return vector::LoadOp::create(b, loc, vectorType, matrix, at);
  return vector::MaskedLoadOp::create(
      b, loc, vectorType, matrix, at, mask,
      arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType)));
}

/// One step along k of a panel.
GemmEmitter::Values GemmEmitter::loadPanel(Value panel, Value k,
                                           int64_t vectors) {
  Values columns;
  int64_t step = tiling.lanes * tiling.group;
  for (int64_t v = 0; v < vectors; ++v)
    columns.push_back(
        vector::LoadOp::create(b, loc, lanesOf(stored, tiling.group), panels,
                               ValueRange{panel, k, index(v * step)}));
  return columns;
}

/// Some instructions take bytes of A as unsigned, so they got an offset of 128
/// while packing. That adds `128 * sum(B)` to each column of C, which this sums
/// up once per panel, for `startSums` to subtract.
GemmEmitter::Values GemmEmitter::emitExcess(Value depth, Value panel,
                                            int64_t vectors) {
  Type groupType = lanesOf(stored, tiling.group);
  Value offset = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<VectorType>(groupType),
                             b.getI8IntegerAttr(-128)));
  Values sums(vectors,
              arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType)));
  auto along = scf::ForOp::create(
      b, loc, index(0), divide(depth, tiling.group), index(1), sums,
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        Values next;
        for (auto [sum, column] :
             llvm::zip_equal(carried, loadPanel(panel, k, vectors)))
          next.push_back(multiplyAdd(offset, column, sum));
        scf::YieldOp::create(b, loc, next);
      });
  return along.getResults();
}

/// The contents of a tile of C before the steps from `k0` on. The first pass
/// may start from a constant instead of reading memory that was just filled
/// with it.
GemmEmitter::Values GemmEmitter::startSums(ValueRange rows, ValueRange columns,
                                           ArrayRef<Value> masks, Value k0) {
  auto load = [&] {
    Values sums;
    for (Value row : rows)
      for (auto [column, mask] : llvm::zip_equal(columns, masks))
        sums.push_back(loadVector(gemm.c, row, column, mask));
    return sums;
  };
  if (!gemm.start)
    return load();
  Value start = vector::BroadcastOp::create(b, loc, vectorType, gemm.start);
  Values starts(rows.size() * columns.size(), start);
  if (getConstantIntValue(k0) == 0)
    return starts;
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, k0, index(0));
  auto branches = scf::IfOp::create(
      b, loc, isFirst,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, starts); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, load()); });
  return branches.getResults();
}

/// Adds the products of one step along k.
void GemmEmitter::addStep(Values &sums, ValueRange rows,
                          llvm::function_ref<Values(Value)> loadColumns,
                          Value k0, Value k) {
  Values columns = loadColumns(k);
  auto sum = sums.begin();
  for (Value row : rows) {
    Value a = loadA(row, k0, k);
    for (Value column : columns) {
      *sum = multiplyAdd(a, column, *sum);
      ++sum;
    }
  }
}

/// Emits one register tile: loads its sums, adds all steps along k, and stores
/// them. The loop carries `rows * vectors` vectors, which LLVM keeps in
/// registers as there are no other values across iterations.
///
///   %sums:2 = scf.for %k = %c0 to %depth step %c1
///       iter_args(%s0 = %start0, %s1 = %start1) {
///     %b0 = vector.load %panels[%panel, %k, %c0] : ..., vector<16xf32>
///     %a0 = vector.broadcast %A0 : f32 to vector<16xf32>
///     %n0 = vector.fma %a0, %b0, %s0 : vector<16xf32>
///     %a1 = vector.broadcast %A1 : f32 to vector<16xf32>
///     %n1 = vector.fma %a1, %b0, %s1 : vector<16xf32>
///     scf.yield %n0, %n1 : vector<16xf32>, vector<16xf32>
///   }
void GemmEmitter::emitTile(Value m0, int64_t rows, Value k0, Value depth,
                           Value n0, Value panel, int64_t partial,
                           ValueRange excess, bool fillsPanel) {
  int64_t lanes = tiling.lanes;
  int64_t vectors = partial ? llvm::divideCeil(partial, lanes) : tiling.vectors;
  Values rowIndices, columnIndices, masks(vectors);
  for (int64_t i = 0; i < rows; ++i)
    rowIndices.push_back(add(m0, index(i)));
  for (int64_t v = 0; v < vectors; ++v) {
    columnIndices.push_back(add(n0, index(v * lanes)));
    if (partial)
      masks[v] = createMask(partial - v * lanes, lanes);
  }
  Values sums = startSums(rowIndices, columnIndices, masks, k0);
  if (!excess.empty())
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = arith::SubIOp::create(b, loc, sum, excess[i % vectors]);
  std::function<void(Value)> prefetchStep;
  if (!partial && rows == tiling.rows)
    prefetchStep = prefetchAround(m0, k0, depth, n0, panel);
  auto loadColumns = [&](Value k) -> Values {
    if (fillsPanel)
      return fillPanel(panel, k0, k, n0);
    if (!tiling.readsB)
      return loadPanel(panel, k, vectors);
    Values columns;
    Value row = add(k0, multiply(k, tiling.group));
    for (auto [column, mask] : llvm::zip_equal(columnIndices, masks))
      columns.push_back(interleaveRows(row, column, mask));
    return columns;
  };
  auto along = scf::ForOp::create(
      b, loc, index(0), divide(depth, tiling.group), index(tiling.unroll), sums,
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        Values next(carried);
        if (prefetchStep)
          prefetchStep(k);
        for (int64_t step = 0; step < tiling.unroll; ++step)
          addStep(next, rowIndices, loadColumns, k0,
                  step ? add(k, index(step)) : k);
        scf::YieldOp::create(b, loc, next);
      });
  auto result = along.getResults().begin();
  for (Value row : rowIndices)
    for (auto [column, mask] : llvm::zip_equal(columnIndices, masks)) {
      Values at{row, column};
      if (mask)
        vector::MaskedStoreOp::create(b, loc, gemm.c, at, mask, *result++);
      else
        vector::StoreOp::create(b, loc, *result++, gemm.c, at);
    }
}

void cpu::emitGemm(RewriterBase &rewriter, Location loc, const Gemm &gemm,
                   const Target &target) {
  GemmEmitter(rewriter, loc, gemm, target).run(target);
}
