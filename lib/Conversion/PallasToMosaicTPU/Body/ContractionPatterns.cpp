//===- ContractionPatterns.cpp - Matmuls ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction becomes tpu.matmul, which has few forms: one contracted
// dimension, at most one batch dimension, and pairs of element types that
// depend on the chip. This file brings shapes and elements there, without
// losing bits.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A contraction in the form that the matrix unit has: operands with at least
/// one batch or free dimension beside one contracted dimension.
struct Product {
  Value lhs, rhs;
  SmallVector<int64_t> lhsContract, rhsContract, lhsBatch, rhsBatch;
  /// Shape of the result: batch, then free dimensions of lhs and rhs.
  SmallVector<int64_t> shape;

  static SmallVector<int64_t> getFree(Value value, ArrayRef<int64_t> contract,
                                      ArrayRef<int64_t> batch) {
    SmallVector<int64_t> free;
    int64_t rank = getShape(value.getType()).size();
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(contract, dim) && !llvm::is_contained(batch, dim))
        free.push_back(dim);
    return free;
  }
  SmallVector<int64_t> getLhsFree() const {
    return getFree(lhs, lhsContract, lhsBatch);
  }
  SmallVector<int64_t> getRhsFree() const {
    return getFree(rhs, rhsContract, rhsBatch);
  }
};

} // namespace

static int64_t getSize(Value value, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= getShape(value.getType())[dim];
  return size;
}

/// Brings one operand to [batch, free, contracted], each in one dimension.
static Value toMatrices(Emitter &emit, Value value, ArrayRef<int64_t> batch,
                        ArrayRef<int64_t> free, ArrayRef<int64_t> contract) {
  SmallVector<int64_t> order(batch);
  llvm::append_range(order, free);
  llvm::append_range(order, contract);
  // Dimensions that are in order already need no transpose.
  if (!llvm::is_sorted(order)) {
    ArrayRef<int64_t> from = getShape(value.getType());
    SmallVector<int64_t> shape =
        llvm::map_to_vector(order, [&](int64_t dim) { return from[dim]; });
    auto type = VectorType::get(shape, getElementType(value.getType()));
    value = emit.create<tpu::TransposeOp>(type, value, order);
  }
  // The order is now sorted, so the groups are counted from the front.
  ArrayRef<int64_t> shape = getShape(value.getType());
  auto product = [](ArrayRef<int64_t> sizes) {
    return ShapedType::getNumElements(sizes);
  };
  SmallVector<int64_t> result;
  if (!batch.empty())
    result.push_back(product(shape.take_front(batch.size())));
  result.push_back(product(shape.slice(batch.size(), free.size())));
  result.push_back(product(shape.take_back(contract.size())));
  return reshapeVector(emit, value, result);
}

/// Brings contractions without a form of the matrix unit to batched matmuls.
///
///   %r = pallas.dot_general %a, %b contract [0, 2] x [0, 1]
///       : tensor<4x8x16xf32>, tensor<4x16x32xf32> -> tensor<8x32xf32>
///
/// contracts two dimensions, which are joined into one of 64:
///
///   %0 = tpu.transpose %a, [1, 0, 2]
///       : vector<4x8x16xf32> -> vector<8x4x16xf32>
///   %1 = vector.shape_cast %0 : vector<8x4x16xf32> to vector<8x64xf32>
///   %2 = tpu.transpose %b, [2, 0, 1]
///       : vector<4x16x32xf32> -> vector<32x4x16xf32>
///   %3 = vector.shape_cast %2 : vector<32x4x16xf32> to vector<32x64xf32>
static void normalize(Emitter &emit, Product &product) {
  SmallVector<int64_t> lhsFree = product.getLhsFree();
  SmallVector<int64_t> rhsFree = product.getRhsFree();
  if (product.lhsContract.size() == 1 && product.lhsBatch.size() <= 1 &&
      !lhsFree.empty() && rhsFree.size() == 1)
    return;
  bool isBatched = !product.lhsBatch.empty();
  product.lhs = toMatrices(emit, product.lhs, product.lhsBatch, lhsFree,
                           product.lhsContract);
  product.rhs = toMatrices(emit, product.rhs, product.rhsBatch, rhsFree,
                           product.rhsContract);
  product.lhsBatch = product.rhsBatch =
      isBatched ? SmallVector<int64_t>{0} : SmallVector<int64_t>{};
  product.lhsContract = product.rhsContract = {isBatched ? 2 : 1};
}

