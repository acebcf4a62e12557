//===- ComputeOps.cpp - Operations on values ------------------------------===//

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Checks that dimensions are distinct and in range.
static LogicalResult verifyDimensions(Operation *op, ArrayRef<int64_t> dims,
                                      int64_t rank, StringRef what) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims) {
    // V24
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << what << " dimension " << dim
                               << " is out of range for rank " << rank;
    // V24
    if (!seen.insert(dim).second)
      return op->emitOpError()
             << what << " dimension " << dim << " is named twice";
  }
  return success();
}

static LogicalResult verifyResultType(Operation *op, Type actual,
                                      Type expected) {
  // V24
  if (actual == expected)
    return success();
  return op->emitOpError() << "result must have type " << expected
                           << ", but has type " << actual;
}

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

/// Sizes of the dimensions of `shape` that are in neither list.
static void appendFreeSizes(ArrayRef<int64_t> shape, ArrayRef<int64_t> batch,
                            ArrayRef<int64_t> contracting,
                            SmallVectorImpl<int64_t> &sizes) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(batch, int64_t(dim)) &&
        !llvm::is_contained(contracting, int64_t(dim)))
      sizes.push_back(size);
}

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
                           << " of rhs";
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
  auto bothAre = [&](auto test) {
    return test(element) && test(lhs.getElementType()) &&
           test(rhs.getElementType());
  };
  // V24
  if (!bothAre(llvm::IsaPred<FloatType>) &&
      !bothAre([](Type type) { return type.isSignlessInteger(); }))
    return emitOpError() << "contracts " << lhs.getElementType() << " and "
                         << rhs.getElementType() << " into " << element
                         << "; all three must be floats or all integers";
  // V24
  if (getAcc() && getAcc().getType() != getResult().getType())
    return emitOpError() << "accumulator has type " << getAcc().getType()
                         << ", but the result has type "
                         << getResult().getType();
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

/// Checks that elements of this type can be combined in this way.
static LogicalResult verifyCombination(Operation *op, CombiningKind kind,
                                       Type element) {
  // V24
  if (!element.isSignlessIntOrIndexOrFloat())
    return op->emitOpError() << "combines integers and floats only, but the "
                                "element type is "
                             << element;
  bool needsInteger = kind == CombiningKind::UMax ||
                      kind == CombiningKind::UMin ||
                      kind == CombiningKind::And || kind == CombiningKind::Or ||
                      kind == CombiningKind::Xor;
  // V24
  if (!needsInteger || element.isSignlessInteger())
    return success();
  return op->emitOpError() << stringifyCombiningKind(kind)
                           << " needs integers, but the element type is "
                           << element;
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
                         << " is empty, so it has no greatest or least element";
  return verifyCombination(*this, kind, input.getElementType());
}

LogicalResult CumulativeOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyDimensions(*this, int64_t(getDimension()), input.getRank(),
                              "cumulative")))
    return failure();
  bool isFloat = isa<FloatType>(input.getElementType());
  // V24
  if (!isFloat && !input.getElementType().isSignlessInteger())
    return emitOpError()
           << "combines integers and floats only, but the element "
              "type is "
           << input.getElementType();
  CumulativeKind kind = getKind();
  bool isUnsigned =
      kind == CumulativeKind::UMax || kind == CumulativeKind::UMin;
  // V24
  if ((isFloat && isUnsigned) ||
      (!isFloat && kind == CumulativeKind::LogSumExp))
    return emitOpError() << stringifyCumulativeKind(kind) << " does not suit "
                         << input.getElementType() << " elements";
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  // V24
  if (!type.getElementType().isIntOrIndexOrFloat())
    return emitOpError() << "elements must be integers or floats, but are "
                         << type.getElementType();
  return verifyDimensions(*this, int64_t(getDimension()), type.getRank(),
                          "iota");
}

LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type input = getInput().getType();
  ArrayRef<int64_t> shape = getValueShape(input), dims = getDimensions();
  // V24
  if (getElementTypeOrSelf(input) != result.getElementType())
    return emitOpError() << "broadcasts " << getElementTypeOrSelf(input)
                         << " elements to " << result.getElementType()
                         << "; both must be equal";
  // V24
  if (dims.size() != shape.size())
    return emitOpError() << "names " << dims.size()
                         << " result dimensions, but the input has rank "
                         << shape.size();
  if (failed(verifyDimensions(*this, dims, result.getRank(), "result")))
    return failure();
  // V24
  if (!llvm::is_sorted(dims))
    return emitOpError() << "result dimensions [" << dims
                         << "] must be ascending; use pallas.transpose first";
  for (auto [index, dim] : llvm::enumerate(dims))
    // V24
    if (shape[index] != 1 && shape[index] != result.getDimSize(dim))
      return emitOpError() << "input dimension " << index << " of size "
                           << shape[index]
                           << " does not broadcast to result dimension " << dim
                           << " of size " << result.getDimSize(dim);
  return success();
}

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // V24
  if (!input || int64_t(permutation.size()) != input.getRank() ||
      !isPermutationVector(permutation))
    return emitOptionalError(loc, "[", permutation,
                             "] is not a permutation of the input's "
                             "dimensions");
  types.push_back(input.clone(applyPermutation(input.getShape(), permutation)));
  return success();
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> permutation = getPermutation();
  // V24
  if (int64_t(permutation.size()) == getInput().getType().getRank() &&
      isPermutationVector(permutation))
    return success();
  return emitOpError() << "[" << permutation << "] is not a permutation of the "
                       << getInput().getType().getRank()
                       << " dimensions of the input";
}

LogicalResult ReshapeOp::verify() {
  Type input = getInput().getType(), result = getResult().getType();
  // V24
  if (getElementTypeOrSelf(input) != getElementTypeOrSelf(result))
    return emitOpError() << "keeps the elements, but "
                         << getElementTypeOrSelf(input) << " becomes "
                         << getElementTypeOrSelf(result);
  ArrayRef<int64_t> from = getValueShape(input), to = getValueShape(result);
  // V24
  if (ShapedType::isDynamicShape(from) || ShapedType::isDynamicShape(to))
    return emitOpError() << "needs static shapes, but reshapes " << input
                         << " to " << result;
  std::optional<int64_t> fromCount = countElements(from),
                         toCount = countElements(to);
  // V24
  if (!fromCount || fromCount != toCount)
    return emitOpError() << "reshapes " << input << " to " << result
                         << "; both shapes must hold the same number of "
                            "elements";
  return success();
}

LogicalResult BitcastOp::verify() {
  Type input = getInput().getType(), result = getResult().getType();
  Type from = getElementTypeOrSelf(input), to = getElementTypeOrSelf(result);
  auto hasBits = [](Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() > 0;
  };
  // V24
  if (!hasBits(from) || !hasBits(to))
    return emitOpError() << "casts integers and floats only, but casts " << from
                         << " to " << to;
  int64_t fromBits = from.getIntOrFloatBitWidth(),
          toBits = to.getIntOrFloatBitWidth();
  SmallVector<int64_t> expected(getValueShape(input));
  if (fromBits != toBits) {
    std::optional<uint64_t> dimAttr = getDimension();
    // V24
    if (!dimAttr)
      return emitOpError() << "changes the width from " << fromBits << " to "
                           << toBits
                           << " bits, so it must say along which dimension";
    int64_t dim = *dimAttr, rank = expected.size();
    bool divides = fromBits % toBits == 0 || toBits % fromBits == 0;
    // V24
    if (!divides || dim < -1 || dim >= rank)
      return emitOpError() << "cannot cast " << fromBits << "-bit elements to "
                           << toBits << " bits along dimension " << dim
                           << " of a value of rank " << rank;
    int64_t ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
    // V24
    if (ShapedType::isDynamicShape(expected))
      return emitOpError() << "changes the width of elements, which needs a "
                              "static shape, but casts "
                           << input;
    if (dim >= 0 && fromBits > toBits) {
      // V24
      if (llvm::MulOverflow(expected[dim], ratio, expected[dim]))
        return emitOpError() << "splits dimension " << dim << " of " << input
                             << " into more elements than 64 bits can count";
    } else if (dim >= 0 && expected[dim] % ratio == 0)
      expected[dim] /= ratio;
    else if (dim == -1 && fromBits > toBits)
      expected.push_back(ratio);
    else if (dim == -1 && rank > 0 && expected.back() == ratio)
      expected.pop_back();
    else
      return emitOpError() << "cannot join " << ratio
                           << " elements along dimension " << dim << " of ["
                           << expected << "]";
  }
  return verifyResultType(*this, result, getValueType(expected, to));
}

