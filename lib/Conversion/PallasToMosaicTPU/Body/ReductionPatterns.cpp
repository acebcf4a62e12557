//===- ReductionPatterns.cpp - Combining and ordering elements ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, arg reductions and cumulative operations. TensorCores reduce f32
// and i32 by sum, maximum and minimum; everything else is brought to these.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorSlices.h"
#include "pallas/Dialect/Pallas/IR/Cumulative.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

/// The kind as upstream has it for the elements of a value.
static vector::CombiningKind getKindFor(CombiningKind kind, Value value) {
  return getVectorKind(kind, getElementType(value.getType()));
}

/// The operation on two vectors that a kind combines by.
static Value combine(Emitter &emit, CombiningKind kind, Value lhs, Value rhs) {
  return emit.combine(getKindFor(kind, lhs), lhs, rhs);
}

static bool isUnsignedKind(CombiningKind kind) {
  return kind == CombiningKind::UMax || kind == CombiningKind::UMin;
}

/// Widens for arithmetic; unsigned numbers keep their value.
static Value widenFor(Emitter &emit, CombiningKind kind, Value value) {
  Type element = getElementType(value.getType());
  if (isUnsignedKind(kind) && !isa<FloatType>(element))
    return emit.resize(value, emit.getBuilder().getI32Type(),
                       /*isSigned=*/false);
  return widen(emit, value);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Folds one half of a dimension onto the other until one element is left.
///
/// For eight elements and the kind `mul`:
///
///   %0 = vector.extract_strided_slice %x {offsets = [0], sizes = [4]}
///   %1 = vector.extract_strided_slice %x {offsets = [4], sizes = [4]}
///   %2 = arith.mulf %0, %1 : vector<4xf32>
///
/// then two and one. The target has no product of a dimension. A size that is
/// no power of two is padded with the neutral element, so that halves fit.
static Value reduceByHalves(Emitter &emit, CombiningKind kind, Value value,
                            int64_t dim) {
  int64_t size = getShape(value.getType())[dim];
  int64_t padded = llvm::PowerOf2Ceil(size);
  if (padded != size) {
    SmallVector<int64_t> shape(getShape(value.getType()));
    shape[dim] = padded - size;
    Type rest = VectorType::get(shape, getElementType(value.getType()));
    value = emit.concatenate(
        {value, emit.neutral(getKindFor(kind, value), rest)}, dim);
  }
  for (int64_t half = padded / 2; half >= 1; half /= 2)
    value = combine(emit, kind, emit.extractSlice(value, dim, 0, half),
                    emit.extractSlice(value, dim, half, half));
  return value;
}

/// Whether the target has such a reduction.
static bool isNativeKind(CombiningKind kind) {
  return kind == CombiningKind::Add || kind == CombiningKind::Max ||
         kind == CombiningKind::Min;
}

/// Reduces elements of 32 bits.
static Value reduceWide(Emitter &emit, CombiningKind kind, Value value,
                        ArrayRef<int64_t> dims) {
  if (isNativeKind(kind))
    return emit.reduce(getKindFor(kind, value), value, dims);
  if (isUnsignedKind(kind)) {
    // With the sign flipped, the order of signed numbers is that of unsigned.
    Value flip =
        emit.integer(value.getType(), std::numeric_limits<int32_t>::min());
    auto signedKind = kind == CombiningKind::UMax
                          ? vector::CombiningKind::MAXSI
                          : vector::CombiningKind::MINSI;
    Value result =
        emit.reduce(signedKind, emit.create<arith::XOrIOp>(value, flip), dims);
    return emit.create<arith::XOrIOp>(
        result,
        emit.integer(result.getType(), std::numeric_limits<int32_t>::min()));
  }
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(getShape(value.getType())))
    if (!llvm::is_contained(dims, int64_t(dim)))
      shape.push_back(size);
  for (int64_t dim : dims)
    value = reduceByHalves(emit, kind, value, dim);
  return reshapeVector(emit, value, shape);
}

