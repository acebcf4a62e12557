//===- NarrowMath.cpp - Elements of at most 8 bits ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler loads, stores and converts vectors of i4, i8 and floats of 8
// bits, and computes on wider elements. So arithmetic extends its operands and
// rounds its result:
//
//   %s = arith.addi %x, %y : vector<128xi8>
// becomes
//   %a = arith.extui %x : vector<128xi8> to vector<128xi32>
//   %b = arith.extui %y : vector<128xi8> to vector<128xi32>
//   %t = arith.addi %a, %b : vector<128xi32>
//   %s = arith.trunci %t : vector<128xi32> to vector<128xi8>
//
// A float of 8 bits is the sum, product or quotient of two such floats in f32,
// rounded: f32 has more than twice the digits, so rounding twice is rounding
// once.
//
//===----------------------------------------------------------------------===//

#include "NarrowMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

//===----------------------------------------------------------------------===//
// Known operations
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// Elements of 2 to 8 bits.
static bool isNarrow(Type type) {
  return getWidth(type) > 1 && getWidth(type) <= 8;
}

/// Integers of 2 or 4 bits. Registers hold whole bytes, or single bits.
static bool isPartOfByte(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() && !element.isInteger(1) && getWidth(type) < 8;
}

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) && isNarrow(type);
}

/// The floats of 8 bits that every GPU since sm_90 converts.
static bool isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// Whether integers are converted to floats of at most 8 bits, or such floats
/// to integers.
static bool convertsNarrowFloats(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp>(op) &&
         (isNarrowFloat(op->getOperand(0).getType()) ||
          isNarrowFloat(op->getResult(0).getType()));
}

/// Whether bf16 is converted to floats of 8 bits, or these to bf16.
static bool convertsBytesAndHalves(Operation *op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
    return false;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  return (isByteFloat(from) && getElementTypeOrSelf(to).isBF16()) ||
         (getElementTypeOrSelf(from).isBF16() && isByteFloat(to));
}

/// Whether an operation extends i4 that memory has packed. The compiler
/// converts them to whole numbers of up to 32 bits and to floats, f8E5M2 left
/// out.
static bool extendsPacked(Operation *op) {
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(
          op) ||
      !getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(4))
    return false;
  Value packed = op->getOperand(0);
  while (auto cast = packed.getDefiningOp<LayoutCastOp>())
    packed = cast.getX();
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  return !packed.getDefiningOp<arith::TruncIOp>() &&
         to.getIntOrFloatBitWidth() <= 32 && !isa<Float8E5M2Type>(to);
}

/// Whether an operation narrows to i4 that only go to memory, which packs them.
/// Each lane has whole bytes.
static bool storesPacked(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return isa<arith::TruncIOp>(op) && type &&
         type.getElementType().isInteger(4) &&
         type.getNumElements() % 256 == 0 &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<VectorStoreOp, LayoutCastOp>(user);
         });
}

/// An operation that the compiler computes on bytes. It refuses others, and
/// these, too, where only the first operand is the same for all elements.
static bool isBitwise(Operation *op) {
  if (isa<math::AbsFOp, math::CountLeadingZerosOp>(op))
    return true;
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  bool isEquality =
      comparison && (comparison.getPredicate() == arith::CmpIPredicate::eq ||
                     comparison.getPredicate() == arith::CmpIPredicate::ne);
  if (!isEquality && !isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return false;
  Operation *first = op->getOperand(0).getDefiningOp();
  return !isa_and_nonnull<vector::BroadcastOp, arith::ConstantOp>(first);
}

/// Whether an operation computes on elements that are narrower than what the
/// compiler computes on. Zeros in front of a number depend on its width.
static bool isNarrowMath(Operation *op) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
      isa<CastOpInterface, math::CountTrailingZerosOp>(op) ||
      llvm::none_of(op->getOperandTypes(), isNarrow))
    return false;
  bool hasUnusualFloats = llvm::any_of(op->getOperandTypes(), [](Type type) {
    return isNarrowFloat(type) && !isByteFloat(type);
  });
  bool hasParts = llvm::any_of(op->getOperandTypes(), isPartOfByte);
  if (hasUnusualFloats || (hasParts && isa<math::CountLeadingZerosOp>(op)))
    return false;
  return hasParts || !isBitwise(op);
}

