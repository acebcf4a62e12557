//===- RefEffects.cpp - What operations do to refs ------------------------===//

#include "pallas/Dialect/Pallas/Analysis/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

bool pallas::isRefView(Operation *op) {
  return isa_and_nonnull<SliceRefOp, ReshapeRefOp, BitcastRefOp,
                         TransposeRefOp>(op);
}

bool pallas::mayWrite(Operation *op, Value ref) {
  if (isRefView(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffectsOnValue(ref, effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
  });
}

bool pallas::mayBeWritten(Value ref) {
  return llvm::any_of(ref.getUsers(), [&](Operation *user) {
    return isRefView(user) ? mayBeWritten(user->getResult(0))
                           : mayWrite(user, ref);
  });
}
