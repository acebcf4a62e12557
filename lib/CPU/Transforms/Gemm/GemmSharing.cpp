//===- GemmSharing.cpp - Packed operands that programs share --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file packs an operand of a matmul once for all programs of a grid that
// read the same part of it. Without that, a grid of 8 x 8 blocks packs each
// part of A and of B eight times:
//   scf.for %i = ... {
//     scf.for %j = ... {
//       ... pack rows %i of A and columns %j of B, multiply ...
//     }
//   }
// becomes
//   ... pack B ...
//   scf.for %i = ... {
//     ... pack rows %i of A ...
//     scf.for %j = ... {
//       ... multiply ...
//     }
//   }
// CPUs with AVX-512 pack B while they multiply, so they share nothing.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// Packed operands may take this much memory, which is touched once more.
static constexpr int64_t mostBytes = 64 * 1024 * 1024;

/// The loops that do nothing but repeat `block`, from the innermost.
static SmallVector<Operation *> getLoopsAround(Block *block) {
  SmallVector<Operation *> loops;
  Operation *op = block->getParentOp();
  for (; isa_and_nonnull<scf::ForOp, scf::ParallelOp>(op);
       op = op->getParentOp())
    loops.push_back(op);
  return loops;
}

/// Whether `value` can be computed in front of the loop.
static bool isInvariant(Value value, Operation *loop, unsigned depth = 0) {
  constexpr unsigned mostSteps = 8;
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && depth < mostSteps && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) {
               return isInvariant(operand, loop, depth + 1);
             });
}

/// The outermost of the loops that `value` doesn't depend on, without one in
/// between that it does depend on.
static Operation *findInvariantLoop(Value value, ArrayRef<Operation *> loops) {
  Operation *outermost = nullptr;
  for (Operation *loop : loops) {
    if (!isInvariant(value, loop))
      break;
    outermost = loop;
  }
  return outermost;
}

/// Computes an invariant value again at the insertion point, in front of the
/// loop.
static Value cloneInFront(OpBuilder &b, Value value, Operation *loop,
                          IRMapping &mapping) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return value;
  if (!mapping.contains(value)) {
    for (Value operand : value.getDefiningOp()->getOperands())
      mapping.map(operand, cloneInFront(b, operand, loop, mapping));
    b.clone(*value.getDefiningOp(), mapping);
  }
  return mapping.lookup(value);
}

static SmallVector<Value> getInductionVars(Operation *loop) {
  return *cast<LoopLikeOpInterface>(loop).getLoopInductionVars();
}

/// The loop variable that counts windows of `size` elements side by side,
/// enough of them to make up most of the `extent`; null if there is none.
///
///   %offset = arith.muli %j, %c128 : index
static Value getCounter(OpFoldResult offset, int64_t size, int64_t extent,
                        ArrayRef<Operation *> loops) {
  auto value = dyn_cast<Value>(offset);
  auto product = value ? value.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product || getConstantIntValue(product.getRhs()) != size)
    return {};
  Value counter = product.getLhs();
  for (Operation *loop : loops) {
    auto like = cast<LoopLikeOpInterface>(loop);
    SmallVector<Value> variables = getInductionVars(loop);
    auto *found = llvm::find(variables, counter);
    if (found == variables.end())
      continue;
    unsigned i = found - variables.begin();
    std::optional<int64_t> from =
        getConstantIntValue((*like.getLoopLowerBounds())[i]);
    std::optional<int64_t> to =
        getConstantIntValue((*like.getLoopUpperBounds())[i]);
    std::optional<int64_t> step =
        getConstantIntValue((*like.getLoopSteps())[i]);
    return from == 0 && to && step == 1 && 2 * *to * size >= extent ? counter
                                                                    : Value();
  }
  return {};
}

/// Memory for all passes, of which one takes `pass`. Empty if that is too much.
Value GemmEmitter::createShared(MemRefType pass) {
  SmallVector<int64_t> shape(pass.getShape());
  shape.insert(shape.begin(), llvm::divideCeil(gemm.k, tiling.depth));
  auto type = MemRefType::get(shape, pass.getElementType());
  if (type.getNumElements() * type.getElementTypeBitWidth() > 8 * mostBytes)
    return {};
  return memref::AllocOp::create(b, loc, type, b.getI64IntegerAttr(64));
}

/// The part of the pass at `k0`: `count` rows or panels from `first` on.
Value GemmEmitter::getPass(Value shared, Value k0, Value first,
                           OpFoldResult count) {
  auto type = cast<MemRefType>(shared.getType());
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      sizes = memref::getMixedSizes(b, loc, shared),
      strides(rank, b.getIndexAttr(1));
  offsets[0] = getAsOpFoldResult(divide(k0, tiling.depth));
  offsets[1] = getAsOpFoldResult(first);
  sizes[0] = b.getIndexAttr(1);
  sizes[1] = count;
  SmallVector<int64_t> shape(type.getShape().drop_front());
  shape[0] = getConstantIntValue(count).value_or(ShapedType::kDynamic);
  MemRefType part = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, part, shared, offsets, sizes,
                                   strides);
}

