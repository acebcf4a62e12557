//===- GatherOps.cpp - Gathers, scatters, sorts ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and verifiers of operations that move elements by indices or by order.
// Comments such as V24 name the rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "ComputeChecks.h"

using namespace mlir;
using namespace mlir::pallas;

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

/// The shape in which a gather yields its slices: `offsetDims` are dimensions
/// of the slices, the others those of the indices. Nothing if counts do not
/// fit.
static std::optional<SmallVector<int64_t>>
getGatheredShape(ArrayRef<int64_t> offsets, ArrayRef<int64_t> offsetDims,
                 ArrayRef<int64_t> batch) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0, rank = offsets.size() + batch.size(); dim < rank;
       ++dim) {
    ArrayRef<int64_t> &sizes =
        llvm::is_contained(offsetDims, dim) ? offsets : batch;
    if (sizes.empty())
      return std::nullopt;
    shape.push_back(sizes.consume_front());
  }
  return shape;
}

/// The rules are those of StableHLO. For example, rows of an 8x128 operand by
/// 16 indices:
///
///   operand 8x128, start indices 16x1, slice sizes [1, 128],
///   collapsed dimensions [0], offset dimensions [1], start index map [0]
///
/// yield a result of 16x128.
LogicalResult
GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto operand = dyn_cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices =
      dyn_cast<RankedTensorType>(adaptor.getStartIndices().getType());
  // V24
  if (!operand || !indices || indices.getRank() == 0)
    return emitOptionalError(loc, "gathers from ",
                             adaptor.getOperand().getType(), " at ",
                             adaptor.getStartIndices().getType(),
                             "; both must be tensors of known rank, the "
                             "indices of at least rank 1");
  SmallVector<int64_t> offsets;
  for (auto [dim, size] : llvm::enumerate(adaptor.getSliceSizes())) {
    // V24
    if (size < 0)
      return emitOptionalError(loc, "slice size ", size, " of dimension ", dim,
                               " must not be negative");
    if (!llvm::is_contained(adaptor.getCollapsedSliceDims(), int64_t(dim)) &&
        !llvm::is_contained(adaptor.getOperandBatchingDims(), int64_t(dim)))
      offsets.push_back(size);
  }
  std::optional<SmallVector<int64_t>> shape = getGatheredShape(
      offsets, adaptor.getOffsetDims(), indices.getShape().drop_back());
  // V24
  if (!shape)
    return emitOptionalError(
        loc, "has ", adaptor.getOffsetDims().size(),
        " offset dimensions, but slices keep ", offsets.size(),
        "; give one for each that is neither collapsed nor batching, below ",
        offsets.size() + indices.getRank() - 1);
  types.push_back(getValueType(*shape, operand.getElementType()));
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
  if (indices.getShape().back() != int64_t(getStartIndexMap().size()))
    return emitOpError() << "the last dimension of the indices " << indices
                         << " must hold the " << getStartIndexMap().size()
                         << " indices of a slice";
  if (failed(verifyBatchPairs(*this, operand, getOperandBatchingDims(), indices,
                              getStartIndicesBatchingDims())))
    return failure();
  // V24
  if (int64_t(getSliceSizes().size()) != rank)
    return emitOpError() << "has " << getSliceSizes().size()
                         << " slice sizes for an operand of rank " << rank
                         << "; give one per dimension";
  for (auto [dim, size] : llvm::enumerate(getSliceSizes())) {
    // V24
    if (operand.isDynamicDim(dim))
      return emitOpError() << "gathers slices of " << operand
                           << "; its dimensions must have static sizes";
    if (size > operand.getDimSize(dim))
      return emitOpError() << "slice size " << size << " of dimension " << dim
                           << " must be from 0 to " << operand.getDimSize(dim);
    if (size > 1 && llvm::is_contained(dropped, int64_t(dim)))
      return emitOpError() << "collapsed or batching dimension " << dim
                           << " must have slice size 1, but has " << size;
  }
  return verifyDimensions(
      *this, getOffsetDims(),
      rank - int64_t(dropped.size()) + indices.getRank() - 1, "offset");
}

