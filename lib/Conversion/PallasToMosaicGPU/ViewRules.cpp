//===- ViewRules.cpp - Views of memory ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refs in shared memory are memrefs, and views of them subviews. Refs in global
// memory are boxes, with a start and a size per dimension, as copies take them.
//
//===----------------------------------------------------------------------===//

#include "DeviceRules.h"
#include "ElementLoops.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Only single indices and dense slices have a form.
static LogicalResult checkEntries(Operation *op, ArrayRef<AccessDim> dims) {
  for (const AccessDim &dim : dims) {
    if (dim.entry.kind == IndexKind::Gather)
      return op->emitOpError("indexes by an array; on GPUs a ref is indexed by "
                             "scalars and slices");
    if (dim.entry.stride != 1)
      return op->emitOpError("has a slice with a stride of ")
             << dim.entry.stride << "; on GPUs slices are dense";
    if (dim.entry.hasDynamicSize())
      return op->emitOpError(
          "has a slice whose size is known at run time only; "
          "on GPUs sizes are static");
  }
  return success();
}

/// Where an access might leave its ref, the start moves inside, as JAX has it.
/// It stays an i32, which takes half of the instructions of an index.
FailureOr<Value> mlir::pallas::getAccessStart(KernelEmitter &emit,
                                              RefAccessOpInterface op,
                                              unsigned dim,
                                              const AccessDim &access) {
  if (!access.start)
    return Value();
  FailureOr<Value> start = emit.getValue(access.start);
  if (failed(start) || keepsElementsInPlace(op))
    return start;
  AccessReach outside = getReach(op, dim);
  if (!outside.isOutside())
    return start;
  int64_t size = op.getRef().getType().getDimSize(dim);
  int64_t reach = access.entry.kind == IndexKind::Scalar
                      ? 0
                      : (access.entry.size - 1) * access.entry.stride;
  int64_t last = size - 1 - reach;
  Value at = *start;
  if (!at.getType().isInteger(32))
    at = emit.toIndex(at);
  if (last >= 0 && !outside.inFront) {
    Value end = arith::ConstantOp::create(
        emit.b, emit.loc, emit.b.getIntegerAttr(at.getType(), last));
    return arith::MinSIOp::create(emit.b, emit.loc, at, end).getResult();
  }
  return createClamped(emit.b, emit.loc,
                       createWrapped(emit.b, emit.loc, at, size), last);
}

/// Copies take an array of rows that a vector names, and part of the columns.
///   %rows = pallas.slice_ref %x[gather(%i : tensor<8xi32>), ds(0, 64)]
static LogicalResult checkRows(SliceRefOp op, const GlobalBox &box,
                               ArrayRef<AccessDim> entries,
                               KernelEmitter &emit) {
  if (!emit.target.tensorColumns)
    return op.emitOpError("copies rows that an array names, which ")
           << emit.target.arch << " lacks; copy rows one by one";
  const AccessDim &rows = entries[0];
  bool isPlain = box.dims.size() == 2 && entries.size() == 2 &&
                 rows.entry.kind == IndexKind::Gather &&
                 !isa<RefType>(rows.array.getType()) &&
                 entries[1].entry.kind != IndexKind::Gather &&
                 entries[1].entry.kind != IndexKind::Scalar;
  const BoxDim &whole = box.dims[0];
  if (!isPlain || whole.start || whole.offset != 0)
    return op.emitOpError("selects elements by an array; copies take rows of a "
                          "whole array of two dimensions that a vector names, "
                          "and a slice of its columns");
  auto type = cast<RankedTensorType>(rows.array.getType());
  if (type.getRank() == 1 && type.getElementType().isInteger(32) &&
      type.getDimSize(0) % 4 == 0)
    return checkEntries(op, entries.drop_front());
  return op.emitOpError("takes rows by a ")
         << type
         << "; the hardware takes a multiple of 4 rows, by a vector of i32";
}

