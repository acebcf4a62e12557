//===- GPUOps.cpp - Warpgroup products and tensor memory ------------------===//
//
// As with async copies, everything is complete when it starts.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"

using namespace mlir;
using namespace mlir::pallas;

/// A matrix operand as a value: a tensor already, or what a ref holds now.
Value Lowering::readMatrix(Value matrix) {
  auto ref = dyn_cast<RefType>(matrix.getType());
  if (!ref)
    return matrix;
  return readView(getMemory(matrix), ref.getValueType(), /*copy=*/false,
                  /*writable=*/false);
}

/// lhs @ rhs onto `acc`, which may be null.
static Value multiply(OpBuilder &b, Location loc, Value lhs, Value rhs,
                      Value acc, Type type) {
  return DotGeneralOp::create(b, loc, type, lhs, rhs, acc,
                              b.getDenseI64ArrayAttr({1}),
                              b.getDenseI64ArrayAttr({0}));
}

/// Runs `body` under a condition, or always where there is none.
void Lowering::when(Location loc, Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  body();
}

/// target = target `kind` source, element by element.
void Lowering::updateMemory(Location loc, AtomicKind kind, Value source,
                            Value target) {
  unsigned rank = cast<MemRefType>(target.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, source, target, ArrayRef{identity, identity}, kinds,
      [&](OpBuilder &b, Location loc, ValueRange values) {
        linalg::YieldOp::create(
            b, loc, combineAtomically(b, loc, kind, values[1], values[0]));
      });
}

LogicalResult Lowering::lowerProduct(Operation *op) {
  Location loc = op->getLoc();
  if (auto product = dyn_cast<WGMMAOp>(op)) {
    checkProduct(op, {product.getLhs(), product.getRhs()}, Value(), Value(),
                 Value());
    Value result = multiply(b, loc, readMatrix(product.getLhs()),
                            readMatrix(product.getRhs()), product.getAcc(),
                            product.getType());
    b.replaceOp(op, result);
    return success();
  }
  if (auto product = dyn_cast<WGMMARefOp>(op)) {
    checkProduct(op, {product.getLhs(), product.getRhs()}, product.getAcc(),
                 Value(), Value());
    Value place = getMemory(product.getAcc());
    Type type = product.getAcc().getType().getValueType();
    Value acc = readView(place, type, /*copy=*/false, /*writable=*/true);
    writeView(multiply(b, loc, readMatrix(product.getLhs()),
                       readMatrix(product.getRhs()), acc, type),
              place);
  } else {
    auto product5 = cast<Tcgen05MMAOp>(op);
    if (failed(verifyOwnBlock(op, product5.getCollectiveAxis())))
      return failure();
    Value barrier = product5.getBarrier();
    checkProduct(op, {product5.getLhs(), product5.getRhs()}, product5.getAcc(),
                 product5.getAccumulate(),
                 barrier ? getMemory(barrier) : Value());
    Value place = getMemory(product5.getAcc());
    Type type = product5.getAcc().getType().getValueType();
    Value isFirst = arith::XOrIOp::create(
        b, loc, product5.getAccumulate(),
        arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1));
    when(loc, isFirst, [&] {
      fill(loc, place,
           b.getZeroAttr(cast<MemRefType>(place.getType()).getElementType()));
    });
    Value acc = readView(place, type, /*copy=*/false, /*writable=*/true);
    writeView(multiply(b, loc, readMatrix(product5.getLhs()),
                       readMatrix(product5.getRhs()), acc, type),
              place);
    if (barrier)
      arrive(loc, barrier);
  }
  b.eraseOp(op);
  return success();
}

LogicalResult Lowering::lowerGPUOp(Operation *op) {
  Location loc = op->getLoc();
  if (isa<WGMMAOp, WGMMARefOp, Tcgen05MMAOp>(op))
    return lowerProduct(op);
  if (auto load = dyn_cast<CopyGmemToSmemOp>(op)) {
    if (failed(lowerTensorLoad(load)))
      return failure();
  } else if (auto store = dyn_cast<CopySmemToGmemOp>(op)) {
    if (failed(lowerTensorStore(store)))
      return failure();
  } else if (auto commit = dyn_cast<Tcgen05CommitOp>(op)) {
    if (failed(verifyOwnBlock(op, commit.getCollectiveAxis())))
      return failure();
    checkFollowProducts(loc, getMemory(commit.getBarrier()));
    arrive(loc, commit.getBarrier());
  } else if (isa<CommitSmemToGmemGroupOp>(op)) {
    checkCommitCopies(loc);
  } else if (auto wait = dyn_cast<WaitSmemToGmemOp>(op)) {
    checkWaitForCopies(loc, wait.getPending(), wait.getReadOnly());
  } else if (auto wait = dyn_cast<WGMMAWaitOp>(op)) {
    checkWaitForProducts(loc, wait.getPending());
  } else if (isa<CommitSmemOp>(op)) {
    checkCommitStores(loc);
  } else if (isa<WaitLoadTmemOp>(op)) {
    checkWaitForTensorMemory(loc, AccessKind::Read);
  } else if (isa<CommitTmemOp>(op)) {
    checkWaitForTensorMemory(loc, AccessKind::Write);
  } else if (auto load = dyn_cast<AsyncLoadTmemOp>(op)) {
    checkTensorMemory(op, AccessKind::Read, load.getSource());
    b.replaceOp(op, readView(getMemory(load.getSource()), load.getType(),
                             /*copy=*/true, /*writable=*/false));
    return success();
  } else if (auto store = dyn_cast<AsyncStoreTmemOp>(op)) {
    checkTensorMemory(op, AccessKind::Write, store.getTarget());
    writeView(store.getValue(), getMemory(store.getTarget()));
  } else if (auto cast = dyn_cast<LayoutCastOp>(op)) {
    b.replaceOp(op, cast.getValue());
    return success();
  }
  // Hints about registers and prefetches have nothing to do.
  b.eraseOp(op);
  return success();
}
