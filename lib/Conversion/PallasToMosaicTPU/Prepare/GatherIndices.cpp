//===- GatherIndices.cpp - Arrays of indices ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Indices that were extended to 64 bits, in 32 bits; null for others. The
/// largest unsigned ones would be negative, but lie behind every array:
///
///   %j = arith.extui %i : tensor<8xi32> to tensor<8xi64>
/// -->
///   %j = arith.minui %i, 2147483647
static Value narrowExtended(OpBuilder &builder, Location loc, Value indices,
                            RankedTensorType i32) {
  Operation *op = indices.getDefiningOp();
  if (!isa_and_present<arith::ExtUIOp, arith::ExtSIOp>(op))
    return {};
  Value narrow = op->getOperand(0);
  unsigned width =
      getElementTypeOrSelf(narrow.getType()).getIntOrFloatBitWidth();
  if (width > 32)
    return {};
  bool isUnsigned = isa<arith::ExtUIOp>(op);
  if (width < 32)
    return isUnsigned
               ? arith::ExtUIOp::create(builder, loc, i32, narrow).getResult()
               : arith::ExtSIOp::create(builder, loc, i32, narrow).getResult();
  if (!isUnsigned)
    return narrow;
  Value largest = arith::ConstantOp::create(
      builder, loc,
      SplatElementsAttr::get(i32, builder.getI32IntegerAttr(INT32_MAX)));
  return arith::MinUIOp::create(builder, loc, narrow, largest);
}

/// Indices in 32 bits, the only width that registers compare. Wider ones are
/// truncated: an array in VMEM has fewer than 2^31 elements.
static Value toI32(OpBuilder &builder, Location loc, Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  unsigned width = type.getElementTypeBitWidth();
  if (width == 32)
    return indices;
  auto i32 = type.clone(builder.getI32Type());
  if (width < 32)
    return arith::ExtSIOp::create(builder, loc, i32, indices);
  if (Value narrow = narrowExtended(builder, loc, indices, i32))
    return narrow;
  return arith::TruncIOp::create(builder, loc, i32, indices);
}

Value mlir::pallas::flattenIndices(OpBuilder &builder, Location loc,
                                   Value indices) {
  indices = toI32(builder, loc, indices);
  auto type = cast<RankedTensorType>(indices.getType());
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (flat == type)
    return indices;
  return ReshapeOp::create(builder, loc, flat, indices);
}

Value mlir::pallas::getIndexColumn(OpBuilder &builder, Location loc,
                                   Value indices, int64_t k) {
  indices = toI32(builder, loc, indices);
  auto type = cast<RankedTensorType>(indices.getType());
  // A vector of rank one is the index vector of a single, scalar place.
  if (type.getRank() == 1) {
    Value at = arith::ConstantIndexOp::create(builder, loc, k);
    return tensor::ExtractOp::create(builder, loc, indices, at);
  }
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes;
  offsets.back() = builder.getIndexAttr(k);
  shape.back() = 1;
  for (int64_t size : shape)
    sizes.push_back(builder.getIndexAttr(size));
  Value column = tensor::ExtractSliceOp::create(
      builder, loc, type.clone(shape), indices, offsets, sizes, strides);
  shape.pop_back();
  return ReshapeOp::create(builder, loc, type.clone(shape), column);
}

/// Brings indices into bounds, as the modes `clip` and `promise_in_bounds`
/// allow:
///
///   %0 = arith.maxsi %i, 0
///   %1 = arith.minsi %0, last
Value mlir::pallas::clampIndices(OpBuilder &builder, Location loc,
                                 Value indices, int64_t last) {
  Type type = indices.getType();
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attr = builder.getI32IntegerAttr(value);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      attr = SplatElementsAttr::get(tensor, attr);
    return arith::ConstantOp::create(builder, loc, attr);
  };
  Value atLeast = arith::MaxSIOp::create(builder, loc, indices, constant(0));
  return arith::MinSIOp::create(builder, loc, atLeast, constant(last));
}
