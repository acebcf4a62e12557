//===- GPUOps.cpp - Warpgroup products and tensor memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers matmuls of warpgroups and accesses of tensor memory. As with
// async copies, everything is complete when it starts.
//
//===----------------------------------------------------------------------===//

#include "GPULowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"
#include "pallas/Dialect/Pallas/Utils/TensorProducts.h"

using namespace mlir;
using namespace mlir::pallas;

/// A matrix operand as a value: a tensor already, or what a ref holds now.
Value GPULowering::readMatrix(Location loc, Value matrix) {
  auto ref = dyn_cast<RefType>(matrix.getType());
  if (!ref)
    return matrix;
  return b.readView(loc, getMemory(matrix), ref.getValueType(), /*copy=*/false,
                    /*writable=*/false);
}

/// lhs @ rhs onto `acc`, which may be null.
///
///   %sum = pallas.dot_general %lhs, %rhs acc %acc contract [1] x [0]
///       : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
///       -> tensor<64x128xf32>
///
/// This conversion creates the value operation of `pallas`, so that the matmul
/// has one lowering: convert-pallas-to-linalg runs later.
static Value multiply(OpBuilder &b, Location loc, Value lhs, Value rhs,
                      Value acc, Type type) {
  return DotGeneralOp::create(b, loc, type, lhs, rhs, acc,
                              b.getDenseI64ArrayAttr({1}),
                              b.getDenseI64ArrayAttr({0}));
}

/// Lowers the three matmuls. They differ in where the accumulator is: a value
/// (`wgmma`), registers of the warpgroup (`wgmma_ref`) or tensor memory
/// (`tcgen05_mma`). The last one takes a flag whether to accumulate, so the
/// memory is zeroed first if it is false:
///
///   %first = arith.xori %accumulate, %true : i1
///   scf.if %first {
///     linalg.fill ins(%zero : f32) outs(%acc : memref<128x128xf32>)
///   }
LogicalResult GPULowering::lowerProduct(Operation *op) {
  Location loc = op->getLoc();
  if (auto product = dyn_cast<WGMMAOp>(op)) {
    Value result = multiply(b, loc, readMatrix(loc, product.getLhs()),
                            readMatrix(loc, product.getRhs()), product.getAcc(),
                            product.getType());
    b.replaceOp(op, result);
    return success();
  }
  if (auto product = dyn_cast<WGMMARefOp>(op)) {
    Value place = getMemory(product.getAcc());
    Type type = product.getAcc().getType().getValueType();
    Value acc = b.readView(loc, place, type, /*copy=*/false, /*writable=*/true);
    b.writeView(loc,
                multiply(b, loc, readMatrix(loc, product.getLhs()),
                         readMatrix(loc, product.getRhs()), acc, type),
                place);
  } else {
    auto product5 = cast<Tcgen05MMAOp>(op);
    Value place = getMemory(product5.getAcc());
    Type type = product5.getAcc().getType().getValueType();
    Value isFirst = arith::XOrIOp::create(
        b, loc, product5.getAccumulate(),
        arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1));
    b.when(loc, isFirst, [&] {
      b.fill(loc, place,
             b.getZeroAttr(cast<MemRefType>(place.getType()).getElementType()));
    });
    Value acc = b.readView(loc, place, type, /*copy=*/false, /*writable=*/true);
    auto read = [&](Value ref) { return ref ? readMatrix(loc, ref) : Value(); };
    ProductFactors factors{read(product5.getLhs()), read(product5.getRhs()),
                           read(product5.getLhsScale()),
                           read(product5.getRhsScale()),
                           read(product5.getLhsMetadata())};
    if (failed(spellOutFactors(b, loc, factors)))
      return failure();
    b.writeView(loc, multiply(b, loc, factors.lhs, factors.rhs, acc, type),
                place);
    if (Value barrier = product5.getBarrier())
      async.arrive(loc, barrier);
  }
  b.eraseOp(op);
  return success();
}

void GPULowering::lowerTensorCopy(AsyncCopyToTmemOp op) {
  Location loc = op.getLoc();
  Value value = arrangeTensorCopy(
      b, loc, op.getKind(), readMatrix(loc, op.getSource()),
      cast<RankedTensorType>(op.getTarget().getType().getValueType()));
  b.writeView(loc, value, getMemory(op.getTarget()));
}

/// The byte of an answer that tells whether there is work, 0 if not. Where it
/// lies in hardware is not documented.
static constexpr int64_t kFoundByte = 15;

/// Each program has the work that it was started for, and finds no other:
///   %i, %found = pallas.query_cluster_cancel %answer along ["i"]
/// -->
///   %i = arith.constant 0 : i32
///   %byte = memref.load %answer[%c15] : memref<16xi8>
///   %found = arith.trunci %byte : i8 to i1
static void lowerQuery(QueryClusterCancelOp op, Value answer,
                       MemoryBuilder &b) {
  Location loc = op.getLoc();
  SmallVector<Value> results;
  for (Type type : op.getIndices().getTypes())
    results.push_back(arith::ConstantIntOp::create(b, loc, type, 0));
  Value byte =
      memref::LoadOp::create(b, loc, answer, b.createIndex(loc, kFoundByte));
  results.push_back(arith::TruncIOp::create(b, loc, b.getI1Type(), byte));
  b.replaceOp(op, results);
}

/// Dispatches on the operation; operations with a result return early.
LogicalResult GPULowering::lowerGPUOp(Operation *op) {
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
    async.arrive(loc, commit.getBarrier());
  } else if (auto ask = dyn_cast<TryClusterCancelOp>(op)) {
    b.fill(loc, getMemory(ask.getAnswer()), b.getI8IntegerAttr(0));
    async.arrive(loc, ask.getBarrier());
  } else if (auto query = dyn_cast<QueryClusterCancelOp>(op)) {
    lowerQuery(query, getMemory(query.getAnswer()), b);
    return success();
  } else if (auto load = dyn_cast<AsyncLoadTmemOp>(op)) {
    b.replaceOp(op, b.readView(loc, getMemory(load.getSource()), load.getType(),
                               /*copy=*/true, /*writable=*/false));
    return success();
  } else if (auto store = dyn_cast<AsyncStoreTmemOp>(op)) {
    b.writeView(loc, store.getValue(), getMemory(store.getTarget()));
  } else if (auto copy = dyn_cast<AsyncCopyToTmemOp>(op)) {
    lowerTensorCopy(copy);
  } else if (auto cast = dyn_cast<LayoutCastOp>(op)) {
    b.replaceOp(op, cast.getValue());
    return success();
  }
  // Everything is complete when it starts, so that commits and waits have
  // nothing to do, and neither have hints about registers and prefetches.
  b.eraseOp(op);
  return success();
}
