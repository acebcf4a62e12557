//===- ShapePatterns.cpp - Operations that move elements ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of registers have their own rules: masks don't move, and slices,
// rotates and concatenations differ in cost. Utils/VectorShapes and
// VectorSlices of the target have the operations; here are the patterns.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/MosaicTPU/Utils/F16.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorSlices.h"

using namespace mlir;
using namespace mlir::pallas;

/// Runs `move` on 32-bit integers in place of booleans: masks can't be moved.
///
///   %0 = arith.extui %m : vector<8x1xi1> to vector<8x1xi32>
///   %1 = vector.broadcast %0 : vector<8x1xi32> to vector<8x128xi32>
///   %2 = arith.cmpi ne, %1, 0 : vector<8x128xi32>
static Value movingBools(Emitter &emit, Value value,
                         function_ref<Value(Value)> move) {
  if (!getElementType(value.getType()).isInteger(1))
    return move(value);
  return emit.i32ToBool(move(emit.boolToI32(value)));
}

namespace {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Dimensions of a broadcast may be anywhere, while those of vector.broadcast
/// are the last ones. A reshape inserts the missing ones:
///
///   %r = pallas.broadcast %x dims [0] : tensor<8xf32> -> tensor<8x128xf32>
///
/// becomes
///
///   %0 = vector.shape_cast %x : vector<8xf32> to vector<8x1xf32>
///   %r = vector.broadcast %0 : vector<8x1xf32> to vector<8x128xf32>
struct ConvertBroadcast : TPUPattern<BroadcastOp> {
  using TPUPattern::TPUPattern;
  Results convert(BroadcastOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Type type = convertType(op.getType());
    Value input = adaptor.getInput();
    ArrayRef<int64_t> shape = getShape(type), from = getShape(input.getType());
    if (shape.empty() || from.empty())
      return one(emit.reshape(input, shape));
    SmallVector<int64_t> aligned(shape.size(), 1);
    for (auto [dim, size] : llvm::zip_equal(op.getDimensions(), from))
      aligned[dim] = size;
    return one(movingBools(emit, input, [&](Value value) {
      return emit.broadcast(reshapeVector(emit, value, aligned), shape);
    }));
  }
};

/// Any operation whose result has the elements of its operand in order.
/// Reshapes, and casts that change nothing but static information of the type.
template <typename OpTy> struct ConvertReshape : TPUPattern<OpTy> {
  using TPUPattern<OpTy>::TPUPattern;
  typename TPUPattern<OpTy>::Results
  convert(OpTy op, typename TPUPattern<OpTy>::Adaptor adaptor,
          Emitter &emit) const override {
    Type type = this->convertType(op->getResult(0).getType());
    Value input = adaptor.getOperands().front();
    return this->one(reshapeVector(emit, input, getShape(type)));
  }
};

///   %r = tpu.transpose %x, [1, 0] : vector<8x128xf32> -> vector<128x8xf32>
struct ConvertTranspose : TPUPattern<TransposeOp> {
  using TPUPattern::TPUPattern;
  Results convert(TransposeOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    ArrayRef<int64_t> shape = getShape(convertType(op.getType()));
    return one(movingBools(emit, adaptor.getInput(), [&](Value value) -> Value {
      auto type = VectorType::get(shape, getElementType(value.getType()));
      return emit.create<tpu::TransposeOp>(type, value, op.getPermutation());
    }));
  }
};

/// Elements of another width join or split rows, since rows of a packed
/// register share words:
///
///   %r = tpu.bitcast %x : vector<8x128xf32> -> vector<16x128xbf16>
///
/// f16 has to become its bits first: registers hold it as f32.
struct ConvertBitcast : TPUPattern<BitcastOp> {
  using TPUPattern::TPUPattern;
  Results convert(BitcastOp op, Adaptor adaptor, Emitter &emit) const override {
    Type type = convertType(op.getType());
    Value input = adaptor.getInput();
    bool fromHalf = getElementTypeOrSelf(op.getInput().getType()).isF16();
    bool toHalf = getElementTypeOrSelf(op.getType()).isF16();
    bool sameWidth =
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() ==
        getElementTypeOrSelf(op.getInput().getType()).getIntOrFloatBitWidth();
    if (sameWidth && (fromHalf || toHalf))
      return one(
          castHalfBits(emit, input, fromHalf, toHalf, getElementType(type)));
    // Scalars have no lanes, so arith.bitcast does.
    if (sameWidth && !isa<VectorType>(type))
      return one(emit.create<arith::BitcastOp>(type, input));
    int64_t rank = getShape(type).size();
    bool rowsJoin =
        op.getDimension() && int64_t(*op.getDimension()) == rank - 2;
    if (!sameWidth && !rowsJoin)
      return op.emitOpError()
             << "from " << op.getInput().getType() << " to " << op.getType()
             << " joins or splits elements along a dimension other than the "
                "second to last one; only that is possible on TPUs";
    if (fromHalf)
      input = floatToHalfBits(emit, input);
    if (!toHalf)
      return one(emit.create<tpu::BitcastOp>(type, input));
    Type bits = withElementType(type, emit.getBuilder().getI16Type());
    return one(halfBitsToFloat(emit, emit.create<tpu::BitcastOp>(bits, input)));
  }
};

/// Positions are counted in i32, and converted.
///
///   %i = pallas.iota 1 : tensor<8x128xf32>
/// -->
///   %n = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
///   %i = arith.sitofp %n : vector<8x128xi32> to vector<8x128xf32>
struct ConvertIota : TPUPattern<IotaOp> {
  using TPUPattern::TPUPattern;
  Results convert(IotaOp op, Adaptor, Emitter &emit) const override {
    auto type = cast<VectorType>(convertType(op.getType()));
    Value iota = emit.iota(type.getShape(), op.getDimension());
    if (isa<FloatType>(type.getElementType())) {
      Type f32 = withElementType(type, emit.getBuilder().getF32Type());
      Value real = emit.create<arith::SIToFPOp>(f32, iota);
      return one(narrow(emit, real, type.getElementType()));
    }
    if (type.getElementType().isIndex())
      return one(emit.create<arith::IndexCastOp>(type, iota));
    return one(narrow(emit, iota, type.getElementType()));
  }
};

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

///   %r = tpu.concatenate %a, %b in 1
struct ConvertConcat : TPUPattern<tensor::ConcatOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::ConcatOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    SmallVector<Value> parts(adaptor.getInputs());
    bool isBool = getElementType(parts.front().getType()).isInteger(1);
    if (isBool)
      for (Value &part : parts)
        part = emit.boolToI32(part);
    Value result = emit.concatenate(parts, op.getDim());
    return one(isBool ? emit.i32ToBool(result) : result);
  }
};