/// The rows of a box, as the vector that names them.
static LogicalResult selectRows(SliceRefOp op, KernelEmitter &emit,
                                GlobalBox &box,
                                MutableArrayRef<AccessDim> entries) {
  if (failed(checkRows(op, box, entries, emit)))
    return failure();
  FailureOr<Value> rows = emit.getValue(entries[0].array);
  if (failed(rows))
    return failure();
  box.dims[0].start = *rows;
  box.dims[0].size = cast<VectorType>((*rows).getType()).getDimSize(0);
  entries[0].entry = DimIndex::full();
  return success();
}

/// The box of a view of global memory. It stays where it is, since copies read
/// zeros outside of the array and write nothing there.
static LogicalResult narrowBox(KernelEmitter &emit, GlobalBox &box,
                               ArrayRef<AccessDim> entries) {
  const AccessDim *next = entries.begin();
  for (BoxDim &dim : box.dims) {
    if (!dim.isVisible)
      continue;
    const AccessDim &access = *next++;
    if (access.entry.kind == IndexKind::Full)
      continue;
    if (access.start) {
      FailureOr<Value> start = emit.getValue(access.start);
      if (failed(start))
        return failure();
      Value number = emit.toI32(*start);
      dim.start =
          dim.start ? arith::AddIOp::create(emit.b, emit.loc, dim.start, number)
                    : number;
    } else {
      dim.offset += access.entry.start;
    }
    dim.isVisible = access.entry.kind != IndexKind::Scalar;
    dim.size = dim.isVisible ? access.entry.size : 1;
  }
  return success();
}

/// Where several elements share a byte, a slice begins with the first of one,
/// and ends with the last.
static LogicalResult checkBytes(RefAccessOpInterface op) {
  if (!splitsBytes(op))
    return success();
  RefType type = op.getRef().getType();
  Type element = type.getElementType();
  return op->emitOpError("selects a part of rows of ")
         << type.getShape().back() << " elements of type " << element << "; "
         << 8 / element.getIntOrFloatBitWidth()
         << " of them share a byte, so select whole rows or bytes, or load and "
            "store the elements";
}

/// The compiler takes no part of a transposed memref:
///   %t = memref.transpose %r (d0, d1) -> (d1, d0)
///   %v = memref.subview %t[%i, 0] [64, 32] [1, 1]
/// -->
///   %p = memref.subview %r[0, %i] [32, 64] [1, 1]
///   %v = memref.transpose %p (d0, d1) -> (d1, d0)
Value mlir::pallas::takePart(KernelEmitter &emit, Value memref,
                             ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes,
                             const llvm::SmallBitVector &kept) {
  auto transpose = memref.getDefiningOp<memref::TransposeOp>();
  AffineMap map =
      transpose
          ? transpose.getPermutation()
          : emit.b.getMultiDimIdentityMap(static_cast<unsigned>(kept.size()));
  AffineMap back = inversePermutation(map);
  SmallVector<OpFoldResult> starts, lengths,
      ones(kept.size(), emit.b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  // The number that a dimension has in the part, where it is kept.
  SmallVector<unsigned> numbers(kept.size()), order;
  for (unsigned dim = 0; dim < kept.size(); ++dim) {
    unsigned from = back.getDimPosition(dim);
    starts.push_back(offsets[from]);
    lengths.push_back(sizes[from]);
    numbers[dim] = static_cast<unsigned>(shape.size());
    if (kept[from])
      shape.push_back(*getConstantIntValue(sizes[from]));
  }
  for (unsigned dim : kept.set_bits())
    order.push_back(numbers[map.getDimPosition(dim)]);
  if (transpose)
    memref = transpose.getIn();
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(memref.getType()), starts, lengths, ones));
  Value part = memref::SubViewOp::create(emit.b, emit.loc, type, memref, starts,
                                         lengths, ones);
  if (llvm::is_sorted(order))
    return part;
  return memref::TransposeOp::create(
      emit.b, emit.loc, part,
      AffineMapAttr::get(
          AffineMap::getPermutationMap(order, emit.b.getContext())));
}

