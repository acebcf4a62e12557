//===- Gemm.cpp - Matrix product of 2-D memrefs ---------------------------===//
//
// The classic scheme: a block of B is packed into panels as wide as a register
// tile, so that the inner loop reads it in one stream; rows of A are broadcast
// element by element; a tile of C stays in registers along k.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Sizes of register tiles and cache blocks.
struct Tiling {
  int64_t lanes, rows, vectors, depth, width;
  int64_t getPanel() const { return lanes * vectors; }
};

class GemmEmitter {
public:
  GemmEmitter(RewriterBase &rewriter, Location loc, const cpu::Gemm &gemm,
              int64_t vectorBits);
  void run();

private:
  using Values = SmallVector<Value>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value minimum(Value lhs, int64_t rhs) {
    return arith::MinUIOp::create(b, loc, lhs, index(rhs));
  }
  void loop(Value lower, Value upper, int64_t step,
            llvm::function_ref<void(Value)> body);
  Value view(Value matrix, bool transposed, OpFoldResult row,
             OpFoldResult column, OpFoldResult rows, OpFoldResult columns);
  void convertInto(Value from, Value to, AffineMap map, unsigned rank);

  void emitBlock(Value k0, Value depth, int64_t n0, int64_t columns);
  void packB(Value k0, Value depth, Value n0, Value panels, int64_t partial);
  void emitRows(Value k0, Value depth, Value n0, Value panels, int64_t partial);
  void emitTile(Value m0, int64_t rows, Value k0, Value depth, Value n0,
                Value panel, int64_t partial);
  Value loadA(Value row, Value k0, Value k);
  Value multiplyAdd(Value a, Value vector, Value sum);

  RewriterBase &b;
  Location loc;
  const cpu::Gemm &gemm;
  Type element;
  Tiling tiling;
  VectorType vectorType;
  Value panels, packedA;
};
} // namespace

static Tiling chooseTiling(const cpu::Gemm &gemm, int64_t vectorBits,
                           Type element) {
  Tiling tiling;
  tiling.lanes = vectorBits / element.getIntOrFloatBitWidth();
  tiling.vectors = gemm.n > tiling.lanes ? 2 : 1;
  // AVX-512 has 32 registers, everything else 16.
  tiling.rows = vectorBits >= 512 ? 8 : 4;
  tiling.depth = std::min<int64_t>(gemm.k, 256);
  tiling.width = std::min<int64_t>(gemm.n, 512);
  return tiling;
}

GemmEmitter::GemmEmitter(RewriterBase &rewriter, Location loc,
                         const cpu::Gemm &gemm, int64_t vectorBits)
    : b(rewriter), loc(loc), gemm(gemm),
      element(cast<MemRefType>(gemm.c.getType()).getElementType()),
      tiling(chooseTiling(gemm, vectorBits, element)),
      vectorType(VectorType::get({tiling.lanes}, element)) {}

void GemmEmitter::loop(Value lower, Value upper, int64_t step,
                       llvm::function_ref<void(Value)> body) {
  std::optional<int64_t> from = getConstantIntValue(lower),
                         to = getConstantIntValue(upper);
  if (from && to && *to - *from <= step) {
    if (*to > *from)
      body(lower);
    return;
  }
  auto forOp = scf::ForOp::create(b, loc, lower, upper, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forOp.getBody()->getTerminator());
  body(forOp.getInductionVar());
}

/// Part of a matrix; rows and columns are those of the untransposed matrix.
Value GemmEmitter::view(Value matrix, bool transposed, OpFoldResult row,
                        OpFoldResult column, OpFoldResult rows,
                        OpFoldResult columns) {
  SmallVector<OpFoldResult> offsets{row, column}, sizes{rows, columns};
  if (transposed) {
    std::swap(offsets[0], offsets[1]);
    std::swap(sizes[0], sizes[1]);
  }
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(b, loc, matrix, offsets, sizes, strides);
}

