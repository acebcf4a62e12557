//===- PallasFloatsToRing.cpp - Floats become integers mod 2^w ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First each float operation is replaced by integer ones, regardless of types;
// then all float types and constants become integers at once.
//
// Integers mod 2^w form a ring: sums and products are exact in any order. A
// kernel and its optimized form agree bit for bit there, unless one of them is
// wrong.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Transforms/Ring.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASFLOATSTORING
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

// Odd constants with many bits, for multiplication without collisions.
static constexpr uint64_t mixers[] = {0x9e3779b97f4a7c15, 0xd6e8feb86659fd93};

/// A permutation of the integers that leaves 0 where it is.
static APInt mix(APInt value) {
  unsigned width = value.getBitWidth();
  for (uint64_t mixer : mixers) {
    value *= APInt(width, mixer, /*isSigned=*/false, /*implicitTrunc=*/true);
    value ^= value.lshr(width / 2);
  }
  return value;
}

/// The ring element of a float constant. Integers are themselves, so that 0 and
/// 1 keep their laws; other numbers are mixed bits.
APInt pallas::getRingElement(const APFloat &value) {
  unsigned width = APFloat::getSizeInBits(value.getSemantics());
  if (value.isInfinity())
    return value.isNegative() ? APInt::getSignedMinValue(width)
                              : APInt::getSignedMaxValue(width);
  if (value.isFinite() && value.isInteger()) {
    // Wide enough for the largest double.
    APSInt integer(1100, /*isUnsigned=*/false);
    bool isExact;
    if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) ==
        APFloat::opOK)
      return integer.trunc(width);
  }
  return mix(value.bitcastToAPInt());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {
/// Replaces one float operation.
///
///   %0 = arith.addf %a, %b : f32
///
/// becomes, with types that change later,
///
///   %0 = arith.addi %a, %b : f32
class RingBuilder {
public:
  explicit RingBuilder(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  LogicalResult replace();

private:
  Value constant(Value like, const APInt &value);
  Value constant(Value like, uint64_t value) {
    return constant(like, APInt(getWidth(like), value, /*isSigned=*/false,
                                /*implicitTrunc=*/true));
  }
  static unsigned getWidth(Value value) {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  }
  Value mix(Value value);
  Value hash(ValueRange operands);
  Value power(Value exponent, uint64_t base);
  Value unit(Value value);
  Value resize(Value value, bool isSigned);
  FailureOr<Value> compare(arith::CmpFOp compare);
  FailureOr<Value> rebuild();

  template <typename Op> Value binary() {
    return Op::create(b, loc, op->getOperand(0), op->getOperand(1));
  }

  Operation *op;
  OpBuilder b;
  Location loc;
};
} // namespace

/// The constant has an integer type from the start.
Value RingBuilder::constant(Value like, const APInt &value) {
  Type element = b.getIntegerType(value.getBitWidth());
  TypedAttr attr = b.getIntegerAttr(element, value);
  if (auto shaped = dyn_cast<ShapedType>(like.getType()))
    attr = DenseElementsAttr::get(shaped.clone(element), value);
  return arith::ConstantOp::create(b, loc, attr);
}

/// As `mix` above, for values.
Value RingBuilder::mix(Value value) {
  Value half = constant(value, getWidth(value) / 2);
  for (uint64_t mixer : mixers) {
    value = arith::MulIOp::create(b, loc, value, constant(value, mixer));
    value = arith::XOrIOp::create(b, loc, value,
                                  arith::ShRUIOp::create(b, loc, value, half));
  }
  return value;
}

/// A number that nothing but the operation and its operands determines.
Value RingBuilder::hash(ValueRange operands) {
  Value result = constant(op->getResult(0),
                          llvm::xxh3_64bits(op->getName().getStringRef()));
  for (Value operand : operands)
    result = mix(arith::AddIOp::create(b, loc, operand, result));
  return result;
}

/// base^exponent, bit by bit of the exponent. The base is odd, so its powers
/// repeat after 2^(w - 2).
Value RingBuilder::power(Value exponent, uint64_t base) {
  unsigned width = getWidth(exponent);
  APInt factor(width, base);
  Value one = constant(exponent, 1), zero = constant(exponent, uint64_t(0));
  Value result = one;
  // Exponentials turn sums into products: base^(a + b) = base^a * base^b.
  for (unsigned bit = 0; bit + 2 < width; ++bit) {
    Value isSet = arith::AndIOp::create(
        b, loc, exponent, constant(exponent, APInt::getOneBitSet(width, bit)));
    isSet =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, isSet, zero);
    Value next =
        arith::SelectOp::create(b, loc, isSet, constant(exponent, factor), one);
    result = arith::MulIOp::create(b, loc, result, next);
    factor *= factor;
  }
  return result;
}

