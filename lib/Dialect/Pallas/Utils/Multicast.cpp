//===- Multicast.cpp - Stores that reach several devices ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Multicast.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

MulticastRefOp mlir::pallas::findMulticastRef(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (auto all = dyn_cast<MulticastRefOp>(op))
      return all;
    if (!isRefView(op))
      break;
    ref = op->getOperand(0);
  }
  return {};
}

/// Whether all devices can do what `use` asks of its memory.
static bool isStore(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto swap = dyn_cast<SwapOp>(user))
    return swap.getOld().use_empty();
  if (auto copy = dyn_cast<CopySmemToGmemOp>(user))
    return &use == &copy.getTargetMutable();
  if (auto signal = dyn_cast<SemaphoreSignalOp>(user))
    return signal.getDeviceIds().empty() && !signal.getCoreIndex();
  return false;
}

static LogicalResult collectUses(Value ref,
                                 SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : ref.getUses()) {
    Operation *user = use.getOwner();
    if (isRefView(user)) {
      if (failed(collectUses(user->getResult(0), uses)))
        return failure();
      continue;
    }
    if (!isStore(use))
      return user->emitOpError(
          "takes memory of several devices; kernels store to it by swap "
          "without the old value, copy to it from shared memory, signal "
          "semaphores there, and load by multimem_load_reduce");
    uses.push_back(&use);
  }
  return success();
}

FailureOr<SmallVector<OpOperand *>>
mlir::pallas::findMulticastUses(MulticastRefOp op) {
  SmallVector<OpOperand *> uses;
  if (failed(collectUses(op.getView(), uses)))
    return failure();
  return uses;
}
