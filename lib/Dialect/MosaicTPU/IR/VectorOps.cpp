//===- VectorOps.cpp - Shapes and order of vectors ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of operations that move elements within vectors.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tpu;

/// Dimensions are in range and occur once.
static LogicalResult
verifyDimensions(Operation *op, ArrayRef<int32_t> dimensions, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int32_t dim : dimensions) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError("has dimension ")
             << dim << ", which is not in [0, " << rank << ")";
    if (seen.test(dim))
      return op->emitOpError("names dimension ") << dim << " twice";
    seen.set(dim);
  }
  return success();
}

/// A move converts nothing.
static LogicalResult verifySameElement(Operation *op, VectorType from,
                                       VectorType to) {
  if (from.getElementType() == to.getElementType())
    return success();
  return op->emitOpError("turns elements of type ")
         << from.getElementType() << " into " << to.getElementType()
         << "; it only moves elements";
}

//===----------------------------------------------------------------------===//
// IotaOp, TransposeOp, ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  return verifyDimensions(*this, getDimensions(),
                          cast<VectorType>(getType()).getRank());
}

///   %0 = tpu.transpose %v, [1, 0] : vector<8x128xf32> -> vector<128x8xf32>
///
/// Dimension i of the result is dimension permutation[i] of the operand.
LogicalResult TransposeOp::verify() {
  auto from = cast<VectorType>(getVector().getType());
  auto to = cast<VectorType>(getType());
  ArrayRef<int64_t> permutation = getPermutation();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  if (static_cast<int64_t>(permutation.size()) != from.getRank() ||
      from.getRank() != to.getRank())
    return emitOpError("permutes ")
           << permutation.size() << " dimensions of a vector of rank "
           << from.getRank() << " to rank " << to.getRank()
           << "; all three are equal";
  llvm::SmallBitVector seen(from.getRank());
  for (auto [dim, source] : llvm::enumerate(permutation)) {
    if (source < 0 || source >= from.getRank())
      return emitOpError("permutes dimension ")
             << source << ", which is not in [0, " << from.getRank() << ")";
    if (seen.test(source))
      return emitOpError("permutes dimension ") << source << " twice";
    seen.set(source);
    if (from.getDimSize(source) != to.getDimSize(dim))
      return emitOpError("moves dimension ")
             << source << " of size " << from.getDimSize(source)
             << " to dimension " << dim << " of size " << to.getDimSize(dim);
  }
  return success();
}

/// The identity permutation is no move.
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [dim, source] : llvm::enumerate(getPermutation()))
    if (source != static_cast<int64_t>(dim))
      return {};
  return getVector();
}

/// Elements keep their row-major order, so only their number matters.
LogicalResult ReshapeOp::verify() {
  auto from = cast<VectorType>(getSource().getType());
  auto to = cast<VectorType>(getType());
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("turns ")
           << from.getNumElements() << " elements into " << to.getNumElements()
           << "; a reshape keeps their number";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getType() == getSource().getType() ? OpFoldResult(getSource())
                                            : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// ConcatenateOp, RepeatOp
//===----------------------------------------------------------------------===//

/// The result is as long as the sources together. ODS checks the result against
/// it before the verifier runs.
LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  if (adaptor.getSources().empty())
    return emitOptionalError(location, "no operands to concatenate");
  auto first = cast<VectorType>(adaptor.getSources().front().getType());
  int64_t dim = static_cast<int32_t>(adaptor.getDimension());
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(location, "dimension ", dim, " is not in [0, ",
                             first.getRank(), ")");
  SmallVector<int64_t> shape(first.getShape());
  for (Value source : adaptor.getSources().drop_front()) {
    auto type = cast<VectorType>(source.getType());
    if (type.getRank() != first.getRank())
      return emitOptionalError(location, "operands of ranks ", first.getRank(),
                               " and ", type.getRank(),
                               " cannot be concatenated");
    shape[dim] += type.getDimSize(dim);
  }
  inferred.push_back(VectorType::get(shape, first.getElementType()));
  return success();
}

///   %0 = tpu.concatenate %a, %b in 0
///        : vector<8x128xf32>, vector<16x128xf32> -> vector<24x128xf32>
LogicalResult ConcatenateOp::verify() {
  if (getSources().size() < 2)
    return emitOpError("joins ")
           << getSources().size() << " vectors; give at least 2";
  auto first = cast<VectorType>(getSources().front().getType());
  // The first operand is compared with itself, too, which finds wrong
  // dimensions.
  for (auto [number, source] : llvm::enumerate(getSources())) {
    auto type = cast<VectorType>(source.getType());
    bool fits = type.getElementType() == first.getElementType() &&
                type.getRank() == first.getRank();
    for (int64_t dim = 0; fits && dim < first.getRank(); ++dim)
      fits = dim == static_cast<int32_t>(getDimension()) ||
             type.getDimSize(dim) == first.getDimSize(dim);
    if (!fits)
      return emitOpError("joins ")
             << first << " with operand " << number << " of type " << type
             << "; they may differ along dimension "
             << static_cast<int32_t>(getDimension()) << " only";
  }
  return success();
}

