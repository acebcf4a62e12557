//===- MemoryOps.cpp - Loads and stores -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of loads and stores. All vector accesses go to vmem, with one index
// per dimension; masks are for 32-bit elements.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// An access names its place by one index per dimension.
static LogicalResult verifyIndexCount(Operation *op, MemRefType base,
                                      size_t count) {
  if (static_cast<int64_t>(count) == base.getRank())
    return success();
  return op->emitOpError("has ")
         << count << " indices for a base of rank " << base.getRank()
         << "; give one per dimension";
}

/// Vectors hold the elements of memory; conversions are operations of their
/// own.
static LogicalResult verifyElementType(Operation *op, MemRefType base,
                                       VectorType vector) {
  if (base.getElementType() == vector.getElementType())
    return success();
  return op->emitOpError("moves elements of type ")
         << vector.getElementType() << " but the base holds "
         << base.getElementType() << "; convert the vector or cast the base";
}

/// A memref without a space may become one in vmem.
static LogicalResult verifyInVmem(Operation *op, MemRefType base) {
  std::optional<MemorySpace> space = getMemorySpace(base);
  if (!space || *space == MemorySpace::Vmem)
    return success();
  return op->emitOpError("accesses a base in ")
         << base.getMemorySpace()
         << ", but vectors move to and from vmem only; copy the data there "
            "with tpu.enqueue_dma, or use memref.load and memref.store in smem";
}

/// The attribute exists for compatibility, and has to be empty.
static LogicalResult verifyNoStrides(Operation *op, MemRefType base,
                                     ArrayRef<int32_t> strides) {
  if (strides.empty())
    return success();
  if (static_cast<int64_t>(strides.size()) != base.getRank())
    return op->emitOpError("has ")
           << strides.size() << " strides for a base of rank " << base.getRank()
           << "; leave strides empty";
  return op->emitOpError("has strides, which are not supported here; use "
                         "tpu.strided_load or tpu.strided_store");
}

/// Checks the elements and hands the type of the mask, if there is one, to
/// `verifyShape`.
static LogicalResult
verifyMask(Operation *op, VectorType vector, Value mask,
           function_ref<LogicalResult(VectorType)> verifyShape) {
  if (!mask)
    return success();
  Type element = vector.getElementType();
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 32)
    return verifyShape(cast<VectorType>(mask.getType()));
  return op->emitOpError("has a mask on elements of type ")
         << element << ", but only 32-bit elements can be masked";
}

/// A load's mask may be broadcast to the vector.
static LogicalResult verifyLoadMask(Operation *op, VectorType vector,
                                    Value mask) {
  return verifyMask(
      op, vector, mask, [&](VectorType maskType) -> LogicalResult {
        if (vector::isBroadcastableTo(
                VectorType::get(maskType.getShape(), vector.getElementType()),
                vector) == vector::BroadcastableToResult::Success)
          return success();
        return op->emitOpError("has a mask of type ")
               << maskType << " that cannot be broadcast to the result type "
               << vector;
      });
}

/// A store's mask has the shape of the vector.
static LogicalResult verifyStoreMask(Operation *op, VectorType vector,
                                     Value mask) {
  return verifyMask(op, vector, mask,
                    [&](VectorType maskType) -> LogicalResult {
                      if (maskType.getShape() == vector.getShape())
                        return success();
                      return op->emitOpError("has a mask of type ")
                             << maskType << " for a value of type " << vector
                             << "; both need the same shape";
                    });
}

//===----------------------------------------------------------------------===//
// VectorLoadOp, VectorStoreOp
//===----------------------------------------------------------------------===//

/// Without strides, which the Mosaic compiler does not take any more.
void VectorLoadOp::build(OpBuilder &builder, OperationState &state,
                         VectorType result, Value base, ValueRange indices,
                         Value mask) {
  build(builder, state, result, base, indices, ArrayRef<int32_t>{}, mask);
}

/// Checks what loads and stores of whole vectors have in common.
template <typename Op>
static LogicalResult verifyVectorAccess(Op op, VectorType vector) {
  auto base = cast<MemRefType>(op.getBase().getType());
  return success(
      succeeded(verifyIndexCount(op, base, op.getIndices().size())) &&
      succeeded(verifyNoStrides(op, base, op.getStrides())) &&
      succeeded(verifyInVmem(op, base)) &&
      succeeded(verifyElementType(op, base, vector)));
}

///   %0 = tpu.vector_load %m[%i, %j] masked %k
///        : memref<16x128xf32>, vector<8x128xf32>, vector<128xi1>
LogicalResult VectorLoadOp::verify() {
  auto result = cast<VectorType>(getResult().getType());
  return success(succeeded(verifyVectorAccess(*this, result)) &&
                 succeeded(verifyLoadMask(*this, result, getMask())));
}

void VectorStoreOp::build(OpBuilder &builder, OperationState &state,
                          Value valueToStore, Value base, ValueRange indices,
                          Value mask, bool add) {
  build(builder, state, valueToStore, base, indices, ArrayRef<int32_t>{}, mask,
        add);
}

/// A store can't broadcast its mask, since each lane is written by one bit.
LogicalResult VectorStoreOp::verify() {
  auto value = cast<VectorType>(getValueToStore().getType());
  return success(succeeded(verifyVectorAccess(*this, value)) &&
                 succeeded(verifyStoreMask(*this, value, getMask())));
}

//===----------------------------------------------------------------------===//
// StridedLoadOp, StridedStoreOp
//===----------------------------------------------------------------------===//