///   %r = tensor.pad %x low[0, 2] high[0, 6] { ... } : tensor<8x120xf32>
///
/// becomes
///
///   %0 = vector.broadcast %value : f32 to vector<8x2xf32>
///   %1 = vector.broadcast %value : f32 to vector<8x6xf32>
///   %r = tpu.concatenate %0, %x, %1 in 1
struct ConvertPad : TPUPattern<tensor::PadOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::PadOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Value padding = op.getConstantPaddingValue();
    std::optional<SmallVector<int64_t>> low =
        getConstantIntValues(op.getMixedLowPad());
    std::optional<SmallVector<int64_t>> high =
        getConstantIntValues(op.getMixedHighPad());
    if (!padding || !low || !high)
      return op.emitOpError("needs one padding value and constant amounts on "
                            "TPUs");
    return one(movingBools(emit, adaptor.getSource(), [&](Value value) {
      Value fill =
          padding.getType().isInteger(1) ? emit.boolToI32(padding) : padding;
      for (int64_t dim = 0, rank = low->size(); dim < rank; ++dim)
        value = pad(emit, value, fill, dim, (*low)[dim], (*high)[dim]);
      return value;
    }));
  }

  /// One dimension at a time: the sides of the next one include this padding.
  static Value pad(Emitter &emit, Value value, Value fill, int64_t dim,
                   int64_t low, int64_t high) {
    SmallVector<int64_t> shape(getShape(value.getType()));
    auto side = [&](int64_t size) {
      shape[dim] = size;
      return emit.broadcast(fill, shape);
    };
    SmallVector<Value> parts;
    if (low > 0)
      parts.push_back(side(low));
    parts.push_back(value);
    if (high > 0)
      parts.push_back(side(high));
    return emit.concatenate(parts, dim);
  }
};

