//===- RefRules.cpp - Reads, writes and views of memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refs in shared memory are memrefs, and views of them subviews. Refs in global
// memory are boxes, with a start and a size per dimension, as copies take them.
//
//===----------------------------------------------------------------------===//

#include "ClusterRules.h"
#include "ElementUpdates.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Views
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

/// memref.subview of what the indexer selects; dimensions of scalars go.
static FailureOr<Value> narrowMemRef(KernelEmitter &emit, Value memref,
                                     RefAccessOpInterface op) {
  SmallVector<AccessDim> entries = op.getAccessDims();
  if (failed(checkEntries(op, entries)))
    return failure();
  if (op.isWholeAccess())
    return memref;
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(entries.size(), emit.b.getIndexAttr(1));
  for (auto [d, entry, whole] : llvm::enumerate(entries, type.getShape())) {
    FailureOr<Value> start = getAccessStart(emit, op, d, entry);
    if (failed(start))
      return failure();
    bool isFull = entry.entry.kind == IndexKind::Full;
    bool isScalar = entry.entry.kind == IndexKind::Scalar;
    if (*start)
      offsets.push_back(emit.toIndex(*start));
    else
      offsets.push_back(emit.b.getIndexAttr(isFull ? 0 : entry.entry.start));
    sizes.push_back(emit.b.getIndexAttr(isFull     ? whole
                                        : isScalar ? 1
                                                   : entry.entry.size));
  }
  auto narrowed =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          op.getAccessShape(), type, offsets, sizes, strides));
  return memref::SubViewOp::create(emit.b, emit.loc, narrowed, memref, offsets,
                                   sizes, strides)
      .getResult();
}

// Slices of global memory that only copies use have no memref, so it is made
// where an access needs it.
FailureOr<Value> mlir::pallas::getMemRef(KernelEmitter &emit, Value ref) {
  auto box = emit.boxes.find(ref);
  if (box == emit.boxes.end())
    return emit.getValue(ref);
  auto slice = ref.getDefiningOp<SliceRefOp>();
  if (!slice)
    return box->second.memref;
  FailureOr<Value> memref = getMemRef(emit, slice.getRef());
  if (failed(memref))
    return failure();
  return narrowMemRef(emit, *memref,
                      cast<RefAccessOpInterface>(slice.getOperation()));
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

static LogicalResult convertTranspose(TransposeRefOp op, KernelEmitter &emit) {
  FailureOr<Value> memref = getMemRef(emit, op.getRef());
  if (failed(memref))
    return failure();
  SmallVector<unsigned> permutation(op.getPermutation());
  auto map = AffineMap::getPermutationMap(permutation, op.getContext());
  emit.values[op.getView()] = memref::TransposeOp::create(
      emit.b, emit.loc, *memref, AffineMapAttr::get(map));
  return success();
}

/// Dimensions merge or split.
static LogicalResult convertReshape(ReshapeRefOp op, KernelEmitter &emit) {
  FailureOr<Value> memref = getMemRef(emit, op.getRef());
  if (failed(memref))
    return failure();
  auto from = cast<MemRefType>((*memref).getType());
  auto to = cast<RefType>(op.getView().getType());
  auto plain = MemRefType::get(to.getShape(), from.getElementType());
  std::optional<SmallVector<ReassociationIndices>> groups =
      getReassociationIndicesForReshape(
          MemRefType::get(from.getShape(), from.getElementType()), plain);
  if (!groups || from.getRank() == to.getRank())
    return op.emitOpError("changes the shape of memory in more than one step; "
                          "merge or split dimensions");
  Value view;
  if (from.getRank() > to.getRank())
    view = memref::CollapseShapeOp::create(emit.b, emit.loc, *memref, *groups);
  else
    view = memref::ExpandShapeOp::create(emit.b, emit.loc, to.getShape(),
                                         *memref, *groups);
  emit.values[op.getView()] = view;
  return success();
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

/// Vectors have no dimensions of size 1, so the memory that they go to must not
/// have them either.
Value mlir::pallas::dropUnitDims(KernelEmitter &emit, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> shape(llvm::make_filter_range(
      type.getShape(), [](int64_t size) { return size != 1; }));
  if (static_cast<int64_t>(shape.size()) == type.getRank())
    return memref;
  SmallVector<OpFoldResult> offsets(type.getRank(), emit.b.getIndexAttr(0)),
      strides(type.getRank(), emit.b.getIndexAttr(1)), sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(emit.b.getIndexAttr(size));
  auto narrowed =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          shape, type, offsets, sizes, strides));
  return memref::SubViewOp::create(emit.b, emit.loc, narrowed, memref, offsets,
                                   sizes, strides);
}

FailureOr<Value> mlir::pallas::getAccessedMemRef(KernelEmitter &emit,
                                                 RefAccessOpInterface op) {
  FailureOr<Value> memref = getMemRef(emit, op.getRef());
  if (failed(memref))
    return failure();
  FailureOr<Value> selected = narrowMemRef(emit, *memref, op);
  if (failed(selected))
    return failure();
  return dropUnitDims(emit, *selected);
}

