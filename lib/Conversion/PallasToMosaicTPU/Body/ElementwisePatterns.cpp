//===- ElementwisePatterns.cpp - Arithmetic element by element ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors become vectors; what the target has in 32 bits only is done there,
// and what it has not at all is expanded.
//
// The table of Utils/TargetInfo decides for each operation and element type
// between three ways: as it is, widened to 32 bits, or expanded.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Dialect/MosaicTPU/Utils/F16.h"
#include "pallas/Dialect/MosaicTPU/Utils/MathExpansion.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Support/FloatCodec.h"

using namespace mlir;
using namespace mlir::pallas;

/// Conversions of one-dimensional integers to bf16 have a rule of their own in
/// the table.
static bool convertsRowToBF16(Operation *op) {
  auto type = dyn_cast<ShapedType>(op->getResult(0).getType());
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) && type &&
         type.getRank() == 1 && type.getElementType().isBF16();
}

/// Whether a sine or the like has a value that was a byte. The compiler unpacks
/// it once for all its users, and ends at the check for special values here,
/// which expects it unpacked to f32:
///
///   %0 = arith.sitofp %x : tensor<8x128xi8> to tensor<8x128xbf16>
///   %1 = math.sin %0 : tensor<8x128xbf16>
static bool checksUnpackedBytes(Operation *op) {
  if (!isa<math::SinOp, math::CosOp, math::TanOp>(op))
    return false;
  Value value = op->getOperand(0);
  while (auto select = value.getDefiningOp<arith::SelectOp>())
    value = select.getTrueValue();
  Operation *origin = value.getDefiningOp();
  return isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(origin) &&
         getElementType(origin->getOperand(0).getType()).isInteger(8);
}

/// How the chip supports an operation. Scalars are in registers of 32 bits, and
/// nothing narrower is computed there.
static TPUSupport getSupport(Operation *op, const TPUChip &chip) {
  Type element = tpu::getDecidingElement(op);
  TPUSupport support =
      convertsRowToBF16(op)
          ? getTPUSupport(TPUCase::ConvertRowToBF16, element, chip)
          : getTPUSupport(op->getName(), element, chip);
  if (element.isBF16() && checksUnpackedBytes(op))
    return TPUSupport::Widened;
  // SparseCores compute on what they can't widen.
  if (support == TPUSupport::Widened && element.isBF16() &&
      tpu::getCoreType(op) == tpu::CoreType::ScVectorSubcore)
    return TPUSupport::Native;
  // f16 is f32 in registers.
  bool isNarrow = element.isIntOrFloat() && !element.isInteger(1) &&
                  !element.isF16() && element.getIntOrFloatBitWidth() < 32;
  bool isScalar = !isa<ShapedType>(op->getResult(0).getType());
  // Scalar units neither count bits nor raise to powers.
  if (isScalar && isa<math::CtPopOp, math::PowFOp>(op))
    return TPUSupport::Expanded;
  // The compiler folds a comparison of a converted integer with a number to one
  // of integers, for which scalar units have no instruction if it is narrow.
  if (isNarrow && isScalar && isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return TPUSupport::Expanded;
  if (support != TPUSupport::Native || !isNarrow || !isScalar ||
      op->getNumOperands() == 0 || isa<CastOpInterface>(op))
    return support;
  return TPUSupport::Widened;
}

/// Whether operands are extended with zeros when they are widened.
static bool isUnsignedOp(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() >= arith::CmpIPredicate::ult;
  return isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op);
}

/// The same operation on other operands.
/// It is created by name, so that one function serves all operations.
/// Attributes and properties, such as fast-math flags, are kept.
static Value cloneWith(Emitter &emit, Operation *op, ValueRange operands,
                       Type type) {
  Operation *copy = Operation::create(
      emit.getLoc(), op->getName(), TypeRange(type), operands,
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      BlockRange(), /*numRegions=*/0);
  return emit.getBuilder().insert(copy)->getResult(0);
}

