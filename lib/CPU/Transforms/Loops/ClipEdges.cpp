//===- ClipEdges.cpp - Partial blocks in their arrays ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-clip-edges. If a block extends past the end
// of its array, a program sees a copy. An elementwise operation needs none,
// since elements that the array doesn't have are never used:
//   %w = scf.if %inside { ... part of %x ... } else { ... copy ... }
//   linalg.generic ins(%v) outs(%w)
// becomes
//   %part = memref.subview %x[%start] [%size] [1] : memref<10xf32> to ...
//   %front = memref.subview %v[0] [%size] [1] : memref<8xf32> to ...
//   linalg.generic ins(%front) outs(%part)
//
//===----------------------------------------------------------------------===//

#include "EdgeViews.h"
#include "LoopGroups.h"
#include "LoopPlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUCLIPEDGES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

namespace {
/// Rewrites one operation.
class Clipper {
public:
  Clipper(RewriterBase &rewriter, linalg::GenericOp op) : b(rewriter), op(op) {}

  /// Returns whether anything changed.
  bool run();

private:
  bool match();
  bool isPlain(OpOperand &operand);
  bool lastsUntilWriteBack() const;
  bool sharesArray(OpOperand &operand, const EdgeView &edge);
  Value clip(OpOperand &operand);
  Value getPart(Value memory, ArrayRef<OpFoldResult> sizes);
  Value getPart(const EdgeView &edge, ArrayRef<OpFoldResult> sizes);

  RewriterBase &b;
  linalg::GenericOp op;
  SmallVector<EdgeView> outputs;
  ArrayRef<OpFoldResult> sizes;
};
} // namespace

/// Whether the dimensions of the operand are some of the loops, in order.
/// Transposed windows are better read by squares, of which edges have no whole
/// number.
bool Clipper::isPlain(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return true;
  int64_t last = -1;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || int64_t(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

/// Whether nothing accesses memory before the results have been copied back.
/// Otherwise it would see them too early in the array.
bool Clipper::lastsUntilWriteBack() const {
  SmallVector<Operation *> left;
  for (const EdgeView &edge : outputs)
    left.push_back(edge.writeBack);
  for (Operation *next = op->getNextNode(); next && !left.empty();
       next = next->getNextNode()) {
    auto *found = llvm::find(left, next);
    if (found != left.end())
      left.erase(found);
    else if (!isMemoryEffectFree(next))
      return false;
  }
  return left.empty();
}

/// All outputs must be partial blocks with the same sizes, and written as a
/// whole: a window that is also read, or only partly written, needs its old
/// elements.
bool Clipper::match() {
  if (!op.hasPureBufferSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() == 0 ||
      !llvm::all_of(op->getOpOperands(),
                    [&](OpOperand &operand) { return isPlain(operand); }) ||
      !llvm::all_of(*op.getBlock(), [](Operation &inner) {
        return cpu::isVectorizable(&inner) && !isa<memref::LoadOp>(inner);
      }))
    return false;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    std::optional<EdgeView> edge = getOutputEdge(output.get());
    if (!edge || edge->branches->getBlock() != op->getBlock() ||
        output.get() != edge->branches.getResult(0) ||
        op.payloadUsesValueFromOperand(&output) ||
        !op.getMatchingIndexingMap(&output).isIdentity() ||
        (!outputs.empty() &&
         !isEqualConstantIntOrValueArray(outputs[0].sizes, edge->sizes)) ||
        !areKnownAt(edge->sizes, op))
      return false;
    // Besides this, what copies back.
    if (std::distance(output.get().use_begin(), output.get().use_end()) != 2)
      return false;
    outputs.push_back(*edge);
  }
  sizes = outputs[0].sizes;
  // They may be computed behind this operation.
  for (const EdgeView &edge : outputs)
    for (OpFoldResult size : edge.sizes)
      if (auto value = dyn_cast<Value>(size))
        if (Operation *definition = value.getDefiningOp();
            definition && definition->getBlock() == op->getBlock() &&
            !definition->isBeforeInBlock(op))
          return false;
  return lastsUntilWriteBack();
}

/// Whether an output lies in the same array, at other indices than `operand`.
bool Clipper::sharesArray(OpOperand &operand, const EdgeView &edge) {
  if (op.getMatchingIndexingMap(&operand).isIdentity())
    return false;
  auto getRoot = [](memref::SubViewOp view) {
    return getRootMemory(view.getSource());
  };
  Value root = getRoot(edge.inside);
  return !root || llvm::any_of(outputs, [&](const EdgeView &output) {
    return getRoot(output.inside) == root;
  });
}

/// The first elements of `memory`.
Value Clipper::getPart(Value memory, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  return memref::SubViewOp::create(b, op.getLoc(), memory, offsets, sizes,
                                   strides);
}

/// The first elements of the window, in the array.
Value Clipper::getPart(const EdgeView &edge, ArrayRef<OpFoldResult> sizes) {
  memref::SubViewOp inside = edge.inside;
  llvm::SmallBitVector dropped = inside.getDroppedDims();
  SmallVector<OpFoldResult> all = inside.getMixedSizes();
  SmallVector<int64_t> shape;
  for (unsigned d = 0, kept = 0; d < all.size(); ++d) {
    if (dropped[d])
      continue;
    all[d] = sizes[kept++];
    shape.push_back(getConstantIntValue(all[d]).value_or(ShapedType::kDynamic));
  }
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      shape, inside.getSourceType(), inside.getMixedOffsets(), all,
      inside.getMixedStrides());
  return memref::SubViewOp::create(b, op.getLoc(), type, inside.getSource(),
                                   inside.getMixedOffsets(), all,
                                   inside.getMixedStrides());
}