/// Packs rows of A in front of the loops that go through columns.
void GemmEmitter::shareA() {
  if (!gemm.isConstantA || !packsA())
    return;
  Operation *loop =
      findInvariantLoop(gemm.a, getLoopsAround(b.getInsertionBlock()));
  if (!loop)
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  SmallVector<int64_t> shape(getTypeOfA().getShape());
  shape[0] = gemm.m;
  sharedA = createShared(MemRefType::get(shape, stored));
  if (!sharedA)
    return;
  GemmEmitter packer(*this);
  IRMapping mapping;
  packer.gemm.a = cloneInFront(b, gemm.a, loop, mapping);
  this->loop(index(0), index(gemm.k), tiling.depth, [&](Value k0) {
    packer.packedA = getPass(sharedA, k0, index(0), b.getIndexAttr(gemm.m));
    packer.packA(k0, getDepth(k0));
  });
}

/// Packs columns of B in front of the loops that go through rows, or all of B,
/// if loops through columns are among them.
void GemmEmitter::shareB() {
  int64_t panel = tiling.getPanel();
  if (!gemm.isConstantB || tiling.readsB || gemm.usedColumns ||
      gemm.n % panel != 0)
    return;
  SmallVector<Operation *> loops = getLoopsAround(b.getInsertionBlock());
  Operation *inner = findInvariantLoop(gemm.b, loops), *outer = nullptr;
  auto window = gemm.b.getDefiningOp<memref::SubViewOp>();
  unsigned columnDim = gemm.transposeB ? 0 : 1;
  int64_t extent = 0;
  Value counter;
  if (window && window.getSourceType().getRank() == 2 &&
      window.getType().getRank() == 2 &&
      window.getSourceType().hasStaticShape() &&
      window.getSourceType().getDimSize(1 - columnDim) == gemm.k) {
    extent = window.getSourceType().getDimSize(columnDim);
    if (extent % panel == 0)
      counter = getCounter(window.getMixedOffsets()[columnDim], gemm.n, extent,
                           loops);
  }
  if (counter && isInvariant(window.getSource(), loops.back()))
    for (Operation *loop : loops)
      if (getInductionVars(loop) != SmallVector<Value>{counter})
        outer = loop;
  bool packsAll = outer && (!inner || outer->isProperAncestor(inner));
  Operation *loop = packsAll ? outer : inner;
  if (!loop)
    return;
  if (!packsAll)
    extent = gemm.n;

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  sharedPanels = createShared(getTypeOfPanels(extent));
  if (!sharedPanels)
    return;
  tiling.packsRows |= tiling.fillsPanels;
  tiling.fillsPanels = false;
  GemmEmitter packer(*this);
  IRMapping mapping;
  packer.gemm.n = extent;
  packer.gemm.b =
      packsAll ? window.getSource() : cloneInFront(b, gemm.b, loop, mapping);
  packer.packShared(/*onThreads=*/isa<scf::ParallelOp>(loop));
  if (!packsAll)
    return;
  b.setInsertionPointAfter(window);
  firstPanel = divide(cast<Value>(window.getMixedOffsets()[columnDim]), panel);
}

/// Packs all of B, piece by piece. A piece has as many panels as are packed
/// side by side.
void GemmEmitter::packShared(bool onThreads) {
  // Threads take some microseconds to start.
  constexpr int64_t leastElements = 1 << 16;
  int64_t panel = tiling.getPanel(), piece = 8 * panel;
  auto pack = [&](Value k0, Value n0) {
    Value rest =
        divide(arith::SubIOp::create(b, loc, index(gemm.n), n0), panel);
    Value count = minimum(rest, piece / panel);
    panels =
        getPass(sharedPanels, k0, divide(n0, panel), getAsOpFoldResult(count));
    packB(k0, getDepth(k0), n0, count, 0);
  };
  if (!onThreads || gemm.k * gemm.n < leastElements)
    return loop(index(0), index(gemm.k), tiling.depth, [&](Value k0) {
      loop(index(0), index(gemm.n), piece, [&](Value n0) { pack(k0, n0); });
    });
  SmallVector<Value> zeros(2, index(0)), ends{index(gemm.k), index(gemm.n)},
      steps{index(tiling.depth), index(piece)};
  auto parallel = scf::ParallelOp::create(b, loc, zeros, ends, steps);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(parallel.getBody());
  SmallVector<Value> variables = parallel.getInductionVars();
  pack(variables[0], variables[1]);
}

/// Shares packed operands with other programs, unless tiles pack them as they
/// go: that is as fast on CPUs with AVX-512.
void GemmEmitter::share(const Target &target) {
  if (target.vectorBits >= 512)
    return;
  shareB();
  shareA();
}