/// Whether arithmetic, which is no conversion, has floats that no GPU extends,
/// or that have no form of their own.
static bool hasUnknownFloats(Operation *op) {
  return !isa<CastOpInterface>(op) &&
         llvm::any_of(op->getOperandTypes(), [](Type type) {
           return isNarrowFloat(type) && !isByteFloat(type) &&
                  !isa<Float8E8M0FNUType>(getElementTypeOrSelf(type));
         });
}

bool mlir::mosaic_gpu::isKnownOnNarrow(Operation *op) {
  if (extendsPacked(op) || storesPacked(op))
    return true;
  if (isNarrowMath(op) || hasUnknownFloats(op) || convertsNarrowFloats(op) ||
      convertsBytesAndHalves(op) || !explainConversion(op).empty())
    return false;
  return llvm::none_of(op->getOperandTypes(), isPartOfByte) &&
         llvm::none_of(op->getResultTypes(), isPartOfByte);
}

static bool isBlackwell(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto major = module
                   ? module->getAttrOfType<IntegerAttr>("mosaic_gpu.arch_major")
                   : IntegerAttr();
  return major && major.getInt() >= 10;
}

std::string mlir::mosaic_gpu::explainConversion(Operation *op) {
  if (!isa<CastOpInterface>(op) || isa<arith::BitcastOp>(op))
    return "";
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<arith::TruncIOp>(op) && isPartOfByte(to) && !storesPacked(op)) {
    os << "narrows " << from << " to " << to
       << ", which registers hold no single ones of; keep it in i8";
    return text;
  }
  if (!isNarrowFloat(from) && !isNarrowFloat(to))
    return "";
  auto isForBlackwell = llvm::IsaPred<Float8E8M0FNUType, Float4E2M1FNType>;
  for (Type type : {from, to}) {
    if (!isNarrowFloat(type) || isByteFloat(type) ||
        (isForBlackwell(type) && isBlackwell(op)))
      continue;
    os << "converts " << from << " to " << to << "; GPUs convert f8E4M3FN and "
       << "f8E5M2, sm_100a also f8E8M0FNU and f4E2M1FN";
    return text;
  }
  if (from.isF64() || to.isF64())
    os << "converts " << from << " to " << to
       << "; GPUs convert floats of 8 bits to and from f16 and f32";
  return text;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Type widenType(Type type) {
  Type element = getElementTypeOrSelf(type);
  MLIRContext *context = type.getContext();
  Type wide = isa<FloatType>(element) ? Type(Float32Type::get(context))
                                      : IntegerType::get(context, 32);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(wide);
  return wide;
}

/// Numbers of 2 or 4 bits that have been in a byte each are extended there:
///   %n = arith.trunci %x : vector<64xi8> to vector<64xi4>
///   %y = arith.sitofp %n : vector<64xi4> to vector<64xf32>
/// becomes
///   %w = arith.extui %x : vector<64xi8> to vector<64xi32>
///   %h = arith.shli %w, %c28 : vector<64xi32>
///   %n = arith.shrsi %h, %c28 : vector<64xi32>
///   %y = arith.sitofp %n : vector<64xi32> to vector<64xf32>
template <typename OpTy>
static LogicalResult expandExtension(OpTy op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  auto narrowed = op.getIn().template getDefiningOp<arith::TruncIOp>();
  if (!type || !narrowed || !isPartOfByte(narrowed.getType()))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  VectorType wide = type.clone(b.getI32Type());
  Value value = narrowed.getIn();
  unsigned from = getWidth(value.getType());
  if (from > 32)
    return failure();
  if (from < 32)
    value = arith::ExtUIOp::create(b, wide, value);
  Value bits = createSplat(b, wide, 32 - getWidth(narrowed.getType()));
  value = arith::ShLIOp::create(b, value, bits);
  constexpr bool isSigned = std::is_same_v<OpTy, arith::ExtSIOp> ||
                            std::is_same_v<OpTy, arith::SIToFPOp>;
  value = isSigned ? arith::ShRSIOp::create(b, value, bits).getResult()
                   : arith::ShRUIOp::create(b, value, bits).getResult();
  unsigned to = getWidth(type);
  if constexpr (std::is_same_v<OpTy, arith::SIToFPOp> ||
                std::is_same_v<OpTy, arith::UIToFPOp>)
    value = OpTy::create(b, type, value);
  else if (to < 32)
    value = arith::TruncIOp::create(b, type, value);
  else if (to > 32)
    value = OpTy::create(b, type, value);
  rewriter.replaceOp(op, value);
  return success();
}

