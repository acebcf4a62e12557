//===- TPUFootprint.cpp - Memory that calls take on a chip ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TPUFootprint.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::pallas;

using Role = MemoryBuffer::Role;

static unsigned getPlanIndex(PallasCallOp op, const MemoryBuffer &window,
                             unsigned numPlans) {
  return window.role == Role::Input
             ? window.index
             : numPlans - op.getNumResults() + window.index;
}

static bool isWindow(PallasCallOp op, const MemoryBuffer &buffer) {
  return buffer.owner == op &&
         (buffer.role == Role::Input || buffer.role == Role::Output);
}

TPUFootprint mlir::pallas::computeTPUFootprint(PallasCallOp op,
                                               ArrayRef<WindowPlan> plans,
                                               const TPUChip &chip) {
  auto sizeOf = [&](const MemoryBuffer &buffer) -> std::optional<int64_t> {
    auto ref = dyn_cast<RefType>(buffer.type);
    if (!ref || ref.isSynchronization() || !ref.hasStaticShape())
      return std::nullopt;
    if (!isWindow(op, buffer))
      return getTPUPaddedBytes(ref.getShape(), ref.getElementType(), chip);
    const WindowPlan &plan = plans[getPlanIndex(op, buffer, plans.size())];
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

namespace {

/// Measures the values that branches and loops find or leave: these exist as a
/// whole, while others come and go by registers.
class WholeValues {
public:
  explicit WholeValues(const TPUChip &chip) : chip(chip) {}

  /// The most bytes at once, where there are `around` outside of the block.
  int64_t measure(Block &block, int64_t around) const {
    llvm::SmallDenseSet<Value> live;
    int64_t bytes = around, most = around;
    auto add = [&](Value value) {
      if (value.getParentBlock() == &block && live.insert(value).second)
        bytes += getBytes(value);
    };
    for (Operation &op : llvm::reverse(block)) {
      llvm::for_each(op.getOperands(), add);
      if (op.getNumRegions() > 0) {
        llvm::for_each(op.getResults(), add);
        llvm::SetVector<Value> used;
        getUsedValuesDefinedAbove(op.getRegions(), used);
        llvm::for_each(used, add);
        most = std::max(most, bytes);
        for (Region &region : op.getRegions())
          for (Block &nested : region)
            most = std::max(most, measure(nested, bytes));
      }
      for (Value result : op.getResults())
        if (live.erase(result))
          bytes -= getBytes(result);
    }
    return most;
  }

private:
  int64_t getBytes(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    // Made anew where they are needed.
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat() ||
        isa_and_nonnull<arith::ConstantOp, IotaOp>(value.getDefiningOp()))
      return 0;
    Type wide = IntegerType::get(value.getContext(), 32);
    int64_t bytes = getTPUPaddedBytes(type.getShape(), wide, chip);
    constexpr int64_t kRegisterFile = 256 << 10;
    return bytes < kRegisterFile ? 0 : bytes;
  }

  const TPUChip &chip;
};

} // namespace

void mlir::pallas::dropBuffers(PallasCallOp op,
                               MutableArrayRef<WindowPlan> plans,
                               TPUFootprint &footprint, const TPUChip &chip) {
  // What the compiler keeps for itself.
  constexpr int64_t kReserve = 128 << 10;
  if (2 * footprint.vmemBytes < chip.vmemBytes)
    return;
  int64_t available =
      chip.vmemBytes - kReserve -
      WholeValues(chip).measure(op.getKernelRegion().front(), /*around=*/0);
  SmallVector<MemoryBuffer *> windows;
  for (MemoryBuffer &buffer : footprint.memory.buffers) {
    if (!isWindow(op, buffer) || buffer.count != 2 || !buffer.bytes)
      continue;
    const WindowPlan &plan = plans[getPlanIndex(op, buffer, plans.size())];
    if (plan.isWindowed && plan.space == tpu::MemorySpace::Vmem &&
        !plan.pipelineMode)
      windows.push_back(&buffer);
  }
  llvm::sort(windows, [](MemoryBuffer *lhs, MemoryBuffer *rhs) {
    return std::pair(-*lhs->bytes, lhs) < std::pair(-*rhs->bytes, rhs);
  });
  for (MemoryBuffer *buffer : windows) {
    if (footprint.vmemBytes <= available)
      return;
    plans[getPlanIndex(op, *buffer, plans.size())].pipelineMode =
        PipelineModeAttr::get(op.getContext(), /*bufferCount=*/1,
                              /*useLookahead=*/false, RevisitMode::Immediate,
                              /*prefetchedCount=*/0, /*delayRelease=*/0);
    buffer->count = 1;
    footprint.vmemBytes -= *buffer->bytes;
  }
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
