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

/// Plans are in the order of blocks: inputs, then outputs.
static unsigned getPlanIndex(PallasCallOp op, const MemoryBuffer &window,
                             unsigned numPlans) {
  return window.role == Role::Input
             ? window.index
             : numPlans - op.getNumResults() + window.index;
}

/// Buffers of nested pipelines and scopes have other owners, and no plan.
static bool isWindow(PallasCallOp op, const MemoryBuffer &buffer) {
  return buffer.owner == op &&
         (buffer.role == Role::Input || buffer.role == Role::Output);
}

/// Adds up the bytes of all buffers, with the padding of tiles. Windows have
/// the shape that the plan gives them on the host, which may be padded, too.
/// For example, f32 blocks of 8x100 take as much as blocks of 8x128.
TPUFootprint mlir::pallas::computeTPUFootprint(PallasCallOp op,
                                               ArrayRef<WindowPlan> plans,
                                               const TPUChip &chip) {
  auto sizeOf = [&](const MemoryBuffer &buffer) -> std::optional<int64_t> {
    auto ref = dyn_cast<RefType>(buffer.type);
    // Semaphores take no part of VMEM or SMEM.
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
  // The largest value approximates how much the compiler spills. Types repeat
  // from one operation to the next, so the last one is skipped before the set
  // is asked.
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

/// Reports a call whose windows and scratch memory alone exceed the chip.
/// Spills come on top, but how much they take is the compiler's decision.
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
  ///
  /// The walk goes backwards: an operand becomes live at its last use, and dies
  /// at the operation that defines it. A region holds what it uses from outside
  /// for as long as it runs.
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
    // Rematerialized at each use.
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat() ||
        isa_and_nonnull<arith::ConstantOp, IotaOp>(value.getDefiningOp()))
      return 0;
    Type wide = IntegerType::get(value.getContext(), 32);
    int64_t bytes = getTPUPaddedBytes(type.getShape(), wide, chip);
    // Values smaller than the register file may stay in registers.
    constexpr int64_t kRegisterFile = 256 << 10;
    return bytes < kRegisterFile ? 0 : bytes;
  }

  const TPUChip &chip;
};

} // namespace

/// A window is double-buffered by default, which hides its copy behind the
/// previous program. Giving up the second buffer of the largest windows costs
/// time, but is better than a kernel that doesn't fit.
void mlir::pallas::dropBuffers(PallasCallOp op,
                               MutableArrayRef<WindowPlan> plans,
                               TPUFootprint &footprint, const TPUChip &chip) {
  // The compiler reserves this much.
  constexpr int64_t kReserve = 128 << 10;
  // Far from the limit nothing has to be measured.
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
    // A mode that the author chose stays.
    if (plan.isWindowed && plan.space == tpu::MemorySpace::Vmem &&
        !plan.pipelineMode)
      windows.push_back(&buffer);
  }
  // The address breaks ties, so that the order is the order of operands.
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

/// The limit is then all of VMEM: how much of it spills take is known to the
/// compiler only.
std::optional<int64_t> mlir::pallas::getVmemLimit(const TPUFootprint &footprint,
                                                  const TPUChip &chip) {
  // The default limit of a kernel, and the part of it left for values that
  // don't fit into registers.
  constexpr int64_t kDefaultLimit = 16 << 20, kReserve = 2 << 20;
  int64_t spilled = std::max(kReserve, 2 * footprint.valueBytes);
  if (footprint.vmemBytes + spilled <= kDefaultLimit ||
      chip.vmemBytes <= kDefaultLimit)
    return std::nullopt;
  return chip.vmemBytes;
}

bool mlir::pallas::fitsByItself(const TPUFootprint &footprint,
                                const TPUChip &chip) {
  return footprint.vmemBytes <= chip.vmemBytes &&
         footprint.smemBytes <= chip.smemBytes &&
         !getVmemLimit(footprint, chip);
}
