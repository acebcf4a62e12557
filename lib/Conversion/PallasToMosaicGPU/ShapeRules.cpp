//===- ShapeRules.cpp - Shapes of vectors ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

/// A vector of equal elements, or the element when there is one.
static Value splat(KernelEmitter &emit, Value scalar, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return scalar;
  return vector::BroadcastOp::create(emit.b, emit.loc, vector, scalar);
}

static LogicalResult convertBroadcast(pallas::BroadcastOp op,
                                      KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getInput());
  if (failed(value))
    return failure();
  Type type = KernelEmitter::convertType(op.getType());
  if (!isa<VectorType>((*value).getType())) {
    emit.values[op] = splat(emit, *value, type);
    return success();
  }
  if ((*value).getType() == type) {
    emit.values[op] = *value;
    return success();
  }
  ArrayRef<int64_t> from = cast<ShapedType>(op.getInput().getType()).getShape(),
                    to = cast<ShapedType>(op.getType()).getShape();
  SmallVector<int64_t> dims;
  for (auto [size, dim] : llvm::zip_equal(from, op.getDimensions()))
    if (size != 1)
      dims.push_back(*KernelEmitter::convertDim(to, dim));
  emit.values[op] = mosaic_gpu::BroadcastInDimOp::create(
      emit.b, emit.loc, type, *value, emit.b.getDenseI64ArrayAttr(dims));
  return success();
}

static LogicalResult convertSplat(tensor::SplatOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getInput());
  if (failed(value))
    return failure();
  emit.values[op] =
      splat(emit, *value, KernelEmitter::convertType(op.getType()));
  return success();
}

static LogicalResult convertReshape(pallas::ReshapeOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getInput());
  if (failed(value))
    return failure();
  Type type = KernelEmitter::convertType(op.getResult().getType());
  auto to = dyn_cast<VectorType>(type);
  if ((*value).getType() == type)
    emit.values[op.getResult()] = *value;
  else if (!isa<VectorType>((*value).getType()))
    emit.values[op.getResult()] = to ? splat(emit, *value, to) : *value;
  else if (to)
    emit.values[op.getResult()] =
        vector::ShapeCastOp::create(emit.b, emit.loc, to, *value);
  else
    emit.values[op.getResult()] = vector::ExtractOp::create(
        emit.b, emit.loc, *value,
        SmallVector<int64_t>(cast<VectorType>((*value).getType()).getRank(),
                             0));
  return success();
}

static LogicalResult convertIota(IotaOp op, KernelEmitter &emit) {
  Type result = KernelEmitter::convertType(op.getResult().getType());
  std::optional<int64_t> dim = KernelEmitter::convertDim(
      cast<ShapedType>(op.getResult().getType()).getShape(), op.getDimension());
  if (!dim) {
    Value zero = arith::ConstantOp::create(
        emit.b, emit.loc, emit.b.getZeroAttr(getElementTypeOrSelf(result)));
    emit.values[op.getResult()] = splat(emit, zero, result);
    return success();
  }
  auto type = cast<VectorType>(result);
  Type element = type.getElementType();
  auto counted = VectorType::get(type.getShape(), emit.b.getI32Type());
  Value value = mosaic_gpu::BroadcastedIotaOp::create(
      emit.b, emit.loc, element.isInteger(32) ? type : counted,
      emit.b.getI32IntegerAttr(*dim));
  if (isa<FloatType>(element))
    value = arith::SIToFPOp::create(emit.b, emit.loc, type, value);
  else if (element.getIntOrFloatBitWidth() < 32)
    value = arith::TruncIOp::create(emit.b, emit.loc, type, value);
  else if (element.getIntOrFloatBitWidth() > 32)
    value = arith::ExtUIOp::create(emit.b, emit.loc, type, value);
  emit.values[op.getResult()] = value;
  return success();
}