/// The result has the shape of the indices and the elements of the input.
LogicalResult
TakeAlongOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  // V24
  if (!indices)
    return emitOptionalError(loc,
                             "needs indices in a ranked tensor, but they "
                             "have type ",
                             adaptor.getIndices().getType());
  types.push_back(
      indices.clone(getElementTypeOrSelf(adaptor.getInput().getType())));
  return success();
}

/// As in NumPy, input and indices differ only along the gathered dimension, but
/// other dimensions aren't broadcast.
LogicalResult TakeAlongOp::verify() {
  RankedTensorType input = getInput().getType(),
                   indices = getIndices().getType();
  int64_t dim = getDimension();
  if (failed(verifyDimensions(*this, dim, input.getRank(), "gathered")))
    return failure();
  // V24
  if (indices.getRank() != input.getRank())
    return emitOpError() << "input has rank " << input.getRank()
                         << ", but the indices have rank " << indices.getRank()
                         << "; reshape the indices";
  for (int64_t other = 0; other < input.getRank(); ++other)
    // V24
    if (other != dim && input.getDimSize(other) != indices.getDimSize(other))
      return emitOpError() << "input and indices have the sizes "
                           << input.getDimSize(other) << " and "
                           << indices.getDimSize(other) << " in dimension "
                           << other << ", but must be equal outside of "
                           << "dimension " << dim;
  // V24. An index has no element to be clamped to.
  if (getMode() != GatherMode::Fill && input.getDimSize(dim) == 0 &&
      indices.hasStaticShape() && indices.getNumElements() != 0)
    return emitOpError() << "takes elements along dimension " << dim << ", but "
                         << input
                         << " has none there; use mode fill, or leave the "
                            "operation out";
  return success();
}

/// The inverse of a gather: dimensions of the updates are those of the indices
/// and those of the windows, and inserted dimensions have size 1 in a window.
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
    return emitOpError() << "updates of shape " << describeShape(updates)
                         << " do not fit windows of rank "
                         << rank - int64_t(inserted.size()) << " at indices "
                         << indices
                         << "; name the window dimensions of the updates";
  SmallVector<int64_t> places;
  for (auto [dim, size] : llvm::enumerate(updates))
    if (!llvm::is_contained(getUpdateWindowDims(), int64_t(dim)))
      places.push_back(size);
  // V24
  if (indices.getShape().drop_back() != ArrayRef<int64_t>(places))
    return emitOpError() << "has windows of updates in the shape "
                         << describeShape(places) << ", but indices in "
                         << describeShape(indices.getShape().drop_back())
                         << "; give one window per index";
  // V24
  if (getElementTypeOrSelf(getUpdates().getType()) != operand.getElementType())
    return emitOpError() << "updates have elements "
                         << getElementTypeOrSelf(getUpdates().getType())
                         << ", but the operand has " << operand.getElementType()
                         << "; convert them first";
  if (std::optional<CombiningKind> kind = getKind())
    return verifyCombination(*this, *kind, operand.getElementType());
  return success();
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

/// The first operands are the keys, in order of significance. The others are
/// permuted in the same way.
LogicalResult SortOp::verify() {
  // V24
  if (getInputs().empty())
    return emitOpError()
           << "needs at least one tensor to sort; give the keys first";
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

LogicalResult ScanCountOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr,
                                            OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(operands[0].getType());
  // V24
  if (!input)
    return emitOptionalError(loc,
                             "needs a ranked tensor, but its operand has "
                             "type ",
                             operands[0].getType());
  types.push_back(input.clone(IntegerType::get(context, 32)));
  types.push_back(input.clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult ScanCountOp::verify() {
  // V24
  if (getInput().getType().getShape() == getMask().getType().getShape())
    return success();
  return emitOpError() << "masks " << getInput().getType() << " by "
                       << getMask().getType()
                       << "; both must have the same shape";
}
