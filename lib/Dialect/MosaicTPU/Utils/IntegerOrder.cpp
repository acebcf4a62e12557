//===- IntegerOrder.cpp - Extremes and comparisons of integers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler reads a comparison and a select of the same operands as an
// extreme, also of types for which it has none. Here both are written in forms
// that it leaves alone.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/MathExpansion.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"

using namespace mlir;
using namespace mlir::tpu;

using arith::CmpIPredicate;

/// max(a, b) = a + max(b - a, 0) in 32 bits. The compiler brings a maximum of
/// extended numbers back to the narrow type, which has none.
Value mlir::tpu::expandNarrowExtreme(Emitter &emit, Operation *op, Value lhs,
                                     Value rhs) {
  Type element = getElementType(lhs.getType());
  Type i32 = emit.getBuilder().getI32Type();
  bool isSigned = isa<arith::MaxSIOp, arith::MinSIOp>(op);
  Value a = emit.resize(lhs, i32, isSigned),
        b = emit.resize(rhs, i32, isSigned);
  Value difference = emit.create<arith::SubIOp>(b, a);
  Value zero = emit.zero(a.getType());
  bool isMax = isa<arith::MaxSIOp, arith::MaxUIOp>(op);
  Value step = isMax ? emit.create<arith::MaxSIOp>(difference, zero).getResult()
                     : emit.create<arith::MinSIOp>(difference, zero);
  return narrow(emit, emit.create<arith::AddIOp>(a, step), element);
}

///   %1 = arith.subi %a, %b : vector<8x128xi32>
///   %0 = arith.cmpi slt, %1, %zero : vector<8x128xi32>
///
/// instead of `slt, %a, %b` on extended narrow numbers, since the compiler
/// takes comparison and selection for a maximum.
Value mlir::tpu::compareDifference(Emitter &emit, Value condition, Value lhs,
                                   Value rhs) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  // Equality is no order.
  if (!compare || compare.getPredicate() == CmpIPredicate::eq ||
      compare.getPredicate() == CmpIPredicate::ne)
    return condition;
  auto getNarrow = [](Value value) -> Value {
    Operation *wide = value.getDefiningOp();
    return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(wide)
               ? wide->getOperand(0)
               : Value();
  };
  auto isChoice = [&](Value a, Value b) {
    return (a == lhs && b == rhs) || (a == rhs && b == lhs);
  };
  bool isUnsigned =
      Emitter::toSigned(compare.getPredicate()) != compare.getPredicate();
  auto type = dyn_cast<VectorType>(lhs.getType());
  if (isUnsigned && type && type.getElementType().isInteger(32) &&
      isChoice(compare.getLhs(), compare.getRhs()))
    return emit.compareFlipped(compare.getPredicate(), compare.getLhs(),
                               compare.getRhs());
  Value a = getNarrow(compare.getLhs()), b = getNarrow(compare.getRhs());
  if (!a || !b || !isChoice(a, b))
    return condition;
  Value difference =
      emit.create<arith::SubIOp>(compare.getLhs(), compare.getRhs());
  // The difference of extended numbers has the sign of their order.
  return emit.compare(Emitter::toSigned(compare.getPredicate()), difference,
                      emit.zero(difference.getType()));
}

/// The chip has signed extremes only. Narrow numbers fit into signed ones.
Value mlir::tpu::expandUnsignedExtreme(Emitter &emit, Operation *op, Value lhs,
                                       Value rhs) {
  Type element = getElementType(lhs.getType());
  auto i32 = emit.getBuilder().getI32Type();
  if (isa<VectorType>(lhs.getType()) && !element.isInteger(32))
    return expandNarrowExtreme(emit, op, lhs, rhs);
  lhs = emit.resize(lhs, i32, /*isSigned=*/false);
  rhs = emit.resize(rhs, i32, /*isSigned=*/false);
  auto kind = isa<arith::MaxUIOp>(op) ? vector::CombiningKind::MAXUI
                                      : vector::CombiningKind::MINUI;
  return narrow(emit, emit.combine(kind, lhs, rhs), element);
}