///   %r = vector.broadcast %x : f32 to vector<8x128xf32>
struct ConvertSplat : TPUPattern<tensor::SplatOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::SplatOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    return one(
        emit.reshape(adaptor.getInput(), getShape(convertType(op.getType()))));
  }
};

/// An empty tensor holds unspecified values, so zero is as good as any.
struct ConvertEmpty : TPUPattern<tensor::EmptyOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::EmptyOp op, Adaptor, Emitter &emit) const override {
    return one(emit.zero(convertType(op.getType())));
  }
};

/// Elements are selected by position, as those of constants are.
///
///   %v = tensor.from_elements %a, %b : tensor<2xf32>
/// -->
///   %n = tpu.iota {dimensions = array<i32: 1>} : vector<1x2xi32>
///   %is1 = arith.cmpi eq, %n, %ones
///   %v = arith.select %is1, %all_b, %all_a   // then the shape of %v
struct ConvertFromElements : TPUPattern<tensor::FromElementsOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::FromElementsOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    int64_t count = adaptor.getElements().size();
    ArrayRef<int64_t> shape = getShape(convertType(op.getType()));
    if (shape.empty())
      return one(adaptor.getElements().front());
    Value position = emit.iota({1, count}, 1);
    Value result;
    for (auto [i, element] : llvm::enumerate(adaptor.getElements())) {
      Value wide =
          element.getType().isInteger(1) ? emit.boolToI32(element) : element;
      Value all = emit.reshape(wide, {1, count});
      Value isHere = emit.compare(arith::CmpIPredicate::eq, position,
                                  emit.integer(position.getType(), i));
      result = result ? emit.select(isHere, all, result) : all;
    }
    result = reshapeVector(emit, result, shape);
    bool isBool = op.getType().getElementType().isInteger(1);
    return one(isBool ? emit.i32ToBool(result) : result);
  }
};

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

} // namespace

/// Starts as values of the target, where they are not constants.
/// A start may be a constant that only the conversion of its operand found.
static SmallVector<tpu::SliceStart> getStarts(ArrayRef<OpFoldResult> mixed,
                                              ValueRange dynamic) {
  SmallVector<tpu::SliceStart> starts;
  auto next = dynamic.begin();
  for (OpFoldResult start : mixed) {
    if (isa<Attribute>(start)) {
      starts.push_back({*getConstantIntValue(start), Value()});
      continue;
    }
    Value value = *next++;
    if (std::optional<int64_t> constant = getConstantInteger(value))
      starts.push_back({*constant, Value()});
    else
      starts.push_back({0, value});
  }
  return starts;
}

/// The shape of a vector is static, and so are the strides of a slice.
template <typename Op> static LogicalResult verifyStaticSlice(Op op) {
  if (!ShapedType::isDynamicShape(op.getStaticSizes()) &&
      !ShapedType::isDynamicShape(op.getStaticStrides()))
    return success();
  return op.emitOpError("needs constant sizes and strides on TPUs");
}

namespace {

/// Slices at constant starts are slices of registers; others rotate the part to
/// the front first:
///
///   %0 = tpu.dynamic_rotate %x by %back dim 0
///   %1 = vector.extract_strided_slice %0 {offsets = [0, 0], sizes = [8, 128]}
struct ConvertExtractSlice : TPUPattern<tensor::ExtractSliceOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::ExtractSliceOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (failed(verifyStaticSlice(op)))
      return failure();
    SmallVector<tpu::SliceStart> starts =
        getStarts(op.getMixedOffsets(), adaptor.getOffsets());
    return one(movingBools(emit, adaptor.getSource(), [&](Value value) {
      Value part = extractPart(emit, value, starts, op.getStaticSizes(),
                               op.getStaticStrides());
      return reshapeVector(emit, part, op.getType().getShape());
    }));
  }
};