LogicalResult RevOp::verify() {
  return verifyDimensions(*this, getDimensions(),
                          getInput().getType().getRank(), "reversed");
}

LogicalResult RollOp::verify() {
  int64_t rank = getInput().getType().getRank();
  if (failed(verifyDimensions(*this, int64_t(getDimension()), rank, "rolled")))
    return failure();
  // V24
  if (getStride().has_value() != getStrideDimension().has_value())
    return emitOpError() << "needs both a stride and its dimension, or neither";
  if (!getStride())
    return success();
  return verifyDimensions(
      *this, {int64_t(getDimension()), int64_t(*getStrideDimension())}, rank,
      "rolled or strided");
}

//===----------------------------------------------------------------------===//
// Gathers, scatters, sorts
//===----------------------------------------------------------------------===//

/// Checks that batching dimensions of operand and indices come in pairs of
/// equal size.
static LogicalResult verifyBatchPairs(Operation *op, RankedTensorType operand,
                                      ArrayRef<int64_t> operandDims,
                                      RankedTensorType indices,
                                      ArrayRef<int64_t> indexDims) {
  if (failed(verifyDimensions(op, indexDims, indices.getRank() - 1,
                              "index batching")))
    return failure();
  // V24
  if (operandDims.size() != indexDims.size())
    return op->emitOpError()
           << "has " << operandDims.size()
           << " batching dimensions of the operand, but " << indexDims.size()
           << " of the indices; name them in pairs";
  for (auto [operandDim, indexDim] : llvm::zip(operandDims, indexDims))
    // V24
    if (operand.getDimSize(operandDim) != indices.getDimSize(indexDim))
      return op->emitOpError()
             << "batching dimensions " << operandDim << " of the operand and "
             << indexDim << " of the indices have the sizes "
             << operand.getDimSize(operandDim) << " and "
             << indices.getDimSize(indexDim) << ", but must be equal";
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType indices = getStartIndices().getType();
  int64_t rank = operand.getRank();
  SmallVector<int64_t> dropped(getCollapsedSliceDims());
  llvm::append_range(dropped, getOperandBatchingDims());
  if (failed(verifyDimensions(*this, dropped, rank, "collapsed or batching")) ||
      failed(verifyDimensions(*this, getStartIndexMap(), rank, "indexed")))
    return failure();
  // V24
  if (indices.getRank() == 0 ||
      indices.getShape().back() != int64_t(getStartIndexMap().size()))
    return emitOpError() << "the last dimension of the indices " << indices
                         << " must hold the " << getStartIndexMap().size()
                         << " indices of a slice";
  if (failed(verifyBatchPairs(*this, operand, getOperandBatchingDims(), indices,
                              getStartIndicesBatchingDims())))
    return failure();
  // V24
  if (int64_t(getSliceSizes().size()) != rank)
    return emitOpError() << "has " << getSliceSizes().size()
                         << " slice sizes for an operand of rank " << rank;
  SmallVector<int64_t> offsets;
  for (auto [dim, size] : llvm::enumerate(getSliceSizes())) {
    // V24
    if (size < 0 || size > operand.getDimSize(dim))
      return emitOpError() << "slice size " << size << " of dimension " << dim
                           << " must be from 0 to " << operand.getDimSize(dim);
    if (!llvm::is_contained(dropped, int64_t(dim)))
      offsets.push_back(size);
    else if (size > 1)
      return emitOpError() << "collapsed or batching dimension " << dim
                           << " must have slice size 1, but has " << size;
  }
  ArrayRef<int64_t> batch = indices.getShape().drop_back();
  int64_t resultRank = offsets.size() + batch.size();
  // V24
  if (offsets.size() != getOffsetDims().size() ||
      failed(verifyDimensions(*this, getOffsetDims(), resultRank, "offset")))
    return emitOpError() << "has " << getOffsetDims().size()
                         << " offset dimensions, but slices keep "
                         << offsets.size();
  SmallVector<int64_t> shape;
  auto *nextOffset = offsets.begin();
  for (int64_t dim = 0; dim < resultRank; ++dim) {
    if (llvm::is_contained(getOffsetDims(), dim)) {
      shape.push_back(*nextOffset++);
    } else {
      shape.push_back(batch.front());
      batch = batch.drop_front();
    }
  }
  return verifyResultType(*this, getResult().getType(),
                          getValueType(shape, operand.getElementType()));
}

