//===- CopyOps.cpp - Copies -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies move a box of an array in global memory, given by an index and a
// length per dimension. A length of -1 drops the dimension, and one vector of
// indices gathers or scatters rows.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

//===----------------------------------------------------------------------===//
// Boxes of global memory
//===----------------------------------------------------------------------===//

/// Sizes and indices of a box in global memory.
static LogicalResult verifyBox(Operation *op, MemRefType global,
                               ArrayRef<int64_t> sizes, OperandRange indices) {
  int64_t rank = global.getRank();
  if (static_cast<int64_t>(sizes.size()) != rank)
    return op->emitOpError("has ")
           << sizes.size() << " slice_lengths for a memref of rank " << rank;
  if (static_cast<int64_t>(indices.size()) != rank)
    return op->emitOpError("has ")
           << indices.size() << " indices for a memref of rank " << rank;
  bool hasVector = false;
  for (auto [dim, size, index] : llvm::enumerate(sizes, indices)) {
    if (size < -1)
      return op->emitOpError("has a slice length of ")
             << size << " in dimension " << dim
             << "; give a size, or -1 for a dimension that is dropped";
    auto vector = dyn_cast<VectorType>(index.getType());
    if (!vector)
      continue;
    if (hasVector)
      return op->emitOpError("has a second vector of indices, in dimension ")
             << dim << "; one dimension is gathered or scattered";
    hasVector = true;
    if (vector.getDimSize(0) != size)
      return op->emitOpError("has ")
             << vector.getDimSize(0) << " indices in dimension " << dim
             << ", whose slice length is " << size;
  }
  return success();
}

/// A box and the memref in shared memory that holds it.
static LogicalResult verifyTransfer(Operation *op, MemRefType global,
                                    MemRefType shared, ArrayRef<int64_t> sizes,
                                    OperandRange indices) {
  if (global.getElementType() != shared.getElementType())
    return op->emitOpError("copies between elements of type ")
           << global.getElementType() << " and " << shared.getElementType();
  if (failed(verifyBox(op, global, sizes, indices)))
    return failure();
  int64_t dropped = llvm::count(sizes, -1);
  if (global.getRank() != shared.getRank() + dropped)
    return op->emitOpError("copies a box of ")
           << global.getRank() - dropped << " dimensions, but " << shared
           << " has " << shared.getRank();
  return success();
}

/// Blocks along a dimension share the copy once, so naming it twice is a
/// mistake.
static LogicalResult verifyCollective(Operation *op, ArrayAttr collective) {
  llvm::SmallSet<int64_t, 3> seen;
  for (Attribute dimension : collective)
    if (!seen.insert(cast<IntegerAttr>(dimension).getInt()).second)
      return op->emitOpError("names dimension ")
             << stringifyDimension(static_cast<Dimension>(
                    cast<IntegerAttr>(dimension).getInt()))
             << " of the cluster twice";
  return success();
}

//===----------------------------------------------------------------------===//
// AsyncLoadOp
//===----------------------------------------------------------------------===//

/// Releases differ in the number of groups, so ODS's accessors, which know one
/// number, are not used; a group that a form lacks is empty.
OperandRange AsyncLoadOp::getGroup(Group group) {
  ArrayRef<int32_t> sizes = getOperandSegmentSizes();
  if (group >= static_cast<int>(sizes.size()))
    return getOperands().take_front(0);
  int64_t start = 0;
  for (int32_t size : sizes.take_front(group))
    start += size;
  return getOperands().slice(start, sizes[group]);
}

/// Builds the older form, which `mosaic-gpu-set-release` turns into others.
void AsyncLoadOp::build(OpBuilder &builder, OperationState &state, Value source,
                        Value destination, Value barrier, ValueRange indices,
                        ArrayRef<int64_t> sliceLengths, Value predicate,
                        ArrayRef<Dimension> collective) {
  state.addOperands({source, destination, barrier});
  state.addOperands(indices);
  if (predicate)
    state.addOperands(predicate);
  auto dimensions = llvm::map_to_vector(collective, [&](Dimension dimension) {
    return Attribute(DimensionAttr::get(builder.getContext(), dimension));
  });
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.slice_lengths = builder.getDenseI64ArrayAttr(sliceLengths);
  properties.collective = builder.getArrayAttr(dimensions);
  properties.oob_fill_mode =
      OOBFillModeAttr::get(builder.getContext(), OOBFillMode::kZeros);
  properties.operandSegmentSizes = builder.getDenseI32ArrayAttr(
      {1, 1, 1, static_cast<int32_t>(indices.size()), predicate ? 1 : 0});
}

