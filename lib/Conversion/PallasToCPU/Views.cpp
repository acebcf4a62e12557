//===- Views.cpp - Views of refs ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers views of refs to views of memrefs: slices, reshapes,
// transposes, bitcasts, and memory of other devices.
//
//===----------------------------------------------------------------------===//

#include "GPULowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Where one entry of an access lies in its dimension: inside of it, whatever
/// the operands are. Dynamic starts that would leave the ref are moved inside,
/// as JAX's interpreter does it, but dynamic lengths are cut. For example, the
/// start of `ds(%i, 4)` in a dimension of 10:
///
///   %wrapped = ... %i, or %i + 10 if it is negative ...
///   %low = arith.minsi %wrapped, %c6 : index
///   %start = arith.maxsi %low, %c0 : index
///
/// Static starts need none of this, as the verifier has checked them.
RefLowering::ViewRange RefLowering::createRange(RefAccessOpInterface op,
                                                unsigned dim,
                                                const AccessDim &access) {
  Location loc = op.getLoc();
  const DimIndex &entry = access.entry;
  bool isScalar = entry.kind == IndexKind::Scalar;
  int64_t stride = isScalar ? 1 : entry.stride;
  // With one element the stride has no effect, but it would make the type of
  // the view ambiguous.
  ViewRange range{b.getIndexAttr(0), b.getIndexAttr(1),
                  b.getIndexAttr(entry.size == 1 ? 1 : stride)};
  bool isKnownSize = !op.getRef().getType().isDynamicDim(dim);
  Value size = memref::DimOp::create(b, loc, getMemory(op.getRef()), dim);
  if (isFullEntry(access)) {
    range.length = size;
    return range;
  }
  Value start;
  if (access.start)
    start = b.toIndex(access.start);
  if (access.size) {
    CutSlice cut =
        createCutSlice(b, loc, start ? start : b.createIndex(loc, entry.start),
                       access.size, stride, size);
    range.start = cut.start;
    range.length = cut.length;
    return range;
  }
  if (!isScalar)
    range.length = b.getIndexAttr(entry.size);
  if (!start && isKnownSize) {
    range.start = b.getIndexAttr(entry.start);
    return range;
  }
  if (!start)
    start = b.createIndex(loc, entry.start);
  Value extent =
      b.createIndex(loc, isScalar ? 1 : (entry.size - 1) * stride + 1);
  range.start = clampIndex(b, loc, start, size, extent);
  // The type of the result fixes the size of the slice. If the ref turns out to
  // be shorter, that is an error of the run; with stride 0 the slice then reads
  // its first element again and again instead of memory out of bounds.
  if (!isKnownSize) {
    Value exceeds =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, extent, size);
    b.failIf(op, exceeds,
             "this needs " +
                 (isScalar ? "an element in dimension " + Twine(dim) +
                                 ", where the ref has none"
                           : Twine(entry.size) + " elements in dimension " +
                                 Twine(dim) + ", where the ref has fewer") +
                 "; give the size of the slice by an operand, or test it");
    if (!isScalar)
      range.stride =
          arith::SelectOp::create(b, loc, exceeds, b.createIndex(loc, 0),
                                  b.createIndex(loc, stride))
              .getResult();
  }
  return range;
}

/// The memory that an access without index arrays selects.
///
///   %view = memref.subview %ref[2, %j] [1, 4] [1, 1]
///       : memref<8x8xf32> to memref<4xf32, strided<[1], offset: ?>>
///
/// Scalar entries drop their dimension.
FailureOr<Value> RefLowering::createView(RefAccessOpInterface op) {
  Location loc = op.getLoc();
  Value source = getMemory(op.getRef());
  auto type = cast<MemRefType>(source.getType());
  if (op.isWholeAccess() && op.getAccessShape() == type.getShape())
    return source;
  Rectangle part;
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    const DimIndex &entry = dim.entry;
    if (type.getDimSize(d) == 0 &&
        (entry.kind == IndexKind::Scalar || entry.size > 0))
      return emitErrorOf(op) << "accesses elements of " << op.getRef().getType()
                             << ", which has none";
    ViewRange range = createRange(op, d, dim);
    part.dropped.push_back(entry.kind == IndexKind::Scalar);
    part.offsets.push_back(range.start);
    part.sizes.push_back(range.length);
    part.strides.push_back(range.stride);
  }
  return b.createPart(loc, source, part);
}

