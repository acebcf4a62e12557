//===- TPUFootprint.cpp - Memory that calls take on a chip ----------------===//

#include "TPUFootprint.h"

using namespace mlir;
using namespace mlir::pallas;

TPUFootprint mlir::pallas::computeTPUFootprint(PallasCallOp op,
                                               ArrayRef<WindowPlan> plans,
                                               const TPUChip &chip) {
  using Role = MemoryBuffer::Role;
  auto sizeOf = [&](const MemoryBuffer &buffer) -> std::optional<int64_t> {
    auto ref = dyn_cast<RefType>(buffer.type);
    if (!ref || ref.isSynchronization() || !ref.hasStaticShape())
      return std::nullopt;
    bool isInput = buffer.role == Role::Input;
    if (buffer.owner != op || (!isInput && buffer.role != Role::Output))
      return getTPUPaddedBytes(ref.getShape(), ref.getElementType(), chip);
    const WindowPlan &plan =
        plans[isInput ? buffer.index
                      : plans.size() - op.getNumResults() + buffer.index];
    return getTPUPaddedBytes(plan.getBounds(), plan.element, chip);
  };
  TPUFootprint footprint;
  footprint.memory = computeMemoryFootprint(op, sizeOf);
  auto add = [&](ArrayRef<MemorySpace> spaces) {
    int64_t sum = 0;
    for (MemorySpace space : spaces)
      sum += footprint.memory.bytes.lookup(stringifyMemorySpace(space));
    return sum;
  };
  footprint.vmemBytes =
      add({MemorySpace::Default, MemorySpace::Vmem, MemorySpace::Gmem});
  llvm::SmallDenseSet<Type> seen;
  Type last;
  // Most of what is computed on narrow elements is computed in 32 bits.
  Type wide = IntegerType::get(op.getContext(), 32);
  op.getKernelRegion().walk([&](Operation *nested) {
    for (Type type : nested->getResultTypes()) {
      if (type == last)
        continue;
      last = type;
      if (auto value = dyn_cast<RankedTensorType>(type);
          value && seen.insert(type).second && value.hasStaticShape() &&
          value.getElementType().isIntOrFloat())
        footprint.valueBytes =
            std::max(footprint.valueBytes,
                     getTPUPaddedBytes(value.getShape(), wide, chip));
    }
  });
  footprint.smemBytes = add({MemorySpace::Smem, MemorySpace::Index,
                             MemorySpace::Key, MemorySpace::Error});
  return footprint;
}

LogicalResult mlir::pallas::checkTPUFootprint(PallasCallOp op,
                                              const TPUFootprint &footprint,
                                              const TPUChip &chip) {
  bool failed = false;
  auto check = [&](StringRef space, int64_t needed, int64_t available) {
    if (needed <= available)
      return;
    failed = true;
    InFlightDiagnostic diag = op.emitOpError();
    diag << "needs " << needed << " bytes of " << space
         << " for its windows and scratch memory, but " << chip.name << " has "
         << available << "; use smaller blocks or fewer buffers";
    footprint.memory.attachBuffers(*diag.getUnderlyingDiagnostic());
  };
  check("VMEM", footprint.vmemBytes, chip.vmemBytes);
  check("SMEM", footprint.smemBytes, chip.smemBytes);
  return failure(failed);
}

std::optional<int64_t> mlir::pallas::getVmemLimit(const TPUFootprint &footprint,
                                                  const TPUChip &chip) {
  // What a kernel gets unless it asks for more, and what is left of it for
  // values that don't fit into registers.
  constexpr int64_t kDefaultLimit = 16 << 20, kReserve = 2 << 20;
  int64_t spilled = std::max(kReserve, 2 * footprint.valueBytes);
  if (footprint.vmemBytes + spilled <= kDefaultLimit ||
      chip.vmemBytes <= kDefaultLimit)
    return std::nullopt;
  return chip.vmemBytes;
}