LogicalResult TakeAlongOp::verify() {
  RankedTensorType input = getInput().getType(),
                   indices = getIndices().getType();
  int64_t dim = getDimension();
  if (failed(verifyDimensions(*this, dim, input.getRank(), "gathered")))
    return failure();
  // V24
  if (indices.getRank() != input.getRank())
    return emitOpError() << "input has rank " << input.getRank()
                         << ", but the indices have rank " << indices.getRank();
  for (int64_t other = 0; other < input.getRank(); ++other)
    // V24
    if (other != dim && input.getDimSize(other) != indices.getDimSize(other))
      return emitOpError() << "input and indices have the sizes "
                           << input.getDimSize(other) << " and "
                           << indices.getDimSize(other) << " in dimension "
                           << other << ", but must be equal outside of "
                           << "dimension " << dim;
  return verifyResultType(*this, getResult().getType(),
                          indices.clone(input.getElementType()));
}

LogicalResult ScatterOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType indices = getScatterIndices().getType();
  int64_t rank = operand.getRank();
  SmallVector<int64_t> inserted(getInsertedWindowDims());
  llvm::append_range(inserted, getOperandBatchingDims());
  ArrayRef<int64_t> updates = getValueShape(getUpdates().getType());
  if (failed(verifyDimensions(*this, inserted, rank, "inserted or batching")) ||
      failed(verifyDimensions(*this, getScatterDimsToOperandDims(), rank,
                              "indexed")) ||
      failed(verifyDimensions(*this, getUpdateWindowDims(), updates.size(),
                              "window")))
    return failure();
  // V24
  if (indices.getRank() == 0 ||
      indices.getShape().back() !=
          int64_t(getScatterDimsToOperandDims().size()))
    return emitOpError() << "the last dimension of the indices " << indices
                         << " must hold the "
                         << getScatterDimsToOperandDims().size()
                         << " indices of a window";
  if (failed(verifyBatchPairs(*this, operand, getOperandBatchingDims(), indices,
                              getScatterIndicesBatchingDims())))
    return failure();
  // V24
  if (getUpdateWindowDims().size() + inserted.size() != size_t(rank) ||
      updates.size() !=
          getUpdateWindowDims().size() + size_t(indices.getRank()) - 1)
    return emitOpError() << "updates of shape [" << updates
                         << "] do not fit windows of rank "
                         << rank - int64_t(inserted.size()) << " at indices "
                         << indices;
  // V24
  if (getElementTypeOrSelf(getUpdates().getType()) != operand.getElementType())
    return emitOpError() << "updates have elements "
                         << getElementTypeOrSelf(getUpdates().getType())
                         << ", but the operand has "
                         << operand.getElementType();
  if (std::optional<CombiningKind> kind = getKind())
    return verifyCombination(*this, *kind, operand.getElementType());
  return success();
}

LogicalResult SortOp::verify() {
  // V24
  if (getInputs().empty())
    return emitOpError() << "needs at least one tensor to sort";
  // V24
  if (getInputs().getTypes() != getResultTypes())
    return emitOpError() << "sorts tensors of types " << getInputs().getTypes()
                         << ", but has results of types " << getResultTypes();
  auto first = cast<RankedTensorType>(getInputs()[0].getType());
  for (Type type : getInputs().getTypes())
    // V24
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return emitOpError() << "sorts tensors together, so they need the same "
                              "shape, but have the types "
                           << getInputs().getTypes();
  int64_t keys = getNumKeys();
  // V24
  if (keys < 1 || keys > int64_t(getInputs().size()))
    return emitOpError() << "number of keys must be from 1 to the "
                         << getInputs().size() << " operands, but is " << keys;
  return verifyDimensions(*this, int64_t(getDimension()), first.getRank(),
                          "sorted");
}

