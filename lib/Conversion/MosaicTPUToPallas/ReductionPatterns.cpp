//===- ReductionPatterns.cpp - Products and reductions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// Dimensions of a product, each side's in the order of the result.
struct ProductDims {
  SmallVector<int64_t> lhsContracting, rhsContracting, lhsBatch, rhsBatch;
};

} // namespace

/// An accumulator of zeros is left out.
static Value createProduct(OpBuilder &builder, Location loc, Value lhs,
                           Value rhs, Value acc, const ProductDims &dims,
                           Precision precision) {
  auto type = cast<RankedTensorType>(acc.getType());
  bool isZero = isSplatOf(
      acc, cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  return DotGeneralOp::create(builder, loc, type, lhs, rhs,
                              isZero ? Value() : acc, dims.lhsContracting,
                              dims.rhsContracting, dims.lhsBatch, dims.rhsBatch,
                              precision, /*unsignedLhs=*/false,
                              /*unsignedRhs=*/false);
}

namespace {

struct RaiseMatmul : RaisePattern<tpu::MatmulOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MatmulOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    ProductDims dims;
    if (auto numbers = op.getDimensionNumbersAttr()) {
      dims = {llvm::to_vector(numbers.getLhsContractingDims()),
              llvm::to_vector(numbers.getRhsContractingDims()),
              llvm::to_vector(numbers.getLhsBatchDims()),
              llvm::to_vector(numbers.getRhsBatchDims())};
    } else {
      dims.lhsContracting = {1};
      dims.rhsContracting = {op.getTransposeRhs() ? 1 : 0};
    }
    Precision precision = Precision::Default;
    if (std::optional<tpu::ContractPrecision> said = op.getPrecision()) {
      if (*said == tpu::ContractPrecision::FP32)
        precision = Precision::Highest;
      else if (*said == tpu::ContractPrecision::BF16x3)
        precision = Precision::High;
    }
    return createProduct(builder, op.getLoc(), adaptor.getLhs(),
                         adaptor.getRhs(), adaptor.getAcc(), dims, precision);
  }
};

/// Takes products whose result has the batch dimensions, then those of the left
/// and of the right side.
struct RaiseContract : RaisePattern<vector::ContractionOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::ContractionOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    ProductDims dims;
    SmallVector<unsigned> batch, lhsFree, rhsFree;
    auto find = [](AffineMap map, unsigned dim) -> std::optional<int64_t> {
      auto position =
          map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
      return position ? std::optional<int64_t>(*position) : std::nullopt;
    };
    for (unsigned dim = 0; dim < maps[0].getNumDims(); ++dim) {
      auto lhs = find(maps[0], dim), rhs = find(maps[1], dim);
      bool isReduced = !find(maps[2], dim);
      if (lhs && rhs) {
        (isReduced ? dims.lhsContracting : dims.lhsBatch).push_back(*lhs);
        (isReduced ? dims.rhsContracting : dims.rhsBatch).push_back(*rhs);
        if (!isReduced)
          batch.push_back(dim);
      } else if (lhs || rhs) {
        (lhs ? lhsFree : rhsFree).push_back(dim);
      }
    }
    SmallVector<unsigned> order = batch;
    llvm::append_range(order, lhsFree);
    llvm::append_range(order, rhsFree);
    auto expected = AffineMap::getMultiDimMapWithTargets(maps[2].getNumDims(),
                                                         order, getContext());
    auto result = dyn_cast<VectorType>(op.getResultType());
    if (!result || expected != maps[2] ||
        op.getKind() != vector::CombiningKind::ADD)
      return op.emitOpError("must add products and yield the batch dimensions, "
                            "then those of lhs, then those of rhs; transpose "
                            "its result");
    return createProduct(builder, op.getLoc(), adaptor.getLhs(),
                         adaptor.getRhs(), adaptor.getAcc(), dims,
                         Precision::Default);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static CombiningKind convertKind(vector::CombiningKind kind) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return CombiningKind::Add;
  case vector::CombiningKind::MUL:
    return CombiningKind::Mul;
  case vector::CombiningKind::MAXSI:
  case vector::CombiningKind::MAXIMUMF:
  case vector::CombiningKind::MAXNUMF:
    return CombiningKind::Max;
  case vector::CombiningKind::MINSI:
  case vector::CombiningKind::MINIMUMF:
  case vector::CombiningKind::MINNUMF:
    return CombiningKind::Min;
  case vector::CombiningKind::MAXUI:
    return CombiningKind::UMax;
  case vector::CombiningKind::MINUI:
    return CombiningKind::UMin;
  case vector::CombiningKind::AND:
    return CombiningKind::And;
  case vector::CombiningKind::OR:
    return CombiningKind::Or;
  case vector::CombiningKind::XOR:
    break;
  }
  return CombiningKind::Xor;
}

