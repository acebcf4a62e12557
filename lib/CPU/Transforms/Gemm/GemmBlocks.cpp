//===- GemmBlocks.cpp - Blocks of a matmul for the caches -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits the loops around the register tiles of a matmul: passes along
// k, blocks of columns and rows, panels. For `C[128, 64] += A[128, 512] *
// B[512, 64]` with panels of 32 columns:
//
//   scf.for %k0 = %c0 to %c512 step %c256 {
//     ... pack B[%k0 : %k0 + 256, 0 : 64] into two panels ...
//     scf.for %panel = %c0 to %c2 step %c1 {
//       scf.for %m0 = %c0 to %c128 step %c8 {
//         %sums:16 = scf.for %k = %c0 to %c256 step %c1 iter_args(...) {...}
//       }
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// Emits nothing but the body if it runs once at most, so that offsets are
/// static.
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

/// Panels of so many columns, for one pass.
MemRefType GemmEmitter::getTypeOfPanels(int64_t columns) const {
  int64_t panel = tiling.getPanel(), count = llvm::divideCeil(columns, panel);
  return MemRefType::get(
      {count, tiling.depth / tiling.group, panel * tiling.group}, stored);
}

/// Operands that no other program shares are packed into memory that all
/// passes use.
void GemmEmitter::run(const Target &target) {
  share(target);
  auto allocate = [&](MemRefType type) {
    return memref::AllocOp::create(b, loc, type, b.getI64IntegerAttr(64));
  };
  if (!tiling.readsB && !sharedPanels)
    panels = allocate(
        getTypeOfPanels(tiling.fillsPanels ? tiling.getPanel() : tiling.width));
  if (packsA() && !sharedA)
    packedA = allocate(getTypeOfA());
  loop(index(0), index(gemm.k), tiling.depth, [&](Value k0) { emitPass(k0); });
}

/// How many elements along k the pass at `k0` has.
Value GemmEmitter::getDepth(Value k0) {
  if (gemm.k % tiling.depth == 0)
    return index(tiling.depth);
  return minimum(arith::SubIOp::create(b, loc, index(gemm.k), k0),
                 tiling.depth);
}

/// The steps along k from `k0` on.
void GemmEmitter::emitPass(Value k0) {
  int64_t panel = tiling.getPanel();
  Value depth = getDepth(k0);
  int64_t whole = gemm.n - gemm.n % panel;
  Value used = clip(whole, gemm.usedColumns, panel);
  if (sharedA)
    packedA = getPass(sharedA, k0, index(0), b.getIndexAttr(gemm.m));
  else if (packedA && tiling.height == gemm.m)
    packA(k0, depth);
  int64_t width = tiling.width - tiling.width % panel;
  if (sharedPanels) {
    panels = getPass(sharedPanels, k0, firstPanel ? firstPanel : index(0),
                     b.getIndexAttr(whole / panel));
    emitColumns(k0, depth, index(0), index(whole / panel), 0);
  } else if (tiling.fillsPanels) {
    emitColumns(k0, depth, index(0), divide(used, panel), 0);
  } else {
    loop(index(0), used, width, [&](Value n0) {
      Value rest = arith::SubIOp::create(b, loc, used, n0);
      Value count = divide(minimum(rest, width), panel);
      packB(k0, depth, n0, count, 0);
      emitColumns(k0, depth, n0, count, 0);
    });
  }
  if (int64_t partial = gemm.n % panel) {
    packB(k0, depth, index(whole), index(1), partial);
    emitColumns(k0, depth, index(whole), index(1), partial);
  }
}

/// How many of `whole` rows or columns are computed, in tiles of `tile`.
/// Elements that are not used are padding of partial blocks, whose sums are
/// undefined in any case.
Value GemmEmitter::clip(int64_t whole, Value used, int64_t tile) {
  if (!used)
    return index(whole);
  Value tiles = divide(add(used, index(tile - 1)), tile);
  return minimum(multiply(tiles, tile), whole);
}

/// Emits `count` packed panels from column `n0` on, for all rows. Rows that the
/// second cache can't keep meet the panels block by block:
///
///   scf.for %m0 = %c0 to %c4096 step %c256 {
///     %rows = memref.subview %A[%m0, 0] [256, 288] [1, 1] : ...
///     ... all panels ...
///   }
void GemmEmitter::emitColumns(Value k0, Value depth, Value n0, Value count,
                              int64_t partial) {
  if (tiling.height == gemm.m)
    return emitRows(k0, depth, n0, count, partial);
  Gemm whole = gemm;
  int64_t height = tiling.height, rest = whole.m % height;
  OpFoldResult zero = b.getIndexAttr(0);
  auto emitBlock = [&](Value m0, int64_t rows) {
    OpFoldResult size = b.getIndexAttr(rows);
    auto cut = [&](Value matrix, bool transposed, int64_t columns) {
      return view(matrix, transposed, m0, zero, size, b.getIndexAttr(columns));
    };
    gemm.m = rows;
    gemm.a = cut(whole.a, whole.transposeA, whole.k);
    gemm.c = cut(whole.c, false, whole.n);
    if (whole.destination)
      gemm.destination = cut(whole.destination, false, whole.n);
    Value allOfA = packedA;
    if (sharedA)
      packedA = view(allOfA, false, m0, zero, size,
                     b.getIndexAttr(getTypeOfA().getDimSize(1)));
    else if (packedA)
      packA(k0, depth);
    emitRows(k0, depth, n0, count, partial);
    packedA = allOfA;
    gemm = whole;
  };
  loop(index(0), index(whole.m - rest), height,
       [&](Value m0) { emitBlock(m0, height); });
  if (rest)
    emitBlock(index(whole.m - rest), rest);
}

/// Emits all tiles of rows for `count` panels from column `n0` on. If `partial`
/// is not zero there is one panel with that many columns.
void GemmEmitter::emitRows(Value k0, Value depth, Value n0, Value count,
                           int64_t partial) {
  int64_t vectors =
      partial ? llvm::divideCeil(partial, tiling.lanes) : tiling.vectors;
  bool fills = tiling.fillsPanels && !partial;
  loop(index(0), count, 1, [&](Value number) {
    Value column = add(n0, multiply(number, tiling.getPanel()));
    // One panel at a time stays in the nearest cache.
    Value panel = tiling.fillsPanels ? index(0) : number;
    Values excess;
    if (tiling.offsetsA)
      excess = emitExcess(depth, panel, vectors);
    int64_t first = fills ? tiling.rows : 0;
    int64_t rest = gemm.m % tiling.rows, tail = rest;
    // 2 rows behind tiles of 6 become 4 + 4 with the last of these.
    if (rest && rest < tiling.rows / 2 &&
        gemm.m - rest - tiling.rows >= first) {
      rest += tiling.rows;
      tail = llvm::divideCeil(rest, 2);
    }
    int64_t whole = gemm.m - rest;
    if (fills)
      emitTile(index(0), tiling.rows, k0, depth, column, panel, partial, excess,
               /*fillsPanel=*/true);
    // How many rows are used may be known at run time only, so that a loop over
    // whole tiles would be there without any.
    if (whole > first)
      loop(index(first), clip(whole, gemm.usedRows, tiling.rows), tiling.rows,
           [&](Value m0) {
             emitTile(m0, tiling.rows, k0, depth, column, panel, partial,
                      excess);
           });
    for (int64_t m0 = whole; m0 < gemm.m; m0 += tail)
      emitTile(index(m0), std::min(tail, gemm.m - m0), k0, depth, column, panel,
               partial, excess);
  });
}
