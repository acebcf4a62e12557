//===- PallasToMosaicTPU.cpp - From pallas to the tpu dialect -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-pallas-to-mosaic-tpu. It runs on the modules that outlining
// made, and leaves only operations that Mosaic reads.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Support/DeadCode.h"
#include <array>
#include <deque>
#include <memory>
#include <mutex>

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTPALLASTOMOSAICTPU
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// All families of patterns. Those for vector subcores have a higher benefit,
/// so they are tried before the general ones for the same operations.
static void populateAllPatterns(const TPUTypeConverter &types,
                                TPUPatternSet &patterns) {
  populateRefPatterns(types, patterns);
  populateElementwisePatterns(types, patterns);
  populateShapePatterns(types, patterns);
  populateContractionPatterns(types, patterns);
  populateReductionPatterns(types, patterns);
  populateSortPatterns(types, patterns);
  populateGatherScatterPatterns(types, patterns);
  populateAsyncPatterns(types, patterns);
  populateScopePatterns(types, patterns);
  populateMiscPatterns(types, patterns);
  if (types.getCore() == tpu::CoreType::ScVectorSubcore) {
    populateSparseCoreMemoryPatterns(types, patterns);
    populateSparseCorePatterns(types, patterns);
  }
}

/// Vectors have elements: empty tensors leave the concatenations that they are
/// in, and nothing else can hold them.
///
///   %0 = tensor.concat dim(0) %a, %empty
///       : (tensor<8xf32>, tensor<0xf32>) -> tensor<8xf32>
///
/// A shape with a size of zero is invalid for a vector type.
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

namespace {

/// All that the conversion of a body needs to know about its core. It is worth
/// keeping: making the patterns takes longer than most kernels.
struct BodyConverter {
  BodyConverter(tpu::CoreType core, const TPUChip &chip) : types(core, chip) {
    populateAllPatterns(types, patterns);
  }

  TPUTypeConverter types;
  TPUPatternSet patterns;
};

/// The converters of all cores of a chip, each made when it is asked for.
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

/// Converters are built once per chip and core and are shared by all copies of
/// the pass, which run on several threads.
struct ConvertPallasToMosaicTPU
    : mlir::pallas::impl::ConvertPallasToMosaicTPUBase<
          ConvertPallasToMosaicTPU> {
  using ConvertPallasToMosaicTPUBase::ConvertPallasToMosaicTPUBase;

  LogicalResult initialize(MLIRContext *) override {
    auto all = std::make_shared<std::deque<BodyConverters>>();
    for (const TPUChip &chip : tpu::getTPUChips())
      all->emplace_back(chip);
    converters = std::move(all);
    return success();
  }

  void runOnOperation() override {
    SmallVector<ModuleOp> modules;
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          // A call that is still there would otherwise be skipped without a
          // word.
          if (isa<PallasCallOp, MpmdMapOp>(op)) {
            op->emitOpError("is no kernel module yet; run "
                            "pallas-outline-tpu-kernels before");
            return WalkResult::interrupt();
          }
          if (!op->hasAttr(tpu::kTargetAttrName))
            return WalkResult::advance();
          if (auto module = dyn_cast<ModuleOp>(op))
            modules.push_back(module);
          return WalkResult::skip();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (ModuleOp module : modules)
      if (failed(convertBodies(module)))
        return signalPassFailure();
  }

private:
  /// Brings the bodies of a kernel module to the dialects of the target.
  ///
  /// Empty tensors and single iterations go first: neither has a form on the
  /// target, and both are rewrites of the source.
  LogicalResult convertBodies(ModuleOp module) {
    FailureOr<const TPUChip *> chip = tpu::getTargetChip(module);
    if (failed(chip))
      return failure();
    BodyConverters &bodies = (*converters)[*chip - tpu::getTPUChips().begin()];
    for (auto function : module.getOps<func::FuncOp>()) {
      // A value that gets its shape back is itself.
      function.walk([](ReshapeOp op) {
        auto before = op.getInput().getDefiningOp<ReshapeOp>();
        if (before && before.getInput().getType() == op.getType())
          op.replaceAllUsesWith(before.getInput());
      });
      dropEmptyTensors(function);
      simplifyControlFlow(function);
      tpu::CoreType core = tpu::getCoreType(function);
      const BodyConverter &converter = bodies.get(core);
      if (failed(convertBody(function, converter.types, converter.patterns)))
        return failure();
      markParallelLoops(function, core);
      ++numFunctions;
    }
    return success();
  }

  std::shared_ptr<std::deque<BodyConverters>> converters;
};

} // namespace
