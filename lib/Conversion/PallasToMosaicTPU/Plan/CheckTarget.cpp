//===- CheckTarget.cpp - Constructs that a target rejects -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass pallas-check-target. It asks the same plans and tables as the
// lowering, so that what it accepts is what the lowering accepts, but reports
// all errors of a module instead of the first.
//
//===----------------------------------------------------------------------===//

#include "CheckMeshes.h"
#include "TPUFootprint.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCHECKTARGET
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// One buffer of the JSON report, in bytes of all its copies.
static llvm::json::Object toJSON(const MemoryBuffer &buffer) {
  llvm::json::Object object{{"role", stringifyRole(buffer.role)},
                            {"index", int64_t(buffer.index)},
                            {"space", buffer.getSpace()},
                            {"buffers", buffer.count}};
  if (buffer.origin)
    object["origin"] = buffer.origin.getValue();
  object["bytes"] = buffer.count * *buffer.bytes;
  return object;
}

namespace {

/// Checks all calls and the arithmetic in their kernels. It collects errors and
/// goes on, because users fix several at a time.
struct PallasCheckTarget
    : mlir::pallas::impl::PallasCheckTargetBase<PallasCheckTarget> {
  using PallasCheckTargetBase::PallasCheckTargetBase;

  /// A value without a name is the target.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (options.empty() || options.contains('='))
      return Pass::initializeOptions(options, errorHandler);
    target = options.str();
    return success();
  }

  void runOnOperation() override {
    auto [kind, name] = StringRef(target).split(':');
    const TPUChip *chip = tpu::findTPUChip(name.empty() ? "v5e" : name);
    if (kind != "tpu" || !chip) {
      getOperation().emitError()
          << "target '" << target
          << "' is unknown; use tpu, or tpu: with a chip such as v5e or v6e";
      return signalPassFailure();
    }
    bool failed = mlir::failed(checkTPUMeshes(getOperation(), *chip));
    llvm::json::Array calls;
    getOperation().walk([&](Operation *op) {
      if (auto call = dyn_cast<PallasCallOp>(op))
        failed |= mlir::failed(checkCall(call, *chip, calls));
      else if (isInKernel(op))
        failed |= mlir::failed(checkArithmetic(op, *chip));
    });
    if (mlir::failed(writeReport(getOperation(), json, std::move(calls))) ||
        failed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static bool isInKernel(Operation *op) {
    return op->getParentOfType<PallasCallOp>() ||
           op->getParentOfType<MpmdMapOp>();
  }

  /// The type of the table in `getTPUSupport`: that of the operands.
  static Type getDecidingElement(Operation *op) {
    Value value = op->getNumOperands() ? op->getOperands().back()
                                       : Value(op->getResult(0));
    return getElementTypeOrSelf(value.getType());
  }

  /// Reports arithmetic that neither the chip nor any expansion has. Memory
  /// accesses and tiles are checked with their calls.
  static LogicalResult checkArithmetic(Operation *op, const TPUChip &chip) {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()))
      return success();
    for (Type type : op->getResultTypes())
      if (!tpu::getTPUElement(getElementTypeOrSelf(type)))
        return op->emitOpError() << "computes " << type
                                 << ", which no TPU has; use 32 bits or less";
    Type element = getDecidingElement(op);
    // Operations without results, such as debug prints, compute no elements.
    if (op->getNumResults() == 0 ||
        getTPUSupport(op->getName(), element, chip) != TPUSupport::Refused)
      return success();
    return op->emitOpError()
           << "on elements of type " << element << " has no equivalent on "
           << chip.name << "; compute in i32 or f32";
  }

