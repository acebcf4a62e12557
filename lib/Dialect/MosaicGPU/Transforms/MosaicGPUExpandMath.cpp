//===- MosaicGPUExpandMath.cpp - Arithmetic that the compiler lacks -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On vectors, the compiler has only a part of arith and math. Other operations
// are expanded to that part:
//
//   %y = arith.negf %x : vector<64xf32>
// becomes
//   %y = arith.mulf %x, %minus_one : vector<64xf32>
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "NarrowMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
#include "pallas/Support/Angles.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUEXPANDMATH
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Whether jaxlib compares floats like this.
static bool isKnownPredicate(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return llvm::is_contained({P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE},
                            predicate);
}

/// Whether jaxlib 0.10.2 has the operation on vectors.
static bool isKnown(Operation *op) {
  if (!isKnownOnNarrow(op))
    return false;
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return isKnownPredicate(comparison.getPredicate());
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return isa<VectorType>(choice.getCondition().getType());
  return isa<arith::AddFOp, arith::AddIOp, arith::AndIOp, arith::BitcastOp,
             arith::CmpIOp, arith::ConstantOp, arith::DivFOp, arith::DivSIOp,
             arith::DivUIOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::FloorDivSIOp, arith::FPToSIOp, arith::FPToUIOp,
             arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp, arith::MulFOp,
             arith::MulIOp, arith::OrIOp, arith::RemSIOp, arith::RemUIOp,
             arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::SIToFPOp,
             arith::SubFOp, arith::SubIOp, arith::TruncFOp, arith::TruncIOp,
             arith::UIToFPOp, arith::XOrIOp>(op) ||
         isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::CosOp,
             math::CountLeadingZerosOp, math::Exp2Op, math::ExpOp, math::LogOp,
             math::RoundEvenOp, math::RoundOp, math::RsqrtOp, math::SinOp,
             math::TanhOp>(op);
}

/// Functions that upstream approximates by polynomials.
static constexpr StringLiteral kPolynomials[] = {
    "math.erf",
    "math.erfc",
    "math.expm1",
    "math.log1p",
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// An operation that takes a negated operand takes the operand itself instead:
///
///   %n = arith.negf %x
///   %y = arith.addf %a, %n
/// -->
///   %y = arith.subf %a, %x
static void foldNegIntoUser(arith::NegFOp op, Operation *user,
                            PatternRewriter &rewriter) {
  Value negated = op.getResult(), x = op.getOperand();
  rewriter.setInsertionPoint(user);
  if (auto sum = dyn_cast<arith::AddFOp>(user)) {
    Value other = sum.getLhs() == negated ? sum.getRhs() : sum.getLhs();
    rewriter.replaceOpWithNewOp<arith::SubFOp>(sum, other, x,
                                               sum.getFastmath());
  } else if (auto difference = dyn_cast<arith::SubFOp>(user);
             difference && difference.getRhs() == negated) {
    rewriter.replaceOpWithNewOp<arith::AddFOp>(difference, difference.getLhs(),
                                               x, difference.getFastmath());
  }
}

/// -x -> x * -1, or 0 - x where it doesn't matter which zero the result is:
/// that costs no instruction in front of a power. The compiler would turn -0 -
/// x into a negation again.
static LogicalResult expandNeg(arith::NegFOp op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type)
    return failure();
  SetVector<Operation *> users(op->user_begin(), op->user_end());
  for (Operation *user : users)
    foldNegIntoUser(op, user, rewriter);
  rewriter.setInsertionPoint(op);
  bool isAnyZero = llvm::all_of(
      op->getUsers(), llvm::IsaPred<math::ExpOp, math::Exp2Op, math::CosOp,
                                    math::AbsFOp, arith::CmpFOp>);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  if (isAnyZero)
    rewriter.replaceOpWithNewOp<arith::SubFOp>(op, createSplat(b, type, 0.0),
                                               op.getOperand());
  else
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getOperand(),
                                               createSplat(b, type, -1.0));
  return success();
}

/// x < y or unordered -> not x >= y; x and y are ordered -> x = x and y = y;
/// and so on.
static LogicalResult expandComparison(arith::CmpFOp op,
                                      PatternRewriter &rewriter) {
  using P = arith::CmpFPredicate;
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || isKnownPredicate(op.getPredicate()))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value x = op.getLhs(), y = op.getRhs();
  auto compare = [&](P predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  };
  auto isOther = [&]() -> Value {
    return arith::OrIOp::create(b, compare(P::OLT, x, y),
                                compare(P::OGT, x, y));
  };
  auto invert = [&](Value value) -> Value {
    Value yes =
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
    return arith::XOrIOp::create(b, value, yes);
  };
  Value result;
  switch (op.getPredicate()) {
  case P::ONE:
    result = isOther();
    break;
  case P::UEQ:
    result = invert(isOther());
    break;
  case P::ORD:
    result =
        arith::AndIOp::create(b, compare(P::OEQ, x, x), compare(P::OEQ, y, y));
    break;
  case P::UNO:
    result =
        arith::OrIOp::create(b, compare(P::UNE, x, x), compare(P::UNE, y, y));
    break;
  case P::UGT:
    result = invert(compare(P::OLE, x, y));
    break;
  case P::UGE:
    result = invert(compare(P::OLT, x, y));
    break;
  case P::ULT:
    result = invert(compare(P::OGE, x, y));
    break;
  case P::ULE:
    result = invert(compare(P::OGT, x, y));
    break;
  default:
    return failure();
  }
  rewriter.replaceOp(op, result);
  return success();
}

