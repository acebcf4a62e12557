//===- SortPatterns.cpp - Sorting networks --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorCores have no sort. A bitonic network needs only exchanges at fixed
// distances: gathers within registers, or registers that change places.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorSlices.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// The longest dimension that is worth sorting by a network in the code.
/// Code grows with the square of the logarithm, and with the number of
/// registers.
static constexpr int64_t kMaxSortSize = 1024;

/// Into how many parts a dimension falls before it moves as a whole instead.
static constexpr int64_t kMaxExchangedParts = 8;

/// Exchanges neighbors of `distance` elements that consist of whole registers:
///
///   %0 = vector.extract_strided_slice %v[0, 128] sizes [8, 128]
///   %1 = vector.extract_strided_slice %v[0, 0] sizes [8, 128]
///   %2 = tpu.concatenate %0, %1 in 1
static Value exchangeParts(Emitter &emit, Value value, int64_t dim,
                           int64_t distance) {
  SmallVector<Value> parts;
  for (int64_t part = 0, size = getShape(value.getType())[dim];
       part * distance < size; ++part)
    parts.push_back(
        emit.extractSlice(value, dim, (part ^ 1) * distance, distance));
  return emit.concatenate(parts, dim);
}

/// Exchanges elements within each register, by the same places in all.
static Value exchangeInRegisters(Emitter &emit, Value value, Value places,
                                 int64_t dim) {
  SmallVector<Value> parts;
  int64_t length = getShape(places.getType())[dim];
  for (int64_t at = 0, size = getShape(value.getType())[dim]; at < size;
       at += length)
    parts.push_back(takeAlong(emit, emit.extractSlice(value, dim, at, length),
                              places, dim));
  return emit.concatenate(parts, dim);
}

namespace {

/// A bitonic network: in each step element `i` meets element `i xor distance`,
/// and each of them keeps the one that belongs to its side. The original
/// position is the last key, so the order is total and the sort is stable.
///
/// One step with distance 1 on keys %k:
///
///   %0 = arith.xori %position, 1
///   %1 = tpu.dynamic_gather %k[%0] in [1]
///   %2 = arith.cmpi slt, %1, %k
///   %3 = arith.xori %2, %wantsLast
///   %4 = arith.select %3, %1, %k
class BitonicSort {
public:
  /// Pads the dimension to a power of two. Padding is told by its position.
  BitonicSort(Emitter &emit, SortOp op, ValueRange inputs)
      : emit(emit), op(op), dim(op.getDimension()) {
    // A row is the only one of a matrix.
    given.assign(getShape(inputs.front().getType()));
    SmallVector<int64_t> shape(given);
    if (shape.size() == 1)
      shape.insert(shape.begin(), 1);
    dim += shape.size() - given.size();
    original = shape[dim];
    size = llvm::PowerOf2Ceil(original);
    for (Value input : inputs) {
      elements.push_back(getElementType(input.getType()));
      Value key = reshapeVector(emit, widenKey(input), shape);
      columns.push_back(padTo(emit, key, dim, size));
    }
    shape[dim] = size;
    registerSize = emit.getChip().getRegisterSize(shape.size(), dim);
    position = emit.iota(shape, dim);
    columns.push_back(position);
  }

  SmallVector<Value> run() {
    for (int64_t block = 2; block <= size; block *= 2)
      for (int64_t distance = block / 2; distance >= 1; distance /= 2)
        step(block, distance);
    SmallVector<Value> results;
    for (auto [column, element] :
         llvm::zip(ArrayRef(columns).drop_back(), elements))
      results.push_back(reshapeVector(
          emit,
          narrow(emit, emit.extractSlice(column, dim, 0, original), element),
          given));
    return results;
  }

private:
  /// Keys are compared in 32 bits.
  Value widenKey(Value value) {
    if (op.getUnsignedKeys() &&
        isa<IntegerType>(getElementType(value.getType())))
      return emit.resize(value, emit.getBuilder().getI32Type(),
                         /*isSigned=*/false);
    return widen(emit, value);
  }

  /// Whether this bit of the position is set: the side of a pair, or of a
  /// block.
  Value isBitSet(int64_t bit) {
    Value masked = emit.create<arith::AndIOp>(
        position, emit.integer(position.getType(), bit));
    return emit.i32ToBool(masked);
  }

  /// The order of JAX: numbers, then NaN.
  Value isLess(Value a, Value b) {
    if (!isa<FloatType>(getElementType(a.getType())))
      return emit.compare(op.getUnsignedKeys() ? arith::CmpIPredicate::ult
                                               : arith::CmpIPredicate::slt,
                          a, b);
    // A NaN is greater than every number.
    Value less = emit.compare(arith::CmpFPredicate::OLT, a, b);
    Value aIsNumber = emit.compare(arith::CmpFPredicate::OEQ, a, a);
    Value bIsNaN =
        emit.logicalNot(emit.compare(arith::CmpFPredicate::OEQ, b, b));
    return emit.create<arith::OrIOp>(
        less, emit.create<arith::AndIOp>(aIsNumber, bIsNaN));
  }

