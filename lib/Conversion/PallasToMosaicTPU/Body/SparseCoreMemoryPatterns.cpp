//===- SparseCoreMemoryPatterns.cpp - Accesses of vector subcores ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector subcores compute on single registers of a few lanes, and have loads
// and stores by a vector of indices. These patterns come before the general
// ones.
//
//===----------------------------------------------------------------------===//

#include "../Memory/MemoryAccess.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A part of a buffer that a vector subcore reads or writes at once, or the
/// elements that vectors of indices name. Booleans are words there.
struct LaneAccess {
  MemRefView view;
  SmallVector<Value> arrays;
  SmallVector<int64_t> shape;
  Value mask;
  bool holdsBools = false;
};

} // namespace

/// One vector of indices for each dimension of the buffer.
///
///   %v = pallas.get %r[gather(%i), %j] : !pallas.ref<64x128xf32, vmem>
///
/// becomes
///
///   %0 = vector.broadcast %j : i32 to vector<16xi32>
///   %v = tpu.vector_load_idx %r[%i, %0]
static LogicalResult collectArrays(Emitter &emit, RefAccessOpInterface op,
                                   ValueRange indices, LaneAccess &access) {
  auto lanes = VectorType::get(access.shape, emit.getBuilder().getI32Type());
  auto operand = indices.begin();
  for (auto [dim, entry] :
       llvm::zip_equal(access.view.dims, op.getFullEntries())) {
    bool isArray = entry.kind == IndexKind::Gather;
    if (dim.size != 1 && !isArray)
      return op.emitOpError(
          "gathers parts of a ref, but vector subcores gather "
          "elements; index every dimension");
    Value index = entry.getNumOperands() ? *operand : Value();
    operand += entry.getNumOperands();
    if (!isArray)
      index =
          dim.dynamicStart ? emit.toI32(dim.dynamicStart) : emit.i32(dim.start);
    if (isArray)
      index = emit.resize(index, emit.getBuilder().getI32Type(),
                          /*isSigned=*/true);
    if (index.getType() != lanes)
      index = emit.broadcast(index, access.shape);
    access.arrays.push_back(index);
  }
  return success();
}

/// One vector of indices for each dimension of a row that starts anywhere.
/// Masks of plain accesses don't leave elements where they are: a load spreads
/// the elements that follow in memory over the lanes of the mask, and a store
/// packs them.
/// The index vector of the last dimension is the start plus the lane.
static void nameElements(Emitter &emit, LaneAccess &access) {
  auto lanes = VectorType::get(access.shape, emit.getBuilder().getI32Type());
  int64_t last = access.view.dims.size() - 1;
  for (auto [i, dim] : llvm::enumerate(access.view.dims)) {
    Value start =
        dim.dynamicStart ? emit.toI32(dim.dynamicStart) : emit.i32(dim.start);
    Value index = emit.broadcast(start, access.shape);
    if (static_cast<int64_t>(i) == last) {
      Value lane = emit.create<tpu::IotaOp>(
          lanes, emit.getBuilder().getDenseI32ArrayAttr({0}));
      index = emit.add(index, lane);
    }
    access.arrays.push_back(index);
  }
}

/// Fails without an error where the general patterns apply.
static FailureOr<LaneAccess> getLaneAccess(Emitter &emit,
                                           RefAccessOpInterface op, Value ref,
                                           ValueRange indices, Value mask) {
  LaneAccess access;
  access.holdsBools = op.getRef().getType().getElementType().isInteger(1);
  access.view = resolveView(emit, ref);
  if (access.view.getSpace() != tpu::MemorySpace::Vmem)
    return failure();
  applyIndexer(emit, access.view, op.getFullEntries(), indices);
  access.shape = op.getAccessShape();
  if (access.shape.empty())
    return op.emitOpError("accesses one element of vmem, but vector subcores "
                          "have scalars in smem only; load a vector and take "
                          "an element of it");
  if (access.view.hasStrides())
    return op.emitOpError("steps over elements, which vector subcores do by "
                          "arrays of indices");
  if (op.getIndexer().hasGather() &&
      failed(collectArrays(emit, op, indices, access)))
    return failure();
  if (!mask)
    return access;
  access.mask = emit.broadcast(mask, access.shape);
  // Only the plain access of a row can be turned into one by indices.
  if (access.arrays.empty()) {
    if (access.shape.size() != 1 ||
        access.view.getElementType().getIntOrFloatBitWidth() != 32 ||
        access.view.dims.back().size != access.shape.front())
      return op.emitOpError("masks other than a row of 32-bit elements, but "
                            "vector subcores mask single elements of these "
                            "only; load all, select and store");
    nameElements(emit, access);
  }
  return access;
}

