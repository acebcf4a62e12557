//===- RaiseReductions.cpp - Matmuls and reductions of vectors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file raises contractions and reductions of vectors.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/Utils/Raising.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// An accumulator of zeros is left out.
///
///   %c = pallas.dot_general %a, %b contract [1] x [0]
///       : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
Value mlir::pallas::createProduct(OpBuilder &builder, Location loc, Value lhs,
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

/// Raises `vector.contract` whose result has the batch dimensions, then those
/// of the left and of the right side. `pallas.dot_general` has no other order.
///
/// Each dimension of the maps is in two of the three operands or in all of
/// them, which tells its kind:
///
///   (m, k), (k, n) -> (m, n)   k contracted, m and n free
///   (b, m, k), (b, k, n) -> (b, m, n)   b a batch dimension
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

/// `pallas.reduce`, combined with the accumulator, if there is one that is not
/// neutral.
template <typename OpTy>
static Value createReduction(OpBuilder &builder, OpTy op, Value source,
                             ArrayRef<int64_t> dims, Value acc) {
  Value result = ReduceOp::create(builder, op.getLoc(),
                                  getCombiningKind(op.getKind()), source, dims);
  if (!acc || isSplatOf(acc, getNeutralElement(op.getKind(),
                                               getElementTypeOrSelf(acc))))
    return result;
  return vector::makeArithReduction(builder, op.getLoc(), op.getKind(), result,
                                    acc);
}

/// Raises `vector.multi_reduction`. An accumulator that is not neutral is
/// combined with the result:
///
///   %sum = pallas.reduce <add> %source dims [1] : tensor<8x128xf32>
///   %r = arith.addf %sum, %acc : tensor<8xf32>
struct RaiseMultiReduction : RaisePattern<vector::MultiDimReductionOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::MultiDimReductionOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return createReduction(builder, op, adaptor.getSource(),
                           op.getReductionDims(), adaptor.getAcc());
  }
};

/// Raises `vector.reduction`:
///
///   %sum = pallas.reduce <add> %source dims [0] : tensor<128xf32>
struct RaiseReduction : RaisePattern<vector::ReductionOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::ReductionOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return createReduction(builder, op, adaptor.getVector(), int64_t(0),
                           adaptor.getAcc());
  }
};

} // namespace

void mlir::pallas::populateReductionRaisingPatterns(
    const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<RaiseContract, RaiseMultiReduction, RaiseReduction>(
      types, patterns.getContext());
}
