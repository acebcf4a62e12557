//===- Atomics.cpp - Atomic updates ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers atomic updates of refs. A grid whose kernel has atomics runs
// on one thread (see `isOrdered` in Calls.cpp) and tasks switch only where they
// wait, so a load, an operation and a store are atomic.
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// Updates element by element, since index arrays may name an element twice and
/// each update has to see the one before. For example:
///
///   %old = pallas.atomic_rmw <add> %ref[%i], %v
///       : !pallas.ref<16xi32, smem>, i32
///
/// becomes, with %i moved inside of the ref,
///
///   %before = memref.load %ref[%at] : memref<16xi32>
///   %after = arith.addi %before, %v : i32
///   memref.store %after, %ref[%at] : memref<16xi32>
///
/// and %old is %before. Where a mask or the end of the ref excludes an element,
/// the old value is the operand: any value would do, and this one is at hand.
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
      access, [&](ValueRange at, ValueRange position, Value inside) {
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
  b.replaceOp(op,
              b.readView(loc, old, type, /*copy=*/false, /*writable=*/true));
  return result;
}

/// The comparison is one of bits, as in hardware: a NaN equals itself, and -0.0
/// is not 0.0.
///
///   %old = pallas.atomic_cas %ref[3], %expected, %v
///       : !pallas.ref<16xi32, smem>, i32
///
/// becomes
///
///   %old = memref.load %view[] : memref<i32, strided<[], offset: 3>>
///   %same = arith.cmpi eq, %old, %expected : i32
///   %new = arith.select %same, %v, %old : i32
///   memref.store %new, %view[] : memref<i32, strided<[], offset: 3>>
LogicalResult RefLowering::lowerAtomicCAS(AtomicCASOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> view =
      createView(cast<RefAccessOpInterface>(op.getOperation()));
  if (failed(view))
    return failure();
  Value old = memref::LoadOp::create(b, loc, *view);
  Value next =
      createCompareAndSwap(b, loc, old, op.getExpected(), op.getValue());
  memref::StoreOp::create(b, loc, next, *view);
  b.replaceOp(op, old);
  return success();
}