///   %v = pallas.slice_ref %r[%i, ds(8, 16)]
/// -->
///   %v = memref.subview %r[%i, 8] [1, 16] [1, 1]
FailureOr<Value> mlir::pallas::narrowMemRef(KernelEmitter &emit, Value memref,
                                            RefAccessOpInterface op,
                                            bool maySplit) {
  SmallVector<AccessDim> entries = op.getAccessDims();
  if (failed(checkEntries(op, entries)))
    return failure();
  if (op.isWholeAccess())
    return memref;
  auto type = cast<MemRefType>(memref.getType());
  if (!maySplit && failed(checkBytes(op)))
    return failure();
  SmallVector<OpFoldResult> offsets, sizes;
  llvm::SmallBitVector kept(entries.size(), true);
  for (auto [d, entry, whole] : llvm::enumerate(entries, type.getShape())) {
    FailureOr<Value> start = getAccessStart(emit, op, d, entry);
    if (failed(start))
      return failure();
    bool isFull = entry.entry.kind == IndexKind::Full;
    bool isScalar = entry.entry.kind == IndexKind::Scalar;
    kept[d] = !isScalar;
    if (*start)
      offsets.push_back(emit.toIndex(*start));
    else
      offsets.push_back(emit.b.getIndexAttr(isFull ? 0 : entry.entry.start));
    sizes.push_back(emit.b.getIndexAttr(isFull     ? whole
                                        : isScalar ? 1
                                                   : entry.entry.size));
  }
  return takePart(emit, memref, offsets, sizes, kept);
}

/// The number of the first barrier or semaphore that an indexer selects:
///   %b[%i, 1] of 4x2 -> %i * 2 + 1
static LogicalResult narrowSlots(KernelEmitter &emit, SyncSlots &slots,
                                 RefAccessOpInterface op) {
  SmallVector<AccessDim> entries = op.getAccessDims();
  if (failed(checkEntries(op, entries)))
    return failure();
  SmallVector<int64_t> strides;
  Value number = slots.number;
  int64_t constant = 0;
  for (auto [d, entry] : llvm::enumerate(entries)) {
    int64_t stride = slots.strides[d];
    if (entry.entry.kind != IndexKind::Scalar)
      strides.push_back(stride);
    if (entry.entry.kind == IndexKind::Full)
      continue;
    FailureOr<Value> start = getAccessStart(emit, op, d, entry);
    if (failed(start))
      return failure();
    if (!*start) {
      constant += entry.entry.start * stride;
      continue;
    }
    Value term = emit.toI32(*start);
    if (stride != 1)
      term = arith::MulIOp::create(emit.b, emit.loc, term, emit.i32(stride));
    number = number
                 ? Value(arith::AddIOp::create(emit.b, emit.loc, number, term))
                 : term;
  }
  slots.number =
      number ? emit.addConstant(number, constant) : emit.i32(constant);
  slots.strides = std::move(strides);
  return success();
}

/// Refs to barriers and semaphores, boxes and memrefs take slices.
static LogicalResult convertSlice(SliceRefOp op, KernelEmitter &emit) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (emit.barriers.count(op.getRef())) {
    BarrierSlot slot = emit.barriers.lookup(op.getRef());
    LogicalResult result = narrowSlots(emit, slot, access);
    emit.barriers[op.getView()] = std::move(slot);
    return result;
  }
  if (emit.semaphores.count(op.getRef())) {
    SyncSlots slots = emit.semaphores.lookup(op.getRef());
    LogicalResult result = narrowSlots(emit, slots, access);
    emit.semaphores[op.getView()] = std::move(slots);
    return result;
  }
  auto box = emit.boxes.find(op.getRef());
  if (box != emit.boxes.end()) {
    GlobalBox narrowed = box->second;
    SmallVector<AccessDim> entries = access.getAccessDims();
    if (op.getIndexer().hasGather() &&
        failed(selectRows(op, emit, narrowed, entries)))
      return failure();
    if (failed(checkEntries(op, entries)) ||
        failed(narrowBox(emit, narrowed, entries)))
      return failure();
    emit.boxes[op.getView()] = std::move(narrowed);
    return success();
  }
  FailureOr<Value> memref = emit.getValue(op.getRef());
  if (failed(memref))
    return failure();
  FailureOr<Value> view = narrowMemRef(emit, *memref, access);
  if (failed(view))
    return failure();
  emit.values[op.getView()] = *view;
  return success();
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

