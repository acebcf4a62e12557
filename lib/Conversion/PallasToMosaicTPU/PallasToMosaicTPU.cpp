//===- PallasToMosaicTPU.cpp - From pallas to the tpu dialect -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "KernelModule.h"
#include "Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"
#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"
#include <array>
#include <memory>
#include <mutex>

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTPALLASTOMOSAICTPU
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static void populateAllPatterns(const TPUTypeConverter &types,
                                TPUPatternSet &patterns) {
  populateRefPatterns(types, patterns);
  populateElementwisePatterns(types, patterns);
  populateShapePatterns(types, patterns);
  populateContractionPatterns(types, patterns);
  populateReductionPatterns(types, patterns);
  populateSortPatterns(types, patterns);
  populateGatherPatterns(types, patterns);
  populateScatterPatterns(types, patterns);
  populateAsyncPatterns(types, patterns);
  populateControlFlowPatterns(types, patterns);
  populateScopePatterns(types, patterns);
  populateMiscPatterns(types, patterns);
  if (types.getCore() == tpu::CoreType::ScVectorSubcore) {
    populateSparseCoreMemoryPatterns(types, patterns);
    populateSparseCorePatterns(types, patterns);
  }
}

/// Whether an operation has regions with nothing in them but terminators.
static bool isEmpty(Operation &op) {
  return op.getNumRegions() &&
         llvm::all_of(op.getRegions(), [](Region &region) {
           return region.empty() || (region.hasOneBlock() &&
                                     llvm::hasNItemsOrLess(region.front(), 1));
         });
}

/// From the last to the first; what stands in an operation comes before it.
static void eraseDeadCode(Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : llvm::reverse(region))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        eraseDeadCode(&op);
        // What has no results is there for its effects, or holds nothing.
        if ((op.getNumResults() || isEmpty(op)) && op.use_empty() &&
            isOpTriviallyDead(&op))
          op.erase();
      }
}

/// Vectors have elements: empty tensors leave the concatenations that they are
/// in, and nothing else can hold them.
static void dropEmptyTensors(Operation *root) {
  root->walk([](tensor::ConcatOp op) {
    SmallVector<Value> parts =
        llvm::filter_to_vector(op.getInputs(), [](Value part) {
          return cast<RankedTensorType>(part.getType()).getNumElements() != 0;
        });
    if (!parts.empty())
      op.getInputsMutable().assign(parts);
  });
  eraseDeadCode(root);
}

/// All that the conversion of a body needs to know about its core. It is worth
/// keeping: making the patterns takes longer than most kernels.
struct BodyConverter {
  BodyConverter(tpu::CoreType core, const TPUChip &chip) : types(core, chip) {
    populateAllPatterns(types, patterns);
  }

  TPUTypeConverter types;
  TPUPatternSet patterns;
};

/// The converters of all cores, each made when it is asked for.
class BodyConverters {
public:
  explicit BodyConverters(const TPUChip &chip) : chip(chip) {}

  const BodyConverter &get(tpu::CoreType core) {
    Slot &slot = slots[static_cast<unsigned>(core)];
    std::call_once(slot.once, [&] {
      slot.converter = std::make_unique<BodyConverter>(core, chip);
    });
    return *slot.converter;
  }

private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<BodyConverter> converter;
  };

  const TPUChip &chip;
  std::array<Slot, tpu::getMaxEnumValForCoreType() + 1> slots;
};

/// Brings the bodies of a kernel module to the dialects of the target.
static LogicalResult convertBodies(ModuleOp module, const TPUChip &chip,
                                   BodyConverters &converters) {
  for (auto function : module.getOps<func::FuncOp>()) {
    dropEmptyTensors(function);
    inlineSingleIterations(function);
    const BodyConverter &converter = converters.get(tpu::getCoreType(function));
    if (failed(convertBody(function, converter.types, converter.patterns)))
      return failure();
    // The vectors of SparseCores have one dimension everywhere.
    tpu::CoreType core = tpu::getCoreType(function);
    if (core == tpu::CoreType::TensorCore) {
      carryVectorsAsRows(function, converter.types.getChip());
      spreadInitialVectors(function, converter.types.getChip());
    }
    markParallelLoops(function, core);
    unrollShortLoops(function);
    eraseDeadCode(function);
    keepToGeneration(function, converter.types.getChip());
  }
  return settleVectorsOfLanes(module, chip);
}

namespace {

struct ConvertPallasToMosaicTPU
    : mlir::pallas::impl::ConvertPallasToMosaicTPUBase<
          ConvertPallasToMosaicTPU> {
  using ConvertPallasToMosaicTPUBase::ConvertPallasToMosaicTPUBase;

  LogicalResult initialize(MLIRContext *) override {
    target = findTPUChip(chip);
    if (target)
      converters = std::make_shared<BodyConverters>(*target);
    return success();
  }

  void runOnOperation() override {
    if (!target) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "chip '" << chip << "' is unknown; use";
      StringRef separator = " ";
      for (const TPUChip &known : getTPUChips()) {
        diag << separator << known.name;
        separator = ", ";
      }
      return signalPassFailure();
    }
    SmallVector<Operation *> calls;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<PallasCallOp, MpmdMapOp>(op))
        return WalkResult::advance();
      calls.push_back(op);
      return WalkResult::skip();
    });
    SymbolTable symbols(getOperation());
    for (Operation *op : calls) {
      FailureOr<ModuleOp> module =
          isa<PallasCallOp>(op)
              ? outlinePallasCall(cast<PallasCallOp>(op), symbols, *target)
              : outlineMpmdMap(cast<MpmdMapOp>(op), symbols, *target);
      if (failed(module) ||
          failed(convertBodies(*module, *target, *converters)))
        return signalPassFailure();
    }
  }

private:
  const TPUChip *target = nullptr;
  std::shared_ptr<BodyConverters> converters;
};

} // namespace