/// Without dimensions it is a scalar, which all lanes load.
Value mlir::pallas::loadStored(KernelEmitter &emit, Value memref, Type element,
                               BoolAttr optimized) {
  Value stored;
  if (cast<MemRefType>(memref.getType()).getRank() == 0)
    stored = memref::LoadOp::create(emit.b, emit.loc, memref);
  else
    stored =
        mosaic_gpu::VectorLoadOp::create(emit.b, emit.loc, memref, optimized);
  return fromStored(emit, stored, element);
}

/// Whether an access is one of a ref in registers; such are read and written as
/// a whole.
static FailureOr<bool> isInRegisters(RefAccessOpInterface op,
                                     KernelEmitter &emit) {
  if (!emit.accumulators.count(op.getRef()))
    return false;
  if (op.isWholeAccess())
    return true;
  return op->emitOpError("accesses a part of a ref in registers; access all of "
                         "it, or take a ref in shared memory");
}

/// A ref in registers is the value that was stored last.
///
///   %v = pallas.get %r[...] {mosaic_gpu.optimized = false}
/// -->
///   %v = "mosaic_gpu.vector_load"(%r) <{optimized = false}>
static LogicalResult convertGet(GetOp op, KernelEmitter &emit) {
  if (findClusterRef(op.getRef()))
    return getFromBlock(op, emit);
  FailureOr<bool> inRegisters =
      isInRegisters(cast<RefAccessOpInterface>(op.getOperation()), emit);
  if (failed(inRegisters))
    return failure();
  if (*inRegisters) {
    emit.values[op] = emit.accumulators[op.getRef()];
    return success();
  }
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (takesElements(access)) {
    FailureOr<Value> elements = getElements(access, emit);
    if (failed(elements))
      return failure();
    emit.values[op] = *elements;
    return success();
  }
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(memref) || failed(optimized))
    return failure();
  emit.values[op] = loadStored(
      emit, *memref, op.getRef().getType().getElementType(), *optimized);
  return success();
}

/// Whether lanes do nothing with a ref, and its views, but write scalars.
static bool isOnlyWritten(Value ref) {
  return llvm::all_of(ref.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto swap = dyn_cast<SwapOp>(user))
      return swap.getOld().use_empty() &&
             !isa<ShapedType>(swap.getValue().getType());
    if (auto copy = dyn_cast<CopySmemToGmemOp>(user))
      return use.get() == copy.getSource();
    return isa<ReshapeRefOp, SliceRefOp, TransposeRefOp>(user) &&
           isOnlyWritten(user->getResult(0));
  });
}

/// The same for the memory that a ref is a view of, which is returned then.
/// Outputs may be inputs, too.
static Value findMemoryOnlyWritten(Value ref) {
  while (Operation *view = ref.getDefiningOp()) {
    if (!isa<ReshapeRefOp, SliceRefOp, TransposeRefOp>(view))
      return {};
    ref = view->getOperand(0);
  }
  Operation *owner = cast<BlockArgument>(ref).getOwner()->getParentOp();
  auto kernel = dyn_cast<MpmdMapOp>(owner);
  bool isKnown =
      isa<RunScopedOp>(owner) || (kernel && kernel.getAliases().empty());
  return isKnown && isOnlyWritten(ref) ? ref : Value();
}

/// All lanes store the same scalar: after all of them have read the one that
/// was there, and before any reads the new one. Where lanes only write, they
/// wait for those that use the memory under another name:
///
///   pallas.run_scoped (%s: !pallas.ref<128xf32, smem>) { load of %s }
///   pallas.run_scoped (%t: !pallas.ref<128xf32, smem>) { store to %t }
static void storeScalar(KernelEmitter &emit, Value ref, Value scalar,
                        Value memref) {
  Value written = findMemoryOnlyWritten(ref);
  auto buffer = emit.scopedBuffers.find(written);
  bool isShared = buffer != emit.scopedBuffers.end();
  auto wait = [&] {
    if (written && !isShared)
      return;
    emit.syncLanes();
    if (isShared)
      emit.sharedWaits.push_back(
          {&*std::prev(emit.b.getInsertionPoint()), buffer->second});
  };
  wait();
  memref::StoreOp::create(emit.b, emit.loc, scalar, memref);
  wait();
}

static void store(KernelEmitter &emit, Value ref, Value value, Value memref,
                  BoolAttr optimized = {}) {
  Value stored = toStored(emit, value);
  if (isa<VectorType>(stored.getType()))
    mosaic_gpu::VectorStoreOp::create(emit.b, emit.loc, stored, memref,
                                      optimized, mosaic_gpu::AtomicOpTypeAttr(),
                                      emit.b.getBoolAttr(false));
  else
    storeScalar(emit, ref, stored, memref);
}