static Value transposeMemRef(TransposeRefOp op, KernelEmitter &emit,
                             Value memref) {
  SmallVector<unsigned> permutation(op.getPermutation());
  auto map = AffineMap::getPermutationMap(permutation, op.getContext());
  return memref::TransposeOp::create(emit.b, emit.loc, memref,
                                     AffineMapAttr::get(map));
}

/// Dimensions merge or split:
///   %v = pallas.reshape_ref %r : 8x16x32 -> 128x32
/// -->
///   %v = memref.collapse_shape %r [[0, 1], [2]]
static FailureOr<Value> reshapeMemRef(ReshapeRefOp op, KernelEmitter &emit,
                                      Value memref) {
  auto from = cast<MemRefType>(memref.getType());
  auto to = cast<RefType>(op.getView().getType());
  auto plain = MemRefType::get(to.getShape(), from.getElementType());
  std::optional<SmallVector<ReassociationIndices>> groups =
      getReassociationIndicesForReshape(
          MemRefType::get(from.getShape(), from.getElementType()), plain);
  if (!groups || from.getRank() == to.getRank())
    return op.emitOpError("changes the shape of memory in more than one step; "
                          "merge or split dimensions");
  if (from.getRank() > to.getRank()) {
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(from, *groups))
      return op.emitOpError("merges dimensions of memory whose elements do not "
                            "lie in one piece; reshape the whole ref, and take "
                            "the part of that");
    return memref::CollapseShapeOp::create(emit.b, emit.loc, memref, *groups)
        .getResult();
  }
  return memref::ExpandShapeOp::create(emit.b, emit.loc, to.getShape(), memref,
                                       *groups)
      .getResult();
}

/// The view of `op`, of the memory `memref`.
static FailureOr<Value> applyView(Operation *op, KernelEmitter &emit,
                                  Value memref, bool maySplit = false) {
  if (auto transpose = dyn_cast<TransposeRefOp>(op))
    return transposeMemRef(transpose, emit, memref);
  if (auto reshape = dyn_cast<ReshapeRefOp>(op))
    return reshapeMemRef(reshape, emit, memref);
  return narrowMemRef(emit, memref, cast<RefAccessOpInterface>(op), maySplit);
}

template <typename OpT>
static LogicalResult convertShape(OpT op, KernelEmitter &emit) {
  FailureOr<Value> memref = getMemRef(emit, op.getRef());
  if (failed(memref))
    return failure();
  FailureOr<Value> view = applyView(op, emit, *memref);
  if (failed(view))
    return failure();
  emit.values[op.getView()] = *view;
  return success();
}

FailureOr<Value> mlir::pallas::getMemRefAt(KernelEmitter &emit, Value ref,
                                           const DevicePlace &place,
                                           bool maySplit) {
  Operation *op = ref.getDefiningOp();
  if (!op)
    return getArrayAt(emit, emit.boxes[ref].memref, place);
  FailureOr<Value> memref =
      getMemRefAt(emit, op->getOperand(0), place, maySplit);
  if (failed(memref) || isa<MulticastRefOp, RemoteRefOp>(op))
    return memref;
  return applyView(op, emit, *memref, maySplit);
}

// Slices of global memory that only copies use have no memref, so it is made
// where an access needs it.
FailureOr<Value> mlir::pallas::getMemRef(KernelEmitter &emit, Value ref,
                                         bool maySplit) {
  auto box = emit.boxes.find(ref);
  if (box == emit.boxes.end())
    return emit.getValue(ref);
  DevicePlace place = box->second.place;
  return getMemRefAt(emit, ref, place, maySplit);
}

void mlir::pallas::addViewRules(RuleTable &rules) {
  rules.add<ReshapeRefOp>(convertShape);
  rules.add<SliceRefOp>(convertSlice);
  rules.add<TransposeRefOp>(convertShape);
}