/// Strided accesses keep the rank: a dropped dimension has size 1.
static LogicalResult verifyStrided(Operation *op, MemRefType base,
                                   VectorType vector, size_t indexCount,
                                   ArrayRef<int32_t> strides,
                                   int32_t smallestStride) {
  if (failed(verifyIndexCount(op, base, indexCount)))
    return failure();
  if (static_cast<int64_t>(strides.size()) != base.getRank())
    return op->emitOpError("has ")
           << strides.size() << " strides for a base of rank " << base.getRank()
           << "; give one per dimension";
  if (vector.getRank() != base.getRank())
    return op->emitOpError("moves a vector of rank ")
           << vector.getRank() << " but the base has rank " << base.getRank()
           << "; give the vector size 1 where a dimension is dropped";
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (stride < smallestStride)
      return op->emitOpError("has stride ")
             << stride << " along dimension " << dim << ", below "
             << smallestStride;
  return verifyElementType(op, base, vector);
}

LogicalResult StridedLoadOp::verify() {
  // Stride 0 reads one element again and again.
  // A load may repeat an element, but a store would write it twice.
  return verifyStrided(*this, cast<MemRefType>(getBase().getType()),
                       cast<VectorType>(getResult().getType()),
                       getIndices().size(), getStrides(), 0);
}

LogicalResult StridedStoreOp::verify() {
  return verifyStrided(*this, cast<MemRefType>(getBase().getType()),
                       cast<VectorType>(getValueToStore().getType()),
                       getIndices().size(), getStrides(), 1);
}

//===----------------------------------------------------------------------===//
// VectorLoadIdxOp, VectorStoreIdxOp
//===----------------------------------------------------------------------===//

/// Vectors of indices have the shape of the vector that is moved.
static LogicalResult verifyIndexVectors(Operation *op, MemRefType base,
                                        VectorType vector, ValueRange indices) {
  if (static_cast<int64_t>(indices.size()) != base.getRank())
    return op->emitOpError("has ")
           << indices.size() << " index vectors for a base of rank "
           << base.getRank() << "; give one per dimension";
  for (auto [dim, index] : llvm::enumerate(indices)) {
    auto type = cast<VectorType>(index.getType());
    if (type.getShape() != vector.getShape())
      return op->emitOpError("has an index vector of type ")
             << type << " along dimension " << dim << " for elements of type "
             << vector << "; both need the same shape";
  }
  return success();
}

/// A gather: element k comes from the place that the k-th of each index names.
LogicalResult VectorLoadIdxOp::verify() {
  auto base = cast<MemRefType>(getBase().getType());
  auto value = cast<VectorType>(getValue().getType());
  return success(
      succeeded(verifyIndexVectors(*this, base, value, getIndices())) &&
      succeeded(verifyInVmem(*this, base)) &&
      succeeded(verifyElementType(*this, base, value)) &&
      succeeded(verifyLoadMask(*this, value, getMask())));
}

/// Unlike a gather, it takes one dimension only, as in the Mosaic compiler.
LogicalResult VectorStoreIdxOp::verify() {
  auto base = cast<MemRefType>(getBase().getType());
  auto value = cast<VectorType>(getValueToStore().getType());
  if (value.getRank() != 1)
    return emitOpError("scatters a vector of rank ")
           << value.getRank() << "; flatten it to rank 1";
  return success(
      succeeded(verifyIndexVectors(*this, base, value, getIndices())) &&
      succeeded(verifyInVmem(*this, base)) &&
      succeeded(verifyElementType(*this, base, value)) &&
      succeeded(verifyStoreMask(*this, value, getMask())));
}

//===----------------------------------------------------------------------===//
// VectorCompressStoreOp, VectorExpandLoadOp
//===----------------------------------------------------------------------===//

/// Checks an access that leaves elements out along the dimension `dim`.
static LogicalResult verifyPackedAccess(Operation *op, MemRefType base,
                                        VectorType vector, size_t indexCount,
                                        VectorType mask, int64_t dim) {
  if (failed(verifyIndexCount(op, base, indexCount)) ||
      failed(verifyInVmem(op, base)) ||
      failed(verifyElementType(op, base, vector)))
    return failure();
  if (vector.getRank() != base.getRank())
    return op->emitOpError("moves a vector of rank ")
           << vector.getRank() << " but the base has rank " << base.getRank()
           << "; give the vector size 1 where a dimension is dropped";
  if (mask.getShape() != vector.getShape())
    return op->emitOpError("has a mask of type ")
           << mask << " for a vector of type " << vector
           << "; both need the same shape";
  if (dim < 0 || dim >= base.getRank())
    return op->emitOpError("packs elements along dimension ")
           << dim << ", which is not in [0, " << base.getRank() << ")";
  return success();
}

/// Stores the elements whose mask is set, without gaps:
///
///   mask 1 0 1 1 of a b c d     stores a c d
LogicalResult VectorCompressStoreOp::verify() {
  return verifyPackedAccess(*this, cast<MemRefType>(getBase().getType()),
                            cast<VectorType>(getValueToStore().getType()),
                            getIndices().size(),
                            cast<VectorType>(getMask().getType()),
                            static_cast<int32_t>(getCompressDim()));
}

/// The inverse of a compressing store: loads as many elements as the mask has
/// bits, and spreads them to those.
LogicalResult VectorExpandLoadOp::verify() {
  return verifyPackedAccess(*this, cast<MemRefType>(getBase().getType()),
                            cast<VectorType>(getResult().getType()),
                            getIndices().size(),
                            cast<VectorType>(getMask().getType()),
                            static_cast<int32_t>(getExpandDim()));
}
