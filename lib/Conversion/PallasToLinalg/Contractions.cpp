//===- Contractions.cpp - dot_general to linalg ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.dot_general` to the most specific linalg operation
// that expresses it: matmul, batch_matmul, contract, or generic. The named
// forms are what later passes know how to tile; the generic one is the
// fallback.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

namespace {
/// Loops of a contraction: batch, free dimensions of lhs, those of rhs,
/// contracted ones.
struct ContractionMaps {
  AffineMap lhs, rhs, result;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

/// Assigns loops `next`, `next + 1`, … to the dimensions without one.
static void assignFreeDims(SmallVectorImpl<unsigned> &loops, unsigned &next) {
  for (unsigned &loop : loops)
    if (loop == ~0u)
      loop = next++;
}

/// Assigns a loop to each dimension. For example, for a batch of two matrices
/// with a transposed right side:
///
///   lhs:    (d0, d1, d2, d3) -> (d0, d1, d3)
///   rhs:    (d0, d1, d2, d3) -> (d0, d2, d3)
///   result: (d0, d1, d2, d3) -> (d0, d1, d2)
static ContractionMaps getMaps(DotGeneralOp op) {
  SmallVector<unsigned> lhs(op.getLhs().getType().getRank(), ~0u);
  SmallVector<unsigned> rhs(op.getRhs().getType().getRank(), ~0u);
  unsigned numBatch = op.getLhsBatch().size(),
           numContracting = op.getLhsContracting().size();
  unsigned numLoops = lhs.size() + rhs.size() - numBatch - numContracting;
  unsigned numParallel = numLoops - numContracting;
  for (unsigned i = 0; i < numBatch; ++i)
    lhs[op.getLhsBatch()[i]] = rhs[op.getRhsBatch()[i]] = i;
  for (unsigned i = 0; i < numContracting; ++i)
    lhs[op.getLhsContracting()[i]] = rhs[op.getRhsContracting()[i]] =
        numParallel + i;
  unsigned next = numBatch;
  assignFreeDims(lhs, next);
  assignFreeDims(rhs, next);

  MLIRContext *context = op.getContext();
  auto makeMap = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(getAffineDimExpr(loop, context));
    return AffineMap::get(numLoops, 0, exprs, context);
  };
  ContractionMaps maps{makeMap(lhs), makeMap(rhs),
                       makeMap(llvm::to_vector(llvm::seq(0u, numParallel))),
                       SmallVector<utils::IteratorType>(
                           numParallel, utils::IteratorType::parallel)};
  maps.iterators.append(numContracting, utils::IteratorType::reduction);
  return maps;
}

/// The type that products are summed in: that of an integer result, else the
/// widest float, and f32 for narrower ones. In a narrower type each addition
/// would round again, and errors would grow with the length of the sum.
static Type getAccumulationType(DotGeneralOp op) {
  Type result = getElementTypeOrSelf(op.getResult().getType());
  if (!isa<FloatType>(result))
    return result;
  for (Type type : {op.getLhs().getType().getElementType(),
                    op.getRhs().getType().getElementType()})
    if (isa<FloatType>(type) &&
        type.getIntOrFloatBitWidth() > result.getIntOrFloatBitWidth())
      result = type;
  return getSumType(result);
}

/// The sum starts from the accumulator or from zero.
static Value createInit(OpBuilder &builder, DotGeneralOp op, Type sumType) {
  Location loc = op.getLoc();
  if (Value acc = op.getAcc())
    return convertFloat(builder, loc, asTensor(builder, loc, acc), sumType);
  return createFilled(builder, loc, getValueShape(op.getResult().getType()),
                      createZero(builder, loc, sumType));
}

/// Whether the dimensions are those of a matmul, behind `numBatch` batch
/// dimensions.
static bool isPlainProduct(DotGeneralOp op, int64_t numBatch) {
  SmallVector<int64_t> batch = llvm::to_vector(llvm::seq<int64_t>(0, numBatch));
  return op.getLhs().getType().getRank() == numBatch + 2 &&
         op.getRhs().getType().getRank() == numBatch + 2 &&
         op.getLhsBatch() == ArrayRef(batch) &&
         op.getRhsBatch() == ArrayRef(batch) &&
         op.getLhsContracting() == ArrayRef<int64_t>{numBatch + 1} &&
         op.getRhsContracting() == ArrayRef<int64_t>{numBatch};
}

/// How an operand is converted to the type of the sum; nothing where its sign
/// does not matter.
static std::optional<linalg::TypeFn> getCast(Type type, bool isUnsigned,
                                             Type sumType) {
  bool isWidened =
      isa<FloatType>(sumType) ||
      type.getIntOrFloatBitWidth() < sumType.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) || !isWidened)
    return std::nullopt;
  return isUnsigned || type.isInteger(1) ? linalg::TypeFn::cast_unsigned
                                         : linalg::TypeFn::cast_signed;
}

