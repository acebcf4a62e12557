//===- Tensors.h - Building tensors and loops over them ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOLINALG_TENSORS_H
#define PALLAS_LIB_CONVERSION_PALLASTOLINALG_TENSORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

namespace mlir::pallas::linalgconv {

using BodyBuilder = function_ref<Value(OpBuilder &, Location, ValueRange)>;

RankedTensorType getTensorType(Value tensor);

Value createIndex(OpBuilder &builder, Location loc, int64_t value);
Value createEmpty(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                  Type elementType);
Value createFilled(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                   Value scalar);

/// The value as a tensor: a scalar becomes one of rank zero.
Value asTensor(OpBuilder &builder, Location loc, Value value);
/// The tensor as a value of type `type`: one of rank zero may become a scalar.
Value asValue(OpBuilder &builder, Location loc, Value tensor, Type type);

/// The elements, in order, under another shape.
Value reshape(OpBuilder &builder, Location loc, Value tensor,
              ArrayRef<int64_t> shape);

/// A linalg.generic with one result, parallel along every dimension.
/// `body` gets the elements of the inputs.
Value createElementwise(OpBuilder &builder, Location loc, ValueRange inputs,
                        ArrayRef<AffineMap> inputMaps, ArrayRef<int64_t> shape,
                        Type elementType, BodyBuilder body);
/// As above, with inputs of the result's shape.
Value createElementwise(OpBuilder &builder, Location loc, ValueRange inputs,
                        ArrayRef<int64_t> shape, Type elementType,
                        BodyBuilder body);

/// linalg.index for each dimension of a body.
SmallVector<Value> createIndices(OpBuilder &builder, Location loc,
                                 unsigned rank);

/// Loops from 0 to each size that carry tensors or scalars through `body`.
SmallVector<Value>
createLoops(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes,
            ValueRange carried,
            function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange,
                                            ValueRange)>
                body);

/// Sizes of some dimensions, in their order.
SmallVector<int64_t> getSizes(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims);

/// Sizes before, at and after a dimension, as one shape of rank three.
SmallVector<int64_t> getShapeAround(ArrayRef<int64_t> shape, int64_t dim);

} // namespace mlir::pallas::linalgconv

#endif // PALLAS_LIB_CONVERSION_PALLASTOLINALG_TENSORS_H