//===----------------------------------------------------------------------===//
// Other views
//===----------------------------------------------------------------------===//

/// The strides that memory of `shape` with the strides `from` has under the
/// shape `to`; none if no strides reach the same elements in the same order.
///
///   4x2x8 with strides [64, 32, 1] has the strides [32, 4, 1] as 8x2x4
///
/// Takes the shortest groups of dimensions with as many elements in both
/// shapes, here 4x2 and 8, then 8 and 2x4. The steps within a group of `shape`
/// have to follow from its last one.
static std::optional<SmallVector<int64_t>>
getReshapedStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> from,
                   ArrayRef<int64_t> to) {
  SmallVector<int64_t> sizes, steps, strides(to.size(), 1);
  if (llvm::is_contained(shape, 0))
    return strides;
  for (auto [size, stride] : llvm::zip_equal(shape, from)) {
    if (size == 1)
      continue;
    sizes.push_back(size);
    steps.push_back(stride);
  }
  size_t next = 0;
  for (size_t first = 0; next < sizes.size();) {
    int64_t count = sizes[next], reshaped = 1;
    size_t last = first;
    while (last < to.size() && (last == first || reshaped != count)) {
      reshaped *= to[last++];
      while (count < reshaped) {
        if (steps[next] != sizes[next + 1] * steps[next + 1])
          return std::nullopt;
        count *= sizes[++next];
      }
    }
    int64_t stride = steps[next++];
    for (size_t d = last; d > first; --d) {
      strides[d - 1] = stride;
      stride *= to[d - 1];
    }
    first = last;
  }
  return strides;
}

/// The same elements under another shape; null if the strides don't allow it.
/// Tries collapse_shape and expand_shape first, which keep static layouts:
///
///   %1 = memref.collapse_shape %0 [[0, 1]]
///       : memref<4x8xf32> into memref<32xf32>
///
/// Other reshapes reinterpret the memory.
static Value reshapeMemory(OpBuilder &b, Location loc, Value source,
                           ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(source.getType());
  if (type.getShape() == shape)
    return source;
  auto target = MemRefType::get(shape, type.getElementType());
  if (auto groups = getReassociationIndicesForReshape(
          MemRefType::get(type.getShape(), type.getElementType()), target)) {
    if (type.getRank() > target.getRank()) {
      if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, *groups))
        return memref::CollapseShapeOp::create(b, loc, source, *groups);
    } else if (succeeded(memref::ExpandShapeOp::computeExpandedType(type, shape,
                                                                    *groups))) {
      auto expanded =
          *memref::ExpandShapeOp::computeExpandedType(type, shape, *groups);
      return memref::ExpandShapeOp::create(b, loc, expanded, source, *groups);
    }
  }
  auto [from, offset] = type.getStridesAndOffset();
  if (llvm::any_of(from, ShapedType::isDynamic))
    return {};
  std::optional<SmallVector<int64_t>> strides =
      getReshapedStrides(type.getShape(), from, shape);
  if (!strides)
    return {};
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, source);
  SmallVector<OpFoldResult> sizes, steps;
  for (auto [size, stride] : llvm::zip_equal(shape, *strides)) {
    sizes.push_back(b.getIndexAttr(size));
    steps.push_back(b.getIndexAttr(stride));
  }
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, *strides);
  auto resultType = MemRefType::get(shape, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      b, loc, resultType, metadata.getBaseBuffer(),
      OpFoldResult(metadata.getOffset()), sizes, steps);
}

