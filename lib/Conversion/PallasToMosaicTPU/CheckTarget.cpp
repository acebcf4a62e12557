//===- CheckTarget.cpp - What a target has against a module ---------------===//

#include "WindowPlan.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"
#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCHECKTARGET
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Bytes of one buffer, filled up to whole tiles.
static int64_t getPaddedBytes(ArrayRef<int64_t> shape, Type element,
                              const TPUChip &chip) {
  int64_t bits = element.isInteger(1) ? 32 : element.getIntOrFloatBitWidth();
  int64_t packing = std::max<int64_t>(1, 32 / bits);
  SmallVector<int64_t> padded(shape);
  if (padded.size() == 1) {
    padded[0] = llvm::alignTo(padded[0], chip.lanes * packing);
  } else if (padded.size() > 1) {
    padded.back() = llvm::alignTo(padded.back(), chip.lanes);
    int64_t &rows = padded[padded.size() - 2];
    rows = llvm::alignTo(rows, chip.sublanes);
  }
  return ShapedType::getNumElements(padded) * bits / 8;
}

namespace {

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
    const TPUChip *chip = findTPUChip(name.empty() ? "v5e" : name);
    if (kind != "tpu" || !chip) {
      getOperation().emitError()
          << "target '" << target
          << "' is unknown; use tpu, or tpu: with a chip such as v5e or v6e";
      return signalPassFailure();
    }
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      if (auto call = dyn_cast<PallasCallOp>(op))
        failed |= mlir::failed(checkCall(call, *chip));
      else if (isInKernel(op))
        failed |= mlir::failed(checkArithmetic(op));
    });
    if (failed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static bool isInKernel(Operation *op) {
    return op->getParentOfType<PallasCallOp>() ||
           op->getParentOfType<MpmdMapOp>();
  }

  static LogicalResult checkArithmetic(Operation *op) {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      return success();
    for (Type type : op->getResultTypes())
      if (!getTPUElement(getElementTypeOrSelf(type)))
        return op->emitOpError()
               << "computes " << type
               << ", which no TPU has; use 32 bits or less, and bf16 for f16";
    return success();
  }

  static LogicalResult checkCall(PallasCallOp op, const TPUChip &chip) {
    auto grid = cast<GridMappingOpInterface>(op.getOperation());
    bool failed = false;
    SmallVector<FailureOr<WindowPlan>, 0> plans;
    for (unsigned i = 0, e = grid.getNumBlocks(); i < e; ++i) {
      plans.push_back(planWindow(grid, i));
      if (mlir::failed(plans.back()))
        failed = true;
      else
        checkTiles(op, grid, i, *plans.back());
    }
    int64_t total = getVmemBytes(op, plans, chip);
    if (total > chip.vmemBytes)
      return op.emitOpError()
             << "needs " << total << " bytes of VMEM for its windows and "
             << "scratch memory, but " << chip.name << " has " << chip.vmemBytes
             << "; use smaller blocks";
    op.emitRemark() << "windows and scratch memory take " << total << " of "
                    << chip.vmemBytes << " bytes of VMEM";
    return failure(failed);
  }

  /// Bytes of VMEM with all tiles filled up. A window takes what it has become
  /// on the host.
  static int64_t getVmemBytes(PallasCallOp op,
                              ArrayRef<FailureOr<WindowPlan>> plans,
                              const TPUChip &chip) {
    using Role = MemoryBuffer::Role;
    auto sizeOf = [&](const MemoryBuffer &buffer) -> std::optional<int64_t> {
      auto ref = dyn_cast<RefType>(buffer.type);
      if (!ref || ref.isSynchronization() || !ref.hasStaticShape())
        return std::nullopt;
      bool isInput = buffer.role == Role::Input;
      if (buffer.owner == op && (isInput || buffer.role == Role::Output)) {
        const FailureOr<WindowPlan> &plan =
            plans[isInput ? buffer.index
                          : plans.size() - op.getNumResults() + buffer.index];
        if (succeeded(plan))
          return getPaddedBytes(plan->getBounds(), plan->element, chip);
      }
      return getPaddedBytes(ref.getShape(), ref.getElementType(), chip);
    };
    MemoryFootprint footprint = computeMemoryFootprint(op, sizeOf);
    return footprint.bytes.lookup(stringifyMemorySpace(MemorySpace::Vmem)) +
           footprint.bytes.lookup(stringifyMemorySpace(MemorySpace::Default));
  }

  /// T3, T4
  static void checkTiles(PallasCallOp op, GridMappingOpInterface grid,
                         unsigned index, const WindowPlan &plan) {
    BlockMappingAttr mapping = grid.getMappings()[index];
    if (!plan.isWindowed || plan.isTrivial || plan.isElementWindow)
      return;
    int64_t rank = plan.original.size();
    int64_t bits =
        plan.element.isInteger(1) ? 32 : plan.element.getIntOrFloatBitWidth();
    for (auto [dim, block] : llvm::enumerate(mapping.getBlockShape())) {
      int64_t fromMinor = rank - 1 - int64_t(dim);
      int64_t whole = plan.original[dim];
      if (isTiledBlock(block, whole, fromMinor, rank, bits))
        continue;
      int64_t unit = 1;
      while (!isTiledBlock(unit, 0, fromMinor, rank, bits))
        ++unit;
      InFlightDiagnostic diag = op.emitWarning();
      diag << "block " << index;
      if (StringAttr origin = mapping.getOrigin())
        diag << " (" << origin.getValue() << ")";
      diag << " has size " << block << " in dimension " << dim << " of size "
           << whole << ", which is not a multiple of " << unit
           << ": the array is laid out anew around each call; sizes near it "
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