/// Booleans are reduced as floats, for which the target has reductions.
///
///   %0 = arith.extui %m : vector<8x128xi1> to vector<8x128xi32>
///   %1 = arith.sitofp %0 : vector<8x128xi32> to vector<8x128xf32>
///   %2 = vector.multi_reduction <maximumf>, %1, %zero [1]
///   %3 = arith.cmpf ogt, %2, 0.0
///
/// Parity is the sum of the bits modulo two, in integers.
static Value reduceBools(Emitter &emit, CombiningKind kind, Value value,
                         ArrayRef<int64_t> dims) {
  Value numbers = emit.boolToI32(value);
  Type type =
      withElementType(numbers.getType(), emit.getBuilder().getF32Type());
  if (kind == CombiningKind::Xor) {
    Value sum = emit.reduce(vector::CombiningKind::ADD, numbers, dims);
    return emit.i32ToBool(
        emit.create<arith::AndIOp>(sum, emit.integer(sum.getType(), 1)));
  }
  // A boolean is an unsigned integer of one bit, and its sum saturates.
  bool isAll = kind == CombiningKind::And || kind == CombiningKind::UMin ||
               kind == CombiningKind::Min || kind == CombiningKind::Mul;
  Value reals = emit.create<arith::SIToFPOp>(type, numbers);
  Value result = emit.reduce(isAll ? vector::CombiningKind::MINIMUMF
                                   : vector::CombiningKind::MAXIMUMF,
                             reals, dims);
  return emit.compare(arith::CmpFPredicate::OGT, result,
                      emit.zero(result.getType()));
}

/// Takes dimensions of one element out; there is nothing to combine.
/// Masks are reshaped as i32, like all masks that move.
static Value dropUnitDims(Emitter &emit, Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(getShape(value.getType())))
    if (!llvm::is_contained(dims, int64_t(dim)))
      shape.push_back(size);
  if (!getElementType(value.getType()).isInteger(1))
    return reshapeVector(emit, value, shape);
  return emit.i32ToBool(reshapeVector(emit, emit.boolToI32(value), shape));
}

/// How far computations are followed back.
/// It bounds the time for long chains.
static constexpr unsigned kMaxDepth = 8;

/// Whether elements are the same along rows or columns, and the compiler knows.
/// Those of a column that a cast makes of lanes are. `otherwise` is the answer
/// for what control flow yields, and at the end of long chains.
static bool isSpread(Value value, bool otherwise, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == kMaxDepth || op->getNumRegions() > 0)
    return otherwise;
  if (isa<vector::BroadcastOp, tpu::IotaOp, arith::ConstantOp>(op))
    return true;
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return cast.getResultVectorType().getShape().back() == 1 ||
           isSpread(cast.getSource(), otherwise, depth + 1);
  return op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isSpread(operand, otherwise, depth + 1);
         });
}