/// Memory of the block that some axes of the cluster name, as one step, since
/// offsets between blocks are those from this one:
///
///   %column = pallas.cluster_ref %s, "x" = %i
///   %there = pallas.cluster_ref %column, "y" = %j
LogicalResult RefLowering::lowerClusterRef(ClusterRefOp op) {
  SmallVector<Value> indices;
  SmallVector<Attribute> axes;
  Value ref = op.getView();
  while (auto axis = ref.getDefiningOp<ClusterRefOp>()) {
    ref = axis.getRef();
    // The name that is given last counts.
    if (llvm::is_contained(axes, axis.getAxisNameAttr()))
      continue;
    indices.push_back(axis.getIndex());
    axes.push_back(axis.getAxisNameAttr());
  }
  for (Operation *view = ref.getDefiningOp(); view && view->getNumOperands();
       view = view->getOperand(0).getDefiningOp())
    if (isa<ClusterRefOp>(view))
      return op.emitOpError("names another block of memory of another block "
                            "behind a view; name all axes, then make the view");
  FailureOr<MemorySharing::Peer> peer =
      sharing.getPeer(op, indices, b.getArrayAttr(axes), DeviceIdType::Mesh,
                      /*core=*/Value(), ref);
  if (failed(peer))
    return failure();
  memory[op.getView()] = sharing.getAtPeer(op, getMemory(ref), *peer);
  return success();
}

/// Notes the memory of the view; the operation itself is erased later, by
/// `lowerBlock`. For example:
///
///   %t = pallas.transpose_ref %r, [1, 0]
///       : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x4xf32, vmem>
///
/// becomes
///
///   %t = memref.transpose %r (d0, d1) -> (d1, d0)
///       : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
LogicalResult RefLowering::lowerView(Operation *op) {
  Value ref = op->getOperand(0), view = op->getResult(0);
  Value source = getMemory(ref);
  Location loc = op->getLoc();
  if (auto slice = dyn_cast<SliceRefOp>(op)) {
    auto access = cast<RefAccessOpInterface>(op);
    // Only async copies use such a view; they look at it themselves.
    if (access.getIndexer().hasGather())
      return success();
    FailureOr<Value> part = createView(access);
    if (failed(part))
      return failure();
    memory[view] = *part;
    return success();
  }
  if (auto transpose = dyn_cast<TransposeRefOp>(op)) {
    SmallVector<unsigned> permutation(transpose.getPermutation().begin(),
                                      transpose.getPermutation().end());
    memory[view] = memref::TransposeOp::create(
        b, loc, source,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(permutation, b.getContext())));
    return success();
  }
  auto type = cast<RefType>(view.getType());
  if (isa<ReshapeRefOp>(op)) {
    memory[view] = reshapeMemory(b, loc, source, type.getShape());
    if (!memory[view])
      return op->emitOpError()
             << "reshapes " << ref.getType()
             << ", whose elements don't lie densely in memory; reshape the "
                "value that pallas.get yields instead";
    return success();
  }
  if (auto remote = dyn_cast<RemoteRefOp>(op)) {
    FailureOr<MemorySharing::Peer> peer = sharing.getPeer(
        op, remote.getDeviceIds(), remote.getDeviceAxesAttr(),
        remote.getDeviceIdType(), /*core=*/Value(), remote.getRef());
    if (failed(peer))
      return failure();
    memory[view] = sharing.getAtPeer(op, source, *peer);
    return success();
  }
  if (auto cluster = dyn_cast<ClusterRefOp>(op)) {
    return lowerClusterRef(cluster);
  }
  Type from = cast<RefType>(ref.getType()).getElementType(),
       to = type.getElementType();
  if (getBitWidth(from) != getBitWidth(to))
    return lowerWideView(cast<BitcastRefOp>(op));
  auto sourceType = cast<MemRefType>(source.getType());
  memory[view] =
      UnrealizedConversionCastOp::create(
          b, loc,
          MemRefType(MemRefType::Builder(sourceType).setElementType(to)),
          source)
          .getResult(0);
  return success();
}
