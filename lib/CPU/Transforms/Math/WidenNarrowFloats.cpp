//===- WidenNarrowFloats.cpp - Narrow floats computed in f32 --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-widen-narrow-floats: floats of less than 32
// bits are widened, computed with, and rounded:
//   %s = arith.addf %x, %y : vector<8xbf16>
// becomes
//   %a = arith.extf %x : vector<8xbf16> to vector<8xf32>
//   %b = arith.extf %y : vector<8xbf16> to vector<8xf32>
//   %c = arith.addf %a, %b : vector<8xf32>
//   %s = arith.truncf %c : vector<8xf32> to vector<8xbf16>
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUWIDENNARROWFLOATS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
struct WidenNarrowFloats
    : public pallas::impl::PallasCPUWidenNarrowFloatsBase<WidenNarrowFloats> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    SmallVector<Type> narrow = {
        BFloat16Type::get(context),          Float16Type::get(context),
        Float8E3M4Type::get(context),        Float8E4M3Type::get(context),
        Float8E4M3B11FNUZType::get(context), Float8E4M3FNType::get(context),
        Float8E4M3FNUZType::get(context),    Float8E5M2Type::get(context),
        Float8E5M2FNUZType::get(context),    Float8E8M0FNUType::get(context),
        Float4E2M1FNType::get(context),      Float6E2M3FNType::get(context),
        Float6E3M2FNType::get(context)};
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, narrow, Float32Type::get(context));
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    // A select moves bits and computes nothing, so it needs no wider type.
    target.addLegalOp<arith::SelectOp>();
    bool found = getOperation()
                     ->walk([&](Operation *op) {
                       return target.isIllegal(op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                     })
                     .wasInterrupted();
    if (!found)
      return;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
