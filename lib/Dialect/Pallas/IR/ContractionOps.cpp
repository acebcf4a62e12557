//===- ContractionOps.cpp - Contractions and reductions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and inferred types of products and reductions. Comments such as V24
// name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "ComputeChecks.h"
#include "pallas/Dialect/Pallas/IR/Cumulative.h"

using namespace mlir;
using namespace mlir::pallas;

/// Sizes of the dimensions of `shape` that are in neither list.
static void appendFreeSizes(ArrayRef<int64_t> shape, ArrayRef<int64_t> batch,
                            ArrayRef<int64_t> contracting,
                            SmallVectorImpl<int64_t> &sizes) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(batch, int64_t(dim)) &&
        !llvm::is_contained(contracting, int64_t(dim)))
      sizes.push_back(size);
}

/// Checks that the operands convert to the type of the sum. Only operands of
/// integers may be marked as signed or unsigned.
static LogicalResult verifyElements(DotGeneralOp op) {
  Type lhs = op.getLhs().getType().getElementType(),
       rhs = op.getRhs().getType().getElementType(),
       result = getElementTypeOrSelf(op.getResult().getType());
  auto emitTypes = [&]() -> InFlightDiagnostic {
    return op.emitOpError()
           << "contracts " << lhs << " and " << rhs << " into " << result;
  };
  for (Type type : {lhs, rhs, result})
    // V27
    if (!isa<FloatType>(type) && !type.isSignlessInteger())
      return emitTypes() << "; elements must be floats or signless integers, "
                            "so convert "
                         << type << " first";
  for (Type type : {lhs, rhs})
    // V27
    if (isa<FloatType>(type) && isa<IntegerType>(result))
      return emitTypes()
             << "; a float operand needs a float result, so convert " << type
             << " to " << result << " first, or the result to " << result
             << " after";
  for (auto [type, isUnsigned, name] :
       {std::tuple(lhs, op.getUnsignedLhs(), "lhs"),
        std::tuple(rhs, op.getUnsignedRhs(), "rhs")})
    // V27
    if (isUnsigned && isa<FloatType>(type))
      return op.emitOpError()
             << "has unsigned_" << name << ", but the elements of " << name
             << " are " << type << ", which always has a sign; drop it";
  return success();
}

/// Batch and contracting dimensions come in pairs of equal sizes; the result
/// has the batch dimensions, then the free ones of lhs, then those of rhs:
///
///   batch [0] x [0] contract [2] x [1]
///       : tensor<4x8x16xf32>, tensor<4x16x32xf32> -> tensor<4x8x32xf32>
LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  auto verifySide = [&](RankedTensorType type, ArrayRef<int64_t> batch,
                        ArrayRef<int64_t> contracting, StringRef what) {
    SmallVector<int64_t> dims(batch);
    llvm::append_range(dims, contracting);
    return verifyDimensions(*this, dims, type.getRank(), what);
  };
  if (failed(verifySide(lhs, getLhsBatch(), getLhsContracting(), "lhs")) ||
      failed(verifySide(rhs, getRhsBatch(), getRhsContracting(), "rhs")))
    return failure();
  auto verifyPairs = [&](ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims,
                         StringRef what) -> LogicalResult {
    // V24
    if (lhsDims.size() != rhsDims.size())
      return emitOpError() << "has " << lhsDims.size() << " " << what
                           << " dimensions of lhs, but " << rhsDims.size()
                           << " of rhs; name them in pairs";
    for (auto [left, right] : llvm::zip(lhsDims, rhsDims))
      // V24
      if (lhs.getDimSize(left) != rhs.getDimSize(right))
        return emitOpError()
               << what << " dimensions " << left << " of lhs and " << right
               << " of rhs have the sizes " << lhs.getDimSize(left) << " and "
               << rhs.getDimSize(right) << ", but must be equal";
    return success();
  };
  if (failed(verifyPairs(getLhsBatch(), getRhsBatch(), "batch")) ||
      failed(
          verifyPairs(getLhsContracting(), getRhsContracting(), "contracting")))
    return failure();

  SmallVector<int64_t> shape;
  for (int64_t dim : getLhsBatch())
    shape.push_back(lhs.getDimSize(dim));
  appendFreeSizes(lhs.getShape(), getLhsBatch(), getLhsContracting(), shape);
  appendFreeSizes(rhs.getShape(), getRhsBatch(), getRhsContracting(), shape);
  Type element = getElementTypeOrSelf(getResult().getType());
  if (failed(verifyResultType(*this, getResult().getType(),
                              getValueType(shape, element))))
    return failure();
  if (failed(verifyElements(*this)))
    return failure();
  // V24
  if (getAcc() && getAcc().getType() != getResult().getType())
    return emitOpError() << "accumulator has type " << getAcc().getType()
                         << ", but the result has type "
                         << getResult().getType() << "; convert it first";
  return success();
}

/// Infers the type of what is left when `dimensions` are reduced.
static LogicalResult
inferReducedType(Type inputType, ArrayRef<int64_t> dimensions, Type elementType,
                 std::optional<Location> loc, SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(inputType);
  // V24
  if (!input)
    return emitOptionalError(
        loc, "needs a ranked tensor, but its operand has type ", inputType);
  SmallVector<int64_t> shape;
  appendFreeSizes(input.getShape(), {}, dimensions, shape);
  types.push_back(getValueType(shape, elementType));
  return success();
}

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferReducedType(adaptor.getInput().getType(), adaptor.getDimensions(),
                          getElementTypeOrSelf(adaptor.getInput().getType()),
                          loc, types);
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(
          verifyDimensions(*this, getDimensions(), input.getRank(), "reduced")))
    return failure();
  return verifyCombination(*this, getKind(), input.getElementType());
}

LogicalResult
ArgReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferReducedType(adaptor.getInput().getType(),
                          int64_t(adaptor.getDimension()),
                          adaptor.getIndexType(), loc, types);
}

LogicalResult ArgReduceOp::verify() {
  RankedTensorType input = getInput().getType();
  int64_t dim = getDimension();
  if (failed(verifyDimensions(*this, dim, input.getRank(), "reduced")))
    return failure();
  CombiningKind kind = getKind();
  // V24
  if (kind != CombiningKind::Max && kind != CombiningKind::Min &&
      kind != CombiningKind::UMax && kind != CombiningKind::UMin)
    return emitOpError() << "kind must be max, min, umax or umin, but is "
                         << stringifyCombiningKind(kind);
  // V24
  if (input.getDimSize(dim) == 0)
    return emitOpError() << "dimension " << dim
                         << " is empty, so it has no greatest or least "
                            "element; pad it, or leave the operation out";
  return verifyCombination(*this, kind, input.getElementType());
}

LogicalResult CumulativeOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyDimensions(*this, int64_t(getDimension()), input.getRank(),
                              "cumulative")))
    return failure();
  Type element = input.getElementType();
  if (std::optional<CombiningKind> kind = getCombiningKind(getKind()))
    return verifyCombination(*this, *kind, element);
  // V24
  if (isa<FloatType>(element))
    return success();
  return emitOpError() << stringifyCumulativeKind(getKind())
                       << " needs floats, but the element type is " << element
                       << "; convert them first";
}