/// layout_cast(trunci(x)) -> trunci(layout_cast(x)), for numbers of 2 or 4
/// bits.
static LogicalResult castBytes(LayoutCastOp op, PatternRewriter &rewriter) {
  auto narrowed = op.getX().getDefiningOp<arith::TruncIOp>();
  if (!narrowed || !isPartOfByte(narrowed.getType()))
    return failure();
  Value bytes = LayoutCastOp::create(
      rewriter, op.getLoc(), narrowed.getIn().getType(), narrowed.getIn(),
      op.getNewLayout(), op.getStrictAttr());
  rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), bytes);
  return success();
}

/// Keeps canonicalization from making one conversion of two.
static Value keep(OpBuilder &b, Location loc, Value value) {
  return OptimizationBarrierOp::create(b, loc, ValueRange(value)).getResult(0);
}

/// Integers that a float of 8 bits can hold are exact in f32, and all such
/// floats are:
///   %y = arith.sitofp %x : vector<64xi32> to vector<64xf8E4M3FN>
/// becomes
///   %f = arith.sitofp %x : vector<64xi32> to vector<64xf32>
///   %g = "mosaic_gpu.optimization_barrier"(%f)
///   %y = arith.truncf %g : vector<64xf32> to vector<64xf8E4M3FN>
template <typename OpTy>
static LogicalResult convertByF32(OpTy op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !convertsNarrowFloats(op) || extendsPacked(op) ||
      !explainConversion(op).empty())
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  VectorType wide = type.clone(b.getF32Type());
  if constexpr (std::is_same_v<OpTy, arith::SIToFPOp> ||
                std::is_same_v<OpTy, arith::UIToFPOp>) {
    Value exact = OpTy::create(b, wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type,
                                                 keep(b, b.getLoc(), exact));
  } else {
    rewriter.replaceOpWithNewOp<OpTy>(
        op, type, arith::ExtFOp::create(b, wide, op.getIn()));
  }
  return success();
}

/// Hardware converts floats of 8 bits to f16 and f32 only. All bf16 are f32:
///   %y = arith.truncf %x : vector<64xbf16> to vector<64xf8E4M3FN>
/// becomes
///   %f = arith.extf %x : vector<64xbf16> to vector<64xf32>
///   %g = "mosaic_gpu.optimization_barrier"(%f)
///   %y = arith.truncf %g : vector<64xf32> to vector<64xf8E4M3FN>
template <typename OpTy>
static LogicalResult convertHalves(OpTy op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !convertsBytesAndHalves(op))
    return failure();
  Value wide =
      arith::ExtFOp::create(rewriter, op.getLoc(), widenType(type), op.getIn());
  if (isByteFloat(type))
    wide = keep(rewriter, op.getLoc(), wide);
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, wide);
  return success();
}

/// Floats become i4 by way of i32, which is clamped to the range of i4:
///   %y = arith.fptosi %x : vector<64xf32> to vector<64xi4>
/// becomes
///   %w = arith.fptosi %x : vector<64xf32> to vector<64xi32>
///   %n = arith.maxsi %w, %low : vector<64xi32>, then arith.minsi with %high
///   %y = arith.trunci %n : vector<64xi32> to vector<64xi4>
template <typename OpTy>
static LogicalResult narrowNumbers(OpTy op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !type.getElementType().isInteger(4))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  VectorType wide = type.clone(b.getI32Type());
  constexpr bool isSigned = std::is_same_v<OpTy, arith::FPToSIOp>;
  Value value = arith::FPToSIOp::create(b, wide, op.getIn());
  value =
      arith::MaxSIOp::create(b, value, createSplat(b, wide, isSigned ? -8 : 0));
  value =
      arith::MinSIOp::create(b, value, createSplat(b, wide, isSigned ? 7 : 15));
  rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, value);
  return success();
}