/// The counterpart: the part is spread to its place, and selected there.
struct ConvertInsertSlice : TPUPattern<tensor::InsertSliceOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::InsertSliceOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (failed(verifyStaticSlice(op)))
      return failure();
    SmallVector<tpu::SliceStart> starts =
        getStarts(op.getMixedOffsets(), adaptor.getOffsets());
    bool isBool = op.getSourceType().getElementType().isInteger(1);
    Value source = adaptor.getSource(), dest = adaptor.getDest();
    if (isBool) {
      source = emit.boolToI32(source);
      dest = emit.boolToI32(dest);
    }
    source = reshapeVector(emit, source, op.getStaticSizes());
    Value result =
        insertPart(emit, source, dest, starts, op.getStaticStrides());
    return one(isBool ? emit.i32ToBool(result) : result);
  }
};

/// One element of a vector. A start that isn't constant is sliced first,
/// because vector.extract takes constants.
///
///   %e = tensor.extract %x[%c3, %c3] : tensor<8x128xf32>
/// -->
///   %e = vector.extract %x[3, 3] : f32 from vector<8x128xf32>
struct ConvertExtract : TPUPattern<tensor::ExtractOp> {
  using TPUPattern::TPUPattern;
  Results convert(tensor::ExtractOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (!isa<VectorType>(adaptor.getTensor().getType()))
      return one(adaptor.getTensor());
    SmallVector<OpFoldResult> mixed(op.getIndices());
    SmallVector<tpu::SliceStart> starts =
        getStarts(mixed, adaptor.getIndices());
    SmallVector<int64_t> unit(starts.size(), 1), zeros(starts.size(), 0);
    return one(movingBools(emit, adaptor.getTensor(), [&](Value value) {
      bool isStatic = llvm::none_of(starts, [](const tpu::SliceStart &start) {
        return bool(start.dynamic);
      });
      if (isStatic)
        return extractElement(emit, value,
                              llvm::map_to_vector(starts, [](const auto &s) {
                                return s.constant;
                              }));
      return extractElement(emit, extractPart(emit, value, starts, unit, unit),
                            zeros);
    }));
  }
};

/// One dimension after the other is reversed.
struct ConvertRev : TPUPattern<RevOp> {
  using TPUPattern::TPUPattern;
  Results convert(RevOp op, Adaptor adaptor, Emitter &emit) const override {
    return one(movingBools(emit, adaptor.getInput(), [&](Value value) {
      for (int64_t dim : op.getDimensions())
        value = reverse(emit, value, dim);
      return value;
    }));
  }
};

///   %r = tpu.dynamic_rotate %x by %n dim 1
struct ConvertRoll : TPUPattern<RollOp> {
  using TPUPattern::TPUPattern;
  Results convert(RollOp op, Adaptor adaptor, Emitter &emit) const override {
    return one(movingBools(emit, adaptor.getInput(), [&](Value value) {
      if (op.getStride())
        return rollStrided(emit, value, adaptor.getShift(), op.getDimension(),
                           *op.getStride(), *op.getStrideDimension());
      return roll(emit, value, adaptor.getShift(), op.getDimension());
    }));
  }
};

} // namespace

/// Undoes the addition of a multiple of `size` to some of the indices, since
/// they are equal modulo `size`:
///
///   %0 = arith.addi %i, %size
///   %1 = arith.select %isNegative, %0, %i
///
/// is %i. JAX wraps negative indices in this way.
static Value getUnwrapped(Value indices, int64_t size) {
  auto select = indices.getDefiningOp<arith::SelectOp>();
  if (!select)
    return indices;
  auto sum = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  APInt added;
  bool isWrapped = sum && sum.getLhs() == select.getFalseValue() &&
                   matchPattern(sum.getRhs(), m_ConstantInt(&added)) &&
                   added.getSExtValue() % size == 0;
  return isWrapped ? sum.getLhs() : indices;
}