/// floor(x) -> r > x ? r - 1 : r, of which r is x rounded, with the sign of x;
/// ceil in the same way.
template <typename OpT>
static LogicalResult expandRounding(OpT op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type)
    return failure();
  constexpr bool isFloor = std::is_same_v<OpT, math::FloorOp>;
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value x = op.getOperand();
  Value rounded = math::RoundEvenOp::create(b, x);
  Value isBeyond = arith::CmpFOp::create(
      b, isFloor ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
      rounded, x);
  Value step = createSplat(b, type, isFloor ? -1.0 : 1.0);
  Value moved = arith::AddFOp::create(b, rounded, step);
  Value chosen = arith::SelectOp::create(b, isBeyond, moved, rounded);
  rewriter.replaceOpWithNewOp<math::CopySignOp>(op, chosen, x);
  return success();
}

/// A choice of whole vectors becomes one of their elements:
///   %y = arith.select %c, %a, %b : vector<128xf32>
/// -->
///   %m = vector.broadcast %c : i1 to vector<128xi1>
///   %y = arith.select %m, %a, %b : vector<128xi1>, vector<128xf32>
static LogicalResult expandChoice(arith::SelectOp op,
                                  PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || isa<VectorType>(op.getCondition().getType()))
    return failure();
  Value mask = vector::BroadcastOp::create(rewriter, op.getLoc(),
                                           type.clone(rewriter.getI1Type()),
                                           op.getCondition());
  rewriter.replaceOpWithNewOp<arith::SelectOp>(op, mask, op.getTrueValue(),
                                               op.getFalseValue());
  return success();
}

/// Counts ones in pairs of bits, then in fours, and so on.
static LogicalResult expandPopulation(math::CtPopOp op,
                                      PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type)
    return failure();
  unsigned width = type.getElementTypeBitWidth();
  if (!llvm::isPowerOf2_32(width))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
  };
  Value count = op.getOperand();
  for (unsigned part = 1; part < width; part *= 2) {
    Value mask =
        constant(APInt::getSplat(width, APInt::getLowBitsSet(2 * part, part)));
    Value high = arith::ShRUIOp::create(b, count, constant(APInt(width, part)));
    count = arith::AddIOp::create(b, arith::AndIOp::create(b, count, mask),
                                  arith::AndIOp::create(b, high, mask));
  }
  rewriter.replaceOp(op, count);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Reductions of elements that the compiler does not compute on.
static bool reducesBytes(Operation *op) {
  if (!isa<vector::MultiDimReductionOp, vector::ReductionOp>(op))
    return false;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8 &&
         !element.isInteger(1);
}

static bool isUnknown(Operation *op) {
  if (reducesBytes(op))
    return true;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>) &&
         !isKnown(op);
}

/// Folded constants have no location, so those are refused where they are used.
static void refuse(Operation *op) {
  if (isa<arith::ConstantOp>(op) && !op->use_empty())
    (*op->user_begin())->emitOpError("uses a constant of type ")
        << getElementTypeOrSelf(op->getResult(0).getType())
        << ", which registers hold no single ones of; keep it in i8";
  else if (std::string reason = explainConversion(op); !reason.empty())
    op->emitOpError() << reason;
  else if (reducesBytes(op))
    op->emitOpError("reduces elements of type ")
        << getElementTypeOrSelf(op->getOperand(0).getType())
        << ", which GPUs do not add up; convert to f32 or i32 first";
  else
    op->emitOpError("has no form on vectors in jaxlib 0.10.2; compute it by "
                    "operations of arith and by math.exp, exp2, log, rsqrt, "
                    "sin, cos and tanh");
}

namespace {
struct ExpandMathPass
    : mlir::mosaic_gpu::impl::MosaicGPUExpandMathBase<ExpandMathPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add(expandComparison);
    set.add(expandNeg);
    set.add(expandRounding<math::FloorOp>);
    set.add(expandRounding<math::CeilOp>);
    set.add(expandChoice);
    populateFunctionPatterns(set);
    populateNarrowMathPatterns(set);
    pallas::populateExpandAnglePatterns(set);
    set.add(expandPopulation);
    populateMathPolynomialApproximationPatterns(set, [](StringRef name) {
      return llvm::is_contained(kPolynomials, name);
    });
    // Polynomials are sums of products.
    math::populateExpansionPatterns(set, {"fma"});
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    auto findUnknown = [&](function_ref<void(Operation *)> found) {
      return getOperation()
          ->walk([&](Operation *op) {
            if (!isUnknown(op))
              return WalkResult::advance();
            found(op);
            return WalkResult::interrupt();
          })
          .wasInterrupted();
    };
    if (!findUnknown([](Operation *) {}))
      return;
    if (failed(applyPatternsGreedily(getOperation(), patterns)) ||
        findUnknown(refuse))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