/// The compiler has no registers of i4 that all elements share, so a constant
/// that goes to memory is added to zeros that lie apart:
///   %y = arith.constant dense<3> : vector<256xi4>
/// becomes
///   %i = "mosaic_gpu.broadcasted_iota"() <{dimension = 0}>
///   %z = arith.shrui %i, %c31 : vector<256xi32>
///   %w = arith.addi %z, %c3 : vector<256xi32>
///   %y = arith.trunci %w : vector<256xi32> to vector<256xi4>
template <typename OpTy>
static LogicalResult narrowConstant(OpTy op, PatternRewriter &rewriter) {
  Value value = op->getOperand(0);
  DenseElementsAttr elements;
  if (!isPartOfByte(value.getType()) ||
      !matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type type = widenType(value.getType());
  Value zeros = arith::ShRUIOp::create(b, BroadcastedIotaOp::create(b, type, 0),
                                       createSplat(b, type, 31));
  Value wide = arith::AddIOp::create(
      b, zeros,
      createSplat(b, type, elements.getSplatValue<APInt>().getSExtValue()));
  Value narrowed = arith::TruncIOp::create(b, value.getType(), wide);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, narrowed); });
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Whether the sign of its operands is part of the result.
static bool readsSigns(Operation *op) {
  if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    return llvm::is_contained({P::slt, P::sle, P::sgt, P::sge},
                              comparison.getPredicate());
  }
  return isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
             arith::RemSIOp, arith::MaxSIOp, arith::MinSIOp, arith::ShRSIOp,
             math::AbsIOp, math::IPowIOp>(op);
}

static Value extend(ImplicitLocOpBuilder &b, Value value, bool isSigned) {
  Type wide = widenType(value.getType());
  if (isNarrowFloat(value.getType()))
    return arith::ExtFOp::create(b, wide, value);
  if (isSigned)
    return arith::ExtSIOp::create(b, wide, value);
  return arith::ExtUIOp::create(b, wide, value);
}

Value mlir::mosaic_gpu::createSplat(ImplicitLocOpBuilder &b, Type type,
                                    double value) {
  auto vector = cast<VectorType>(type);
  Type element = vector.getElementType();
  Attribute number =
      isa<FloatType>(element)
          ? Attribute(b.getFloatAttr(element, value))
          : b.getIntegerAttr(element, static_cast<int64_t>(value));
  return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, number));
}

/// Rounds f32 to a float of 8 bits. The hardware takes what is too large for
/// the largest number. Rounded to nearest it is NaN, or infinity:
///   %m = math.absf %x : vector<128xf32>
///   %l = arith.cmpf ogt, %m, %c464 : vector<128xf32>
///   %k = arith.select %l, %nan, %x : vector<128xi1>, vector<128xf32>
///   %y = arith.truncf %k : vector<128xf32> to vector<128xf8E4M3FN>
/// 464 and 61440 lie in the middle between the largest number and the next one,
/// which is even for f8E5M2.
static Value roundToByte(ImplicitLocOpBuilder &b, Value wide, VectorType type) {
  auto choose = [&](arith::CmpFPredicate predicate, Value number, double limit,
                    Value yes, Value no) -> Value {
    Value isBeyond = arith::CmpFOp::create(
        b, predicate, number, createSplat(b, wide.getType(), limit));
    return arith::SelectOp::create(b, isBeyond, yes, no);
  };
  if (isa<Float8E4M3FNType>(type.getElementType())) {
    Value nan = createSplat(b, wide.getType(),
                            std::numeric_limits<double>::quiet_NaN());
    Value kept = choose(arith::CmpFPredicate::OGT,
                        math::AbsFOp::create(b, wide), 464, nan, wide);
    return arith::TruncFOp::create(b, type, kept);
  }
  // No conversion yields infinity, so its bits are chosen.
  constexpr uint8_t kInfinity = 0x7c, kSign = 0x80;
  VectorType bytes = type.clone(b.getI8Type()),
             words = type.clone(b.getI32Type());
  Value rounded = arith::BitcastOp::create(
      b, bytes, arith::TruncFOp::create(b, type, wide));
  Value bits = arith::ExtUIOp::create(b, words, rounded);
  bits = choose(arith::CmpFPredicate::OGE, wide, 61440,
                createSplat(b, words, kInfinity), bits);
  bits = choose(arith::CmpFPredicate::OLE, wide, -61440,
                createSplat(b, words, kInfinity | kSign), bits);
  return arith::BitcastOp::create(b, type,
                                  arith::TruncIOp::create(b, bytes, bits));
}

