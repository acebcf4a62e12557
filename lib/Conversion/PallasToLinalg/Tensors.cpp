//===- Tensors.cpp - Building tensors and loops over them -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file builds tensors and loops over them, for all patterns.
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pallas;

RankedTensorType linalgconv::getTensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

Value linalgconv::createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value linalgconv::createEmpty(OpBuilder &builder, Location loc,
                              ArrayRef<int64_t> shape, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

///   %empty = tensor.empty() : tensor<8xf32>
///   %filled = linalg.fill ins(%scalar : f32) outs(%empty : tensor<8xf32>)
Value linalgconv::createFilled(OpBuilder &builder, Location loc,
                               ArrayRef<int64_t> shape, Value scalar) {
  Value empty = createEmpty(builder, loc, shape, scalar.getType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// Linalg takes tensors only.
Value linalgconv::asTensor(OpBuilder &builder, Location loc, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  return tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, value.getType()), value);
}

Value linalgconv::asValue(OpBuilder &builder, Location loc, Value tensor,
                          Type type) {
  if (isa<RankedTensorType>(type))
    return tensor;
  return tensor::ExtractOp::create(builder, loc, tensor, ValueRange());
}

/// All dimensions as one group, which a tensor of rank zero has none of.
static SmallVector<ReassociationIndices> getOneGroup(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

/// Collapses or expands directly if the shapes allow it, and otherwise through
/// one dimension:
///
///   %1 = tensor.collapse_shape %0 [[0, 1]]
///       : tensor<4x6xf32> into tensor<24xf32>
///   %2 = tensor.expand_shape %1 [[0, 1]] output_shape [8, 3] : ...
///
/// `tensor.reshape` would need its shape in memory.
Value linalgconv::reshape(OpBuilder &builder, Location loc, Value tensor,
                          ArrayRef<int64_t> shape) {
  RankedTensorType from = getTensorType(tensor);
  RankedTensorType to = RankedTensorType::get(shape, from.getElementType());
  if (from.getShape() == shape)
    return tensor;
  if (to.getNumElements() == 0)
    return createEmpty(builder, loc, shape, to.getElementType());
  if (from.getRank() != to.getRank())
    if (auto groups = getReassociationIndicesForReshape(from, to)) {
      if (from.getRank() > to.getRank())
        return tensor::CollapseShapeOp::create(builder, loc, to, tensor,
                                               *groups);
      return tensor::ExpandShapeOp::create(builder, loc, to, tensor, *groups);
    }
  auto flat =
      RankedTensorType::get({to.getNumElements()}, from.getElementType());
  Value line =
      from.getRank() == 1
          ? tensor
          : tensor::CollapseShapeOp::create(builder, loc, flat, tensor,
                                            getOneGroup(from.getRank()))
                .getResult();
  if (to == flat)
    return line;
  return tensor::ExpandShapeOp::create(builder, loc, to, line,
                                       getOneGroup(to.getRank()));
}

///   %1 = linalg.generic {iterator_types = ["parallel"]}
///       ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) {...}
Value linalgconv::createElementwise(OpBuilder &builder, Location loc,
                                    ValueRange inputs,
                                    ArrayRef<AffineMap> inputMaps,
                                    ArrayRef<int64_t> shape, Type elementType,
                                    BodyBuilder body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  Value empty = createEmpty(builder, loc, shape, elementType);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        linalg::YieldOp::create(nested, nestedLoc,
                                body(nested, nestedLoc, args.drop_back()));
      });
  return generic.getResult(0);
}

Value linalgconv::createElementwise(OpBuilder &builder, Location loc,
                                    ValueRange inputs, ArrayRef<int64_t> shape,
                                    Type elementType, BodyBuilder body) {
  SmallVector<AffineMap> maps(inputs.size(),
                              builder.getMultiDimIdentityMap(shape.size()));
  return createElementwise(builder, loc, inputs, maps, shape, elementType,
                           body);
}

SmallVector<Value> linalgconv::createIndices(OpBuilder &builder, Location loc,
                                             unsigned rank) {
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim < rank; ++dim)
    indices.push_back(linalg::IndexOp::create(builder, loc, dim));
  return indices;
}

SmallVector<Value>
linalgconv::createLoops(OpBuilder &builder, Location loc,
                        ArrayRef<int64_t> sizes, ValueRange carried,
                        function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                        ValueRange, ValueRange)>
                            body) {
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1);
  SmallVector<Value> lower(sizes.size(), zero), step(sizes.size(), one), upper;
  for (int64_t size : sizes)
    upper.push_back(createIndex(builder, loc, size));
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, upper, step, carried,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange ivs,
          ValueRange values) {
        return scf::ValueVector(body(nested, nestedLoc, ivs, values));
      });
  return SmallVector<Value>(nest.results);
}

SmallVector<int64_t> linalgconv::getSizes(ArrayRef<int64_t> shape,
                                          ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
}

SmallVector<int64_t> linalgconv::getShapeAround(ArrayRef<int64_t> shape,
                                                int64_t dim) {
  return {computeProduct(shape.take_front(dim)), shape[dim],
          computeProduct(shape.drop_front(dim + 1))};
}
