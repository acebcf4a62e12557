//===- ShapePatterns.cpp - Operations that move elements ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move elements. Most have a counterpart of the same name.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

///   %0 = pallas.reshape %x : tensor<16x128xf32> -> tensor<2x8x128xf32>
struct RaiseShapeCast : RaisePattern<tpu::ReshapeOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReshapeOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return reshape(builder, op.getLoc(), adaptor.getSource(),
                   toTensor(op.getType()));
  }
};

///   %0 = pallas.transpose %x, [1, 0] : tensor<8x128xf32>
struct RaiseTranspose : RaisePattern<tpu::TransposeOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::TransposeOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(TransposeOp::create(builder, op.getLoc(), adaptor.getVector(),
                                     op.getPermutation()));
  }
};

///   %0 = tensor.concat dim(0) %a, %b
struct RaiseConcatenate : RaisePattern<tpu::ConcatenateOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ConcatenateOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        tensor::ConcatOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                 op.getDimension(), adaptor.getSources()));
  }
};

/// Copies side by side are a concatenation.
///
///   %y = tpu.repeat %x, 1 x 2 : vector<16x128xf32> -> vector<16x256xf32>
/// -->
///   %y = tensor.concat dim(1) %x, %x
///       : (tensor<16x128xf32>, tensor<16x128xf32>) -> tensor<16x256xf32>
struct RaiseRepeat : RaisePattern<tpu::RepeatOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::RepeatOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    SmallVector<Value> copies(op.getTimes(), adaptor.getSource());
    return Value(tensor::ConcatOp::create(builder, op.getLoc(),
                                          toTensor(op.getType()),
                                          op.getDimension(), copies));
  }
};

/// Several dimensions count as one, the last of the list fastest.
///
///   %0 = tpu.iota {dimensions = array<i32: 0, 1>} : vector<8x128xi32>
///
/// is, in elements, row * 128 + column.
struct RaiseIota : RaisePattern<tpu::IotaOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::IotaOp op, Adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    auto type = toTensor(op.getType());
    Value result;
    int64_t stride = 1;
    for (int32_t dim : llvm::reverse(op.getDimensions())) {
      Value index = IotaOp::create(builder, loc, type, dim);
      if (stride != 1) {
        Value scale = arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(type, Attribute(builder.getIntegerAttr(
                                             type.getElementType(), stride))));
        index = arith::MulIOp::create(builder, loc, index, scale);
      }
      result =
          result ? arith::AddIOp::create(builder, loc, result, index) : index;
      stride *= type.getDimSize(dim);
    }
    if (!result)
      return op.emitOpError("counts along no dimension; name at least one");
    return result;
  }
};

///   %0 = pallas.roll %x by %n dim 1
struct RaiseRotate : RaisePattern<tpu::DynamicRotateOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::DynamicRotateOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto toI64 = [&](std::optional<int32_t> value) {
      return value ? builder.getI64IntegerAttr(*value) : IntegerAttr();
    };
    return Value(RollOp::create(
        builder, op.getLoc(), toTensor(op.getType()), adaptor.getValue(),
        adaptor.getAmount(), builder.getI64IntegerAttr(op.getDimension()),
        toI64(op.getStride()), toI64(op.getStrideDimension())));
  }
};

/// Several neighbouring dimensions are indexed as one, so a reshape joins them
/// before take_along:
///
///   %0 = pallas.reshape %x : tensor<8x128xf32> -> tensor<1024xf32>
///   %1 = pallas.reshape %i : tensor<8x128xi32> -> tensor<1024xi32>
///   %2 = pallas.take_along %0 at %1 dim 0
///   %3 = pallas.reshape %2 : tensor<1024xf32> -> tensor<8x128xf32>
struct RaiseGather : RaisePattern<tpu::DynamicGatherOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::DynamicGatherOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    ArrayRef<int32_t> dims = op.getDimensions();
    // Dimensions apart from each other can't be joined by a reshape.
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim != dims.front() + int32_t(i))
        return op.emitOpError()
               << "gathers along the dimensions [" << dims
               << "], but they must be neighbours in ascending order to be "
                  "indexed as one; transpose the source";
    if (dims.empty())
      return op.emitOpError("gathers along no dimension; name at least one");
    auto source = toTensor(op.getSource().getType());
    auto indices = toTensor(op.getIndices().getType());
    auto merge = [&](RankedTensorType type) {
      SmallVector<int64_t> shape(type.getShape());
      auto *first = shape.begin() + dims.front();
      *first =
          ShapedType::getNumElements(ArrayRef<int64_t>(first, dims.size()));
      shape.erase(first + 1, first + dims.size());
      return cast<RankedTensorType>(type.clone(shape));
    };
    auto merged = merge(indices);
    Value result = TakeAlongOp::create(
        builder, loc,
        RankedTensorType::get(merged.getShape(), source.getElementType()),
        reshape(builder, loc, adaptor.getSource(), merge(source)),
        reshape(builder, loc, adaptor.getIndices(), merged), dims.front(),
        GatherMode::PromiseInBounds);
    return reshape(builder, loc, result, toTensor(op.getType()));
  }
};

} // namespace

void mlir::pallas::populateShapePatterns(const TypeConverter &types,
                                         RewritePatternSet &patterns) {
  patterns.add<RaiseShapeCast, RaiseTranspose, RaiseConcatenate, RaiseRepeat,
               RaiseIota, RaiseRotate, RaiseGather>(types,
                                                    patterns.getContext());
}