  /// Reports the windows of a call, then its memory.
  static LogicalResult checkCall(PallasCallOp op, const TPUChip &chip,
                                 llvm::json::Array &calls) {
    auto grid = cast<GridMappingOpInterface>(op.getOperation());
    bool failed = false;
    SmallVector<WindowPlan, 0> plans;
    for (unsigned i = 0, e = grid.getNumBlocks(); i < e; ++i) {
      FailureOr<WindowPlan> plan = planWindow(grid, i, chip);
      failed |= mlir::failed(plan);
      if (mlir::failed(plan))
        continue;
      checkTiles(op, grid, i, *plan, chip);
      plans.push_back(std::move(*plan));
    }
    // Without all windows there is nothing to add up.
    if (failed)
      return failure();
    TPUFootprint footprint = computeTPUFootprint(op, plans, chip);
    // Only a call that fits gets the remark: the error already lists its
    // buffers.
    if (mlir::failed(checkTPUFootprint(op, footprint, chip)))
      failed = true;
    else
      emitFootprint(op, footprint, chip);
    llvm::json::Object call = describeOperation(op);
    llvm::json::Array buffers;
    for (const MemoryBuffer &buffer : footprint.memory.buffers)
      if (buffer.bytes)
        buffers.push_back(toJSON(buffer));
    call["chip"] = chip.name;
    call["vmem"] = footprint.vmemBytes;
    call["vmem_capacity"] = chip.vmemBytes;
    call["smem"] = footprint.smemBytes;
    call["smem_capacity"] = chip.smemBytes;
    call["buffers"] = std::move(buffers);
    calls.push_back(std::move(call));
    return failure(failed);
  }

  /// The remark with the memory of a call, one note per buffer.
  static void emitFootprint(PallasCallOp op, const TPUFootprint &footprint,
                            const TPUChip &chip) {
    InFlightDiagnostic diag = op.emitRemark();
    diag << "windows and scratch memory take " << footprint.vmemBytes << " of "
         << chip.vmemBytes << " bytes of VMEM";
    if (footprint.smemBytes)
      diag << " and " << footprint.smemBytes << " of " << chip.smemBytes
           << " bytes of SMEM";
    footprint.memory.attachBuffers(*diag.getUnderlyingDiagnostic());
  }

  /// Warns of blocks that are no whole tiles, by T3 and T4. They are correct
  // but cost a copy of the array before and after the call, so the warning
  // names the nearest sizes below and above that need none.
  static void checkTiles(PallasCallOp op, GridMappingOpInterface grid,
                         unsigned index, const WindowPlan &plan,
                         const TPUChip &chip) {
    BlockMappingAttr mapping = grid.getMappings()[index];
    if (!plan.isWindowed || plan.isTrivial || plan.isElementWindow)
      return;
    int64_t rank = plan.original.size();
    // Booleans are 32 bits wide in memory, see T17.
    int64_t bits =
        plan.element.isInteger(1) ? 32 : plan.element.getIntOrFloatBitWidth();
    for (auto [dim, block] : llvm::enumerate(mapping.getBlockShape())) {
      int64_t fromMinor = rank - 1 - int64_t(dim);
      int64_t whole = plan.original[dim];
      if (isTiledBlock(block, whole, fromMinor, rank, bits, chip))
        continue;
      // The unit depends on the width of elements and on the dimension. It is
      // at most one packed row of registers, so a linear search is short.
      int64_t unit = 1;
      while (!isTiledBlock(unit, 0, fromMinor, rank, bits, chip))
        ++unit;
      InFlightDiagnostic diag = op.emitWarning();
      diag << "block " << index;
      if (StringAttr origin = mapping.getOrigin())
        diag << " (" << origin.getValue() << ")";
      diag << " has size " << block << " in dimension " << dim << " of size "
           << whole << ", which is not a multiple of " << unit
           << ": the array is relaid out around each call; sizes near it "
              "that need no copy are ";
      int64_t below = block / unit * unit;
      if (below > 0)
        diag << below << ", ";
      if (below + unit < whole)
        diag << below + unit << " and ";
      diag << whole;
    }
  }
};

} // namespace