/// An odd number in place of an inverse; that of 1 is 1.
Value RingBuilder::unit(Value value) {
  Value one = constant(value, 1);
  Value mixed = mix(arith::SubIOp::create(b, loc, value, one));
  return arith::OrIOp::create(b, loc, mixed, one);
}

/// Conversions between floats, and with integers, resize the ring element.
Value RingBuilder::resize(Value value, bool isSigned) {
  Type type = op->getResult(0).getType();
  unsigned from = getWidth(value), to = getWidth(op->getResult(0));
  if (from > to)
    return arith::TruncIOp::create(b, loc, type, value);
  if (from == to)
    return value;
  return isSigned ? arith::ExtSIOp::create(b, loc, type, value).getResult()
                  : arith::ExtUIOp::create(b, loc, type, value).getResult();
}

/// Orders compare as signed integers. There is no NaN, so ordered and unordered
/// predicates agree.
FailureOr<Value> RingBuilder::compare(arith::CmpFOp compare) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static const llvm::DenseMap<int, I> predicates = {
      {int(F::OEQ), I::eq},  {int(F::UEQ), I::eq},  {int(F::ONE), I::ne},
      {int(F::UNE), I::ne},  {int(F::OLT), I::slt}, {int(F::ULT), I::slt},
      {int(F::OLE), I::sle}, {int(F::ULE), I::sle}, {int(F::OGT), I::sgt},
      {int(F::UGT), I::sgt}, {int(F::OGE), I::sge}, {int(F::UGE), I::sge}};
  auto found = predicates.find(int(compare.getPredicate()));
  // Those that only ask for NaN are left.
  if (found == predicates.end())
    return failure();
  return Value(arith::CmpIOp::create(b, loc, found->second, compare.getLhs(),
                                     compare.getRhs()));
}

