//===- WindowPlaces.cpp - Windows at computed places ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file computes where the windows of gathers and scatters are.
//
//===----------------------------------------------------------------------===//

#include "WindowPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

///   %index = tensor.extract %indices[%i, %c0] : tensor<4x2xi32>
///   %start = arith.index_cast %index : i32 to index
///
/// for each component of a tuple. Batching dimensions start at the batch index,
/// all others at 0.
SmallVector<Value> WindowPlaces::createStarts(OpBuilder &builder, Location loc,
                                              ValueRange batch) const {
  return createStarts(builder, loc, batch, [&](unsigned component) {
    SmallVector<Value> at(batch);
    at.push_back(createIndex(builder, loc, component));
    return tensor::ExtractOp::create(builder, loc, indices, at);
  });
}

SmallVector<Value>
WindowPlaces::createStarts(OpBuilder &builder, Location loc, ValueRange batch,
                           function_ref<Value(unsigned)> getComponent) const {
  SmallVector<Value> starts(operandShape.size());
  for (auto [component, dim] : llvm::enumerate(indexedDims))
    starts[dim] = toIndex(builder, loc, getComponent(component));
  for (auto [dim, indexDim] : llvm::zip(batchingDims, indexBatchingDims))
    starts[dim] = batch[indexDim];
  for (Value &start : starts)
    if (!start)
      start = createIndex(builder, loc, 0);
  return starts;
}

///   %0 = tensor.extract_slice %indices[0, 0] [4, 1] [1, 1]
///       : tensor<4x2xi32> to tensor<4xi32>
SmallVector<Value> WindowPlaces::createComponents(OpBuilder &builder,
                                                  Location loc) const {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(indices.getType()).getShape();
  SmallVector<Value> components;
  for (size_t component = 0; component < indexedDims.size(); ++component) {
    Rectangle part(shape, builder.getContext());
    part.select(shape.size() - 1, createIndex(builder, loc, component));
    components.push_back(createExtract(builder, loc, indices, part));
  }
  return components;
}

/// Other starts than those of the indices are inside by construction.
SmallVector<Value> WindowPlaces::createClamped(OpBuilder &builder, Location loc,
                                               ArrayRef<Value> starts) const {
  SmallVector<Value> clamped(starts);
  for (int64_t dim : indexedDims)
    clamped[dim] = pallas::createClamped(builder, loc, starts[dim],
                                         operandShape[dim] - windowSizes[dim]);
  return clamped;
}

/// A window must be inside as a whole, or it does not count.
Value WindowPlaces::createIsInside(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> starts) const {
  Value inside;
  for (int64_t dim : indexedDims) {
    Value here = isIndexInside(builder, loc, starts[dim],
                               operandShape[dim] - windowSizes[dim]);
    inside = inside ? arith::AndIOp::create(builder, loc, inside, here) : here;
  }
  if (!inside)
    inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return inside;
}

Rectangle WindowPlaces::createWindow(OpBuilder &builder, ArrayRef<Value> starts,
                                     ArrayRef<int64_t> dropped) const {
  Rectangle window(operandShape, builder.getContext());
  window.sizes = getAsIndexOpFoldResult(builder.getContext(), windowSizes);
  for (auto [dim, start] : llvm::enumerate(starts))
    window.offsets[dim] = getAsOpFoldResult(start);
  for (int64_t dim : dropped)
    window.dropped.set(dim);
  return window;
}