/// The replacement of `operand`. An input that is a partial block itself is
/// read from its array, unless an output of the same array could be written
/// first.
Value Clipper::clip(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || type.getRank() == 0)
    return operand.get();
  SmallVector<OpFoldResult> own =
      memref::getMixedSizes(b, op.getLoc(), operand.get());
  for (auto [size, expr] :
       llvm::zip_equal(own, op.getMatchingIndexingMap(&operand).getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      size = sizes[dim.getPosition()];
  std::optional<EdgeView> edge = getInputEdge(operand.get());
  if (edge && isEqualConstantIntOrValueArray(edge->sizes, own) &&
      !sharesArray(operand, *edge) &&
      areKnownAt(edge->inside.getMixedOffsets(), op))
    return getPart(*edge, own);
  return getPart(operand.get(), own);
}

/// Branches without users go, and their copies with them.
bool Clipper::run() {
  if (!match())
    return false;
  b.setInsertionPoint(op);
  SmallVector<Value> inputs, results;
  SetVector<Operation *> windows;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(clip(*input));
    if (std::optional<EdgeView> edge = getInputEdge(input->get()))
      windows.insert(edge->branches);
  }
  for (const EdgeView &edge : outputs) {
    results.push_back(getPart(edge, sizes));
    windows.insert(edge.branches);
  }
  auto clipped = linalg::GenericOp::create(b, op.getLoc(), inputs, results,
                                           op.getIndexingMapsArray(),
                                           op.getIteratorTypesArray());
  clipped.getRegion().takeBody(op.getRegion());
  b.eraseOp(op);
  for (const EdgeView &edge : outputs)
    b.eraseOp(edge.writeBack);
  for (Operation *window : windows)
    if (window->use_empty())
      b.eraseOp(window);
  return true;
}

namespace {
struct ClipEdges : public pallas::impl::PallasCPUClipEdgesBase<ClipEdges> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    // A window is erased with the copies in it, which write to no window, so
    // they are left out here.
    getOperation()->walk([&](linalg::GenericOp op) {
      if (getOutputEdge(op.getDpsInits()[0]))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      Clipper(rewriter, op).run();
  }
};
} // namespace
