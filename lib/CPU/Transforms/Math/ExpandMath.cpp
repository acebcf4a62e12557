//===- ExpandMath.cpp - Math that CPUs don't have -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-expand-math, which replaces functions by
// arithmetic, since libm takes one element at a time:
//   %y = math.exp %x : vector<16xf32>
// becomes multiplications and additions on vectors. The other files of this
// folder have the functions that upstream's polynomial approximations lack, or
// approximate with larger errors.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Angles.h"
#include "pallas/Support/VectorMath.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUEXPANDMATH
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Functions that have a polynomial, all on f32.
static bool hasPolynomial(StringRef name) {
  static const StringSet<> names = {
      math::LogOp::getOperationName(),   math::Log2Op::getOperationName(),
      math::Log1pOp::getOperationName(), math::ExpM1Op::getOperationName(),
      math::TanhOp::getOperationName(),  math::ErfOp::getOperationName(),
      math::ErfcOp::getOperationName()};
  return names.contains(name);
}

/// Functions that only look at signs compute with bits of any width.
static bool isOfSigns(Operation *op) {
  return isa<math::AbsFOp, math::CopySignOp>(op);
}

namespace {
/// Functions of floats of less than 32 bits are computed in f32.
///
///   %y = math.exp %x : vector<16xbf16>
///
/// becomes
///
///   %wide = arith.extf %x : vector<16xbf16> to vector<16xf32>
///   %e = math.exp %wide : vector<16xf32>
///   %y = arith.truncf %e : vector<16xf32> to vector<16xbf16>
struct WidenFunctions : public RewritePattern {
  explicit WidenFunctions(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/4, context) {}

  static Type widen(Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.getWidth() >= 32)
      return type;
    Type wide = Float32Type::get(type.getContext());
    if (auto shaped = dyn_cast<ShapedType>(type))
      return shaped.clone(wide);
    return wide;
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
      return failure();
    Location loc = op->getLoc();
    auto isNarrow = [](Type type) { return widen(type) != type; };
    if (llvm::none_of(op->getOperandTypes(), isNarrow))
      return failure();
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    if (isOfSigns(op) && element.getIntOrFloatBitWidth() == 16)
      return failure();
    OperationState state(loc, op->getName());
    for (Value operand : op->getOperands()) {
      Type type = operand.getType();
      state.operands.push_back(
          isNarrow(type)
              ? arith::ExtFOp::create(rewriter, loc, widen(type), operand)
              : operand);
    }
    for (Type type : op->getResultTypes())
      state.types.push_back(widen(type));
    state.attributes = op->getAttrs();
    SmallVector<Value> results;
    for (auto [wide, narrow] : llvm::zip_equal(
             rewriter.create(state)->getResults(), op->getResultTypes()))
      results.push_back(isNarrow(narrow) ? arith::TruncFOp::create(
                                               rewriter, loc, narrow, wide)
                                         : Value(wide));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

/// The sums of products on f32 and f64 that the program asks for, which
/// patterns leave alone. On narrower floats they are as good in f32 with two
/// roundings.
static llvm::SmallDenseSet<Operation *> collectFMAs(Operation *root) {
  llvm::SmallDenseSet<Operation *> found;
  root->walk([&](math::FmaOp op) {
    if (getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() >= 32)
      found.insert(op);
  });
  return found;
}

/// Without an instruction, a sum of products is a function of the C library,
/// lane by lane. What expansions make of functions is meant to be fast and does
/// not need it: it becomes a product and a sum.
static void splitFMAs(Operation *root,
                      const llvm::SmallDenseSet<Operation *> &given) {
  IRRewriter rewriter(root->getContext());
  root->walk([&](math::FmaOp op) {
    if (given.contains(op))
      return;
    rewriter.setInsertionPoint(op);
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
  });
}

namespace {
struct ExpandMath : public pallas::impl::PallasCPUExpandMathBase<ExpandMath> {
  using PallasCPUExpandMathBase::PallasCPUExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  /// `1 + tanh` is matched first: the greedy driver would expand its tanh.
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    llvm::SmallDenseSet<Operation *> given = collectFMAs(getOperation());
    cpu::expandOnePlusTanh(getOperation(), target);
    RewritePatternSet patterns(context);
    patterns.add<WidenFunctions>(context);
    cpu::populateExpandConversionPatterns(patterns);
    populateExpandAnglePatterns(patterns);
    cpu::populateExpandExpPatterns(patterns, target);
    cpu::populateExpandFunctionPatterns(patterns, target);
    if (target.hasFMA)
      cpu::populateExpandErfPatterns(patterns);
    populateHyperbolicPatterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns, hasPolynomial);
    math::populateExpansionPatterns(patterns, {"clampf", "ipowi"});
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false)
        .enableConstantCSE(false)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    if (!target.hasFMA)
      splitFMAs(getOperation(), given);
  }

private:
  cpu::Target target;
};
} // namespace
