//===- FetchNextRows.cpp - Rows fetched while others are computed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-fetch-next-rows. Where several loops go
// over each row of an array, as in a norm, only the first one waits for memory:
// the others find the row in the cache, and memory idles. The longest of them
// fetches the next row.
//
//   scf.for %i = %c0 to %c64 step %c1 {
//     %row = memref.subview %x[%i, 0] [1, 1024] [1, 1] : ...
//     %sum = scf.for %j = %c0 to %c1024 step %c32 ... { vector.load %row[%j] }
//     scf.for %j = %c0 to %c1024 step %c32 { vector.load %row[%j] ... }
//   }
//
// becomes
//
//   scf.for %i = %c0 to %c64 step %c1 {
//     %row = memref.subview %x[%i, 0] [1, 1024] [1, 1] : ...
//     %later = arith.addi %i, %c1 : index
//     %next = memref.subview %x[%later, 0] [1, 1024] [1, 1] : ...
//     %sum = scf.for %j = %c0 to %c1024 step %c32 ... { vector.load %row[%j] }
//     scf.for %j = %c0 to %c1024 step %c32 {
//       memref.prefetch %next[%j], read, locality<2>, data : ...
//       ... and the next 16 elements ...
//       vector.load %row[%j] ...
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUFETCHNEXTROWS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// A loop over rows, and the loops over the elements of one row in it.
struct RowLoop {
  Value row;
  int64_t step;
  SmallVector<scf::ForOp> elements;
};

/// Where the loops touch a row: the first of them that does, and whether all
/// that it does is to write.
struct Touch {
  unsigned first;
  bool isWrite;
};
} // namespace

/// The loops over vectors of a row in `body`, whose bounds are constants.
static SmallVector<scf::ForOp> getElementLoops(Block &body) {
  auto hasRegion = [](Operation &op) { return op.getNumRegions() != 0; };
  auto isConstant = [](Value value) {
    return getConstantIntValue(value).has_value();
  };
  SmallVector<scf::ForOp> loops;
  for (auto loop : body.getOps<scf::ForOp>())
    if (llvm::none_of(*loop.getBody(), hasRegion) &&
        llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(),
                                loop.getStep()},
                     isConstant))
      loops.push_back(loop);
  return loops;
}

/// Loops over rows that a loop over elements fetches while another one
/// computes.
static std::optional<RowLoop> getRowLoop(Operation *op) {
  RowLoop result;
  std::optional<int64_t> step;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    result.row = loop.getInductionVar();
    step = getConstantIntValue(loop.getStep());
  } else if (auto loop = dyn_cast<scf::ParallelOp>(op);
             loop && loop.getNumLoops() == 1) {
    result.row = loop.getInductionVars().front();
    step = getConstantIntValue(loop.getStep().front());
  }
  if (!step)
    return std::nullopt;
  result.step = *step;
  result.elements = getElementLoops(*result.row.getParentBlock());
  if (result.elements.size() < 2)
    return std::nullopt;
  return result;
}

/// How much an offset grows from one row to the next: the offset is the row
/// itself or a multiple of it.
static std::optional<int64_t> getGrowth(Value offset, RowLoop &rows) {
  if (offset == rows.row)
    return rows.step;
  auto product = offset.getDefiningOp<arith::MulIOp>();
  if (!product || product.getLhs() != rows.row)
    return std::nullopt;
  std::optional<int64_t> factor = getConstantIntValue(product.getRhs());
  if (!factor)
    return std::nullopt;
  return *factor * rows.step;
}

/// The memory that `view` is part of. A window at the end of an array is a copy
/// in another branch than all others.
static Value getMemory(memref::SubViewOp view) {
  Value base = view.getSource();
  while (Operation *op = base.getDefiningOp()) {
    if (auto outer = dyn_cast<ViewLikeOpInterface>(op))
      base = outer.getViewSource();
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      base =
          branch.thenYield().getOperand(cast<OpResult>(base).getResultNumber());
    else
      break;
  }
  return base;
}

