//===- ShapeRules.cpp - Shapes of vectors ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of Mosaic have no dimensions of size 1, so most reshapes that only
// add or drop them come to nothing, and a tensor of one element is a scalar.
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "TileLayouts.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

Value mlir::pallas::broadcastScalar(KernelEmitter &emit, Value scalar,
                                    Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return scalar;
  return vector::BroadcastOp::create(emit.b, emit.loc, vector, scalar);
}

/// Dimensions are those of the vectors: units of the tensor types are skipped.
///
///   %b = "mosaic_gpu.broadcast_in_dim"(%v) {broadcast_dimensions = [1]}
static LogicalResult convertBroadcast(pallas::BroadcastOp op,
                                      KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getInput());
  if (failed(value))
    return failure();
  Type type = KernelEmitter::convertType(op.getType());
  if (!isa<VectorType>((*value).getType())) {
    emit.values[op] = broadcastScalar(emit, *value, type);
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

/// One scalar is all elements.
template <typename Op>
static LogicalResult convertSplat(Op op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op->getOperand(0));
  if (failed(value))
    return failure();
  emit.values[op] =
      broadcastScalar(emit, *value, KernelEmitter::convertType(op.getType()));
  return success();
}

static bool hasDimLayouts(Operation *op) {
  while (Operation *parent = op->getParentOp()) {
    if (isa<FunctionOpInterface>(parent))
      break;
    op = parent;
  }
  return op
      ->walk([](Operation *nested) {
        auto isVector = [](Value value) {
          return isa<VectorType>(KernelEmitter::convertType(value.getType()));
        };
        auto reduce = dyn_cast<ReduceOp>(nested);
        auto broadcast = dyn_cast<pallas::BroadcastOp>(nested);
        bool isFound = (reduce && isVector(reduce.getResult())) ||
                       (broadcast && isVector(broadcast.getInput())) ||
                       isa<WGMMAOp, WGMMARefOp, AsyncLoadTmemOp,
                           AsyncStoreTmemOp, pallas::LayoutCastOp>(nested);
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mlir::pallas::relatesDims(KernelEmitter &emit, Operation *op) {
  if (!emit.hasDimLayouts)
    emit.hasDimLayouts = hasDimLayouts(op);
  return *emit.hasDimLayouts;
}

/// The elements, in their order, in another shape.
static Value reshapeVector(KernelEmitter &emit, Operation *op, Value value,
                           VectorType type) {
  if (!relatesDims(emit, op) && type.getNumElements() % 128 == 0)
    return vector::ShapeCastOp::create(emit.b, emit.loc, type, value);
  Value tiles = reshapeTiles(emit, value, type);
  return tiles ? tiles : reshapeInMemory(emit, value, type);
}

/// The same of any values: vectors have no dimensions of size 1.
template <typename Op>
static LogicalResult convertReshape(Op op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op->getOperand(0));
  if (failed(value))
    return failure();
  Value result = op->getResult(0);
  Type type = KernelEmitter::convertType(result.getType());
  auto to = dyn_cast<VectorType>(type);
  if ((*value).getType() == type)
    emit.values[result] = *value;
  else if (!isa<VectorType>((*value).getType()))
    emit.values[result] = to ? broadcastScalar(emit, *value, to) : *value;
  else if (to)
    emit.values[result] = reshapeVector(emit, op, *value, to);
  else
    emit.values[result] = vector::ExtractOp::create(
        emit.b, emit.loc, *value,
        SmallVector<int64_t>(cast<VectorType>((*value).getType()).getRank(),
                             0));
  return success();
}

/// The compiler counts in i32, from where elements are converted. Along a
/// dimension of size 1 there is nothing to count.
static LogicalResult convertIota(IotaOp op, KernelEmitter &emit) {
  Type result = KernelEmitter::convertType(op.getResult().getType());
  std::optional<int64_t> dim = KernelEmitter::convertDim(
      cast<ShapedType>(op.getResult().getType()).getShape(), op.getDimension());
  if (!dim) {
    Value zero = arith::ConstantOp::create(
        emit.b, emit.loc, emit.b.getZeroAttr(getElementTypeOrSelf(result)));
    emit.values[op.getResult()] = broadcastScalar(emit, zero, result);
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

/// For vectors that meet accumulators, whose layout the hardware fixes.
Value mlir::pallas::castToWGMMALayout(KernelEmitter &emit, Value vector) {
  return mosaic_gpu::LayoutCastOp::create(
      emit.b, emit.loc, vector.getType(), vector,
      getWGMMALayout(emit.b, true, true), BoolAttr());
}

/// The layout that a name, an attribute or its text means, or null.
static Attribute getLayout(Builder &b, Attribute layout) {
  if (auto text = dyn_cast<StringAttr>(layout);
      text && text.getValue().starts_with("#mosaic_gpu."))
    layout = parseAttribute(text.getValue(), b.getContext());
  if (isa_and_nonnull<mosaic_gpu::TiledLayoutAttr,
                      mosaic_gpu::WGStridedFragLayoutAttr>(layout))
    return layout;
  auto name = dyn_cast_if_present<StringAttr>(layout);
  if (!name)
    return {};
  StringRef text = name.getValue();
  if (text == "WGMMA")
    return getWGMMALayout(b, true, true);
  if (text == "WGMMA_ROW")
    return getWGMMALayout(b, true, false);
  if (text == "WGMMA_COL")
    return getWGMMALayout(b, false, true);
  return {};
}

/// A scalar has no layout, so a cast of one comes to nothing.
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
  // The vector has no dimensions of size 1.
  auto type = cast<VectorType>((*value).getType());
  if (auto strided = dyn_cast<mosaic_gpu::WGStridedFragLayoutAttr>(layout))
    layout = mosaic_gpu::WGStridedFragLayoutAttr::get(
        op.getContext(), emit.b.getDenseI64ArrayAttr(type.getShape()),
        strided.getVectorSize());
  emit.values[op] = mosaic_gpu::LayoutCastOp::create(
      emit.b, emit.loc, type, *value, layout, BoolAttr());
  return success();
}

void mlir::pallas::addShapeRules(RuleTable &rules) {
  rules.add<IotaOp>(convertIota);
  rules.add<pallas::BroadcastOp>(convertBroadcast);
  rules.add<pallas::LayoutCastOp>(convertLayoutCast);
  rules.add<pallas::ReshapeOp>(convertReshape<pallas::ReshapeOp>);
  rules.add<tensor::CollapseShapeOp>(convertReshape<tensor::CollapseShapeOp>);
  rules.add<tensor::ExpandShapeOp>(convertReshape<tensor::ExpandShapeOp>);
  rules.add<tensor::FromElementsOp>(convertSplat<tensor::FromElementsOp>);
  rules.add<tensor::SplatOp>(convertSplat<tensor::SplatOp>);
}