/// Loads by indices where the access has them, else a contiguous part.
static Value loadWords(Emitter &emit, const LaneAccess &access) {
  Type element = access.view.getElementType();
  if (!access.arrays.empty())
    return emit.create<tpu::VectorLoadIdxOp>(
        VectorType::get(access.shape, element), access.view.base, access.arrays,
        access.mask);
  SmallVector<int64_t> sizes = access.view.getSizes();
  Value mask = access.mask ? emit.reshape(access.mask, sizes) : Value();
  Value vector = emit.create<tpu::VectorLoadOp>(
      VectorType::get(sizes, element), access.view.base,
      getStartIndices(emit, access.view), mask);
  return emit.reshape(vector, access.shape);
}

/// Booleans are compared with zero, as on TensorCores.
static Value loadLanes(Emitter &emit, const LaneAccess &access) {
  Value words = loadWords(emit, access);
  return access.holdsBools ? emit.i32ToBool(words) : words;
}

/// Both stores can add to what is there, so an update needs no load.
static void storeLanes(Emitter &emit, const LaneAccess &access, Value value,
                       bool add = false) {
  OpBuilder &builder = emit.getBuilder();
  if (access.holdsBools)
    value = emit.boolToI32(value);
  if (!access.arrays.empty()) {
    emit.create<tpu::VectorStoreIdxOp>(value, access.view.base, access.arrays,
                                       access.mask, builder.getBoolAttr(add));
    return;
  }
  SmallVector<int64_t> sizes = access.view.getSizes();
  Value mask = access.mask ? emit.reshape(access.mask, sizes) : Value();
  auto store = emit.create<tpu::VectorStoreOp>(
      emit.reshape(value, sizes), access.view.base,
      getStartIndices(emit, access.view), mask);
  store.setAdd(add);
}

namespace {

/// Patterns of accesses: what they have in common is where the access goes.
template <typename Op, bool isMasked = false>
struct LanesPattern : TPUPattern<Op> {
  using TPUPattern<Op>::TPUPattern;
  using typename TPUPattern<Op>::Adaptor;
  using typename TPUPattern<Op>::Results;

  Results convert(Op op, Adaptor adaptor, Emitter &emit) const override {
    Value mask;
    if constexpr (isMasked)
      mask = adaptor.getMask();
    FailureOr<LaneAccess> access =
        getLaneAccess(emit, op, adaptor.getRef(), adaptor.getIndices(), mask);
    if (failed(access))
      return failure();
    return convertAccess(op, adaptor, *access, emit);
  }