/// The table of operations. Each case keeps the laws that optimizations use.
FailureOr<Value> RingBuilder::rebuild() {
  Value first = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](arith::AddFOp) { return binary<arith::AddIOp>(); })
      .Case([&](arith::SubFOp) { return binary<arith::SubIOp>(); })
      .Case([&](arith::MulFOp) { return binary<arith::MulIOp>(); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](Operation *) { return binary<arith::MaxSIOp>(); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](Operation *) { return binary<arith::MinSIOp>(); })
      .Case([&](arith::NegFOp) -> Value {
        return arith::SubIOp::create(b, loc, constant(first, uint64_t(0)),
                                     first);
      })
      .Case([&](arith::DivFOp) -> Value {
        return arith::MulIOp::create(b, loc, first, unit(op->getOperand(1)));
      })
      .Case([&](ReciprocalOp) { return unit(first); })
      .Case([&](arith::CmpFOp op) { return compare(op); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp>(
          [&](Operation *) { return resize(first, /*isSigned=*/true); })
      .Case<arith::UIToFPOp, arith::FPToUIOp>(
          [&](Operation *) { return resize(first, /*isSigned=*/false); })
      .Case<arith::BitcastOp>([&](Operation *) { return first; })
      .Case([&](math::AbsFOp) -> Value {
        return math::AbsIOp::create(b, loc, first);
      })
      .Case([&](math::FmaOp) -> Value {
        Value product = binary<arith::MulIOp>();
        return arith::AddIOp::create(b, loc, product, op->getOperand(2));
      })
      .Case([&](math::ExpOp) { return power(first, 3); })
      .Case([&](math::Exp2Op) { return power(first, 5); })
      .Case([&](math::ExpM1Op) -> Value {
        return arith::SubIOp::create(b, loc, power(first, 3),
                                     constant(first, 1));
      })
      .Default([&](Operation *op) -> FailureOr<Value> {
        // Whatever else is computed of floats alone, element by element.
        Type type = op->getResult(0).getType();
        if (llvm::any_of(op->getOperandTypes(),
                         [&](Type other) { return other != type; }))
          return failure();
        return hash(op->getOperands());
      });
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// Whether an operand, a result or an attribute is or holds a float.
static bool mentionsFloats(Operation *op) {
  AttrTypeWalker walker;
  walker.addWalk([](FloatType) { return WalkResult::interrupt(); });
  auto holdsFloat = [&](Type type) {
    return walker.walk(type).wasInterrupted();
  };
  return llvm::any_of(op->getOperandTypes(), holdsFloat) ||
         llvm::any_of(op->getResultTypes(), holdsFloat) ||
         walker.walk(op->getAttrDictionary()).wasInterrupted();
}

static LogicalResult refuse(Operation *op) {
  return op->emitOpError("has no meaning in the ring of integers, which "
                         "replaces floats; leave it out, or compare floats");
}

/// Operations that move elements stay, and change types with all others.
LogicalResult RingBuilder::replace() {
  if (auto cumulative = dyn_cast<CumulativeOp>(op);
      cumulative && cumulative.getKind() == CumulativeKind::LogSumExp)
    return refuse(op);
  if (isa<StochasticRoundOp, PackElementwiseOp, UnpackElementwiseOp>(op))
    return refuse(op);
  bool computes = isa_and_present<arith::ArithDialect, math::MathDialect>(
                      op->getDialect()) ||
                  isa<ReciprocalOp>(op);
  if (!computes || isa<arith::ConstantOp, arith::SelectOp>(op))
    return success();
  FailureOr<Value> value =
      op->getNumResults() == 1 ? rebuild() : FailureOr<Value>(failure());
  if (failed(value))
    return refuse(op);
  op->getResult(0).replaceAllUsesWith(*value);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

/// Widths that have integers of the same size in memory.
static bool hasRing(FloatType type) {
  unsigned width = type.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64;
}

/// Replaces types and constants everywhere, also within other types.
static AttrTypeReplacer createReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> std::optional<Type> {
    return IntegerType::get(type.getContext(), type.getWidth());
  });
  replacer.addReplacement([](FloatAttr attr) -> std::optional<Attribute> {
    APInt element = getRingElement(attr.getValue());
    return IntegerAttr::get(
        IntegerType::get(attr.getContext(), element.getBitWidth()), element);
  });
  replacer.addReplacement(
      [](DenseElementsAttr attr) -> std::optional<Attribute> {
        auto type = dyn_cast<FloatType>(attr.getElementType());
        if (!type)
          return attr;
        auto element = IntegerType::get(attr.getContext(), type.getWidth());
        if (attr.isSplat())
          return DenseElementsAttr::get(
              attr.getType().clone(element),
              getRingElement(attr.getSplatValue<APFloat>()));
        SmallVector<APInt> elements =
            llvm::map_to_vector(attr.getValues<APFloat>(), getRingElement);
        return DenseElementsAttr::get(attr.getType().clone(element), elements);
      });
  return replacer;
}

namespace {
/// Refuses first whatever has no meaning, so that nothing is changed in vain.
struct PallasFloatsToRing
    : public pallas::impl::PallasFloatsToRingBase<PallasFloatsToRing> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!op->isRegistered() && mentionsFloats(op)) {
        op->emitOpError("is not registered, so what it makes of floats is not "
                        "known; load its dialect, or compare floats");
        return WalkResult::interrupt();
      }
      auto types =
          llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                   SmallVector<Type>(op->getResultTypes()));
      bool touchesFloats = false;
      for (Type type : types) {
        touchesFloats |= isFloat(type);
        auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type));
        if (isa<ComplexType>(getElementTypeOrSelf(type)) ||
            (floatType && !hasRing(floatType)))
          return WalkResult(refuse(op));
      }
      if (touchesFloats)
        ops.push_back(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Operation *op : ops)
      if (failed(RingBuilder(op).replace()))
        return signalPassFailure();
    createReplacer().recursivelyReplaceElementsIn(
        getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
        /*replaceTypes=*/true);
  }
};
} // namespace