static LogicalResult convertExtract(tensor::ExtractSliceOp op,
                                    KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getSource());
  if (failed(value))
    return failure();
  auto isDynamic = [](int64_t size) { return ShapedType::isDynamic(size); };
  if (llvm::any_of(op.getStaticOffsets(), isDynamic) ||
      llvm::any_of(op.getStaticSizes(), isDynamic) ||
      llvm::any_of(op.getStaticStrides(),
                   [](int64_t stride) { return stride != 1; }))
    return op.emitOpError("takes a slice of registers that is known at run "
                          "time only, or has strides; slice memory instead");
  Type type = KernelEmitter::convertType(op.getType());
  if ((*value).getType() == type) {
    emit.values[op] = *value;
    return success();
  }
  SmallVector<int64_t> offsets, sizes;
  for (auto [whole, offset, size] :
       llvm::zip_equal(op.getSourceType().getShape(), op.getStaticOffsets(),
                       op.getStaticSizes()))
    if (whole != 1) {
      offsets.push_back(offset);
      sizes.push_back(size);
    }
  if (!isa<VectorType>(type)) {
    emit.values[op] =
        vector::ExtractOp::create(emit.b, emit.loc, *value, offsets);
    return success();
  }
  Value part = vector::ExtractStridedSliceOp::create(
      emit.b, emit.loc, *value, offsets, sizes,
      SmallVector<int64_t>(sizes.size(), 1));
  if (part.getType() != type)
    part = vector::ShapeCastOp::create(emit.b, emit.loc, cast<VectorType>(type),
                                       part);
  emit.values[op] = part;
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts by name
//===----------------------------------------------------------------------===//

/// The layout of the accumulators of wgmma, without some of its dimensions.
static Attribute getWGMMALayout(Builder &b, bool hasRows, bool hasColumns) {
  auto list = [&](ArrayRef<int64_t> values) {
    return b.getI64ArrayAttr(values);
  };
  auto tiles = [&](ArrayRef<SmallVector<int64_t>> sizes) {
    SmallVector<Attribute> attrs;
    for (ArrayRef<int64_t> tile : sizes)
      attrs.push_back(list(tile));
    return b.getArrayAttr(attrs);
  };
  auto copies = [&](int times) {
    return mosaic_gpu::ReplicatedAttr::get(b.getContext(), times);
  };
  MLIRContext *context = b.getContext();
  if (hasRows && hasColumns)
    return mosaic_gpu::TiledLayoutAttr::get(
        context, tiles({{64, 8}, {16, 8}, {8, 8}, {2}}), list({-7}),
        list({-3, -2}), -1);
  if (hasRows)
    return mosaic_gpu::TiledLayoutAttr::get(
        context, tiles({{64}, {16}, {8}, {1}}), list({-4}),
        b.getArrayAttr({b.getI64IntegerAttr(-2), copies(4)}), -1);
  return mosaic_gpu::TiledLayoutAttr::get(
      context, tiles({{8}, {2}}), b.getArrayAttr({copies(4)}),
      b.getArrayAttr({copies(8), b.getI64IntegerAttr(-2)}), -1);
}

/// The layout that a name or attribute means, or null.
static Attribute getLayout(Builder &b, Attribute layout) {
  if (isa<mosaic_gpu::TiledLayoutAttr, mosaic_gpu::WGStridedFragLayoutAttr>(
          layout))
    return layout;
  auto name = dyn_cast<StringAttr>(layout);
  if (!name)
    return {};
  StringRef text = name.getValue();
  if (text == "WGMMA")
    return getWGMMALayout(b, true, true);
  if (text == "WGMMA_ROW")
    return getWGMMALayout(b, true, false);
  if (text == "WGMMA_COL")
    return getWGMMALayout(b, false, true);
  // How the layout of a reduced array is spelled.
  if (text.starts_with("ReducedLayout(layout=<Layout.WGMMA:")) {
    if (text.ends_with("axes=(1,))"))
      return getWGMMALayout(b, true, false);
    if (text.ends_with("axes=(0,))"))
      return getWGMMALayout(b, false, true);
  }
  return {};
}

static LogicalResult convertLayoutCast(pallas::LayoutCastOp op,
                                       KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(value))
    return failure();
  if (!isa<VectorType>((*value).getType())) {
    emit.values[op] = *value;
    return success();
  }
  Attribute layout = getLayout(emit.b, op.getLayout());
  if (!layout)
    return op.emitOpError("asks for the layout ")
           << op.getLayout()
           << "; give WGMMA, WGMMA_ROW, WGMMA_COL or an attribute of "
              "mosaic_gpu";
  emit.values[op] = mosaic_gpu::LayoutCastOp::create(
      emit.b, emit.loc, (*value).getType(), *value, layout, BoolAttr());
  return success();
}

void mlir::pallas::addShapeRules(RuleTable &rules) {
  rules.add<IotaOp>(convertIota);
  rules.add<pallas::BroadcastOp>(convertBroadcast);
  rules.add<pallas::LayoutCastOp>(convertLayoutCast);
  rules.add<pallas::ReshapeOp>(convertReshape);
  rules.add<tensor::ExtractSliceOp>(convertExtract);
  rules.add<tensor::SplatOp>(convertSplat);
}
