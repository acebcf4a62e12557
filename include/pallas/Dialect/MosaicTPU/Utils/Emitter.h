//===- Emitter.h - Building kernel code in a few words ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_EMITTER_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_EMITTER_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

namespace mlir::tpu {

struct TPUChip;

/// Element type of a vector or tensor; the type itself when it is a scalar.
Type getElementType(Type type);
/// Shape of a vector; none when the type is a scalar.
ArrayRef<int64_t> getShape(Type type);
/// A vector like `type` of other elements, or the element for a scalar.
Type withElementType(Type type, Type element);
/// A vector type, or the element when there are no dimensions.
Type getVectorOrScalar(ArrayRef<int64_t> shape, Type element);

/// Creates operations for a chip at one place for one source operation. Values
/// are vectors or scalars, and every method takes either.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const TPUChip &chip)
      : builder(builder), loc(loc), chip(chip) {}

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }
  const TPUChip &getChip() const { return chip; }

  template <typename OpTy, typename... Args> OpTy create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }

  Value index(int64_t value);
  Value i32(int64_t value);
  /// A constant of this type whose elements are all `value`.
  Value integer(Type type, int64_t value);
  Value real(Type type, double value);
  Value splat(Type type, TypedAttr element);
  Value zero(Type type);

  Value toIndex(Value value);
  Value toI32(Value value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs);
  /// The predicate of numbers with a sign that has the same name.
  static arith::CmpIPredicate toSigned(arith::CmpIPredicate predicate);
  /// Compares 32-bit numbers without a sign as ones with a sign.
  Value compareFlipped(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value select(Value condition, Value ifTrue, Value ifFalse);
  Value logicalNot(Value value);

  /// The same elements under another shape; none means a scalar.
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// Repeats along new leading and unit dimensions.
  Value broadcast(Value value, ArrayRef<int64_t> shape);
  Value extractSlice(Value value, ArrayRef<int64_t> offsets,
                     ArrayRef<int64_t> sizes);
  /// `size` elements along one dimension.
  Value extractSlice(Value value, int64_t dim, int64_t offset, int64_t size);
  Value concatenate(ValueRange values, int64_t dim);
  Value iota(ArrayRef<int64_t> shape, int64_t dim);
  /// Element `k` moves to `k + amount` along `dim`.
  Value rotate(Value value, Value amount, int64_t dim);
  /// The element that changes no other one, everywhere.
  Value neutral(vector::CombiningKind kind, Type type);
  /// Combines two values element by element.
  Value combine(vector::CombiningKind kind, Value lhs, Value rhs);
  /// Combines the elements along dimensions, starting from the neutral one.
  Value reduce(vector::CombiningKind kind, Value value, ArrayRef<int64_t> dims);

  /// Booleans as 32-bit integers, 0 or 1, and back.
  Value boolToI32(Value value);
  Value i32ToBool(Value value);
  /// Integers of another width.
  Value resize(Value value, Type element, bool isSigned);
  /// Floats of another width.
  Value resizeFloat(Value value, Type element);

private:
  OpBuilder &builder;
  Location loc;
  const TPUChip &chip;
};

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_EMITTER_H