  /// Whether the first row of columns comes before the second one. Padding
  /// comes last.
  Value comesBefore(ArrayRef<Value> a, ArrayRef<Value> b) {
    Type index = a.back().getType();
    // The original position breaks ties. Keys are compared from the last to the
    // first, so that the first one decides.
    Value before = emit.compare(arith::CmpIPredicate::slt, a.back(), b.back());
    for (int64_t key = op.getNumKeys() - 1; key >= 0; --key) {
      Value first = op.getDescending() ? b[key] : a[key];
      Value second = op.getDescending() ? a[key] : b[key];
      Value less = isLess(first, second), greater = isLess(second, first);
      before = emit.create<arith::OrIOp>(
          less, emit.create<arith::AndIOp>(emit.logicalNot(greater), before));
    }
    if (original == size)
      return before;
    Value limit = emit.integer(index, original);
    auto isReal = [&](Value place) {
      return emit.compare(arith::CmpIPredicate::slt, place, limit);
    };
    Value bIsPadding = emit.logicalNot(isReal(b.back()));
    Value both = emit.create<arith::AndIOp>(isReal(a.back()),
                                            emit.logicalNot(bIsPadding));
    return emit.create<arith::OrIOp>(
        emit.create<arith::AndIOp>(isReal(a.back()), bIsPadding),
        emit.create<arith::AndIOp>(both, before));
  }

  /// Element `i` becomes element `i xor distance`. Where that is a part of
  /// many, all elements move up and down, and each takes one of the two:
  ///
  ///   %0 = tpu.dynamic_rotate %v by distance
  ///   %1 = tpu.dynamic_rotate %v by size - distance
  ///   %2 = arith.select %isUpper, %0, %1
  Value getPartner(Value column, Value isUpper, Value places,
                   int64_t distance) {
    if (places)
      return exchangeInRegisters(emit, column, places, dim);
    if (size / distance <= kMaxExchangedParts)
      return exchangeParts(emit, column, dim, distance);
    return emit.select(isUpper, roll(emit, column, emit.i32(distance), dim),
                       roll(emit, column, emit.i32(size - distance), dim));
  }

  /// The places of partners in a register, if these are in the same one and
  /// there are few registers.
  Value getPlacesInRegister(int64_t distance) {
    if (distance >= registerSize || size / registerSize > kMaxExchangedParts)
      return {};
    Value places =
        emit.extractSlice(position, dim, 0, std::min(size, registerSize));
    return emit.create<arith::XOrIOp>(places,
                                      emit.integer(places.getType(), distance));
  }

  /// One exchange of all pairs at `distance`, in blocks of alternating order.
  void step(int64_t block, int64_t distance) {
    Value places = getPlacesInRegister(distance);
    Value wantsLast = isBitSet(distance);
    SmallVector<Value> partners;
    for (Value column : columns)
      partners.push_back(getPartner(column, wantsLast, places, distance));
    Value partnerFirst = comesBefore(partners, columns);
    // The lower one of a pair wants the first element where the order of the
    // block ascends.
    if (block < size)
      wantsLast = emit.create<arith::XOrIOp>(wantsLast, isBitSet(block));
    Value takes = emit.create<arith::XOrIOp>(partnerFirst, wantsLast);
    for (auto [column, partner] : llvm::zip_equal(columns, partners))
      column = emit.select(takes, partner, column);
  }

  Emitter &emit;
  SortOp op;
  int64_t dim, original, size;
  /// Elements of a register along the dimension.
  int64_t registerSize;
  SmallVector<int64_t> given;
  SmallVector<Type> elements;
  SmallVector<Value> columns;
  Value position;
};

///   %r:2 = pallas.sort %keys, %values dim 0 stable
struct ConvertSort : TPUPattern<SortOp> {
  using TPUPattern::TPUPattern;
  Results convert(SortOp op, Adaptor adaptor, Emitter &emit) const override {
    int64_t size = cast<RankedTensorType>(op.getInputs().front().getType())
                       .getDimSize(op.getDimension());
    if (size > kMaxSortSize)
      return op.emitOpError()
             << "sorts " << size << " elements, but at most " << kMaxSortSize
             << " are sorted within a kernel; sort parts and merge them";
    return BitonicSort(emit, op, adaptor.getInputs()).run();
  }
};

} // namespace

void mlir::pallas::populateSortPatterns(const TPUTypeConverter &types,
                                        TPUPatternSet &patterns) {
  addTPUPatterns<ConvertSort>(types, patterns);
}
