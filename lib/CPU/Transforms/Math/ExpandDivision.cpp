//===- ExpandDivision.cpp - Many quotients of one divisor -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-expand-division, for divisions of many
// elements by one number, as in softmax and layer normalization.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUEXPANDDIVISION
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Divides a vector by one number. The product with its reciprocal, corrected
/// by what it leaves over, is the rounded quotient (Markstein) in three
/// operations instead of a division of six or more cycles per vector. Results
/// below the normal numbers may be off by one unit in the last place.
///
///   %quotient = arith.mulf %x, %reciprocals : vector<16xf32>
///   %negative = arith.negf %quotient : vector<16xf32>
///   %rest = math.fma %negative, %divisors, %x : vector<16xf32>
///   %rounded = math.fma %rest, %reciprocals, %quotient : vector<16xf32>
static void divideByOne(IRRewriter &rewriter, arith::DivFOp op, Value divisor) {
  Location loc = op.getLoc();
  auto scalar = [&](float value) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getF32FloatAttr(value));
  };
  auto broadcast = [&](Value value) -> Value {
    return vector::BroadcastOp::create(rewriter, loc, op.getType(), value);
  };
  // Once per divisor, not once per vector.
  rewriter.setInsertionPointAfterValue(divisor);
  Value reciprocals =
      broadcast(arith::DivFOp::create(rewriter, loc, scalar(1), divisor));
  Value divisors = broadcast(divisor);
  // The reciprocal of a subnormal number may be infinite though the quotient is
  // not.
  Value isNormal = arith::CmpFOp::create(
      rewriter, loc, arith::CmpFPredicate::OGE,
      math::AbsFOp::create(rewriter, loc, divisor), scalar(0x1p-126f));

  rewriter.setInsertionPoint(op);
  Value x = op.getLhs();
  auto multiply = [&](OpBuilder &b, Location loc) {
    Value quotient = arith::MulFOp::create(b, loc, x, reciprocals);
    Value negative = arith::NegFOp::create(b, loc, quotient);
    Value rest = math::FmaOp::create(b, loc, negative, divisors, x);
    Value rounded = math::FmaOp::create(b, loc, rest, reciprocals, quotient);
    // Infinities leave NaN over, and a sum with zero would lose the sign of -0.
    // Asked before the last step, which a mask can then suppress.
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(op.getType()));
    Value isComplete =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, rest, zero);
    Value result =
        arith::SelectOp::create(b, loc, isComplete, quotient, rounded);
    scf::YieldOp::create(b, loc, result);
  };
  auto divide = [&](OpBuilder &b, Location loc) {
    Value result = arith::DivFOp::create(b, loc, x, divisors);
    scf::YieldOp::create(b, loc, result);
  };
  rewriter.replaceOp(
      op, scf::IfOp::create(rewriter, loc, isNormal, multiply, divide));
}

namespace {
/// Finds divisions by the broadcast of a scalar from outside of the loop.
struct ExpandDivision
    : public pallas::impl::PallasCPUExpandDivisionBase<ExpandDivision> {
  using PallasCPUExpandDivisionBase::PallasCPUExpandDivisionBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    if (!target.hasFMA)
      return;
    SmallVector<std::pair<arith::DivFOp, Value>> found;
    getOperation()->walk([&](arith::DivFOp op) {
      auto broadcast = op.getRhs().getDefiningOp<vector::BroadcastOp>();
      if (broadcast && broadcast.getSourceType().isF32() &&
          broadcast.getSource().getParentBlock() != op->getBlock())
        found.push_back({op, broadcast.getSource()});
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, divisor] : found)
      divideByOne(rewriter, op, divisor);
  }

private:
  cpu::Target target;
};
} // namespace
