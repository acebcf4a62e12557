//===- AsyncOps.cpp - Semaphores, barriers and async copies ---------------===//
//
// One thread runs a kernel with these operations, so a copy may complete when
// it starts, and a wait that is short now would wait for ever.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pallas;

/// Makes the call fail with a message if `condition` holds.
void Lowering::emitError(Operation *op, Value condition, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getLoc() << ": " << message;
  auto branch = scf::IfOp::create(b, op->getLoc(), condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  callRuntime(op->getLoc(), "pallas_rt_error", {createString(op, text)});
}

/// Bytes of the elements of a memory, as DMA semaphores count them.
Value Lowering::getByteCount(Value place, Location loc) {
  auto type = cast<MemRefType>(place.getType());
  Value count = index(
      loc, llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8));
  for (int64_t d = 0; d < type.getRank(); ++d)
    count = arith::MulIOp::create(b, loc, count,
                                  memref::DimOp::create(b, loc, place, d));
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), count);
}

static Value addToCount(OpBuilder &b, Location loc, Value semaphore,
                        Value amount) {
  Value count = memref::LoadOp::create(b, loc, semaphore);
  Value next = arith::AddIOp::create(b, loc, count, amount);
  memref::StoreOp::create(b, loc, next, semaphore);
  return next;
}

/// Subtracts from a count, or reports that it will never be that high.
void Lowering::waitForCount(Operation *op, Value semaphore, Value amount,
                            bool decrement) {
  Location loc = op->getLoc();
  Value count = memref::LoadOp::create(b, loc, semaphore);
  Value isShort =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, count, amount);
  emitError(op, isShort,
            "deadlock: this waits for a semaphore that nothing is left to "
            "signal");
  if (decrement)
    memref::StoreOp::create(
        b, loc, arith::SubIOp::create(b, loc, count, amount), semaphore);
}

/// There is one device, so a remote operation must mean this one.
void Lowering::checkDevice(Operation *op, ValueRange deviceIds) {
  for (Value id : deviceIds) {
    Value zero = arith::ConstantIntOp::create(b, op->getLoc(), id.getType(), 0);
    Value isOther = arith::CmpIOp::create(b, op->getLoc(),
                                          arith::CmpIPredicate::ne, id, zero);
    emitError(op, isOther, "this names another device, but there is only one");
  }
}

LogicalResult Lowering::lowerAsync(Operation *op) {
  Location loc = op->getLoc();
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op)) {
    checkDevice(op, signal.getDeviceIds());
    checkSignal(op, signal.getSemaphore(), signal.getIncrement());
    addToCount(b, loc, getMemory(signal.getSemaphore()), signal.getIncrement());
  } else if (auto wait = dyn_cast<SemaphoreWaitOp>(op)) {
    waitForCount(op, getMemory(wait.getSemaphore()), wait.getCount(),
                 wait.getDecrement());
    checkWait(op, wait.getSemaphore(), wait.getCount());
  } else if (auto read = dyn_cast<SemaphoreReadOp>(op)) {
    b.replaceOpWithNewOp<memref::LoadOp>(read, getMemory(read.getSemaphore()));
    return success();
  } else if (auto start = dyn_cast<DMAStartOp>(op)) {
    checkDevice(op, start.getDeviceIds());
    Value source = getMemory(start.getSource()),
          target = getMemory(start.getTarget());
    checkCopyStart(op, start.getSource(), start.getTarget(),
                   start.getSemaphore(), start.getSourceSemaphore(),
                   getByteCount(target, loc), start.getAdd());
    if (start.getAdd()) {
      updateMemory(loc, AtomicKind::Add, source, target);
    } else {
      memref::CopyOp::create(b, loc, source, target);
    }
    addToCount(b, loc, getMemory(start.getSemaphore()),
               getByteCount(target, loc));
    if (Value sourceSemaphore = start.getSourceSemaphore())
      addToCount(b, loc, getMemory(sourceSemaphore), getByteCount(source, loc));
  } else if (auto wait = dyn_cast<DMAWaitOp>(op)) {
    bool waitsForSource = static_cast<bool>(wait.getSourceSemaphore());
    Value place =
        getMemory(waitsForSource ? wait.getSource() : wait.getTarget());
    Value semaphore = getMemory(waitsForSource ? wait.getSourceSemaphore()
                                               : wait.getSemaphore());
    Value amount = getByteCount(place, loc);
    waitForCount(op, semaphore, amount, /*decrement=*/true);
    checkWait(op,
              waitsForSource ? wait.getSourceSemaphore() : wait.getSemaphore(),
              amount);
  } else {
    return lowerBarrier(op);
  }
  b.eraseOp(op);
  return success();
}

void Lowering::arrive(Location loc, Value barrier) {
  addToCount(b, loc, getMemory(barrier),
             arith::ConstantIntOp::create(b, loc, b.getI32Type(), 1));
}

/// A barrier counts arrivals; a phase is complete when all of them are there.
LogicalResult Lowering::lowerBarrier(Operation *op) {
  Location loc = op->getLoc();
  Value barrier = op->getOperand(0);
  auto type =
      dyn_cast<BarrierType>(cast<RefType>(barrier.getType()).getElementType());
  if (!type)
    return op->emitOpError(
        "uses a barrier of a cluster, which CPUs don't have");
  Value arrivals = arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                                type.getNumArrivals());
  if (isa<BarrierArriveOp>(op)) {
    arrive(loc, barrier);
  } else if (isa<BarrierWaitOp>(op)) {
    waitForCount(op, getMemory(barrier), arrivals, /*decrement=*/true);
  } else {
    Value count = memref::LoadOp::create(b, loc, getMemory(barrier));
    b.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::sge, count,
                                        arrivals);
    return success();
  }
  b.eraseOp(op);
  return success();
}
