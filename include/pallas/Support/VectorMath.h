//===- VectorMath.h - Functions of vectors of floats ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_VECTORMATH_H
#define PALLAS_SUPPORT_VECTORMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas {

/// Arithmetic on floats of one type, scalars or vectors.
class VectorMath {
public:
  VectorMath(OpBuilder &builder, Location loc, Type type)
      : b(loc, builder), type(type) {
    bits = b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    if (auto shaped = dyn_cast<ShapedType>(type))
      bits = shaped.clone(bits);
  }

  Value number(double value) {
    return constant(type, b.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  Value integer(int64_t value) {
    return constant(bits, b.getIntegerAttr(getElementTypeOrSelf(bits), value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value toBits(Value x) { return arith::BitcastOp::create(b, bits, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  template <typename OpTy, typename... Values> Value call(Values... operands) {
    return OpTy::create(b, operands...);
  }
  Value clamp(Value x, double bound) {
    Value atLeast = arith::MaximumFOp::create(b, x, number(-bound));
    return arith::MinimumFOp::create(b, atLeast, number(bound));
  }
  /// The first 12 bits of an f32: a product of two such is exact.
  Value cut(Value x) {
    return fromBits(arith::AndIOp::create(
        b, toBits(x), integer(static_cast<int32_t>(0xFFFFF000))));
  }

  ImplicitLocOpBuilder b;
  Type type, bits;

private:
  Value constant(Type type, TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(b, value);
  }
};

/// A function of vectors of floats. Halves are computed in f32.
template <typename OpTy> struct ExpandFunction : OpRewritePattern<OpTy> {
  using Compute = Value (*)(VectorMath &, ValueRange);
  ExpandFunction(MLIRContext *context, Compute compute, bool isKnownInF32)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2), compute(compute),
        isKnownInF32(isKnownInF32) {}
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type)
      return failure();
    Type element = type.getElementType();
    if (!element.isF16() && !element.isBF16() &&
        (isKnownInF32 || !element.isF32()))
      return failure();
    VectorType wide = type.clone(b.getF32Type());
    VectorMath a(b, op.getLoc(), wide);
    SmallVector<Value> operands(op->getOperands());
    if (type != wide)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(a.b, wide, operand);
    Value result = compute(a, operands);
    if (type != wide)
      result = arith::TruncFOp::create(a.b, type, result);
    b.replaceOp(op, result);
    return success();
  }

private:
  Compute compute;
  bool isKnownInF32;
};

/// Expands hyperbolic functions, their inverse ones, tangents and inverse
/// functions of angles, and cube roots of vectors of f16, bf16 and f32. What
/// they are made of is exact to 2 units in the last place; they are to 3.
void populateHyperbolicPatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_VECTORMATH_H