///   %r = arith.muli %a, %b : vector<32x128xi8>
///
/// becomes
///
///   %0 = arith.extsi %a : vector<32x128xi8> to vector<32x128xi32>
///   %1 = arith.extsi %b : vector<32x128xi8> to vector<32x128xi32>
///   %2 = arith.muli %0, %1 : vector<32x128xi32>
///   %r = arith.trunci %2 : vector<32x128xi32> to vector<32x128xi8>
static Value widened(Emitter &emit, Operation *op, ValueRange operands,
                     Type type) {
  bool isSigned = !isUnsignedOp(op);
  SmallVector<Value> wide;
  for (Value operand : operands) {
    bool isFloat = isa<FloatType>(getElementType(operand.getType()));
    wide.push_back(
        isFloat
            ? widen(emit, operand)
            : emit.resize(operand, emit.getBuilder().getI32Type(), isSigned));
  }
  Type element = getElementType(type);
  // A comparison yields bits, which need no narrowing.
  if (element.isInteger(1))
    return cloneWith(emit, op, wide, type);
  return narrow(emit, cloneWith(emit, op, wide, wide.front().getType()),
                element);
}

/// Whether arithmetic on the types of the target needs no pattern. Everything
/// that is legal here must also be legal for Mosaic.
bool mlir::pallas::isLegalTPUArithmetic(Operation *op, const TPUChip &chip) {
  if (op->getNumResults() != 1 || isa<arith::IndexCastUIOp>(op))
    return false;
  // The predicates up to `one` are the ordered ones, which are all that is
  // native.
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    if (compare.getPredicate() < arith::CmpFPredicate::OEQ ||
        compare.getPredicate() > arith::CmpFPredicate::ONE)
      return false;
  Type type = op->getResult(0).getType();
  // Bitcasts of vectors are tpu.bitcast, which can change the shape.
  if (isa<arith::BitcastOp>(op))
    return !isa<VectorType>(type);
  Type element = tpu::getDecidingElement(op);
  if (isa<arith::TruncIOp>(op) && getElementType(type).isInteger(1))
    return false;
  // Registers of masks have no conversions but to i32.
  bool fromBool = element.isInteger(1);
  if (fromBool && isa<arith::ExtSIOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return false;
  if (fromBool && isa<arith::ExtUIOp>(op))
    return getElementType(type).isInteger(32);
  return getSupport(op, chip) == TPUSupport::Native;
}

/// Whether an f16 result needs no rounding: it is one of the operands, or has
/// no more digits than they have.
/// Such results are f16 values already when they are computed in f32.
static bool isExact(Operation *op) {
  return isa<arith::SelectOp, arith::NegFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
             math::FloorOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
      op);
}

/// Casts from and to f16, which registers hold as f32; null for others.
static Value castHalf(Emitter &emit, Operation *op, Value value, Type type) {
  if (!isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp>(op))
    return {};
  bool fromHalf = getElementTypeOrSelf(op->getOperand(0).getType()).isF16();
  bool toHalf = getElementTypeOrSelf(op->getResult(0).getType()).isF16();
  if (!fromHalf && !toHalf)
    return {};
  if (!isa<arith::BitcastOp>(op))
    return emit.resizeFloat(value, getElementType(type));
  return castHalfBits(emit, value, fromHalf, toHalf, getElementType(type));
}

namespace {

/// Arithmetic on tensors, for all operations of arith and math at once: a
/// pattern per operation would repeat the decision of the table.
struct ConvertElementwise : TPUPatternBase {
  explicit ConvertElementwise(const TPUTypeConverter &types)
      : TPUPatternBase(types, /*root=*/"", /*benefit=*/1) {}

