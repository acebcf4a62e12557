//===- ExpandMath.cpp - Math that CPUs don't have -------------------------===//

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
      math::ErfcOp::getOperationName(),  math::AtanOp::getOperationName()};
  return names.contains(name);
}

/// Functions that narrower floats compute in f32.
static bool isWidened(StringRef name) {
  return name.starts_with("math.") &&
         name != math::AbsFOp::getOperationName() &&
         name != math::CopySignOp::getOperationName();
}

namespace {
/// Functions of floats of at most 8 bits, which upstream does not widen.
struct WidenTinyFloats : public RewritePattern {
  explicit WidenTinyFloats(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  static Type widen(Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.getWidth() > 8)
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
    auto isTiny = [](Type type) { return widen(type) != type; };
    if (llvm::none_of(op->getOperandTypes(), isTiny))
      return failure();
    OperationState state(loc, op->getName());
    for (Value operand : op->getOperands()) {
      Type type = operand.getType();
      state.operands.push_back(
          isTiny(type)
              ? arith::ExtFOp::create(rewriter, loc, widen(type), operand)
              : operand);
    }
    for (Type type : op->getResultTypes())
      state.types.push_back(widen(type));
    state.attributes = op->getAttrs();
    SmallVector<Value> results;
    for (auto [wide, narrow] : llvm::zip_equal(
             rewriter.create(state)->getResults(), op->getResultTypes()))
      results.push_back(
          isTiny(narrow) ? arith::TruncFOp::create(rewriter, loc, narrow, wide)
                         : Value(wide));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

/// Arithmetic on narrow floats: widen, compute, round.
static LogicalResult widenNarrowFloats(Operation *root) {
  MLIRContext *context = root->getContext();
  SmallVector<Type> narrow = {
      BFloat16Type::get(context),          Float16Type::get(context),
      Float8E3M4Type::get(context),        Float8E4M3Type::get(context),
      Float8E4M3B11FNUZType::get(context), Float8E4M3FNType::get(context),
      Float8E4M3FNUZType::get(context),    Float8E5M2Type::get(context),
      Float8E5M2FNUZType::get(context),    Float8E8M0FNUType::get(context),
      Float4E2M1FNType::get(context),      Float6E2M3FNType::get(context),
      Float6E3M2FNType::get(context)};
  bool found =
      root->walk([&](Operation *op) {
            auto isNarrow = [&](Type type) {
              return llvm::is_contained(narrow, getElementTypeOrSelf(type));
            };
            bool uses = llvm::any_of(op->getOperandTypes(), isNarrow) ||
                        llvm::any_of(op->getResultTypes(), isNarrow);
            return uses && isa_and_nonnull<arith::ArithDialect>(
                               op->getDialect())
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (!found)
    return success();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, narrow,
                                                     Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  return applyPartialConversion(root, target, std::move(patterns));
}

namespace {
struct ExpandMath : public pallas::impl::PallasCPUExpandMathBase<ExpandMath> {
  using PallasCPUExpandMathBase::PallasCPUExpandMathBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    cpu::Target target = cpu::getTarget(vectorBits, features);
    cpu::expandDivisions(getOperation());
    cpu::expandOnePlusTanh(getOperation(), target);
    RewritePatternSet patterns(context);
    patterns.add<WidenTinyFloats>(context);
    cpu::populateExpandConversionPatterns(patterns);
    cpu::populateExpandAtan2Patterns(patterns);
    populateMathF32ExpansionPatterns(patterns, isWidened);
    cpu::populateExpandExpPatterns(patterns, target);
    cpu::populateExpandFunctionPatterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns, hasPolynomial);
    math::populateExpansionPatterns(patterns, {"clampf", "ipowi"});
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false)
        .enableConstantCSE(false)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config)) ||
        failed(widenNarrowFloats(getOperation())))
      signalPassFailure();
  }
};
} // namespace
