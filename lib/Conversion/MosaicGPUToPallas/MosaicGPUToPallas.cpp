//===- MosaicGPUToPallas.cpp - From mosaic_gpu to pallas ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are raised in two parts. KernelRaiser rewrites what concerns the
// kernel as a whole: threads, barriers, shared memory. Patterns convert what is
// left, operation by operation.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/MosaicGPUToPallas/MosaicGPUToPallas.h"
#include "Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTMOSAICGPUTOPALLAS
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// A launch tells them from modules that only use the dialect's types.
bool mlir::pallas::isMosaicGPUKernelModule(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), launchesKernel);
}

/// Null for memory that no ref can be, which makes the conversion fail.
MosaicGPUTypeConverter::MosaicGPUTypeConverter() {
  addConversion([](MemRefType type) -> Type { return convertGPUMemRef(type); });
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {

/// State that the conversions of all kernels share.
struct BodyConverter {
  explicit BodyConverter(MLIRContext *context) : target(*context) {
    RewritePatternSet set(context);
    populateRaisingPatterns(types, set);
    populateGPUValuePatterns(types, set);
    populateGPUMemoryPatterns(types, set);
    populateGPUCopyPatterns(types, set);
    populateGPUDebugPatterns(types, set);
    populateGPUTensorPatterns(types, set);
    for (const auto &pattern : set.getNativePatterns())
      if (std::optional<OperationName> root = pattern->getRootKind())
        known.insert(*root);
    markRaisedLegal(types, set, target);
    target.addDynamicallyLegalOp<scf::IndexSwitchOp, scf::YieldOp>(
        [this](Operation *op) { return types.isLegal(op); });
    patterns = std::move(set);
  }

  MosaicGPUTypeConverter types;
  ConversionTarget target;
  FrozenRewritePatternSet patterns;
  DenseSet<OperationName> known;
};

struct ConvertMosaicGPUToPallas
    : mlir::pallas::impl::ConvertMosaicGPUToPallasBase<
          ConvertMosaicGPUToPallas> {
  using ConvertMosaicGPUToPallasBase::ConvertMosaicGPUToPallasBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!isMosaicGPUKernelModule(module))
      return;
    // Every module that is compiled for a CPU comes here, and few go on.
    BodyConverter bodies(&getContext());
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (launchesKernel(func) && failed(raise(func, bodies)))
        return signalPassFailure();
    eraseRuntime(module);
  }

private:
  LogicalResult raise(func::FuncOp func, const BodyConverter &bodies);

  /// Operations that only a launch needs: functions and memory of the runtime
  /// on the host.
  static void eraseRuntime(ModuleOp module) {
    for (NamedAttribute attribute : llvm::to_vector(module->getAttrs()))
      if (attribute.getName().strref().starts_with("mosaic_gpu."))
        module->removeAttr(attribute.getName());
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      auto func = dyn_cast<func::FuncOp>(op);
      if ((func && func.isExternal() &&
           func.getName().starts_with("mosaic_gpu_")) ||
          isa<LLVM::GlobalOp>(op))
        op.erase();
    }
  }
};

} // namespace

/// Gives the module a function that takes arrays in place of `func`, which
/// takes pointers.
LogicalResult ConvertMosaicGPUToPallas::raise(func::FuncOp func,
                                              const BodyConverter &bodies) {
  FailureOr<LaunchedKernel> kernel = readKernel(func);
  if (failed(kernel))
    return failure();
  SmallVector<Type> operands, results;
  for (const KernelArray &array : kernel->arrays) {
    if (array.isRead || !array.isWritten)
      operands.push_back(array.getArrayType());
    if (array.isWritten)
      results.push_back(array.getArrayType());
  }
  std::string name = func.getName().str();
  StringRef stem = name;
  stem.consume_back("_mosaic_gpu");
  OpBuilder builder(func);
  auto entry = func::FuncOp::create(builder, func.getLoc(), stem,
                                    builder.getFunctionType(operands, results));
  if (failed(KernelRaiser(*kernel, entry).run(bodies.known)))
    return failure();
  if (failed(raiseBody(entry, bodies.target, bodies.patterns)))
    return failure();
  func.erase();
  return success();
}