/// The type that a group of operands of async_load has, or failure.
static LogicalResult verifyGroup(AsyncLoadOp op, AsyncLoadOp::Group group) {
  static constexpr StringLiteral names[] = {"source",    "destination",
                                            "barrier",   "indices",
                                            "predicate", "gmem_peer_id"};
  OperandRange operands = op.getGroup(group);
  bool isSixForm = op.getOperandSegmentSizes().size() == 6;
  bool isNeeded = group == AsyncLoadOp::Source ||
                  group == AsyncLoadOp::Destination ||
                  (group == AsyncLoadOp::Barrier && !isSixForm);
  if (group != AsyncLoadOp::Indices && operands.size() > 1)
    return op.emitOpError("has ")
           << operands.size() << " operands as " << names[group];
  if (isNeeded && operands.empty())
    return op.emitOpError("has no ") << names[group];
  for (Value operand : operands) {
    Type type = operand.getType();
    auto memref = dyn_cast<MemRefType>(type);
    auto vector = dyn_cast<VectorType>(type);
    bool fits = false;
    switch (group) {
    case AsyncLoadOp::Source:
    case AsyncLoadOp::Destination:
      fits = static_cast<bool>(memref);
      break;
    case AsyncLoadOp::Barrier:
      fits = memref && memref.getRank() == 0 &&
             isa<BarrierType>(memref.getElementType());
      break;
    case AsyncLoadOp::Indices:
      fits = type.isInteger(32) ||
             (vector && vector.getRank() == 1 &&
              llvm::is_contained({8u, 16u, 32u},
                                 vector.getElementTypeBitWidth()) &&
              isa<IntegerType>(vector.getElementType()));
      break;
    case AsyncLoadOp::Predicate:
      fits = type.isInteger(1);
      break;
    case AsyncLoadOp::Peer:
      fits = type.isInteger(32);
      break;
    }
    if (!fits)
      return op.emitOpError("has a ")
             << names[group] << " of type " << type
             << "; source and destination are memrefs, the barrier is one in a "
                "memref of rank 0, indices are i32 or vectors of integers, the "
                "predicate is i1, the peer i32";
  }
  return success();
}

/// ODS would check segments and types, but knows one number of segments. So the
/// groups are checked by hand, before anything reads them.
LogicalResult AsyncLoadOp::verify() {
  ArrayRef<int32_t> sizes = getOperandSegmentSizes();
  if (sizes.size() != 5 && sizes.size() != 6)
    return emitOpError("has ") << sizes.size()
                               << " operand segments; 0.10.2 has 5 and later "
                                  "releases have 6";
  int64_t total = 0;
  for (int32_t size : sizes) {
    if (size < 0)
      return emitOpError("has an operand segment of size ") << size;
    total += size;
  }
  if (total != getNumOperands())
    return emitOpError("has ")
           << getNumOperands() << " operands, but its segments hold " << total;
  for (Group group : {Source, Destination, Barrier, Indices, Predicate, Peer})
    if (failed(verifyGroup(*this, group)))
      return failure();
  if (failed(verifyTransfer(*this, getSource().getType(),
                            getDestination().getType(), getSliceLengths(),
                            getIndices())))
    return failure();
  return verifyCollective(*this, getCollective());
}

//===----------------------------------------------------------------------===//
// AsyncPrefetchOp, AsyncStoreOp, AsyncStoreSmemOp
//===----------------------------------------------------------------------===//

LogicalResult AsyncPrefetchOp::verify() {
  if (failed(verifyBox(*this, getSource().getType(), getSliceLengths(),
                       getIndices())))
    return failure();
  return verifyCollective(*this, getCollective());
}

/// Source and destination change places: the box lies in the destination.
LogicalResult AsyncStoreOp::verify() {
  if (getGmemPeerId() && getIsGlobalBroadcast())
    return emitOpError(
        "has a gmem_peer_id and is_global_broadcast; copy to one "
        "device or to all");
  return verifyTransfer(*this, getDestination().getType(),
                        getSource().getType(), getSliceLengths(), getIndices());
}

/// There is no box, since the vector is stored as a whole.
LogicalResult AsyncStoreSmemOp::verify() {
  VectorType value = getValueToStore().getType();
  MemRefType destination = getDestination().getType();
  if (value.getShape() != destination.getShape() ||
      value.getElementType() != destination.getElementType())
    return emitOpError("stores ") << value << " to " << destination
                                  << "; shape and element type have to match";
  if (getMemory(destination) != Memory::Shared)
    return emitOpError("stores to ")
           << destination << ", which is not in #gpu.address_space<workgroup>";
  return success();
}