/// The old value is loaded only where it is used, as most stores ignore it.
static LogicalResult convertSwap(SwapOp op, KernelEmitter &emit) {
  if (findClusterRef(op.getRef()))
    return checkStoreToBlock(op);
  FailureOr<bool> inRegisters =
      isInRegisters(cast<RefAccessOpInterface>(op.getOperation()), emit);
  if (failed(inRegisters))
    return failure();
  if (*inRegisters) {
    FailureOr<Value> value = emit.getValue(op.getValue());
    if (failed(value))
      return failure();
    emit.values[op.getOld()] = emit.accumulators[op.getRef()];
    emit.accumulators[op.getRef()] = *value;
    return success();
  }
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (takesElements(access))
    return swapElements(op, emit);
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  FailureOr<Value> value = emit.getValue(op.getValue());
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(memref) || failed(value) || failed(optimized))
    return failure();
  if (!op.getOld().use_empty())
    emit.values[op.getOld()] =
        loadStored(emit, *memref, op.getRef().getType().getElementType());
  store(emit, op.getRef(), *value, *memref, *optimized);
  return success();
}

///   pallas.addupdate %r[...], %v
/// -->
///   %old = "mosaic_gpu.vector_load"(%r)
///   %new = arith.addf %old, %v
///   "mosaic_gpu.vector_store"(%new, %r)
static LogicalResult convertAddUpdate(AddUpdateOp op, KernelEmitter &emit) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  FailureOr<bool> inRegisters = isInRegisters(access, emit);
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(inRegisters) || failed(value))
    return failure();
  if (takesElements(access))
    return addToElements(op, emit);
  auto add = [&](Value old) {
    return createCombined(emit.b, emit.loc, AtomicKind::Add, old, *value);
  };
  if (*inRegisters) {
    Value &held = emit.accumulators[op.getRef()];
    held = add(held);
    return success();
  }
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  if (failed(memref))
    return failure();
  Value old = loadStored(emit, *memref, op.getRef().getType().getElementType());
  store(emit, op.getRef(), add(old), *memref);
  return success();
}

/// The most bytes that hardware swizzles.
static constexpr int64_t kMaxSwizzle = 128;

/// The tiles and the swizzle of memory whose elements have `times` as many
/// bits there, since each part of a byte has one for itself:
///   8x64 of i4, swizzled by 32 bytes -> 8x64 of i8, by 64 bytes
///   8x256 of i4, by 128 bytes -> 8x128 of i8, by 128 bytes
static void widenTiles(MutableArrayRef<int32_t> tile, int64_t &swizzle,
                       int64_t times) {
  swizzle *= times;
  if (swizzle <= kMaxSwizzle || tile.empty())
    return;
  tile.back() /= swizzle / kMaxSwizzle;
  swizzle = kMaxSwizzle;
}

/// The compiler infers layouts from the memory that vectors come from, so tiles
/// and swizzles are told where memory is allocated.
Value mlir::pallas::applyTransforms(KernelEmitter &emit, Value memref,
                                    RefType type) {
  if (!type.getTransforms() || type.getTransforms().empty())
    return memref;
  MLIRContext *context = emit.b.getContext();
  SmallVector<int32_t> tile;
  int64_t bytes = 0;
  for (Attribute attr : type.getTransforms()) {
    if (auto tiles = dyn_cast<TileTransformAttr>(attr)) {
      tile.assign(tiles.getTile().begin(), tiles.getTile().end());
    } else if (auto swizzle = dyn_cast<SwizzleTransformAttr>(attr)) {
      bytes = swizzle.getBytes();
    } else {
      emitError(emit.loc) << "allocates memory with the layout " << attr
                          << "; on GPUs memory is tiled and swizzled";
      return Value();
    }
  }
  // Booleans are bytes for the author, too.
  if (!type.getElementType().isInteger(1) && bytes != 0)
    widenTiles(tile, bytes,
               cast<MemRefType>(memref.getType()).getElementTypeBitWidth() /
                   type.getElementTypeBitWidth());
  SmallVector<Attribute> transforms;
  if (!tile.empty())
    transforms.push_back(mosaic_gpu::TileTransformAttr::get(
        context, emit.b.getDenseI32ArrayAttr(tile)));
  if (std::optional<mosaic_gpu::SwizzlingMode> mode =
          mosaic_gpu::symbolizeSwizzlingMode(bytes))
    transforms.push_back(mosaic_gpu::SwizzleTransformAttr::get(
        context, mosaic_gpu::SwizzlingModeAttr::get(context, *mode)));
  return mosaic_gpu::WithTransformsOp::create(emit.b, emit.loc, memref,
                                              emit.b.getArrayAttr(transforms));
}

void mlir::pallas::addRefRules(RuleTable &rules) {
  rules.add<AddUpdateOp>(convertAddUpdate);
  rules.add<GetOp>(convertGet);
  rules.add<ReshapeRefOp>(convertReshape);
  rules.add<SliceRefOp>(convertSlice);
  rules.add<SwapOp>(convertSwap);
  rules.add<TransposeRefOp>(convertTranspose);
}
