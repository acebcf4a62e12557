//===- TensorMemoryOps.cpp - Tensor memory --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory is private to a block, has 128 lanes and 512 columns of 32
// bits, and no addresses that other operations take. So its memrefs have a
// memory space of their own, and every operation here checks it.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Columns of 32 bits that a block can allocate.
static constexpr int64_t kColumns = 512;

/// Columns are allocated before the kernel runs on, so shapes are static.
static LogicalResult verifyTensorMemory(Operation *op, Type type) {
  auto memref = cast<MemRefType>(type);
  if (getMemory(memref) == Memory::Tensor && memref.hasStaticShape())
    return success();
  return op->emitOpError("takes ")
         << type
         << "; tensor memory has a static shape and the memory space "
            "#mosaic_gpu.tmem";
}

static LogicalResult verifySharedMemory(Operation *op, MemRefType type) {
  if (getMemory(type) == Memory::Shared)
    return success();
  return op->emitOpError("takes ") << type
                                   << " as shared memory; its memory space is "
                                      "#gpu.address_space<workgroup>";
}

/// Packed elements share a column of 32 bits, so two f16 take half of the
/// columns that they take unpacked.
LogicalResult TmemAllocOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (failed(verifySharedMemory(*this, getSmemPtr().getType())) ||
      failed(verifyTensorMemory(*this, type)))
    return failure();
  int64_t packing = getPacking(), columns = type.getDimSize(1);
  if (packing != 1) {
    if (!type.getElementType().isIntOrFloat() ||
        packing * type.getElementTypeBitWidth() != 32)
      return emitOpError("packs ")
             << packing << " elements of type " << type.getElementType()
             << " into 32 bits; pack 1, or as many as fit";
    if (columns % packing != 0)
      return emitOpError("packs ") << columns << " columns by " << packing
                                   << ", which does not divide them";
  }
  if (columns / packing > kColumns)
    return emitOpError("allocates ")
           << columns / packing << " columns; there are " << kColumns;
  return success();
}

LogicalResult TmemDeallocOp::verify() {
  return verifyTensorMemory(*this, getTmemRef().getType());
}

LogicalResult TmemLayoutCastOp::verify() {
  return verifyTensorMemory(*this, getRef().getType());
}

LogicalResult SliceTmemOp::verify() {
  if (failed(verifyTensorMemory(*this, getSource().getType())) ||
      failed(verifyTensorMemory(*this, getResult().getType())))
    return failure();
  if (getOffset() % 4 != 0)
    return emitOpError("starts at column ")
           << getOffset() << "; give a multiple of 4";
  return success();
}

//===----------------------------------------------------------------------===//
// AsyncLoadTmemOp, AsyncStoreTmemOp
//===----------------------------------------------------------------------===//

/// With `reduce`, new in 0.12, there is a second result with one element per
/// row.
LogicalResult AsyncLoadTmemOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto source = operands.empty()
                    ? MemRefType()
                    : dyn_cast<MemRefType>(operands.front().getType());
  if (!source || source.getRank() != 2 || !source.hasStaticShape() ||
      !VectorType::isValidElementType(source.getElementType()))
    return emitOptionalError(loc, "loads no memref of rank 2 that is static");
  inferred.assign(
      {VectorType::get(source.getShape(), source.getElementType())});
  if (adaptor.getReduceAttr())
    inferred.push_back(VectorType::get(source.getShape().take_front(),
                                       source.getElementType()));
  return success();
}

LogicalResult AsyncLoadTmemOp::verify() {
  return verifyTensorMemory(*this, getSource().getType());
}

LogicalResult AsyncStoreTmemOp::verify() {
  auto value = cast<VectorType>(getSource().getType());
  auto destination = cast<MemRefType>(getDestination().getType());
  if (value.getShape() != destination.getShape() ||
      value.getElementType() != destination.getElementType())
    return emitOpError("stores ") << value << " to " << destination
                                  << "; shape and element type have to match";
  return verifyTensorMemory(*this, destination);
}

//===----------------------------------------------------------------------===//
// Copies of shared memory to tensor memory
//===----------------------------------------------------------------------===//

/// Element types, and that tensor memory is made of whole parts.
static LogicalResult verifyParts(Operation *op, MemRefType source,
                                 MemRefType destination, int64_t rows,
                                 int64_t columns) {
  if (source.getElementType() != destination.getElementType())
    return op->emitOpError("copies elements of type ")
           << source.getElementType() << " to " << destination.getElementType();
  if (failed(verifySharedMemory(op, source)) ||
      failed(verifyTensorMemory(op, destination)))
    return failure();
  if (destination.getDimSize(0) % rows != 0 ||
      destination.getDimSize(1) % columns != 0)
    return op->emitOpError("copies to ")
           << destination << "; rows are a multiple of " << rows
           << " and columns of " << columns;
  return success();
}

/// The source has the layout that the copy instruction reads, in whole parts,
/// so few shapes are right; the message lists them.
static LogicalResult verifySource(Operation *op, MemRefType source,
                                  MemRefType destination,
                                  ArrayRef<SmallVector<int64_t>> shapes) {
  if (llvm::any_of(shapes, [&](ArrayRef<int64_t> shape) {
        return source.getShape() == shape;
      }))
    return success();
  InFlightDiagnostic diag = op->emitOpError("copies ")
                            << source << " to " << destination
                            << "; the source has shape ";
  llvm::interleave(
      shapes, [&](ArrayRef<int64_t> shape) { diag << "(" << shape << ")"; },
      [&]() { diag << " or "; });
  return diag;
}

LogicalResult AsyncStoreSmemToTmemOp::verify() {
  MemRefType source = getSource().getType(),
             destination = getDestination().getType();
  if (failed(verifyParts(*this, source, destination, 1, 1)))
    return failure();
  return verifySource(*this, source, destination,
                      {SmallVector<int64_t>(destination.getShape())});
}

LogicalResult AsyncStoreSparseMetadataSmemToTmemOp::verify() {
  MemRefType source = getSource().getType(),
             destination = getDestination().getType();
  if (failed(verifyParts(*this, source, destination, 128, 64)))
    return failure();
  return verifySource(*this, source, destination,
                      {{destination.getDimSize(0) / 128,
                        destination.getDimSize(1) / 64, 128, 64}});
}

LogicalResult AsyncStoreScalesSmemToTmemOp::verify() {
  MemRefType source = getSource().getType(),
             destination = getDestination().getType();
  if (failed(verifyParts(*this, source, destination, 128, 4)))
    return failure();
  int64_t steps = destination.getDimSize(1) / 4;
  return verifySource(
      *this, source, destination,
      {{destination.getDimSize(0) / 128, steps, 32, 16}, {1, steps, 64, 16}});
}