  Results rewrite(Operation *op, ValueRange operands,
                  Emitter &emit) const override {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        op->getNumResults() != 1)
      return failure();
    Type type = convertType(op->getResult(0).getType());
    if (!type)
      return failure();
    FailureOr<Value> result = convert(op, operands, type, emit);
    if (failed(result))
      return failure();
    // Each f16 operation rounds, so its f32 result is rounded to f16 at once.
    if (getElementTypeOrSelf(op->getResult(0).getType()).isF16() &&
        !isExact(op))
      result = roundToHalf(emit, *result);
    return one(*result);
  }

private:
  FailureOr<Value> convert(Operation *op, ValueRange operands, Type type,
                           Emitter &emit) const {
    if (Value half = castHalf(emit, op, operands[0], type))
      return half;
    // Indices that were made wider than any register for their users.
    //   %0 = arith.extui %i : vector<8x128xi32> to vector<8x128xi64>
    //   %1 = arith.trunci %0 : vector<8x128xi64> to vector<8x128xi32>
    if (isa<arith::TruncIOp>(op))
      if (Operation *wide = operands[0].getDefiningOp();
          isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(wide) &&
          wide->getOperand(0).getType() == type)
        return wide->getOperand(0);
    Type element = tpu::getDecidingElement(op);
    TPUSupport support = getSupport(op, types.getChip());
    // A selection only moves bits. Its mask is improved where it compares what
    // it selects.
    if (isa<arith::SelectOp>(op) &&
        (support == TPUSupport::Native || support == TPUSupport::Widened))
      return emit.select(
          compareDifference(emit, operands[0], operands[1], operands[2]),
          operands[1], operands[2]);
    switch (support) {
    case TPUSupport::Widened:
      // Narrow maxima and minima are expanded apart.
      if (isa<arith::MaxSIOp, arith::MinSIOp>(op) && isa<VectorType>(type))
        return expandNarrowExtreme(emit, op, operands[0], operands[1]);
      return widened(emit, op, operands, type);
    case TPUSupport::Refused:
      return op->emitOpError()
             << "on elements of type " << element
             << " has no equivalent on TPUs; they compute on i8, i16, i32, "
                "f16, bf16, f32 and 8-bit floats";
    case TPUSupport::Native:
    case TPUSupport::Expanded:
      break;
    }
    // A null value means that the operation needs no expansion after all.
    FailureOr<Value> expanded =
        expandElementwise(emit, op, operands, type, support);
    if (failed(expanded) || *expanded)
      return expanded;
    return cloneWith(emit, op, operands, type);
  }
};

/// An index has 32 bits and a sign. The largest numbers without one stay large:
///
///   %i = arith.index_castui %n : i32 to index
/// -->
///   %0 = arith.minui %n, 2147483647
///   %i = arith.index_cast %0 : i32 to index
struct ConvertUnsignedIndexCast : TPUPattern<arith::IndexCastUIOp> {
  using TPUPattern::TPUPattern;
  Results convert(arith::IndexCastUIOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Value from = adaptor.getIn();
    Type type = convertType(op.getType()), i32 = emit.getBuilder().getI32Type();
    if (!type || isa<VectorType>(type))
      return failure();
    if (from.getType().isIndex())
      return one(emit.resize(emit.toI32(from), type, /*isSigned=*/false));
    if (from.getType().getIntOrFloatBitWidth() > 32)
      return failure();
    if (from.getType() == i32)
      from = emit.create<arith::MinUIOp>(from, emit.i32(INT32_MAX));
    else
      from = emit.resize(from, i32, /*isSigned=*/false);
    return one(emit.create<arith::IndexCastOp>(type, from));
  }
};

/// Operations with two results. The carry of a + b is set when a + b < a.
///
///   %sum, %carry = arith.addui_extended %a, %b : tensor<8x128xi32>, ...
/// -->
///   %sum = arith.addi %a, %b : vector<8x128xi32>
///   %carry = arith.cmpi ult, %sum, %a : vector<8x128xi32>
struct ConvertExtendedSum : TPUPattern<arith::AddUIExtendedOp> {
  using TPUPattern::TPUPattern;
  Results convert(arith::AddUIExtendedOp, Adaptor adaptor,
                  Emitter &emit) const override {
    Value sum = emit.add(adaptor.getLhs(), adaptor.getRhs());
    Value carry =
        emit.compare(arith::CmpIPredicate::ult, sum, adaptor.getLhs());
    return SmallVector<Value>{sum, carry};
  }
};

