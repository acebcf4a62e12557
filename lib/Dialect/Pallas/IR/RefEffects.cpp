//===- RefEffects.cpp - What operations do to refs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonicalization, discharge and verifiers ask here which operations may write
// to a ref, through views, aliases and the kernels of calls.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::pallas;

/// A view shows elements of its operand, under other indices or types.
bool pallas::isRefView(Operation *op) {
  return isa_and_nonnull<ViewLikeOpInterface>(op) &&
         isa<RefType>(op->getResult(0).getType());
}

/// Refs to the memory of other cores are aliases but not views: the operand is
/// the memory of this core, and the result that of another one.
bool pallas::isRefAlias(Operation *op) {
  return isRefView(op) ||
         isa_and_nonnull<ClusterRefOp, MulticastRefOp, RemoteRefOp>(op);
}

Value pallas::skipAliases(Value ref) {
  // Verifiers run before dominance is checked, when a view may be one of
  // itself:
  //
  //   %0 = pallas.slice_ref %0[...]
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (Operation *op = ref.getDefiningOp()) {
    if (!isRefAlias(op) || !seen.insert(op).second)
      break;
    ref = op->getOperand(0);
  }
  return ref;
}

bool pallas::changesWidth(BitcastRefOp view) {
  return view.getRef().getType().getElementTypeBitWidth() !=
         view.getView().getType().getElementTypeBitWidth();
}

bool pallas::changesWidth(Value ref) {
  for (; isRefAlias(ref.getDefiningOp());
       ref = ref.getDefiningOp()->getOperand(0))
    if (auto view = ref.getDefiningOp<BitcastRefOp>();
        view && changesWidth(view))
      return true;
  return false;
}

/// Whether a kernel writes to what it sees as argument `index`.
static bool isWrittenIn(Region &kernel, unsigned index) {
  return kernel.empty() || mayBeWritten(kernel.getArgument(index));
}

/// The operand of a call is an argument of its kernel, so the uses of that
/// argument decide. Outputs and arrays without a kernel argument count as
/// written.
static bool mayKernelWrite(Operation *op, OpOperand &use) {
  unsigned index = use.getOperandNumber();
  if (auto map = dyn_cast<MpmdMapOp>(op))
    return llvm::any_of(map.getKernels(), [&](Region &kernel) {
      return isWrittenIn(kernel, index);
    });
  if (auto call = dyn_cast<PallasCallOp>(op))
    return index >= call.getCaptures().size() ||
           isWrittenIn(call.getKernel(), index);
  auto pipeline = cast<EmitPipelineOp>(op);
  unsigned first = pipeline.getDynamicGrid().size();
  return index >= first + pipeline.getInputs().size() ||
         isWrittenIn(pipeline.getKernel(),
                     index - first + pipeline.getGrid().size());
}

bool pallas::mayWrite(Operation *op, Value ref) {
  if (isRefView(op))
    return false;
  // A ref to the memory of another core may refer to this core after all.
  if (isRefAlias(op))
    return mayBeWritten(op->getResult(0));
  if (isa<MpmdMapOp, PallasCallOp, EmitPipelineOp>(op))
    return llvm::any_of(op->getOpOperands(), [&](OpOperand &use) {
      return use.get() == ref && mayKernelWrite(op, use);
    });
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffectsOnValue(ref, effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
  });
}

/// Visits uses of `ref` and of its views. For example:
///
///   %0 = pallas.slice_ref %ref[ds(0, 8), :]
///   %1 = pallas.get %0
///
/// visits the operand of `pallas.get`, but not that of `pallas.slice_ref`.
WalkResult pallas::walkRefUses(Value ref,
                               function_ref<WalkResult(OpOperand &)> visit) {
  for (OpOperand &use : ref.getUses()) {
    WalkResult result = isRefView(use.getOwner())
                            ? walkRefUses(use.getOwner()->getResult(0), visit)
                            : visit(use);
    if (result.wasInterrupted())
      return result;
  }
  return WalkResult::advance();
}

bool pallas::mayBeWritten(Value ref) {
  WalkResult result = walkRefUses(ref, [](OpOperand &use) {
    return mayWrite(use.getOwner(), use.get()) ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
  return result.wasInterrupted();
}