namespace {
/// How both operands are converted to the type of the sum.
struct OperandCasts {
  OperandCasts(DotGeneralOp op, Type sumType)
      : lhs(getCast(op.getLhs().getType().getElementType(), op.getUnsignedLhs(),
                    sumType)),
        rhs(getCast(op.getRhs().getType().getElementType(), op.getUnsignedRhs(),
                    sumType)) {}

  /// Whether one attribute of a named operation expresses both.
  bool areUniform() const { return !lhs || !rhs || *lhs == *rhs; }
  linalg::TypeFn getUniform() const {
    return lhs.value_or(rhs.value_or(linalg::TypeFn::cast_signed));
  }

  std::optional<linalg::TypeFn> lhs, rhs;
};
} // namespace

/// Creates the form that `linalg.contract` does not express: outer products,
/// and a signed with an unsigned operand. For example, i8 times ui8:
///
///   %l = arith.extsi %lhs : i8 to i32
///   %r = arith.extui %rhs : i8 to i32
///   %product = arith.muli %l, %r : i32
///   %sum = arith.addi %acc, %product : i32
static Value createGeneric(OpBuilder &builder, DotGeneralOp op, Value init,
                           const ContractionMaps &maps,
                           const OperandCasts &casts) {
  Location loc = op.getLoc();
  Type sumType = getTensorType(init).getElementType();
  auto extend = [&](OpBuilder &nested, Value value,
                    std::optional<linalg::TypeFn> cast) {
    return convertScalarToDtype(nested, loc, value, sumType,
                                cast == linalg::TypeFn::cast_unsigned);
  };
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{op.getLhs(), op.getRhs()}, init,
      {maps.lhs, maps.rhs, maps.result}, maps.iterators,
      [&](OpBuilder &nested, Location, ValueRange args) {
        Value product = createCombined(nested, loc, CombiningKind::Mul,
                                       extend(nested, args[0], casts.lhs),
                                       extend(nested, args[1], casts.rhs));
        linalg::YieldOp::create(
            nested, loc,
            createCombined(nested, loc, CombiningKind::Add, args[2], product));
      });
  return generic.getResult(0);
}

namespace {
/// Converts `pallas.dot_general`. For example:
///
///   %c = pallas.dot_general %a, %b contract [1] x [0]
///       : tensor<8x16xbf16>, tensor<16x4xbf16> -> tensor<8x4xbf16>
///
/// becomes
///
///   %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>)
///   %sum = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x4xbf16>)
///       outs(%zeros : tensor<8x4xf32>) -> tensor<8x4xf32>
///   %c = arith.truncf %sum : tensor<8x4xf32> to tensor<8x4xbf16>
struct ConvertDotGeneral : public OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type sumType = getAccumulationType(op);
    Value init = createInit(rewriter, op, sumType);
    SmallVector<Value, 2> inputs = {op.getLhs(), op.getRhs()};
    SmallVector<NamedAttribute> attributes;
    OperandCasts casts(op, sumType);
    if (casts.getUniform() == linalg::TypeFn::cast_unsigned)
      attributes.push_back(rewriter.getNamedAttr(
          "cast", linalg::TypeFnAttr::get(op.getContext(),
                                          linalg::TypeFn::cast_unsigned)));
    ContractionMaps maps = getMaps(op);
    Value sum;
    if (op.getLhsContracting().empty() || !casts.areUniform())
      sum = createGeneric(rewriter, op, init, maps, casts);
    else if (isPlainProduct(op, 0))
      sum = linalg::MatmulOp::create(rewriter, loc, init.getType(), inputs,
                                     init, attributes)
                .getResult(0);
    else if (isPlainProduct(op, 1))
      sum = linalg::BatchMatmulOp::create(rewriter, loc, init.getType(), inputs,
                                          init, attributes)
                .getResult(0);
    else
      sum =
          linalg::ContractOp::create(
              rewriter, loc, init.getType(), inputs, init,
              rewriter.getAffineMapArrayAttr({maps.lhs, maps.rhs, maps.result}),
              attributes)
              .getResult(0);
    Type resultType = op.getResult().getType();
    Value rounded =
        convertFloat(rewriter, loc, sum, getElementTypeOrSelf(resultType));
    rewriter.replaceOp(op, asValue(rewriter, loc, rounded, resultType));
    return success();
  }
};
} // namespace

void linalgconv::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertDotGeneral>(patterns.getContext());
}