/// Batch dimensions first, then the free ones of both operands.
static SmallVector<int64_t> getResultShape(const Product &product) {
  SmallVector<int64_t> shape;
  auto append = [&](Value value, ArrayRef<int64_t> dims) {
    for (int64_t dim : dims)
      shape.push_back(getShape(value.getType())[dim]);
  };
  append(product.lhs, product.lhsBatch);
  append(product.lhs, product.getLhsFree());
  append(product.rhs, product.getRhsFree());
  return shape;
}

/// Describes where each dimension of the result comes from, as pairs of operand
/// and dimension.
static tpu::DotDimensionNumbersAttr
getDimensionNumbers(Emitter &emit, const Product &product) {
  SmallVector<int64_t> order;
  auto append = [&](int64_t operand, ArrayRef<int64_t> dims) {
    for (int64_t dim : dims)
      order.append({operand, dim});
  };
  SmallVector<int64_t> lhsFree = product.getLhsFree();
  SmallVector<int64_t> rhsFree = product.getRhsFree();
  append(0, product.lhsBatch);
  append(0, lhsFree);
  append(1, rhsFree);
  return tpu::DotDimensionNumbersAttr::get(
      emit.getBuilder().getContext(), product.lhsContract, product.rhsContract,
      lhsFree, rhsFree, order, product.lhsBatch, product.rhsBatch);
}

namespace {

///   %r = pallas.dot_general %a, %b contract [1] x [0]
///       : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xbf16>
///
/// becomes
///
///   %0 = tpu.matmul %a, %b, %zero {dimension_numbers = ...}
///       : vector<8x16xbf16>, vector<16x32xbf16>, vector<8x32xf32>
///       -> vector<8x32xf32>
///   %1 = arith.truncf %0 : vector<8x32xf32> to vector<8x32xbf16>
///
/// The matrix unit adds up in 32 bits, so the sum is narrowed at the end.
struct ConvertDotGeneral : TPUPattern<DotGeneralOp> {
  using TPUPattern::TPUPattern;

  Results convert(DotGeneralOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Product product{adaptor.getLhs(),
                    adaptor.getRhs(),
                    SmallVector<int64_t>(op.getLhsContracting()),
                    SmallVector<int64_t>(op.getRhsContracting()),
                    SmallVector<int64_t>(op.getLhsBatch()),
                    SmallVector<int64_t>(op.getRhsBatch()),
                    {}};
    Type type = convertType(op.getType());
    Type element = getElementType(type);
    // Wide integers come first: their element types change the number of
    // matmuls.
    if (needsDigits(op, product, types.getChip()))
      return one(multiplyDigits(op, emit, product, adaptor.getAcc(), type,
                                types.getChip()));
    // Elements before shapes: a transpose of narrow elements moves fewer bits.
    unifyOperands(op, emit, product, types.getChip());
    bool isInteger = isa<IntegerType>(getElementType(product.lhs.getType())) &&
                     isa<IntegerType>(getElementType(product.rhs.getType()));
    Type sum = isInteger ? Type(emit.getBuilder().getI32Type())
                         : Type(emit.getBuilder().getF32Type());
    normalize(emit, product);
    SmallVector<int64_t> shape = getResultShape(product);
    auto sumType = VectorType::get(shape, sum);

    // An accumulator of 32 bits goes into the product itself.
    // A narrower one is added behind, after rounding the sum as the source
    // does.
    Value acc = adaptor.getAcc();
    bool fuses = acc && getElementType(acc.getType()) == sum;
    Value start = fuses ? reshapeVector(emit, acc, shape) : emit.zero(sumType);
    std::optional<tpu::ContractPrecision> precision = getPrecision(op, product);
    Value result = emit.create<tpu::MatmulOp>(
        product.lhs, product.rhs, start, getDimensionNumbers(emit, product),
        precision);
    result = reshapeVector(emit, result, getShape(type));
    result = convertSum(emit, result, element);
    if (acc && !fuses)
      result = emit.add(acc, result);
    return one(result);
  }

private:
  /// Whether integers are multiplied whose sum is a float that 32 bits can't
  /// hold as an integer: they are converted first, so that nothing wraps.
  static bool convertsIntegers(DotGeneralOp op) {
    Type lhs = op.getLhs().getType().getElementType();
    Type rhs = op.getRhs().getType().getElementType();
    if (!isa<IntegerType>(lhs) || !isa<IntegerType>(rhs) ||
        isa<IntegerType>(getElementTypeOrSelf(op.getType())))
      return false;
    // Each product of two bytes is below 255 * 255, so this many fit into i32.
    constexpr int64_t kMaxExactWords = (int64_t(1) << 31) / (255 * 255);
    int64_t size = 1;
    for (int64_t dim : op.getLhsContracting())
      size *= op.getLhs().getType().getDimSize(dim);
    return std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth()) >
               8 ||
           size > kMaxExactWords;
  }