static Value makeNarrow(ImplicitLocOpBuilder &b, Value wide, Type type) {
  if (isNarrowFloat(type))
    return roundToByte(b, wide, cast<VectorType>(type));
  return arith::TruncIOp::create(b, type, wide);
}

/// A choice keeps the bits of floats:
///   %y = arith.select %c, %a, %b : vector<128xi1>, vector<128xf8E5M2>
/// becomes
///   %p = arith.bitcast %a : vector<128xf8E5M2> to vector<128xi8>
///   %q = arith.bitcast %b : vector<128xf8E5M2> to vector<128xi8>
///   %r = arith.select %c, %p, %q : vector<128xi1>, vector<128xi8>
///   %y = arith.bitcast %r : vector<128xi8> to vector<128xf8E5M2>
static LogicalResult selectBits(arith::SelectOp op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !isByteFloat(type))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  VectorType bytes = type.clone(b.getI8Type());
  Value yes = arith::BitcastOp::create(b, bytes, op.getTrueValue());
  Value no = arith::BitcastOp::create(b, bytes, op.getFalseValue());
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(
      op, type, arith::SelectOp::create(b, op.getCondition(), yes, no));
  return success();
}

namespace {
/// Computes in 32 bits, before anything else expands the operation.
struct WidenMath : RewritePattern {
  WidenMath(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        !isNarrowMath(op) || !isa<VectorType>(op->getResult(0).getType()))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    IRMapping wide;
    for (Value operand : op->getOperands())
      if (isNarrow(operand.getType()) && !wide.contains(operand))
        wide.map(operand, extend(b, operand, readsSigns(op)));
    Operation *computed = rewriter.clone(*op, wide);
    Value result = computed->getResult(0);
    Type type = result.getType();
    if (isNarrow(type)) {
      rewriter.modifyOpInPlace(computed,
                               [&] { result.setType(widenType(type)); });
      result = makeNarrow(b, result, type);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Reductions along dimensions start from a vector, and yield one; those of a
/// whole vector yield an integer:
///   %m = vector.multi_reduction <maxsi>, %v, %a [1]
///     : vector<8x64xi8> to vector<8xi8>
template <typename Op> struct WidenReduction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    bool isWhole = !isa<VectorType>(type);
    if (!isNarrow(type) || (isWhole && op->getNumOperands() > 1) ||
        (isNarrowFloat(type) && (isWhole || !isByteFloat(type))))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    using Kind = vector::CombiningKind;
    bool isSigned = op.getKind() == Kind::MAXSI || op.getKind() == Kind::MINSI;
    IRMapping wide;
    for (Value operand : op->getOperands())
      wide.map(operand, extend(b, operand, isSigned));
    Value reduced = rewriter.clone(*op, wide)->getResult(0);
    reduced.setType(widenType(type));
    rewriter.replaceOp(op, makeNarrow(b, reduced, type));
    return success();
  }
};

} // namespace

void mlir::mosaic_gpu::populateNarrowMathPatterns(RewritePatternSet &patterns) {
  patterns.add(castBytes);
  patterns.add(expandExtension<arith::ExtSIOp>);
  patterns.add(expandExtension<arith::ExtUIOp>);
  patterns.add(expandExtension<arith::SIToFPOp>);
  patterns.add(expandExtension<arith::UIToFPOp>);
  patterns.add(convertByF32<arith::SIToFPOp>);
  patterns.add(convertByF32<arith::UIToFPOp>);
  patterns.add(convertByF32<arith::FPToSIOp>);
  patterns.add(convertByF32<arith::FPToUIOp>);
  patterns.add(convertHalves<arith::ExtFOp>);
  patterns.add(convertHalves<arith::TruncFOp>);
  patterns.add(narrowNumbers<arith::FPToSIOp>);
  patterns.add(narrowNumbers<arith::FPToUIOp>);
  patterns.add(narrowConstant<LayoutCastOp>);
  patterns.add(narrowConstant<VectorStoreOp>);
  patterns.add(selectBits, /*benefit=*/2);
  patterns.add<WidenMath, WidenReduction<vector::ReductionOp>,
               WidenReduction<vector::MultiDimReductionOp>>(
      patterns.getContext());
}
