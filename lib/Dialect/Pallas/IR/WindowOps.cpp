//===- WindowOps.cpp - Windows of loops over grids ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and inferred types. Numbers such as V14 are those of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "AsmHelpers.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// The view drops squeezed dimensions, and lies in the memory of the block:
///
///   %w = pallas.window %x[%i, %j : i32, i32] block<[128, squeezed], vmem>
///     : !pallas.ref<512x256xf32, any>
///
/// is a !pallas.ref<128xf32, vmem>.
template <typename Adaptor>
static LogicalResult inferWindow(Adaptor adaptor,
                                 SmallVectorImpl<Type> &types) {
  auto array = dyn_cast<RefType>(adaptor.getArray().getType());
  if (!array || !adaptor.getMapping())
    return failure();
  types.push_back(adaptor.getMapping().getRefType(array.getElementType()));
  return success();
}

LogicalResult WindowOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands,
                                         DictionaryAttr attributes,
                                         OpaqueProperties properties,
                                         RegionRange regions,
                                         SmallVectorImpl<Type> &types) {
  return inferWindow(Adaptor(operands, attributes, properties, regions), types);
}

LogicalResult
EdgeWindowOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                               ValueRange operands, DictionaryAttr attributes,
                               OpaqueProperties properties, RegionRange regions,
                               SmallVectorImpl<Type> &types) {
  return inferWindow(Adaptor(operands, attributes, properties, regions), types);
}

/// There is one index per dimension of the array and of the block.
static LogicalResult verifyIndices(Operation *op, RefType array,
                                   BlockMappingAttr mapping,
                                   ValueRange indices) {
  for (BlockDimAttr dim : mapping.getDims())
    // D8
    if (dim.getKind() == BlockDimKind::BoundedSlice ||
        dim.getKind() == BlockDimKind::Indirect)
      return op->emitOpError()
             << "has a block with a " << stringifyBlockDimKind(dim.getKind())
             << " dimension, of which no view has a part; use a blocked or an "
                "element dimension";
  // D8
  if (int64_t(mapping.getDims().size()) == array.getRank() &&
      int64_t(indices.size()) == array.getRank())
    return success();
  return op->emitOpError() << "has " << indices.size()
                           << " indices and a block of "
                           << mapping.getDims().size()
                           << " dimensions for an array of " << array.getRank()
                           << "; give one per dimension of the array";
}

/// A block that is larger than its array could not be moved inside.
LogicalResult WindowOp::verify() {
  RefType array = getArray().getType();
  if (failed(verifyIndices(*this, array, getMapping(), getIndices())))
    return failure();
  for (auto [d, pair] : llvm::enumerate(
           llvm::zip(array.getShape(), getMapping().getBlockShape())))
    // V14
    if (auto [size, block] = pair; size < block)
      return emitOpError() << "block of " << block
                           << " elements does not fit in dimension " << d
                           << " of " << array << "; pad the array";
  return success();
}

LogicalResult EdgeWindowOp::verify() {
  return verifyIndices(*this, getArray().getType(), getMapping(), getIndices());
}

LogicalResult WriteEdgeOp::verify() {
  auto edge = getWindow().getDefiningOp<EdgeWindowOp>();
  // V14
  if (edge && edge.getOutput())
    return success();
  return emitOpError() << "copies " << getWindow().getType()
                       << " back, which is no block of an output that may be "
                          "partial; use the result of a pallas.edge_window "
                          "with output";
}

/// The ref has its place within the padded one.
static LogicalResult verifyPadding(Operation *op, RefType padded, RefType ref,
                                   ArrayRef<int64_t> low) {
  bool fits = padded.getRank() == ref.getRank() &&
              int64_t(low.size()) == ref.getRank() &&
              padded.getElementType() == ref.getElementType() &&
              padded.hasStaticShape() && ref.hasStaticShape();
  if (fits)
    for (auto [total, size, front] :
         llvm::zip_equal(padded.getShape(), ref.getShape(), low))
      fits &= front >= 0 && front + size <= total;
  // V14
  if (!fits)
    return op->emitOpError()
           << "pads " << ref << " to " << padded << " with [" << low
           << "] elements in front; both need static shapes of one rank and "
              "one element type, of which the padded one holds the other";
  return success();
}

LogicalResult PadRefOp::verify() {
  return verifyPadding(*this, getPadded().getType(), getRef().getType(),
                       getLow());
}

LogicalResult UnpadRefOp::verify() {
  return verifyPadding(*this, getPadded().getType(), getRef().getType(),
                       getLow());
}

/// Memory of a value has its shape and its elements.
static LogicalResult verifyValue(Operation *op, RefType ref, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  // V10
  if (tensor.hasStaticShape() && ref.getShape() == tensor.getShape() &&
      ref.getElementType() == tensor.getElementType())
    return success();
  return op->emitOpError() << "has " << ref << " for " << type
                           << "; both need one static shape and element type";
}

LogicalResult OperandRefOp::verify() {
  return verifyValue(*this, getRef().getType(), getOperand().getType());
}

LogicalResult RefValueOp::verify() {
  return verifyValue(*this, getRef().getType(), getValue().getType());
}

LogicalResult ResultRefOp::verify() {
  RefType ref = getRef().getType();
  RefType source = getSource() ? cast<RefType>(getSource().getType()) : ref;
  // V10
  if (ref.hasStaticShape() && ref.getShape() == source.getShape() &&
      ref.getElementType() == source.getElementType())
    return success();
  return emitOpError() << "starts as " << source << ", but is " << ref
                       << "; both need one static shape and element type";
}

LogicalResult CheckWindowOp::verify() {
  return verifyIndices(*this, getArray().getType(), getMapping(), getIndices());
}

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasWindowOps.cpp.inc"