  /// Whether integers are multiplied that neither the matrix unit nor the bf16
  /// and f32 in place of unsigned bytes can hold.
  static bool needsDigits(DotGeneralOp op, const Product &product,
                          const TPUChip &chip) {
    Type lhs = getElementType(product.lhs.getType());
    Type rhs = getElementType(product.rhs.getType());
    if (!isa<IntegerType>(lhs) || !isa<IntegerType>(rhs) ||
        convertsIntegers(op))
      return false;
    auto i8 = IntegerType::get(op.getContext(), 8);
    unsigned width =
        std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth());
    // f32 has 24 bits of mantissa for the sum of products.
    constexpr int64_t kMaxExactBytes = (1 << 24) / (255 * 255);
    return width > 8 || !isTPUProduct(i8, i8, chip) ||
           (width > 1 && (op.getUnsignedLhs() || op.getUnsignedRhs()) &&
            getSize(product.lhs, product.lhsContract) > kMaxExactBytes);
  }

  /// The digits of numbers in base 256, from -128 to 127 each, lowest first.
  /// Bits above the highest digit are above 32 bits as well.
  ///
  ///   %0 = arith.trunci %x : vector<8x16xi32> to vector<8x16xi8>
  ///   %1 = arith.subi %x, %lowest
  ///   %2 = arith.shrsi %1, 8
  ///
  /// Each digit has a sign, since the matrix unit has signed bytes. Subtracting
  /// it carries into the next digit.
  static SmallVector<Value> getDigits(Emitter &emit, Value value,
                                      bool isUnsigned) {
    OpBuilder &builder = emit.getBuilder();
    unsigned width = getElementType(value.getType()).getIntOrFloatBitWidth();
    // An unsigned number needs one more digit for its highest bit.
    unsigned count = std::min(4u, width / 8 + (isUnsigned ? 1 : 0));
    Value rest = width == 1 ? emit.boolToI32(value)
                            : emit.resize(value, builder.getI32Type(),
                                          /*isSigned=*/!isUnsigned);
    count = std::max(count, 1u);
    Type type = rest.getType();
    SmallVector<Value> digits;
    for (unsigned i = 0; i < count; ++i) {
      digits.push_back(emit.resize(rest, builder.getI8Type(),
                                   /*isSigned=*/true));
      if (i + 1 == count)
        break;
      // The two shifts extend the sign of the lowest eight bits.
      Value digit = emit.create<arith::ShRSIOp>(
          emit.create<arith::ShLIOp>(rest, emit.integer(type, 24)),
          emit.integer(type, 24));
      rest = emit.create<arith::ShRSIOp>(emit.sub(rest, digit),
                                         emit.integer(type, 8));
    }
    return digits;
  }

  /// The exact sums of products of signed bytes, in 32 bits. Where the matrix
  /// unit has no bytes, they are bf16; f32 holds the sums of a part.
  static Value multiplyBytes(Emitter &emit, const Product &product,
                             const TPUChip &chip) {
    OpBuilder &builder = emit.getBuilder();
    auto multiply = [&](const Product &part, Type element) -> Value {
      auto type = VectorType::get(getResultShape(part), element);
      return emit.create<tpu::MatmulOp>(part.lhs, part.rhs, emit.zero(type),
                                        getDimensionNumbers(emit, part),
                                        std::nullopt);
    };
    if (isTPUProduct(builder.getI8Type(), builder.getI8Type(), chip))
      return multiply(product, builder.getI32Type());
    // A product of two digits has at most 14 bits, and f32 holds sums of 24.
    constexpr int64_t kExactProducts = (1 << 24) / (128 * 128);
    auto toBF16 = [&](Value bytes) {
      Type real = withElementType(bytes.getType(), builder.getF32Type());
      Value wide = emit.resize(bytes, builder.getI32Type(), /*isSigned=*/true);
      return narrow(emit, emit.create<arith::SIToFPOp>(real, wide),
                    builder.getBF16Type());
    };
    int64_t lhsDim = product.lhsContract[0], rhsDim = product.rhsContract[0];
    int64_t size = getShape(product.lhs.getType())[lhsDim];
    Value sum;
    for (int64_t start = 0; start < size; start += kExactProducts) {
      int64_t count = std::min(kExactProducts, size - start);
      Product part = product;
      part.lhs = toBF16(emit.extractSlice(product.lhs, lhsDim, start, count));
      part.rhs = toBF16(emit.extractSlice(product.rhs, rhsDim, start, count));
      Value real = multiply(part, builder.getF32Type());
      Value term = emit.create<arith::FPToSIOp>(
          withElementType(real.getType(), builder.getI32Type()), real);
      sum = sum ? emit.add(sum, term) : term;
    }
    return sum;
  }

  /// Products of the digits, each at its place. The sum is exact: it wraps
  /// around as integers do.
  /// For two operands of two digits, a = a0 + 256 a1 and b = b0 + 256 b1:
  ///
  ///   %0 = tpu.matmul %a0, %b0
  ///   %1 = tpu.matmul %a0, %b1
  ///   %2 = arith.shli %1, 8
  ///   %3 = arith.addi %0, %2
  ///
  /// and so on. Digits whose places sum up to four or more don't reach 32 bits.
  static Value multiplyDigits(DotGeneralOp op, Emitter &emit, Product product,
                              Value acc, Type type, const TPUChip &chip) {
    SmallVector<Value> lhs = getDigits(emit, product.lhs, op.getUnsignedLhs());
    SmallVector<Value> rhs = getDigits(emit, product.rhs, op.getUnsignedRhs());
    Value sum;
    for (size_t i = 0; i < lhs.size(); ++i)
      for (size_t j = 0; j < rhs.size() && i + j < 4; ++j) {
        Product part = product;
        part.lhs = lhs[i];
        part.rhs = rhs[j];
        normalize(emit, part);
        Value term = multiplyBytes(emit, part, chip);
        Type partType = term.getType();
        if (i + j > 0)
          term = emit.create<arith::ShLIOp>(
              term, emit.integer(partType, 8 * int64_t(i + j)));
        sum = sum ? emit.add(sum, term) : term;
      }
    sum = convertSum(emit, reshapeVector(emit, sum, getShape(type)),
                     getElementType(type));
    return acc ? emit.add(acc, sum) : sum;
  }

  /// Converts the sum to the element type of the result, between integers and
  /// floats by way of 32 bits.
  static Value convertSum(Emitter &emit, Value sum, Type element) {
    bool fromFloat = isa<FloatType>(getElementType(sum.getType()));
    Type type = withElementType(sum.getType(), element);
    if (fromFloat == isa<FloatType>(element))
      return narrow(emit, sum, element);
    if (fromFloat)
      return narrow(
          emit,
          emit.create<arith::FPToSIOp>(
              withElementType(type, emit.getBuilder().getI32Type()), sum),
          element);
    return narrow(
        emit,
        emit.create<arith::SIToFPOp>(
            withElementType(type, emit.getBuilder().getF32Type()), sum),
        element);
  }

  /// Without a precision the compiler chooses one. For f32 that is less than
  /// the mantissa, so operands that need all of it ask for fp32.
  static std::optional<tpu::ContractPrecision>
  getPrecision(DotGeneralOp op, const Product &product) {
    // Narrower operands have nothing to split.
    if (!getElementType(product.lhs.getType()).isF32() ||
        !getElementType(product.rhs.getType()).isF32())
      return std::nullopt;
    // The compiler has no name for the precisions in between. The digits of f16
    // and of words are more than those of bf16.
    auto hasMoreDigits = [](Value value) {
      Type type = getElementTypeOrSelf(value.getType());
      return type.isF16() ||
             (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() > 8);
    };
    if (op.getPrecision() == Precision::Default &&
        !hasMoreDigits(op.getLhs()) && !hasMoreDigits(op.getRhs()))
      return std::nullopt;
    return tpu::ContractPrecision::FP32;
  }

  /// Whether the operands go to the matrix unit as they are. The compiler
  /// widens one of two floats, and signed bytes beside bf16 and f32, but it
  /// splits neither into the parts that a higher precision wants.
  static bool areNative(DotGeneralOp op, Type lhs, Type rhs,
                        const TPUChip &chip) {
    if (lhs == rhs)
      return isTPUProduct(lhs, rhs, chip) && !op.getUnsignedLhs() &&
             !op.getUnsignedRhs();
    if (op.getPrecision() != Precision::Default)
      return false;
    if (isa<FloatType>(lhs) && isa<FloatType>(rhs))
      return isTPUProduct(lhs, lhs, chip) && isTPUProduct(rhs, rhs, chip);
    auto isSignedByte = [](Type type, bool isUnsigned) {
      return (type.isInteger(4) || type.isInteger(8)) && !isUnsigned;
    };
    auto isWide = [](Type type) { return type.isBF16() || type.isF32(); };
    return (isSignedByte(lhs, op.getUnsignedLhs()) && isWide(rhs)) ||
           (isWide(lhs) && isSignedByte(rhs, op.getUnsignedRhs()));
  }

  /// The type that other operands are converted to. It has all values of both,
  /// except for those of i32 and of f32.
  static Type chooseOperandType(DotGeneralOp op, Type lhs, Type rhs,
                                OpBuilder &builder) {
    bool areSigned = !op.getUnsignedLhs() && !op.getUnsignedRhs();
    bool areBooleans = lhs.isInteger(1) || rhs.isInteger(1);
    if (isa<IntegerType>(lhs) && isa<IntegerType>(rhs) && areSigned &&
        !areBooleans && !convertsIntegers(op))
      return builder.getI8Type();
    // Bytes and narrow floats are exact as bf16, and so are their products in
    // f32.
    auto isExactAsBF16 = [](Type type) {
      return type.isBF16() || type.getIntOrFloatBitWidth() <= 8;
    };
    return isExactAsBF16(lhs) && isExactAsBF16(rhs)
               ? Type(builder.getBF16Type())
               : Type(builder.getF32Type());
  }

  /// Converts an operand, by way of 32 bits where its type has no conversion.
  static Value convertOperand(Emitter &emit, Value value, Type element,
                              bool isUnsigned) {
    Type from = getElementType(value.getType());
    if (isa<FloatType>(from))
      return emit.resizeFloat(value, element);
    Type i32 = emit.getBuilder().getI32Type(),
         f32 = withElementType(value.getType(), emit.getBuilder().getF32Type());
    Value wide = from.isInteger(1) ? emit.boolToI32(value)
                                   : emit.resize(value, i32, !isUnsigned);
    if (isa<IntegerType>(element))
      return emit.resize(wide, element, /*isSigned=*/true);
    // Only words without a sign can exceed those with one.
    bool isPositive = !isUnsigned || from.getIntOrFloatBitWidth() < 32;
    Value real = isPositive
                     ? emit.create<arith::SIToFPOp>(f32, wide).getResult()
                     : emit.create<arith::UIToFPOp>(f32, wide).getResult();
    return narrow(emit, real, element);
  }

  /// Brings the operands to element types that the matrix unit multiplies.
  static void unifyOperands(DotGeneralOp op, Emitter &emit, Product &product,
                            const TPUChip &chip) {
    Type lhs = getElementType(product.lhs.getType());
    Type rhs = getElementType(product.rhs.getType());
    if (!convertsIntegers(op) && areNative(op, lhs, rhs, chip))
      return;
    Type element = chooseOperandType(op, lhs, rhs, emit.getBuilder());
    product.lhs =
        convertOperand(emit, product.lhs, element, op.getUnsignedLhs());
    product.rhs =
        convertOperand(emit, product.rhs, element, op.getUnsignedRhs());
  }
};

} // namespace

void mlir::pallas::populateContractionPatterns(const TPUTypeConverter &types,
                                               TPUPatternSet &patterns) {
  addTPUPatterns<ConvertDotGeneral>(types, patterns);
}
