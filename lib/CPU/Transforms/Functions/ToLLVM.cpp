//===- ToLLVM.cpp - Conversion to the LLVM dialect ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-to-llvm, the last one of the pipeline. One
// conversion takes all dialects at once, since their patterns depend on the
// same type converter; separate passes would leave casts between them.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUTOLLVM
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
struct ToLLVM : public pallas::impl::PallasCPUToLLVMBase<ToLLVM> {
  using PallasCPUToLLVMBase::PallasCPUToLLVMBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  /// Sets the target of a function. Earlier passes chose instructions that
  /// another CPU may lack, so the code has to name its CPU:
  ///
  ///   llvm.func @f() attributes {target_cpu = "skylake-avx512", ...}
  void nameTarget(LLVM::LLVMFuncOp func) {
    if (func.isExternal() || func.getTargetCpu())
      return;
    func.setTargetCpu(target.cpu);
    if (!target.features.empty())
      func.setTargetFeaturesAttr(
          LLVM::TargetFeaturesAttr::get(&getContext(), target.features));
  }

  /// One conversion for all dialects, so that no casts between them are left
  /// behind. The vector patterns break vectors of several dimensions into those
  /// that the LLVM dialect has.
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    // The approximation, log(1 + x), loses the digits of a small x.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false);
    // Functions that are LLVM intrinsics stay intrinsics.
    populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
    populateOpenMPToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorMaskMaterializationPatterns(patterns, true);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle1D);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    // An ordered sum of lanes would be a chain of scalar additions. Bounds of
    // masks count lanes, so they fit into 32 bits, of which a register compares
    // twice as many.
    populateVectorToLLVMConversionPatterns(converter, patterns,
                                           /*reassociateFPReductions=*/true,
                                           /*force32BitVectorIndices=*/true);
    LLVMConversionTarget legality(*context);
    configureOpenMPToLLVMConversionLegality(legality, converter);
    if (failed(applyPartialConversion(getOperation(), legality,
                                      std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([&](LLVM::LLVMFuncOp func) { nameTarget(func); });
  }

private:
  cpu::Target target;
};
} // namespace
