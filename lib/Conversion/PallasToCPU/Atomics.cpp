//===- Atomics.cpp - Atomic updates ---------------------------------------===//
//
// A grid whose kernel has atomics runs on one thread, where every update is
// atomic by itself.
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

Value pallas::combineAtomically(OpBuilder &b, Location loc, AtomicKind kind,
                                Value old, Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  switch (kind) {
  case AtomicKind::Xchg:
    return value;
  case AtomicKind::Add:
    if (isFloat)
      return arith::AddFOp::create(b, loc, old, value);
    return arith::AddIOp::create(b, loc, old, value);
  case AtomicKind::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, old, value);
    return arith::MaxSIOp::create(b, loc, old, value);
  case AtomicKind::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, old, value);
    return arith::MinSIOp::create(b, loc, old, value);
  default:
    break;
  }
  if (isFloat)
    return {};
  switch (kind) {
  case AtomicKind::UMax:
    return arith::MaxUIOp::create(b, loc, old, value);
  case AtomicKind::UMin:
    return arith::MinUIOp::create(b, loc, old, value);
  case AtomicKind::And:
    return arith::AndIOp::create(b, loc, old, value);
  case AtomicKind::Or:
    return arith::OrIOp::create(b, loc, old, value);
  case AtomicKind::Xor:
    return arith::XOrIOp::create(b, loc, old, value);
  default:
    return {};
  }
}

LogicalResult RefLowering::lowerAtomicRMW(AtomicRMWOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Type type = op.getOld().getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  Value target = getMemory(op.getRef());
  Value old = memref::AllocOp::create(
      b, loc,
      tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType())
             : MemRefType::get({}, type),
      b.getI64IntegerAttr(64));
  auto elementOf = [&](Value value, ValueRange position) -> Value {
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    return tensor::ExtractOp::create(b, loc, value, position);
  };
  bool fits = true;
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
          Value after = combineAtomically(b, loc, op.getKind(), before, value);
          fits = static_cast<bool>(after);
          if (fits)
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
  if (!fits)
    return op.emitOpError()
           << "updates elements of type " << getElementTypeOrSelf(type)
           << " by " << stringifyAtomicKind(op.getKind())
           << ", which only integers have";
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
  Value isExpected;
  if (isa<FloatType>(old.getType()))
    isExpected = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, old,
                                       op.getExpected());
  else
    isExpected = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, old,
                                       op.getExpected());
  Value next = arith::SelectOp::create(b, loc, isExpected, op.getValue(), old);
  memref::StoreOp::create(b, loc, next, *view);
  b.replaceOp(op, old);
  return success();
}