/// Whether `view` is part of an array that is larger than caches.
static bool isOfLargeArray(memref::SubViewOp view) {
  constexpr int64_t largeBytes = 8 * 1024 * 1024;
  auto type = dyn_cast<MemRefType>(getMemory(view).getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return false;
  return !type.hasStaticShape() ||
         type.getNumElements() * type.getElementTypeBitWidth() / 8 > largeBytes;
}

/// Creates the view of the next row behind `view`, if its place is known.
static Value createNextRow(memref::SubViewOp view, RowLoop &rows) {
  OpBuilder b(view.getContext());
  b.setInsertionPointAfter(view);
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  bool moves = false;
  for (OpFoldResult &offset : offsets) {
    auto value = dyn_cast<Value>(offset);
    if (!value ||
        !rows.row.getParentRegion()->isAncestor(value.getParentRegion()))
      continue;
    std::optional<int64_t> growth = getGrowth(value, rows);
    if (!growth || moves)
      return {};
    Value distance = arith::ConstantIndexOp::create(b, view.getLoc(), *growth);
    offset =
        arith::AddIOp::create(b, view.getLoc(), value, distance).getResult();
    moves = true;
  }
  if (!moves)
    return {};
  return memref::SubViewOp::create(
      b, view.getLoc(), view.getType(), view.getSource(), offsets,
      view.getMixedSizes(), view.getMixedStrides());
}

/// About how many instructions an iteration of `loop` takes.
static int64_t countInstructions(scf::ForOp loop) {
  constexpr int64_t perFunction = 16;
  int64_t sum = 0;
  for (Operation &op : *loop.getBody())
    sum += isa<math::MathDialect>(op.getDialect()) || isa<arith::DivFOp>(op)
               ? perFunction
               : 1;
  return sum;
}

/// Which of `loops` over the same elements as `reader` takes longest.
static scf::ForOp getLongest(ArrayRef<scf::ForOp> loops, scf::ForOp reader) {
  auto getBounds = [](scf::ForOp loop) {
    return std::pair(getConstantIntValue(loop.getLowerBound()),
                     getConstantIntValue(loop.getUpperBound()));
  };
  scf::ForOp longest;
  for (scf::ForOp loop : loops)
    if (getBounds(loop) == getBounds(reader) &&
        (!longest || countInstructions(loop) >= countInstructions(longest)))
      longest = loop;
  return longest;
}

/// Fetches what `loop` would take of `row`, line by line. To fetch for writing
/// takes longer, even where the row is written next.
static void fetch(Value row, scf::ForOp loop) {
  constexpr int64_t lineBytes = 64;
  OpBuilder b(loop);
  Location loc = row.getLoc();
  auto type = cast<MemRefType>(row.getType());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> indices(type.getRank(), zero);
  int64_t step = *getConstantIntValue(loop.getStep());
  int64_t perLine = 8 * lineBytes / type.getElementTypeBitWidth();
  b.setInsertionPoint(&loop.getBody()->front());
  for (int64_t at = 0; at < step; at += perLine) {
    indices.back() = loop.getInductionVar();
    if (at != 0) {
      Value distance = arith::ConstantIndexOp::create(b, loc, at);
      indices.back() = arith::AddIOp::create(b, loc, indices.back(), distance);
    }
    memref::PrefetchOp::create(b, loc, row, indices, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}

/// The view of a row that `memory` is, if it is one.
static memref::SubViewOp getRow(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      break;
    memory = op->getOperand(0);
  }
  auto view = memory.getDefiningOp<memref::SubViewOp>();
  if (!view || view.getType().getRank() == 0 ||
      !view.getType().getElementType().isIntOrFloat())
    return {};
  auto isOne = [](int64_t size) { return size == 1; };
  ArrayRef<int64_t> shape = view.getType().getShape();
  return llvm::all_of(shape.drop_back(), isOne) ? view : memref::SubViewOp();
}

/// The rows that the loops read or write, vector by vector.
static llvm::MapVector<Operation *, Touch> collectRows(RowLoop &rows) {
  llvm::MapVector<Operation *, Touch> touched;
  for (auto [number, elements] : llvm::enumerate(rows.elements)) {
    scf::ForOp loop = elements;
    for (Operation &op : *loop.getBody()) {
      auto load = dyn_cast<vector::LoadOp>(op);
      auto store = dyn_cast<vector::StoreOp>(op);
      if (!load && !store)
        continue;
      ValueRange indices = load ? load.getIndices() : store.getIndices();
      memref::SubViewOp row = getRow(load ? load.getBase() : store.getBase());
      if (row && row->getBlock() == rows.row.getParentBlock() &&
          !indices.empty() && indices.back() == loop.getInductionVar())
        touched.try_emplace(row, Touch{unsigned(number), !load});
    }
  }
  return touched;
}

/// Fetches rows that fit into the second cache beside others, of arrays that no
/// cache keeps. A loop of few instructions is bound by memory itself: it only
/// gains from fetching rows that are read, not those that are written.
static void fetchNextRows(RowLoop &rows) {
  constexpr int64_t leastBytes = 1024, mostBytes = 64 * 1024,
                    leastInstructions = 16;
  SmallVector<std::pair<memref::SubViewOp, scf::ForOp>> fetched;
  for (auto [op, touch] : collectRows(rows)) {
    auto row = cast<memref::SubViewOp>(op);
    MemRefType type = row.getType();
    int64_t bytes = type.getShape().back() * type.getElementTypeBitWidth() / 8;
    // Most rows of long kernels are of temporaries, for which the loops need
    // not be compared.
    if (bytes < leastBytes || bytes > mostBytes || !isOfLargeArray(row))
      continue;
    scf::ForOp longest = getLongest(ArrayRef(rows.elements).drop_front(),
                                    rows.elements[touch.first]);
    if (longest &&
        (!touch.isWrite || countInstructions(longest) >= leastInstructions))
      fetched.push_back({row, longest});
  }
  for (auto [row, loop] : llvm::reverse(fetched))
    if (Value next = createNextRow(row, rows))
      fetch(next, loop);
}

namespace {
struct FetchNextRows
    : public pallas::impl::PallasCPUFetchNextRowsBase<FetchNextRows> {
  void runOnOperation() override {
    SmallVector<RowLoop> loops;
    getOperation().walk([&](Operation *op) {
      if (std::optional<RowLoop> rows = getRowLoop(op))
        loops.push_back(std::move(*rows));
    });
    for (RowLoop &rows : loops)
      fetchNextRows(rows);
  }
};
} // namespace