  virtual Results convertAccess(Op op, Adaptor adaptor,
                                const LaneAccess &access,
                                Emitter &emit) const = 0;
};

///   %v = tpu.vector_load %m[%c0] : memref<16xf32, ...>, vector<16xf32>
struct LanesGet : LanesPattern<GetOp> {
  using LanesPattern::LanesPattern;
  Results convertAccess(GetOp, Adaptor, const LaneAccess &access,
                        Emitter &emit) const override {
    return one(loadLanes(emit, access));
  }
};

/// The old value is loaded only when it is used.
struct LanesSwap : LanesPattern<SwapOp> {
  using LanesPattern::LanesPattern;
  Results convertAccess(SwapOp op, Adaptor adaptor, const LaneAccess &access,
                        Emitter &emit) const override {
    Value old;
    if (!op.getOld().use_empty())
      old = loadLanes(emit, access);
    storeLanes(emit, access, adaptor.getValue());
    return one(old);
  }
};

///   tpu.vector_store %m[%c0], %v {add = true}
struct LanesAddUpdate : LanesPattern<AddUpdateOp> {
  using LanesPattern::LanesPattern;
  Results convertAccess(AddUpdateOp, Adaptor adaptor, const LaneAccess &access,
                        Emitter &emit) const override {
    storeLanes(emit, access, adaptor.getValue(), /*add=*/true);
    return none();
  }
};

/// Duplicate indices accumulate. An old value that is used is unsupported,
/// since the store doesn't return it.
struct LanesAtomicAdd : LanesPattern<AtomicRMWOp> {
  using LanesPattern::LanesPattern;
  Results convertAccess(AtomicRMWOp op, Adaptor adaptor,
                        const LaneAccess &access,
                        Emitter &emit) const override {
    if (op.getKind() != AtomicKind::Add || !op.getOld().use_empty())
      return failure();
    LaneAccess masked = access;
    if (adaptor.getMask())
      masked.mask = emit.broadcast(adaptor.getMask(), access.shape);
    storeLanes(emit, masked, adaptor.getValue(), /*add=*/true);
    return one(Value());
  }
};

/// Lanes that the mask leaves out have `other`, or are unspecified.
struct LanesMaskedLoad : LanesPattern<MaskedLoadOp, /*isMasked=*/true> {
  using LanesPattern::LanesPattern;
  Results convertAccess(MaskedLoadOp, Adaptor adaptor, const LaneAccess &access,
                        Emitter &emit) const override {
    Value value = loadLanes(emit, access);
    if (!access.mask || !adaptor.getOther())
      return one(value);
    return one(emit.select(access.mask, value,
                           emit.broadcast(adaptor.getOther(), access.shape)));
  }
};

///   tpu.vector_store_idx %m[%i], %v masked %k
struct LanesMaskedSwap : LanesPattern<MaskedSwapOp, /*isMasked=*/true> {
  using LanesPattern::LanesPattern;
  Results convertAccess(MaskedSwapOp op, Adaptor adaptor,
                        const LaneAccess &access,
                        Emitter &emit) const override {
    Value old;
    if (!op.getOld().use_empty())
      old =
          emit.select(access.mask, loadLanes(emit, access), adaptor.getValue());
    storeLanes(emit, access, adaptor.getValue());
    return one(old);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Indirect copies
//===----------------------------------------------------------------------===//

/// The rows that an array names, as the patterns for copies find them: a cast
/// of the buffer and the array. A memref can't describe them.
///
///   %r = builtin.unrealized_conversion_cast %buffer, %indices
///       : memref<64x128xf32, ...>, vector<16xi32> to memref<16x128xf32, ...>
static UnrealizedConversionCastOp getSelectedRows(Value memref) {
  auto cast = memref.getDefiningOp<UnrealizedConversionCastOp>();
  return cast && cast.getNumOperands() == 2 ? cast : nullptr;
}

/// Parts of rows are moved by tiles of both dimensions, which are as wide as a
/// tile of the TensorCore.
static LogicalResult checkPartOfRows(SliceRefOp op, const DimIndex &columns,
                                     const TPUChip &chip) {
  int64_t width = chip.lanes;
  int64_t whole = cast<RefType>(op.getRef().getType()).getShape().back();
  if (columns.kind != IndexKind::Slice || columns.size == whole ||
      (!ShapedType::isDynamic(columns.size) && columns.size % width == 0))
    return success();
  InFlightDiagnostic diag = op.emitOpError("selects ");
  if (ShapedType::isDynamic(columns.size))
    diag << "a number of elements known at run time";
  else
    diag << columns.size;
  return diag << " of the " << whole
              << " elements of rows that an index array names, but "
                 "SparseCores copy whole rows, or multiples of "
              << width << " elements of them; copy more and take the part from "
              << "vmem";
}

/// Whether SparseCores can add these rows, and as they are selected. `to` are
/// the selected rows of the target, if the target has them.
static LogicalResult
checkAddedRows(DMAStartOp op, UnrealizedConversionCastOp to, Value offsets) {
  Type element = cast<RefType>(op.getSource().getType()).getElementType();
  if (element.getIntOrFloatBitWidth() < 16)
    return op.emitOpError() << "adds elements of type " << element
                            << ", but SparseCores add those of 16 and 32 bits; "
                               "load, add and store them";
  if (to && tpu::getMemorySpace(cast<MemRefType>(to.getOperand(0).getType())) !=
                tpu::MemorySpace::VmemShared)
    return op.emitOpError("adds to selected rows of hbm, but SparseCores add "
                          "to those of vmem_shared; add there, and copy the "
                          "sum to hbm");
  if (!to && isa<VectorType>(offsets.getType()))
    return op.emitOpError("adds rows that a vector of indices selects, but "
                          "SparseCores take a list in vmem for that; store the "
                          "indices there");
  return success();
}

namespace {

/// A view by an index array exists as the end of a copy only. It becomes the
/// cast above, and the copy takes it apart again.
struct SelectRows : TPUPattern<SliceRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(SliceRefOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (!op.getIndexer().hasGather())
      return failure();
    SmallVector<DimIndex> entries =
        cast<RefAccessOpInterface>(op.getOperation()).getFullEntries();
    auto isPart = [](const DimIndex &entry) {
      return entry.kind == IndexKind::Full ||
             (entry.kind == IndexKind::Slice && entry.stride == 1);
    };
    bool isRows = entries.front().kind == IndexKind::Gather &&
                  llvm::all_of(ArrayRef(entries).drop_front(), isPart);
    Value array = adaptor.getIndices().front();
    if (!isRows || cast<ShapedType>(array.getType()).getRank() != 1)
      return op.emitOpError("selects with an index array, but copies take one "
                            "list of indices of the first dimension and slices "
                            "without strides of the others");
    if (failed(checkPartOfRows(op, entries.back(), types.getChip())) ||
        failed(checkIndexList(op, emit, array)))
      return failure();
    // The part that the rows are selected from.
    entries.front() = {IndexKind::Full, 0, 0, 1};
    MemRefView view = resolveView(emit, adaptor.getRef());
    applyIndexer(emit, view, entries, adaptor.getIndices().drop_front());
    return one(emit.create<UnrealizedConversionCastOp>(
                       convertType(op.getType()),
                       ValueRange{materializeView(emit, view), array})
                   .getResult(0));
  }
};

///   pallas.dma_start %rows to %buffer signals %s
///
/// becomes
///
///   tpu.enqueue_indirect_dma source(%table) target(%buffer)
///       offsets(%indices) semaphore(%s)
///
/// Fails without an error for plain copies.
struct IndirectStart : TPUPattern<DMAStartOp> {
  using TPUPattern::TPUPattern;
  Results convert(DMAStartOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    auto from = getSelectedRows(adaptor.getSource());
    auto to = getSelectedRows(adaptor.getTarget());
    if (!from && !to)
      return failure();
    if (from && to)
      return op.emitOpError(
          "selects rows on both sides; copy to vmem, and from "
          "there");
    if (!adaptor.getDeviceIds().empty() || adaptor.getCoreIndex())
      return op.emitOpError("selects rows of another core or device; copies "
                            "that do stay on their own");
    Value offsets = (from ? from : to).getOperand(1);
    Value end = from ? adaptor.getTarget() : adaptor.getSource();
    if (failed(checkIndirectEnd(op, emit, end)) ||
        (op.getAdd() && failed(checkAddedRows(op, to, offsets))))
      return failure();
    // Offsets in registers are one register full.
    if (auto vector = dyn_cast<VectorType>(offsets.getType());
        vector && emit.getChip().sparseCoreLanes != 0 &&
        vector.getNumElements() != emit.getChip().sparseCoreLanes)
      return op.emitOpError()
             << "selects rows by a vector of " << vector.getNumElements()
             << " indices, but " << emit.getChip().name << " has "
             << emit.getChip().sparseCoreLanes
             << " lanes; leave the indices in vmem, or copy as many rows at a "
                "time";
    emit.create<tpu::EnqueueIndirectDMAOp>(
        from ? from.getOperand(0) : adaptor.getSource(),
        to ? to.getOperand(0) : adaptor.getTarget(), offsets,
        adaptor.getSemaphore(),
        /*offset_filter=*/Value(), op.getAdd());
    return none();
  }
};

/// A wait needs the same ends as the copy, which give the number of bytes.
struct IndirectWait : TPUPattern<DMAWaitOp> {
  using TPUPattern::TPUPattern;
  Results convert(DMAWaitOp op, Adaptor adaptor, Emitter &emit) const override {
    auto from = getSelectedRows(adaptor.getSource());
    auto to = getSelectedRows(adaptor.getTarget());
    if (!from && !to)
      return failure();
    emit.create<tpu::WaitIndirectDMAOp>(
        adaptor.getSemaphore(), from ? from.getOperand(0) : adaptor.getSource(),
        to ? to.getOperand(0) : adaptor.getTarget());
    return none();
  }
};

} // namespace

void mlir::pallas::populateSparseCoreMemoryPatterns(
    const TPUTypeConverter &types, TPUPatternSet &patterns) {
  patterns
      .add<LanesGet, LanesSwap, LanesAddUpdate, LanesAtomicAdd, LanesMaskedLoad,
           LanesMaskedSwap, SelectRows, IndirectStart, IndirectWait>(
          types, /*benefit=*/2);
}
