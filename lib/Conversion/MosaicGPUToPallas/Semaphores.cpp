//===- Semaphores.cpp - Counters in global memory as semaphores -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect has no semaphores: kernels count in words of an array, by
// assembly of one thread. A loop that compares and swaps is a wait:
//   scf.while { ... "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;" ... }
// becomes
//   pallas.semaphore_wait %s, %n
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

using namespace mlir;
using namespace mlir::pallas;

/// The ref to a word of the array, made at the insertion point; null for an
/// address that is none.
static Value resolveWord(KernelRaiser &raiser, Value address) {
  OpBuilder &b = raiser.b;
  Location loc = address.getLoc();
  int64_t constant = 0;
  Value sum;
  address = getCaptured(address);
  while (auto element = address.getDefiningOp<LLVM::GEPOp>()) {
    ArrayRef<int32_t> indices = element.getRawConstantIndices();
    if (indices.size() != 1 || !element.getElemType().isInteger(32))
      return {};
    if (indices[0] != LLVM::GEPOp::kDynamicIndex) {
      constant += indices[0];
    } else {
      Value index = arith::IndexCastOp::create(
          b, loc, b.getIndexType(), element.getDynamicIndices().front());
      sum = sum ? arith::AddIOp::create(b, loc, sum, index).getResult() : index;
    }
    address = getCaptured(element.getBase());
  }
  // The pointer, or field of the descriptor of a memref.
  if (auto extract = address.getDefiningOp<LLVM::ExtractValueOp>())
    address = getCaptured(extract.getContainer());
  while (address && !isa<RefType>(address.getType())) {
    auto cast = address.getDefiningOp<UnrealizedConversionCastOp>();
    address = cast && cast.getNumOperands() == 1
                  ? getCaptured(cast.getOperand(0))
                  : Value();
  }
  auto type = address ? cast<RefType>(address.getType()) : RefType();
  if (!type || !isa<SemaphoreType>(type.getElementType()))
    return {};
  if (sum && constant)
    sum = arith::AddIOp::create(
        b, loc, sum, arith::ConstantIndexOp::create(b, loc, constant));
  IndexerBuilder index(type);
  if (sum)
    index.addScalar(sum);
  else
    index.addScalar(constant);
  return SliceRefOp::create(b, loc, address, index.getIndexer(b.getContext()),
                            index.getOperands());
}

static FailureOr<Value> getWord(KernelRaiser &raiser, LLVM::InlineAsmOp op,
                                unsigned position) {
  if (op->getNumOperands() > position)
    if (Value word = resolveWord(raiser, op->getOperand(position)))
      return word;
  return op.emitOpError("counts at an address that is no word of the array of "
                        "semaphores, which is the last one of the kernel");
}

/// The count that a loop waits for: the one that it first expects to swap, or
/// the one that it compares with. Null if it is another loop.
static Value getCount(scf::WhileOp loop, LLVM::InlineAsmOp look, bool isSwap) {
  if (isSwap)
    return loop.getInits().size() == 1 ? loop.getInits()[0] : Value();
  for (Operation *user : look->getUsers())
    if (auto compare = dyn_cast<arith::CmpIOp>(user);
        compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
        compare.getLhs() == look.getRes() &&
        !loop->isAncestor(compare.getRhs().getParentBlock()->getParentOp()))
      return compare.getRhs();
  return {};
}

/// Raises one operation; yields whether it is one of semaphores.
static FailureOr<bool> raiseSemaphore(KernelRaiser &raiser,
                                      LLVM::InlineAsmOp op) {
  OpBuilder &b = raiser.b;
  Location loc = op.getLoc();
  StringRef text = op.getAsmString();
  bool isSwap = text.starts_with("atom.relaxed.") && text.contains(".cas.b32");
  bool isLook = text.starts_with("ld.relaxed.");
  if (isSwap || isLook) {
    auto loop = dyn_cast<scf::WhileOp>(op->getParentOp());
    Value count = loop ? getCount(loop, op, isSwap) : Value();
    if (!count)
      return op.emitOpError("looks at a semaphore outside of a loop that waits "
                            "for a count");
    b.setInsertionPoint(loop);
    FailureOr<Value> word = getWord(raiser, op, 0);
    if (failed(word))
      return failure();
    SemaphoreWaitOp::create(b, loc, *word, count, b.getBoolAttr(isSwap));
    loop.erase();
    return false;
  }
  b.setInsertionPoint(op);
  if (text.starts_with("fence.acquire."))
    return true;
  bool isSignal =
      (text.starts_with("@$2 red.") || text.contains("multimem.red.")) &&
      text.contains(".add.u32");
  if (!isSignal && !text.starts_with("ld.acquire."))
    return false;
  FailureOr<Value> word = getWord(raiser, op, 0);
  if (failed(word))
    return failure();
  if (!isSignal) {
    Value count = SemaphoreReadOp::create(b, loc, *word);
    op.getRes().replaceAllUsesWith(count);
    return true;
  }
  auto branch = scf::IfOp::create(b, loc, op->getOperand(2));
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  SemaphoreSignalOp::create(b, loc, *word, op->getOperand(1),
                            /*deviceIds=*/ValueRange(), /*coreIndex=*/Value(),
                            DeviceIdTypeAttr(), ArrayAttr());
  return true;
}

LogicalResult KernelRaiser::raiseSemaphores() {
  if (!kernel.semaphores.type)
    return success();
  SmallVector<LLVM::InlineAsmOp> assemblies;
  block->walk([&](LLVM::InlineAsmOp op) { assemblies.push_back(op); });
  for (LLVM::InlineAsmOp op : assemblies) {
    FailureOr<bool> isDone = raiseSemaphore(*this, op);
    if (failed(isDone))
      return failure();
    if (*isDone)
      op.erase();
  }
  return success();
}
