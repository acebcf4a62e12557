//===- F16.cpp - 16-bit IEEE floats ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No unit computes on f16, so registers hold the numbers as f32, and memory
// holds their bits as i16. The conversions are the codec of narrow floats,
// emitted on words of 32 bits.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/F16.h"
#include "pallas/Dialect/MosaicTPU/Utils/MathExpansion.h"
#include "pallas/Support/FloatCodec.h"

using namespace mlir;
using namespace mlir::tpu;

using arith::CmpIPredicate;

namespace {

/// Emits the arithmetic of a codec on scalars or vectors of this shape.
struct WordEmitter {
  using Word = Value;
  using Flag = Value;

  Emitter &emit;
  /// i32 and f32, or vectors of them.
  Type word, real;

  WordEmitter(Emitter &emit, Type shape)
      : emit(emit),
        word(withElementType(shape, emit.getBuilder().getI32Type())),
        real(withElementType(shape, emit.getBuilder().getF32Type())) {}

  Value constant(int64_t number) { return emit.integer(word, number); }
  Value add(Value lhs, Value rhs) { return emit.add(lhs, rhs); }
  Value bitAnd(Value lhs, Value rhs) {
    return emit.create<arith::AndIOp>(lhs, rhs);
  }
  Value bitOr(Value lhs, Value rhs) {
    return emit.create<arith::OrIOp>(lhs, rhs);
  }
  Value shiftLeft(Value value, Value amount) {
    return emit.create<arith::ShLIOp>(value, amount);
  }
  Value shiftRight(Value value, Value amount) {
    return emit.create<arith::ShRUIOp>(value, amount);
  }
  Value isBelow(Value lhs, Value rhs) {
    return emit.compare(CmpIPredicate::slt, lhs, rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return emit.compare(CmpIPredicate::eq, lhs, rhs);
  }
  Value isNaN(Value bits) {
    Value number = toFloat(bits);
    return emit.compare(arith::CmpFPredicate::UNO, number, number);
  }
  Value select(Value condition, Value yes, Value no) {
    return emit.select(condition, yes, no);
  }
  Value addFloat(Value bits, float number) {
    Value left = toFloat(bits);
    return toBits(emit.add(left, emit.real(real, number)));
  }
  Value scaleInteger(Value integer, float factor) {
    Value number = emit.create<arith::SIToFPOp>(real, integer);
    return toBits(emit.mul(number, emit.real(real, factor)));
  }

  Value toFloat(Value bits) {
    return bitcastElements(emit, bits, emit.getBuilder().getF32Type());
  }
  Value toBits(Value number) {
    return bitcastElements(emit, number, emit.getBuilder().getI32Type());
  }
};

} // namespace

static pallas::FloatFormat getHalf() {
  return pallas::FloatFormat(APFloat::IEEEhalf());
}

/// f16 bits in 32 bits to the number as f32.
static Value widenBits(Emitter &emit, Value bits) {
  WordEmitter words(emit, bits.getType());
  return words.toFloat(pallas::FloatCodec(words, getHalf()).decode(bits));
}

/// The nearest f16 bits, ties to even, in 32 bits.
static Value narrowBits(Emitter &emit, Value real) {
  WordEmitter words(emit, real.getType());
  return pallas::FloatCodec(words, getHalf()).encode(words.toBits(real));
}

Value mlir::tpu::halfBitsToFloat(Emitter &emit, Value bits) {
  return widenBits(emit, emit.resize(bits, emit.getBuilder().getI32Type(),
                                     /*isSigned=*/false));
}

Value mlir::tpu::floatToHalfBits(Emitter &emit, Value value) {
  return emit.resize(narrowBits(emit, value), emit.getBuilder().getI16Type(),
                     /*isSigned=*/false);
}

/// The nearest f16 number, held as f32. An operation on f16 rounds in this way.
Value mlir::tpu::roundToHalf(Emitter &emit, Value value) {
  return widenBits(emit, narrowBits(emit, value));
}

/// Casts between f16, held as f32, and elements of 16 bits.
Value mlir::tpu::castHalfBits(Emitter &emit, Value value, bool fromHalf,
                              bool toHalf, Type element) {
  if (fromHalf && toHalf)
    return value;
  if (fromHalf)
    return bitcastElements(emit, floatToHalfBits(emit, value), element);
  Type i16 = emit.getBuilder().getI16Type();
  return halfBitsToFloat(emit, bitcastElements(emit, value, i16));
}
