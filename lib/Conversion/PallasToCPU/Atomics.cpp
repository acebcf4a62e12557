//===- Atomics.cpp - Atomic updates ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid whose kernel has atomics runs on one thread, where every update is
// atomic by itself.
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

LogicalResult RefLowering::lowerAtomicRMW(AtomicRMWOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Type type = op.getOld().getType();
  Value target = getMemory(op.getRef());
  Value old = b.allocateValue(loc, type);
  auto elementOf = [&](Value value, ValueRange position) -> Value {
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    return tensor::ExtractOp::create(b, loc, value, position);
  };
  LogicalResult result = forEachElement(
      access, AccessKind::Atomic,
      [&](ValueRange at, ValueRange position, Value inside) {
        Value value = elementOf(op.getValue(), position);
        Value condition = inside;
        if (op.getMask()) {
          Value mask = elementOf(op.getMask(), position);
          condition =
              condition ? arith::AndIOp::create(b, loc, condition, mask) : mask;
        }
        auto update = [&] {
          Value before = memref::LoadOp::create(b, loc, target, at);
          Value after = createCombined(b, loc, op.getKind(), before, value);
          memref::StoreOp::create(b, loc, after, target, at);
          memref::StoreOp::create(b, loc, before, old, position);
        };
        if (!condition)
          return update();
        memref::StoreOp::create(b, loc, value, old, position);
        auto branch = scf::IfOp::create(b, loc, condition);
        b.setInsertionPoint(branch.thenBlock()->getTerminator());
        update();
      });
  b.replaceOp(op, b.readView(old, type, /*copy=*/false, /*writable=*/true));
  return result;
}

LogicalResult RefLowering::lowerAtomicCAS(AtomicCASOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> view =
      createView(cast<RefAccessOpInterface>(op.getOperation()));
  if (failed(view))
    return failure();
  checker.checkAccess(op, AccessKind::Atomic, op.getRef(), *view);
  Value old = memref::LoadOp::create(b, loc, *view);
  Value next =
      createCompareAndSwap(b, loc, old, op.getExpected(), op.getValue());
  memref::StoreOp::create(b, loc, next, *view);
  b.replaceOp(op, old);
  return success();
}