LogicalResult ScanCountOp::verify() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  // V24
  if (shape.size() == 1 && getMask().getType().getShape() == shape &&
      getCount().getType().getShape() == shape &&
      getLast().getType().getShape() == shape)
    return success();
  return emitOpError() << "needs one dimension, the same everywhere, but has "
                          "the types "
                       << getOperandTypes() << " and " << getResultTypes();
}

//===----------------------------------------------------------------------===//
// Packing, hints
//===----------------------------------------------------------------------===//

/// Number of packed elements in a word, or 0 when they do not fit.
static int64_t getPackingFactor(Type word, Type packed) {
  if (!word.isInteger() || !packed.isIntOrFloat())
    return 0;
  int64_t bits = packed.getIntOrFloatBitWidth(),
          all = word.getIntOrFloatBitWidth();
  return bits < all && all % bits == 0 ? all / bits : 0;
}

LogicalResult PackElementwiseOp::verify() {
  Type word = getResult().getType().getElementType();
  int64_t factor = getPackingFactor(word, getPackedType());
  // V24
  if (factor == 0)
    return emitOpError() << "cannot pack elements of type " << getPackedType()
                         << " into " << word
                         << "; a word is an integer of a multiple of their "
                            "width";
  // V24
  if (int64_t(getInputs().size()) != factor)
    return emitOpError() << "packs " << factor << " elements of type "
                         << getPackedType() << " per " << word << ", but has "
                         << getInputs().size() << " operands";
  for (Type type : getInputs().getTypes())
    // V24
    if (cast<RankedTensorType>(type).getShape() !=
        getResult().getType().getShape())
      return emitOpError() << "operands and result must have the same shape, "
                              "but have "
                           << type << " and " << getResult().getType();
  return success();
}

LogicalResult UnpackElementwiseOp::verify() {
  Type word = getInput().getType().getElementType();
  int64_t factor = getPackingFactor(word, getPackedType());
  int64_t index = getIndex();
  // V24
  if (factor == 0 || index < 0 || index >= factor)
    return emitOpError() << word << " holds " << factor << " elements of type "
                         << getPackedType() << ", but element " << index
                         << " is asked for";
  // V24
  if (getInput().getType().getShape() != getResult().getType().getShape())
    return emitOpError() << "operand and result must have the same shape, but "
                            "have "
                         << getInput().getType() << " and "
                         << getResult().getType();
  return success();
}

/// Hints hold positive numbers, one for a scalar or one per dimension.
static LogicalResult verifyHint(Operation *op, ArrayRef<int64_t> numbers,
                                Type type) {
  size_t rank = getValueShape(type).size();
  // V24
  if (numbers.size() != std::max<size_t>(rank, 1) && numbers.size() != 1)
    return op->emitOpError() << "has " << numbers.size()
                             << " numbers for a value of rank " << rank;
  for (int64_t number : numbers)
    // V24
    if (number < 1)
      return op->emitOpError()
             << "numbers must be at least 1, but one is " << number;
  // V24
  if (getElementTypeOrSelf(type).isIntOrIndex())
    return success();
  return op->emitOpError() << "is about integers, but the value has type "
                           << type;
}

LogicalResult MultipleOfOp::verify() {
  return verifyHint(*this, getMultiples(), getValue().getType());
}
LogicalResult MaxContiguousOp::verify() {
  return verifyHint(*this, getLengths(), getValue().getType());
}

LogicalResult OptimizationBarrierOp::verify() {
  // V24
  if (getInputs().getTypes() == getResultTypes())
    return success();
  return emitOpError() << "takes values of types " << getInputs().getTypes()
                       << ", but yields " << getResultTypes();
}