CombiningKind mlir::pallas::convertKind(tpu::ReductionKind kind) {
  switch (kind) {
  case tpu::ReductionKind::MaxF:
  case tpu::ReductionKind::MaxSI:
    return CombiningKind::Max;
  case tpu::ReductionKind::MinF:
  case tpu::ReductionKind::MinSI:
    return CombiningKind::Min;
  case tpu::ReductionKind::MaxUI:
    return CombiningKind::UMax;
  case tpu::ReductionKind::MinUI:
    return CombiningKind::UMin;
  default:
    return CombiningKind::Add;
  }
}

/// The number that changes nothing when it is combined, where that is a matter
/// of course.
static TypedAttr getNeutral(OpBuilder &builder, vector::CombiningKind kind,
                            Type element) {
  auto floating = dyn_cast<FloatType>(element);
  auto getInfinity = [&](bool isNegative) -> TypedAttr {
    return builder.getFloatAttr(
        floating, APFloat::getInf(floating.getFloatSemantics(), isNegative));
  };
  if (kind == vector::CombiningKind::ADD)
    return cast<TypedAttr>(builder.getZeroAttr(element));
  if (floating && kind == vector::CombiningKind::MAXIMUMF)
    return getInfinity(/*isNegative=*/true);
  if (floating && kind == vector::CombiningKind::MINIMUMF)
    return getInfinity(/*isNegative=*/false);
  return {};
}

namespace {

struct RaiseMultiReduction : RaisePattern<vector::MultiDimReductionOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::MultiDimReductionOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value result = ReduceOp::create(builder, loc, convertKind(op.getKind()),
                                    adaptor.getSource(), op.getReductionDims());
    Value acc = adaptor.getAcc();
    Type element = getElementTypeOrSelf(acc.getType());
    TypedAttr neutral = getNeutral(builder, op.getKind(), element);
    if (neutral && isSplatOf(acc, neutral))
      return result;
    return vector::makeArithReduction(builder, loc, op.getKind(), result, acc);
  }
};

/// The reduced dimensions stay, with size 1.
struct RaiseReduce : RaisePattern<tpu::ReduceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReduceOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value result =
        ReduceOp::create(builder, op.getLoc(), convertKind(op.getKind()),
                         adaptor.getInput(), op.getDimensions());
    return Value(ReshapeOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                   result));
  }
};

struct RaiseReduceIndex : RaisePattern<tpu::ReduceIndexOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReduceIndexOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    bool isMax = op.getKind() == tpu::ReductionKind::ArgMax;
    auto type = cast<VectorType>(op.getOutput().getType());
    return Value(ArgReduceOp::create(
        builder, op.getLoc(),
        CombiningKindAttr::get(getContext(),
                               isMax ? CombiningKind::Max : CombiningKind::Min),
        adaptor.getInput(), builder.getI64IntegerAttr(op.getAxis()),
        TypeAttr::get(type.getElementType())));
  }
};

} // namespace

void mlir::pallas::populateReductionPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<RaiseMatmul, RaiseContract, RaiseMultiReduction, RaiseReduce,
               RaiseReduceIndex>(types, patterns.getContext());
}