///   %0 = tpu.repeat %v, 0 x 2 : vector<8x128xf32> -> vector<16x128xf32>
LogicalResult RepeatOp::verify() {
  auto from = cast<VectorType>(getSource().getType());
  auto to = cast<VectorType>(getType());
  int64_t dim = static_cast<int32_t>(getDimension());
  int64_t times = static_cast<int32_t>(getTimes());
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  if (dim < 0 || dim >= from.getRank())
    return emitOpError("has dimension ")
           << dim << ", which is not in [0, " << from.getRank() << ")";
  if (times < 1)
    return emitOpError("repeats ") << times << " times; give at least 1";
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] *= times;
  if (to.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("gives ")
           << to << ", but repeating " << from << " makes "
           << VectorType::get(shape, from.getElementType());
  return success();
}

/// One copy is the operand.
OpFoldResult RepeatOp::fold(FoldAdaptor) {
  return getTimes() == 1 ? OpFoldResult(getSource()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// DynamicRotateOp, DynamicGatherOp
//===----------------------------------------------------------------------===//

/// With a stride, row i rotates by amount + i * stride.
LogicalResult DynamicRotateOp::verify() {
  int64_t rank = cast<VectorType>(getType()).getRank();
  if (getStride().has_value() != getStrideDimension().has_value())
    return emitOpError("has ")
           << (getStride() ? "a stride without a stride_dimension"
                           : "a stride_dimension without a stride")
           << "; give both or neither";
  if (getDimension() < 0 || getDimension() >= rank)
    return emitOpError("has dimension ")
           << getDimension() << ", which is not in [0, " << rank << ")";
  if (!getStride())
    return success();
  if (*getStride() < 0)
    return emitOpError("has stride ") << *getStride() << ", below 0";
  if (*getStrideDimension() < 0 || *getStrideDimension() >= rank)
    return emitOpError("has stride_dimension ")
           << *getStrideDimension() << ", which is not in [0, " << rank << ")";
  return success();
}

/// A rotation by zero moves nothing.
OpFoldResult DynamicRotateOp::fold(FoldAdaptor) {
  if (!getStride() && matchPattern(getAmount(), m_Zero()))
    return getValue();
  return {};
}

LogicalResult
/// The result has the shape of the indices.
DynamicGatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                  Adaptor adaptor,
                                  SmallVectorImpl<Type> &inferred) {
  auto source = cast<VectorType>(adaptor.getSource().getType());
  auto indices = cast<VectorType>(adaptor.getIndices().getType());
  inferred.push_back(
      VectorType::get(indices.getShape(), source.getElementType()));
  return success();
}

/// Dimensions that are not gathered run in step.
LogicalResult DynamicGatherOp::verify() {
  auto source = cast<VectorType>(getSource().getType());
  auto indices = cast<VectorType>(getIndices().getType());
  if (source.getRank() != indices.getRank())
    return emitOpError("gathers from rank ")
           << source.getRank() << " by indices of rank " << indices.getRank()
           << "; both need the same rank";
  if (failed(verifyDimensions(*this, getDimensions(), source.getRank())))
    return failure();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (!llvm::is_contained(getDimensions(), dim) &&
        source.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError("has source size ")
             << source.getDimSize(dim) << " and index size "
             << indices.getDimSize(dim) << " along dimension " << dim
             << ", which is not gathered; they are equal there";
  return success();
}

//===----------------------------------------------------------------------===//
// ScanCountOp, SortOp
//===----------------------------------------------------------------------===//

/// Counts and mask are per lane.
LogicalResult ScanCountOp::verify() {
  auto mask = cast<VectorType>(getInMask().getType());
  for (Type type :
       {getValues().getType(), getOutMask().getType(), getCounts().getType()})
    if (cast<VectorType>(type).getShape() != mask.getShape())
      return emitOpError("has a mask of type ")
             << mask << " beside " << type << "; all need the same shape";
  return success();
}

/// Sorting moves keys, values and masks together.
LogicalResult SortOp::verify() {
  auto keys = cast<VectorType>(getKeys().getType());
  SmallVector<Type> types = {getValues().getType(), getOutputMask().getType()};
  if (getMask())
    types.push_back(getMask().getType());
  for (Type type : types)
    if (cast<VectorType>(type).getShape() != keys.getShape())
      return emitOpError("has keys of type ")
             << keys << " beside " << type << "; all need the same shape";
  if (getSortedKeys().getType() != keys)
    return emitOpError("gives keys of type ")
           << getSortedKeys().getType() << " for keys of type " << keys;
  if (getSortedValues().getType() != getValues().getType())
    return emitOpError("gives values of type ")
           << getSortedValues().getType() << " for values of type "
           << getValues().getType();
  return success();
}