/// The low and the high half of a product. The target multiplies to 32 bits, so
/// the high half is put together from halves of the operands.
template <typename OpTy> struct ConvertExtendedProduct : TPUPattern<OpTy> {
  using TPUPattern<OpTy>::TPUPattern;
  typename TPUPattern<OpTy>::Results
  convert(OpTy, typename TPUPattern<OpTy>::Adaptor adaptor,
          Emitter &emit) const override {
    Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
    Value high = multiplyHigh(emit, lhs, rhs,
                              std::is_same_v<OpTy, arith::MulSIExtendedOp>);
    return SmallVector<Value>{emit.mul(lhs, rhs), high};
  }
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// How many different elements of a constant are inserted one by one.
constexpr int64_t kMaxConstantElements = 512;

/// Constants of one value become constants of vectors. Others are put together
/// from positions.
struct ConvertConstant : TPUPattern<arith::ConstantOp> {
  using TPUPattern::TPUPattern;
  Results convert(arith::ConstantOp op, Adaptor, Emitter &emit) const override {
    Type type = convertType(op.getType());
    if (!type || !tpu::getTPUElement(getElementTypeOrSelf(op.getType())))
      return op.emitOpError() << "has type " << op.getType()
                              << ", which no TPU has; use 32 bits or less";
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    // f16 values are held as f32.
    if (isa<Float16Type>(op.getType()))
      return one(
          emit.real(type, cast<FloatAttr>(op.getValue()).getValueAsDouble()));
    if (elements && elements.getElementType().isF16())
      elements = cast<DenseFPElementsAttr>(elements).mapValues(
          emit.getBuilder().getF32Type(), [](const APFloat &value) {
            return pallas::roundTo(APFloat::IEEEsingle(), value)
                .bitcastToAPInt();
          });
    if (!elements)
      return op.emitOpError("has a value that isn't given element by element");
    if (elements.isSplat())
      return one(emit.splat(type, elements.getSplatValue<TypedAttr>()));
    if (elements.getNumElements() > kMaxConstantElements)
      return op.emitOpError()
             << "has " << elements.getNumElements()
             << " different elements, but at most " << kMaxConstantElements
             << " are selected one by one; pass the array as an operand";
    return one(build(emit, elements, type));
  }

  /// Selects each element at its position; the first one is everywhere else.
  ///
  ///   %0 = tpu.iota {dimensions = array<i32: 1>} : vector<1x4xi32>
  ///   %1 = arith.cmpi eq, %0, 1
  ///   %2 = arith.select %1, %second, %first
  static Value build(Emitter &emit, DenseElementsAttr elements, Type type) {
    int64_t count = elements.getNumElements();
    Type element = getElementType(type);
    Type flat = VectorType::get({1, count}, element);
    Value position = emit.iota({1, count}, 1);
    Value result;
    for (auto [i, value] : llvm::enumerate(elements.getValues<TypedAttr>())) {
      // Masks have no selections, so they are selected as i32.
      if (element.isInteger(1))
        value = emit.getBuilder().getI32IntegerAttr(
            cast<IntegerAttr>(value).getValue().getZExtValue());
      Type wide = element.isInteger(1)
                      ? withElementType(flat, emit.getBuilder().getI32Type())
                      : flat;
      Value here = emit.splat(wide, value);
      Value isHere = emit.compare(arith::CmpIPredicate::eq, position,
                                  emit.integer(position.getType(), i));
      result = result ? emit.select(isHere, here, result) : here;
    }
    Value shaped = reshapeVector(emit, result, getShape(type));
    return element.isInteger(1) ? emit.i32ToBool(shaped) : shaped;
  }
};

} // namespace

void mlir::pallas::populateElementwisePatterns(const TPUTypeConverter &types,
                                               TPUPatternSet &patterns) {
  addTPUPatterns<
      ConvertElementwise, ConvertUnsignedIndexCast, ConvertExtendedSum,
      ConvertExtendedProduct<arith::MulUIExtendedOp>,
      ConvertExtendedProduct<arith::MulSIExtendedOp>, ConvertConstant>(
      types, patterns);
}