/// Copies `from` into `to`, converting elements to those of the sum.
void GemmEmitter::convertInto(Value from, Value to, AffineMap map,
                              unsigned rank) {
  SmallVector<AffineMap> maps{map, b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, from, to, maps, kinds,
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value value = arguments[0];
        if (value.getType() != element) {
          if (isa<FloatType>(element))
            value = arith::ExtFOp::create(b, loc, element, value);
          else
            value = arith::ExtSIOp::create(b, loc, element, value);
        }
        linalg::YieldOp::create(b, loc, value);
      });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void GemmEmitter::run() {
  int64_t panel = tiling.getPanel();
  int64_t numPanels = llvm::divideCeil(tiling.width, panel);
  panels = memref::AllocOp::create(
      b, loc, MemRefType::get({numPanels, tiling.depth, panel}, element),
      b.getI64IntegerAttr(64));
  auto aType = cast<MemRefType>(gemm.a.getType());
  // Broadcasts read 8 rows at once: rows that are a large power of two apart
  // fall into the same cache set, and conversions are better done in vectors.
  bool convertsA = aType.getElementType() != element;
  bool isFarApart = !gemm.transposeA && gemm.k >= 64 && gemm.n >= 4 * panel;
  if (convertsA || isFarApart)
    packedA = memref::AllocOp::create(
        b, loc, MemRefType::get({gemm.m, tiling.depth + 16}, element),
        b.getI64IntegerAttr(64));
  loop(index(0), index(gemm.k), tiling.depth, [&](Value k0) {
    Value depth = index(tiling.depth);
    if (gemm.k % tiling.depth)
      depth = minimum(arith::SubIOp::create(b, loc, index(gemm.k), k0),
                      tiling.depth);
    if (packedA) {
      OpFoldResult zero = b.getIndexAttr(0), rows = b.getIndexAttr(gemm.m);
      Value from = view(gemm.a, gemm.transposeA, zero, k0, rows,
                        getAsOpFoldResult(depth));
      Value to =
          view(packedA, false, zero, zero, rows, getAsOpFoldResult(depth));
      AffineMap map = b.getMultiDimIdentityMap(2);
      if (gemm.transposeA)
        map = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                           b.getContext());
      convertInto(from, to, map, 2);
    }
    int64_t whole = gemm.n - gemm.n % panel;
    loop(index(0), index(whole), tiling.width - tiling.width % panel,
         [&](Value n0) {
           int64_t width = tiling.width - tiling.width % panel;
           Value rest = arith::SubIOp::create(b, loc, index(whole), n0);
           Value count = arith::DivUIOp::create(b, loc, minimum(rest, width),
                                                index(panel));
           packB(k0, depth, n0, count, 0);
           emitRows(k0, depth, n0, count, 0);
         });
    if (int64_t partial = gemm.n % panel) {
      packB(k0, depth, index(whole), index(1), partial);
      emitRows(k0, depth, index(whole), index(1), partial);
    }
  });
}

/// Fills panels from columns `n0` on. If `partial` is not zero there is one
/// panel, of which only that many columns exist.
void GemmEmitter::packB(Value k0, Value depth, Value n0, Value count,
                        int64_t partial) {
  int64_t panel = tiling.getPanel();
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult columns = partial ? OpFoldResult(b.getIndexAttr(partial))
                                 : getAsOpFoldResult(arith::MulIOp::create(
                                       b, loc, count, index(panel)));
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
  convertInto(from, to, AffineMap::get(3, 0, results, b.getContext()), 3);
}

void GemmEmitter::emitRows(Value k0, Value depth, Value n0, Value count,
                           int64_t partial) {
  loop(index(0), count, 1, [&](Value panel) {
    Value column =
        add(n0, arith::MulIOp::create(b, loc, panel, index(tiling.getPanel())));
    int64_t whole = gemm.m - gemm.m % tiling.rows;
    loop(index(0), index(whole), tiling.rows, [&](Value m0) {
      emitTile(m0, tiling.rows, k0, depth, column, panel, partial);
    });
    if (gemm.m != whole)
      emitTile(index(whole), gemm.m - whole, k0, depth, column, panel, partial);
  });
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

Value GemmEmitter::loadA(Value row, Value k0, Value k) {
  if (packedA)
    return memref::LoadOp::create(b, loc, packedA, ValueRange{row, k});
  Value column = add(k0, k);
  return memref::LoadOp::create(b, loc, gemm.a,
                                gemm.transposeA ? ValueRange{column, row}
                                                : ValueRange{row, column});
}

Value GemmEmitter::multiplyAdd(Value a, Value vector, Value sum) {
  Value spread = vector::BroadcastOp::create(b, loc, vectorType, a);
  if (isa<FloatType>(element))
    return vector::FMAOp::create(b, loc, spread, vector, sum);
  return add(arith::MulIOp::create(b, loc, spread, vector), sum);
}

void GemmEmitter::emitTile(Value m0, int64_t rows, Value k0, Value depth,
                           Value n0, Value panel, int64_t partial) {
  int64_t lanes = tiling.lanes;
  int64_t vectors = partial ? llvm::divideCeil(partial, lanes) : tiling.vectors;
  Values rowIndices, columnIndices, masks(vectors);
  for (int64_t i = 0; i < rows; ++i)
    rowIndices.push_back(add(m0, index(i)));
  for (int64_t v = 0; v < vectors; ++v) {
    columnIndices.push_back(add(n0, index(v * lanes)));
    if (partial && (v + 1) * lanes > partial)
      masks[v] = vector::CreateMaskOp::create(
          b, loc, VectorType::get({lanes}, b.getI1Type()),
          index(partial - v * lanes));
  }
  Values sums;
  for (Value row : rowIndices)
    for (auto [column, mask] : llvm::zip_equal(columnIndices, masks)) {
      Values at{row, column};
      if (mask)
        sums.push_back(vector::MaskedLoadOp::create(
            b, loc, vectorType, gemm.c, at, mask,
            arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType))));
      else
        sums.push_back(vector::LoadOp::create(b, loc, vectorType, gemm.c, at));
    }
  auto along = scf::ForOp::create(
      b, loc, index(0), depth, index(1), sums,
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        Values columns, next;
        for (int64_t v = 0; v < vectors; ++v)
          columns.push_back(
              vector::LoadOp::create(b, loc, vectorType, panels,
                                     ValueRange{panel, k, index(v * lanes)}));
        for (auto [i, row] : llvm::enumerate(rowIndices)) {
          Value a = loadA(row, k0, k);
          for (auto [v, column] : llvm::enumerate(columns))
            next.push_back(multiplyAdd(a, column, carried[i * vectors + v]));
        }
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
                   int64_t vectorBits) {
  GemmEmitter(rewriter, loc, gemm, vectorBits).run();
}
