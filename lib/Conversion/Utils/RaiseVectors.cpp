//===- RaiseVectors.cpp - Operations that move elements of vectors --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file raises operations that move elements of vectors.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Conversion/Utils/Raising.h"

using namespace mlir;
using namespace mlir::pallas;

/// Returns the value itself if the type is right already.
Value mlir::pallas::reshape(OpBuilder &builder, Location loc, Value value,
                            Type type) {
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(builder, loc, type, value);
}

namespace {

/// Raises `vector.broadcast`:
///
///   %1 = pallas.broadcast %0 dims [1] : tensor<128xf32> -> tensor<8x128xf32>
struct RaiseBroadcast : RaisePattern<vector::BroadcastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::BroadcastOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto type = toTensor(op.getType());
    auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
    int64_t rank = source ? source.getRank() : 0;
    // Dimensions match from the right.
    auto dims = llvm::to_vector(
        llvm::seq<int64_t>(type.getRank() - rank, type.getRank()));
    return Value(BroadcastOp::create(builder, op.getLoc(), type,
                                     adaptor.getSource(), dims));
  }
};

/// Raises `vector.shape_cast` to `pallas.reshape`.
///
///   %y = vector.shape_cast %x : vector<8x128xf32> to vector<1024xf32>
/// -->
///   %y = pallas.reshape %x : tensor<8x128xf32> -> tensor<1024xf32>
struct RaiseShapeCast : RaisePattern<vector::ShapeCastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::ShapeCastOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return reshape(builder, op.getLoc(), adaptor.getSource(),
                   toTensor(op.getType()));
  }
};

/// Raises `vector.extract` to `tensor.extract` or `tensor.extract_slice`, which
/// take dynamic positions as well:
///
///   %1 = vector.extract %0[%i] : vector<128xf32> from vector<8x128xf32>
///
/// becomes
///
///   %1 = tensor.extract_slice %0[%i, 0] [1, 128] [1, 1]
///       : tensor<8x128xf32> to tensor<128xf32>
struct RaiseExtract : RaisePattern<vector::ExtractOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::ExtractOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    auto source = toTensor(op.getSourceVectorType());
    SmallVector<OpFoldResult> offsets = getMixedValues(
        op.getStaticPosition(), adaptor.getDynamicPosition(), builder);
    auto result = dyn_cast<VectorType>(op.getType());
    if (!result) {
      if (source.getNumElements() == 1)
        return reshape(builder, loc, adaptor.getSource(), op.getType());
      SmallVector<Value> at;
      for (OpFoldResult offset : offsets) {
        auto constant = dyn_cast<Attribute>(offset);
        at.push_back(
            constant ? arith::ConstantIndexOp::create(
                           builder, loc, cast<IntegerAttr>(constant).getInt())
                           .getResult()
                     : cast<Value>(offset));
      }
      return Value(
          tensor::ExtractOp::create(builder, loc, adaptor.getSource(), at));
    }
    SmallVector<OpFoldResult> sizes(offsets.size(), builder.getIndexAttr(1));
    for (int64_t size : source.getShape().drop_front(offsets.size())) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(builder.getIndexAttr(size));
    }
    SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
    return Value(tensor::ExtractSliceOp::create(builder, loc, toTensor(result),
                                                adaptor.getSource(), offsets,
                                                sizes, strides));
  }
};

/// Raises `vector.extract_strided_slice`. The operation may leave out trailing
/// dimensions, which are taken as a whole.
///
///   %y = vector.extract_strided_slice %x
///       {offsets = [2], sizes = [4], strides = [1]}
///       : vector<8x128xf32> to vector<4x128xf32>
/// -->
///   %y = tensor.extract_slice %x[2, 0] [4, 128] [1, 1]
///       : tensor<8x128xf32> to tensor<4x128xf32>
struct RaiseExtractStridedSlice : RaisePattern<vector::ExtractStridedSliceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::ExtractStridedSliceOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto source = op.getSourceVectorType();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    auto append = [](SmallVectorImpl<OpFoldResult> &list, ArrayAttr attrs,
                     OpBuilder &builder) {
      for (auto attr : attrs.getAsRange<IntegerAttr>())
        list.push_back(builder.getIndexAttr(attr.getInt()));
    };
    append(offsets, op.getOffsets(), builder);
    append(sizes, op.getSizes(), builder);
    append(strides, op.getStrides(), builder);
    for (int64_t size : source.getShape().drop_front(offsets.size())) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(builder.getIndexAttr(size));
      strides.push_back(builder.getIndexAttr(1));
    }
    return Value(tensor::ExtractSliceOp::create(
        builder, op.getLoc(), toTensor(op.getType()), adaptor.getSource(),
        offsets, sizes, strides));
  }
};

/// Raises `vector.transpose` to `pallas.transpose`.
///
///   %y = vector.transpose %x, [1, 0]
///       : vector<8x128xf32> to vector<128x8xf32>
/// -->
///   %y = pallas.transpose %x, [1, 0] : tensor<8x128xf32>
struct RaiseTranspose : RaisePattern<vector::TransposeOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::TransposeOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(TransposeOp::create(builder, op.getLoc(), adaptor.getVector(),
                                     op.getPermutation()));
  }
};

} // namespace

void mlir::pallas::populateVectorRaisingPatterns(const TypeConverter &types,
                                                 RewritePatternSet &patterns) {
  patterns.add<RaiseBroadcast, RaiseShapeCast, RaiseExtract,
               RaiseExtractStridedSlice, RaiseTranspose>(types,
                                                         patterns.getContext());
}