/// Moves indices out of bounds to the border. With `fill` their elements are
/// replaced later, so they may move to any place, and the cheapest is chosen.
static Value clampIndices(Emitter &emit, Value indices, int64_t size,
                          GatherMode mode) {
  Value wide = widen(emit, indices);
  Type type = wide.getType();
  // One operation instead of two.
  if (mode == GatherMode::Fill && llvm::isPowerOf2_64(size))
    return emit.create<arith::AndIOp>(getUnwrapped(wide, size),
                                      emit.integer(type, size - 1));
  Value atLeast = emit.create<arith::MaxSIOp>(wide, emit.zero(type));
  return emit.create<arith::MinSIOp>(atLeast, emit.integer(type, size - 1));
}

namespace {

///   %r = pallas.take_along %x at %i dim 1
///       : tensor<8x128xf32>, tensor<8x16xi32> -> tensor<8x16xf32>
///
/// becomes, for indices in bounds,
///
///   %r = tpu.dynamic_gather %x[%i] in [1]
///
/// Elements of other modes are clamped before, and filled behind.
struct ConvertTakeAlong : TPUPattern<TakeAlongOp> {
  using TPUPattern::TPUPattern;

  /// How many pairs of registers, of the source and of the result, are worth
  /// being written out.
  static constexpr int64_t kMaxSearches = 2048;

  Results convert(TakeAlongOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    int64_t dim = op.getDimension();
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    int64_t size = inputType.getDimSize(dim);
    // Registers are searched along the last two dimensions.
    int64_t fromMinor = inputType.getRank() - 1 - dim;
    const TPUChip &chip = emit.getChip();
    int64_t unit = fromMinor == 0 ? chip.lanes : chip.sublanes;
    int64_t wanted =
        cast<RankedTensorType>(op.getIndices().getType()).getDimSize(dim);
    // A row is laid out as registers full of places.
    int64_t places = inputType.getRank() == 1 ? chip.sublanes * unit : unit;
    int64_t searches =
        llvm::divideCeil(size, unit) * llvm::divideCeil(wanted, places);
    // Leading dimensions are taken by selections of whole registers, not
    // searched.
    if (fromMinor < 2 && searches > kMaxSearches)
      return op.emitOpError()
             << "takes " << wanted << " elements out of " << size
             << " along dimension " << dim << "; that is " << searches
             << " searches of registers, and at most " << kMaxSearches
             << " are made on TPUs; take fewer at a time in a loop";
    Value indices = widen(emit, adaptor.getIndices());
    Value safe = op.getMode() == GatherMode::PromiseInBounds
                     ? indices
                     : clampIndices(emit, indices, size, op.getMode());
    Value picked = movingBools(emit, adaptor.getInput(), [&](Value value) {
      return takeAlong(emit, value, safe, dim);
    });
    if (op.getMode() != GatherMode::Fill)
      return one(picked);
    // An index that the clamp changed was out of bounds.
    Value inBounds = emit.compare(arith::CmpIPredicate::eq, indices, safe);
    return one(emit.select(inBounds, picked, getFill(emit, picked.getType())));
  }

  /// The value for elements out of bounds: NaN, the least integer, true.
  static Value getFill(Emitter &emit, Type type) {
    Type element = getElementType(type);
    if (isa<FloatType>(element))
      return emit.real(type, std::numeric_limits<double>::quiet_NaN());
    unsigned width = element.getIntOrFloatBitWidth();
    return emit.integer(type, width == 1 ? 1 : llvm::minIntN(width));
  }
};

} // namespace

void mlir::pallas::populateShapePatterns(const TPUTypeConverter &types,
                                         TPUPatternSet &patterns) {
  addTPUPatterns<ConvertBroadcast, ConvertReshape<ReshapeOp>,
                 ConvertReshape<tensor::CollapseShapeOp>,
                 ConvertReshape<tensor::ExpandShapeOp>,
                 ConvertReshape<tensor::CastOp>, ConvertTranspose,
                 ConvertBitcast, ConvertIota, ConvertConcat, ConvertPad,
                 ConvertSplat, ConvertEmpty, ConvertFromElements,
                 ConvertExtractSlice, ConvertInsertSlice, ConvertExtract,
                 ConvertRev, ConvertRoll, ConvertTakeAlong>(types, patterns);
}