/// Reduces any elements: natively where the table allows it, else in 32 bits.
static Value reduceAny(Emitter &emit, CombiningKind kind, Value value,
                       ArrayRef<int64_t> dims, const TPUChip &chip) {
  Type element = getElementType(value.getType());
  if (llvm::all_of(dims, [&](int64_t dim) {
        return getShape(value.getType())[dim] == 1;
      }))
    return dropUnitDims(emit, value, dims);
  if (element.isInteger(1))
    return reduceBools(emit, kind, value, dims);
  OperationName reduction(vector::MultiDimReductionOp::getOperationName(),
                          emit.getBuilder().getContext());
  // The compiler reduces narrow elements of some, but not of all dimensions,
  // and none that are the same along a dimension.
  bool isPart =
      int64_t(dims.size()) < int64_t(getShape(value.getType()).size());
  bool isRepeated = element.getIntOrFloatBitWidth() < 32 &&
                    isSpread(value, /*otherwise=*/false);
  if (isNativeKind(kind) && isPart && !isRepeated &&
      getTPUSupport(reduction, element, chip) == TPUSupport::Native)
    return emit.reduce(getKindFor(kind, value), value, dims);
  return narrow(emit, reduceWide(emit, kind, widenFor(emit, kind, value), dims),
                element);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

namespace {

///   %r = pallas.reduce <max> %x dims [1] : tensor<8x128xf32>
///
/// becomes
///
///   %r = vector.multi_reduction <maximumf>, %x, %init [1]
///       : vector<8x128xf32> to vector<8xf32>
struct ConvertReduce : TPUPattern<ReduceOp> {
  using TPUPattern::TPUPattern;
  Results convert(ReduceOp op, Adaptor adaptor, Emitter &emit) const override {
    return one(reduceAny(emit, op.getKind(), adaptor.getInput(),
                         op.getDimensions(), types.getChip()));
  }
};

/// Floats have an operation for it:
///
///   %r = tpu.reduce_index %x
///       {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>}
///
/// Integers are searched for their extreme. A row is given a second dimension,
/// since the operation needs one to reduce to.
struct ConvertArgReduce : TPUPattern<ArgReduceOp> {
  using TPUPattern::TPUPattern;
  Results convert(ArgReduceOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Value input = adaptor.getInput();
    int64_t dim = op.getDimension();
    SmallVector<int64_t> shape(getShape(input.getType()));
    if (shape.size() == 1) {
      input = reshapeVector(emit, input, {1, shape[0]});
      dim = 1;
    }
    bool isFloat = isa<FloatType>(getElementType(input.getType()));
    Value wide = widenFor(emit, op.getKind(), input);
    Value index = isFloat ? reduceIndex(emit, op.getKind(), wide, dim)
                          : searchIndex(emit, op.getKind(), wide, dim);
    Type type = convertType(op.getType());
    return one(narrow(emit, reshapeVector(emit, index, getShape(type)),
                      getElementType(type)));
  }

private:
  static Value reduceIndex(Emitter &emit, CombiningKind kind, Value value,
                           int64_t dim) {
    SmallVector<int64_t> shape(getShape(value.getType()));
    // The compiler aborts at leading dimensions of what is the same along rows
    // or columns; it no longer knows of that in memory.
    bool isRepeated =
        dim + 2 < int64_t(shape.size()) && isSpread(value, /*otherwise=*/true);
    shape.erase(shape.begin() + dim);
    auto type = VectorType::get(shape, emit.getBuilder().getI32Type());
    auto native = kind == CombiningKind::Max ? tpu::ReductionKind::ArgMax
                                             : tpu::ReductionKind::ArgMin;
    auto find = [&](Value elements) -> Value {
      return emit.create<tpu::ReduceIndexOp>(type, elements, int32_t(dim),
                                             native);
    };
    if (!isRepeated)
      return find(value);
    tpu::ScopedBuffer buffer(emit, value, dim, type);
    return buffer.finish(find(buffer.loadAll()));
  }

  /// The least index of an element that equals the extreme.
  ///
  ///   %0 = vector.multi_reduction <maxsi>, %x, %init [1]
  ///   %1 = vector.broadcast %0 : vector<8x1xi32> to vector<8x128xi32>
  ///   %2 = arith.cmpi eq, %x, %1
  ///   %3 = arith.select %2, %position, %size
  ///   %4 = vector.multi_reduction <minsi>, %3, %init [1]
  static Value searchIndex(Emitter &emit, CombiningKind kind, Value value,
                           int64_t dim) {
    SmallVector<int64_t> shape(getShape(value.getType()));
    SmallVector<int64_t> kept(shape);
    kept[dim] = 1;
    Value extreme =
        reshapeVector(emit, reduceWide(emit, kind, value, {dim}), kept);
    Value isExtreme = emit.compare(arith::CmpIPredicate::eq, value,
                                   emit.broadcast(extreme, shape));
    Value position = emit.iota(shape, dim);
    Value candidates = emit.select(
        isExtreme, position, emit.integer(position.getType(), shape[dim]));
    return emit.reduce(vector::CombiningKind::MINSI, candidates, {dim});
  }
};

//===----------------------------------------------------------------------===//
// Running combinations
//===----------------------------------------------------------------------===//

/// Prefix sums and the like, by doubling: log2(n) steps on whole vectors.
///
///   %0 = tpu.concatenate %zeros, %firstPart in 1
///   %1 = arith.addf %x, %0
///
/// adds to each element the one before; the next step adds those two before.
struct ConvertCumulative : TPUPattern<CumulativeOp> {
  using TPUPattern::TPUPattern;
  Results convert(CumulativeOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Type element = getElementType(adaptor.getInput().getType());
    std::optional<CombiningKind> plain = getCombiningKind(op.getKind());
    bool isLog = !plain;
    // Logarithms are widened as sums are, and start at log(0).
    CombiningKind kind = plain.value_or(CombiningKind::Add);
    Value value = widenFor(emit, kind, adaptor.getInput());
    SmallVector<int64_t> shape(getShape(value.getType()));
    int64_t dim = op.getDimension(), size = shape[dim];
    // Sums of logarithms are no combining kind, so runAlong can't add them.
    if (!isLog && dim + 2 < int64_t(shape.size()))
      return one(narrow(emit, runAlong(emit, kind, value, dim, op.getReverse()),
                        element));
    // After the step with distance d each element combines the 2d elements up
    // to its own.
    for (int64_t distance = 1; distance < size; distance *= 2) {
      shape[dim] = distance;
      Type border = VectorType::get(shape, getElementType(value.getType()));
      // The border keeps its elements as they are.
      Value outside = emit.neutral(
          getKindFor(isLog ? CombiningKind::Max : kind, value), border);
      Value shifted;
      if (op.getReverse())
        shifted = emit.concatenate(
            {emit.extractSlice(value, dim, distance, size - distance), outside},
            dim);
      else
        shifted = emit.concatenate(
            {outside, emit.extractSlice(value, dim, 0, size - distance)}, dim);
      value = isLog ? addLogs(emit, value, shifted)
                    : combine(emit, kind, value, shifted);
    }
    return one(narrow(emit, value, element));
  }

private:
  /// One step after the other: along a leading dimension nothing moves within
  /// registers.
  static Value runAlong(Emitter &emit, CombiningKind kind, Value value,
                        int64_t dim, bool isReverse) {
    int64_t size = getShape(value.getType())[dim];
    // More steps are a loop, which needs the vector in memory.
    if (size > tpu::kMaxStepsWrittenOut)
      return runInMemory(emit, kind, value, dim, isReverse);
    SmallVector<Value> parts(size);
    Value sum;
    for (int64_t k = 0; k < size; ++k) {
      int64_t at = isReverse ? size - 1 - k : k;
      Value part = emit.extractSlice(value, dim, at, 1);
      sum = sum ? combine(emit, kind, sum, part) : part;
      parts[at] = sum;
    }
    return emit.concatenate(parts, dim);
  }

  /// The same as a loop.
  static Value runInMemory(Emitter &emit, CombiningKind kind, Value value,
                           int64_t dim, bool isReverse) {
    int64_t size = getShape(value.getType())[dim];
    OpBuilder &builder = emit.getBuilder();
    tpu::ScopedBuffer buffer(emit, value, dim, value.getType());
    Value last = emit.i32(size - 1);
    Value first = buffer.load(isReverse ? last : emit.i32(0));
    auto loop = emit.create<scf::ForOp>(emit.i32(1), emit.i32(size),
                                        emit.i32(1), first);
    builder.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar();
    Value place = isReverse ? emit.sub(last, at) : at;
    Value sum = combine(emit, kind, loop.getRegionIterArgs().front(),
                        buffer.load(place));
    buffer.store(sum, place);
    emit.create<scf::YieldOp>(sum);
    builder.setInsertionPointAfter(loop);
    return buffer.finish(buffer.loadAll());
  }

  /// log(e^a + e^b); with equal arguments, infinities included, their
  /// difference counts as zero.
  // log(e^a + e^b) = max + log1p(e^(min - max)), which doesn't overflow.
  static Value addLogs(Emitter &emit, Value a, Value b) {
    Value larger = emit.create<arith::MaximumFOp>(a, b);
    Value smaller = emit.create<arith::MinimumFOp>(a, b);
    Value equal = emit.compare(arith::CmpFPredicate::OEQ, larger, smaller);
    Value gap =
        emit.select(equal, emit.zero(a.getType()), emit.sub(smaller, larger));
    Value log =
        emit.create<math::Log1pOp>(emit.create<math::ExpOp>(gap).getResult());
    // The sum of no terms is log(0), for which max - min is not a number.
    Value infinity =
        emit.real(a.getType(), -std::numeric_limits<double>::infinity());
    Value isNothing = emit.compare(arith::CmpFPredicate::OEQ, larger, infinity);
    return emit.select(isNothing, infinity, emit.add(larger, log));
  }
};

} // namespace

void mlir::pallas::populateReductionPatterns(const TPUTypeConverter &types,
                                             TPUPatternSet &patterns) {
  addTPUPatterns<ConvertReduce, ConvertArgReduce, ConvertCumulative>(types,
                                                                     patterns);
}
