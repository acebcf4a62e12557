//===- RefPatterns.cpp - Reads, writes and views of refs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses resolve the view that they go through, load or store the part of its
// buffer, and convert elements that memory holds differently. Views stay
// memrefs only for operations that need one, such as copies.
//
//===----------------------------------------------------------------------===//

#include "../Memory/MemoryAccess.h"
#include "Patterns.h"
#include "pallas/Dialect/MosaicTPU/Utils/F16.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// An access through an indexer: the part of the buffer, and the shape that
/// the kernel sees.
struct Access {
  MemRefView view;
  SmallVector<int64_t> shape;
  /// Elements of the ref, for which memory may hold others.
  Type element;
};

} // namespace

/// Converts values from their form in memory to that in registers, and back.
///
///   %0 = arith.cmpi ne, %words, 0 : vector<8x128xi32>
///
/// for masks, which are words in memory, and f32 values for the bits of f16.
static Value fromMemory(Emitter &emit, Value value, Type element) {
  if (element.isInteger(1))
    return emit.i32ToBool(value);
  return element.isF16() ? halfBitsToFloat(emit, value) : value;
}

static Value toMemory(Emitter &emit, Value value, Type element) {
  if (element.isInteger(1))
    return emit.boolToI32(value);
  return element.isF16() ? floatToHalfBits(emit, value) : value;
}

/// The entries of an access compose with those of all views below it.
template <typename OpTy, typename Adaptor>
static Access getAccess(OpTy op, Adaptor adaptor, Emitter &emit) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Access result;
  result.view = resolveView(emit, adaptor.getRef());
  applyIndexer(emit, result.view, access.getFullEntries(),
               adaptor.getIndices());
  result.shape = access.getAccessShape();
  result.element = access.getRef().getType().getElementType();
  return result;
}

static FailureOr<Value> load(Emitter &emit, const Access &access) {
  FailureOr<Value> value = loadView(emit, access.view);
  if (failed(value))
    return failure();
  return fromMemory(emit, *value, access.element);
}

static LogicalResult store(Emitter &emit, const Access &access, Value value,
                           Value mask = {}) {
  return storeView(emit, access.view, toMemory(emit, value, access.element),
                   mask);
}

static Value createSum(Emitter &emit, Value old, Value value) {
  return createCombined(emit.getBuilder(), emit.getLoc(), AtomicKind::Add, old,
                        value);
}

//===----------------------------------------------------------------------===//
// Index arrays
//===----------------------------------------------------------------------===//

namespace {

/// Walks the elements that index arrays select, one after the other. All index
/// arrays are flattened to one dimension of the same length.
class GatherWalk {
public:
  GatherWalk(Emitter &emit, RefAccessOpInterface op, Value memref,
             ValueRange indices)
      : emit(emit), entries(op.getFullEntries()),
        refShape(op.getRef().getType().getShape()), memref(memref) {
    SmallVector<int64_t> common;
    for (const AccessDim &dim : op.getAccessDims())
      if (dim.array) {
        SmallVector<int64_t> selected = op.getAccessShape();
        common = to_vector(
            ArrayRef(selected).slice(dim.firstSelected, dim.numSelected));
        position = dim.firstSelected;
      }
    count = ShapedType::getNumElements(common);
    for (Value value : indices) {
      // Arrays of several indices have one common shape, to which they
      // broadcast.
      if (isa<VectorType>(value.getType()))
        value = reshapeVector(emit, emit.broadcast(value, common), {count});
      operands.push_back(value);
    }
  }

  int64_t getCount() const { return count; }
  /// The first dimension of the result that the index arrays take.
  int64_t getPosition() const { return position; }

  /// The part that element `k` of the index arrays selects. With `clamp`, an
  /// index out of bounds, which a mask leaves out, is moved into them.
  MemRefView getElement(int64_t k, bool clamp = false) {
    MemRefView view = resolveView(emit, memref);
    SmallVector<DimIndex> plain(entries);
    SmallVector<Value> indices;
    auto *next = operands.begin();
    for (DimIndex &entry : plain) {
      if (entry.kind == IndexKind::Gather) {
        // The other indices are scalars or slices, as in an access without
        // arrays.
        entry = DimIndex::scalar(ShapedType::kDynamic);
        Value index = extractElement(emit, *next++, {k});
        if (clamp) {
          int64_t size = refShape[&entry - plain.begin()];
          Value wide = emit.toI32(index);
          wide = emit.create<arith::MaxSIOp>(wide, emit.i32(0));
          index = emit.create<arith::MinSIOp>(wide, emit.i32(size - 1));
        }
        indices.push_back(index);
        continue;
      }
      for (unsigned i = 0; i < entry.getNumOperands(); ++i)
        indices.push_back(*next++);
    }
    applyIndexer(emit, view, plain, indices);
    return view;
  }

private:
  Emitter &emit;
  SmallVector<DimIndex> entries;
  ArrayRef<int64_t> refShape;
  Value memref;
  SmallVector<Value> operands;
  int64_t count = 1;
  int64_t position = 0;
};

} // namespace

/// How many accesses an index array may turn into.
static constexpr int64_t kMaxGatherElements = 256;
/// The longest row that is searched for the elements of an index array.
static constexpr int64_t kMaxWholeRow = 2048;

/// Accesses are written out one by one, so their number is limited.
static LogicalResult checkGather(Emitter &emit, const GatherWalk &walk) {
  if (walk.getCount() <= kMaxGatherElements)
    return success();
  return emitError(emit.getLoc())
         << "an index array selects " << walk.getCount()
         << " parts of a ref, but at most " << kMaxGatherElements
         << " are accessed one by one; walk over the indices in a loop";
}

/// Shape of the selected part with the index arrays as one dimension.
static SmallVector<int64_t> getFlatShape(ArrayRef<int64_t> part,
                                         const GatherWalk &walk) {
  SmallVector<int64_t> shape(part);
  shape.insert(shape.begin() + walk.getPosition(), walk.getCount());
  return shape;
}

/// Reads all of a row and picks elements from it, where one index array selects
/// from the last dimension.
///
///   %0 = vector.load %m[%c0, %c0] : memref<8x128xf32, ...>, vector<8x128xf32>
///   %1 = vector.broadcast %places : vector<16xi32> to vector<8x16xi32>
///   %2 = tpu.dynamic_gather %0[%1] in [1]
///
/// One load and a gather within registers replace a load per index.
static std::optional<FailureOr<Value>> gatherFromWhole(Emitter &emit,
                                                       RefAccessOpInterface op,
                                                       Value memref,
                                                       ValueRange indices) {
  SmallVector<DimIndex> entries = op.getFullEntries();
  auto isGather = [](const DimIndex &entry) {
    return entry.kind == IndexKind::Gather;
  };
  auto array = dyn_cast<VectorType>(indices.back().getType());
  int64_t size = op.getRef().getType().getShape().back();
  AccessDim last = op.getAccessDims().back();
  // Other arrays select from several dimensions, or are longer than registers
  // can search.
  if (!last.array || llvm::count_if(entries, isGather) != 1 || !array ||
      array.getRank() != 1 || size > kMaxWholeRow ||
      last.firstSelected + 1 != op.getAccessShape().size())
    return std::nullopt;
  // Scalar memory is read by elements anyhow.
  MemRefView view = resolveView(emit, memref);
  if (view.getSpace() != tpu::MemorySpace::Vmem)
    return std::nullopt;
  entries.back() = DimIndex::full();
  applyIndexer(emit, view, entries, indices.drop_back());
  FailureOr<Value> whole = loadView(emit, view);
  if (failed(whole))
    return FailureOr<Value>(failure());
  SmallVector<int64_t> shape(getShape(whole->getType()));
  int64_t dim = shape.size() - 1;
  shape[dim] = array.getDimSize(0);
  // Indices that a mask leaves out may be anywhere.
  Value places = widen(emit, indices.back());
  Type type = places.getType();
  places = emit.create<arith::MaxSIOp>(places, emit.zero(type));
  places = emit.create<arith::MinSIOp>(places, emit.integer(type, size - 1));
  Value result = takeAlong(emit, *whole, emit.broadcast(places, shape), dim);
  return FailureOr<Value>(
      fromMemory(emit, result, op.getRef().getType().getElementType()));
}

/// Loads part by part: one load per index, then a concatenation.
///
///   %0 = vector.extract %indices[0] : i32 from vector<4xi32>
///   %1 = vector.load %m[%0, %c0] : vector<1x128xf32>
///   %2 = tpu.concatenate %1, %3, %5, %7 in 0
static FailureOr<Value> gatherLoad(Emitter &emit, RefAccessOpInterface op,
                                   Value memref, ValueRange indices,
                                   bool isMasked = false) {
  if (std::optional<FailureOr<Value>> picked =
          gatherFromWhole(emit, op, memref, indices))
    return *picked;
  GatherWalk walk(emit, op, memref, indices);
  if (failed(checkGather(emit, walk)))
    return failure();
  SmallVector<Value> parts;
  for (int64_t k = 0; k < walk.getCount(); ++k) {
    MemRefView view = walk.getElement(k, isMasked);
    FailureOr<Value> part = loadView(emit, view);
    if (failed(part))
      return failure();
    SmallVector<int64_t> shape = view.getVisibleShape();
    shape.insert(shape.begin() + walk.getPosition(), 1);
    parts.push_back(reshapeVector(emit, *part, shape));
  }
  Value result = emit.concatenate(parts, walk.getPosition());
  result = reshapeVector(emit, result, op.getAccessShape());
  return fromMemory(emit, result, op.getRef().getType().getElementType());
}

/// Stores part by part; with equal indices the last part stays. With `add` each
/// part is added to what is there.
static LogicalResult gatherStore(Emitter &emit, RefAccessOpInterface op,
                                 Value memref, ValueRange indices, Value value,
                                 bool add, Value mask = {}) {
  GatherWalk walk(emit, op, memref, indices);
  if (failed(checkGather(emit, walk)))
    return failure();
  Type element = op.getRef().getType().getElementType();
  value = toMemory(emit, value, element);
  if (mask)
    mask = emit.boolToI32(emit.broadcast(mask, op.getAccessShape()));
  Value flat, flatMask;
  for (int64_t k = 0; k < walk.getCount(); ++k) {
    // A part that the mask leaves out is stored with an empty mask. Its index
    // has to be in bounds nevertheless.
    MemRefView view = walk.getElement(k, /*clamp=*/bool(mask));
    SmallVector<int64_t> shape = view.getVisibleShape();
    // The shape of a part is known with the first view.
    if (!flat) {
      flat = reshapeVector(emit, value, getFlatShape(shape, walk));
      if (mask)
        flatMask = reshapeVector(emit, mask, getFlatShape(shape, walk));
    }
    auto getPart = [&](Value whole) {
      Value part = emit.extractSlice(whole, walk.getPosition(), k, 1);
      return reshapeVector(emit, part, shape);
    };
    Value part = getPart(flat);
    Value partMask = mask ? emit.i32ToBool(getPart(flatMask)) : Value();
    // Equal indices add up, because each part is loaded after the last store.
    if (add) {
      FailureOr<Value> old = loadView(emit, view);
      if (failed(old))
        return failure();
      part = toMemory(emit,
                      createSum(emit, fromMemory(emit, *old, element),
                                fromMemory(emit, part, element)),
                      element);
    }
    if (failed(storeView(emit, view, part, partMask)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

///   %r = pallas.get %m[ds(%i, 8), :] : !pallas.ref<64x128xf32, vmem>
///
/// becomes
///
///   %r = vector.load %m[%i, %c0] : memref<64x128xf32, ...>, vector<8x128xf32>
struct ConvertGet : TPUPattern<GetOp> {
  using TPUPattern::TPUPattern;
  Results convert(GetOp op, Adaptor adaptor, Emitter &emit) const override {
    FailureOr<Value> value =
        op.getIndexer().hasGather()
            ? gatherLoad(emit, op, adaptor.getRef(), adaptor.getIndices())
            : load(emit, getAccess(op, adaptor, emit));
    if (failed(value))
      return failure();
    return one(*value);
  }
};

/// The old value is read only when it is used: most swaps are stores.
///
///   %old = pallas.swap %m[ds(%i, 8), :], %x
///       : !pallas.ref<64x128xf32, vmem>, tensor<8x128xf32>
/// -->
///   %old = vector.load %m[%i, %c0]          // only if %old is used
///   tpu.vector_store %m[%i, %c0], %x
///
/// With an index array all loads come before the first store, as its parts may
/// overlap.
struct ConvertSwap : TPUPattern<SwapOp> {
  using TPUPattern::TPUPattern;
  Results convert(SwapOp op, Adaptor adaptor, Emitter &emit) const override {
    Value old;
    bool wantsOld = !op.getOld().use_empty();
    if (op.getIndexer().hasGather()) {
      if (wantsOld) {
        FailureOr<Value> value =
            gatherLoad(emit, op, adaptor.getRef(), adaptor.getIndices());
        if (failed(value))
          return failure();
        old = *value;
      }
      if (failed(gatherStore(emit, op, adaptor.getRef(), adaptor.getIndices(),
                             adaptor.getValue(), /*add=*/false)))
        return failure();
      return one(old);
    }
    Access access = getAccess(op, adaptor, emit);
    if (wantsOld) {
      FailureOr<Value> value = load(emit, access);
      if (failed(value))
        return failure();
      old = *value;
    }
    if (failed(store(emit, access, adaptor.getValue())))
      return failure();
    return one(old);
  }
};

///   %0 = vector.load %m[%c0, %c0]
///   %1 = arith.addf %0, %x
///   tpu.vector_store %m[%c0, %c0], %1
struct ConvertAddUpdate : TPUPattern<AddUpdateOp> {
  using TPUPattern::TPUPattern;
  Results convert(AddUpdateOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (op.getIndexer().hasGather()) {
      if (failed(gatherStore(emit, op, adaptor.getRef(), adaptor.getIndices(),
                             adaptor.getValue(), /*add=*/true)))
        return failure();
      return none();
    }
    Access access = getAccess(op, adaptor, emit);
    FailureOr<Value> old = load(emit, access);
    if (failed(old) ||
        failed(store(emit, access, createSum(emit, *old, adaptor.getValue()))))
      return failure();
    return none();
  }
};

/// Loads all elements and selects by the mask. Elements out of bounds were
/// clamped by pallas-clamp-masked-slices.
///
///   %x = pallas.masked_load %ref[...] mask %mask other %other
/// -->
///   %all = vector.load %ref[...]
///   %other_all = vector.broadcast %other
///   %x = arith.select %mask, %all, %other_all
struct ConvertMaskedLoad : TPUPattern<MaskedLoadOp> {
  using TPUPattern::TPUPattern;
  Results convert(MaskedLoadOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    FailureOr<Value> value =
        op.getIndexer().hasGather()
            ? gatherLoad(emit, op, adaptor.getRef(), adaptor.getIndices(),
                         bool(adaptor.getMask()))
            : load(emit, getAccess(op, adaptor, emit));
    if (failed(value))
      return failure();
    // Without `other` the masked elements are unspecified.
    if (!adaptor.getMask() || !adaptor.getOther())
      return one(*value);
    ArrayRef<int64_t> shape = getShape(value->getType());
    Value other = shape.empty() ? adaptor.getOther()
                                : emit.broadcast(adaptor.getOther(), shape);
    Value mask = shape.empty() ? adaptor.getMask()
                               : emit.broadcast(adaptor.getMask(), shape);
    return one(emit.select(mask, *value, other));
  }
};

/// The old value has `value` where the mask is false, as the operation defines.
///
///   %old = pallas.masked_swap %ref[...], %value mask %mask
/// -->
///   %all = vector.load %ref[...]           // only if %old is used
///   %old = arith.select %mask, %all, %value
///   tpu.vector_store %ref[...], %value masked by %mask
struct ConvertMaskedSwap : TPUPattern<MaskedSwapOp> {
  using TPUPattern::TPUPattern;
  Results convert(MaskedSwapOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (op.getIndexer().hasGather()) {
      if (!op.getOld().use_empty())
        return op.emitOpError("with index arrays can't yield the old value on "
                              "this target; load it first");
      if (failed(gatherStore(emit, op, adaptor.getRef(), adaptor.getIndices(),
                             adaptor.getValue(), /*add=*/false,
                             adaptor.getMask())))
        return failure();
      return one(Value());
    }
    Access access = getAccess(op, adaptor, emit);
    Value old;
    if (!op.getOld().use_empty()) {
      FailureOr<Value> value = load(emit, access);
      if (failed(value))
        return failure();
      old = emit.select(adaptor.getMask(), *value, adaptor.getValue());
    }
    if (failed(store(emit, access, adaptor.getValue(), adaptor.getMask())))
      return failure();
    return one(old);
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A slice of a ref is a slice of its memref:
///
///   %0 = tpu.memref_slice %m[%i, %c0]
///       : memref<64x128xf32> -> memref<8x128xf32>
struct ConvertSliceRef : TPUPattern<SliceRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(SliceRefOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (op.getIndexer().hasGather())
      return op.emitOpError("can't view rows that an index array selects; copy "
                            "them one by one");
    MemRefView view = getAccess(op, adaptor, emit).view;
    if (view.hasStrides())
      return op.emitOpError("has a stride, but views are contiguous on this "
                            "target; give the stride to the access itself");
    return one(materializeView(emit, view));
  }
};

///   %0 = tpu.memref_reshape %m : memref<64x8x128xf32> -> memref<512x128xf32>
///
/// Tiles of one dimension differ from those of two, so a reshape can't be
/// between them. On TensorCores tiles stay where they are, too.
struct ConvertReshapeRef : TPUPattern<ReshapeRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(ReshapeRefOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    auto type = cast<MemRefType>(convertType(op.getType()));
    if (type.getRank() < 2 || op.getRef().getType().getRank() < 2)
      return op.emitOpError()
             << "goes from rank " << op.getRef().getType().getRank()
             << " to rank " << type.getRank()
             << ", but only refs of rank 2 and more can be reshaped on this "
                "target; reshape the loaded value instead";
    if (types.getCore() == tpu::CoreType::TensorCore &&
        failed(checkReshapedView(emit, op, adaptor.getRef(), type.getShape())))
      return failure();
    return one(emit.create<tpu::MemRefReshapeOp>(type, adaptor.getRef()));
  }
};

///   %0 = tpu.memref_bitcast %m : memref<8x128xf32> -> memref<16x128xbf16>
struct ConvertBitcastRef : TPUPattern<BitcastRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(BitcastRefOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    auto type = cast<MemRefType>(convertType(op.getType()));
    if (type.getRank() < 2)
      return op.emitOpError()
             << "has rank " << type.getRank()
             << ", but only refs of rank 2 and more can be seen as other "
                "elements on this target; cast the loaded value instead";
    return one(emit.create<tpu::MemRefBitcastOp>(type, adaptor.getRef()));
  }
};

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// One core runs the programs in order, so an atomic update is a plain one.
struct ConvertAtomicRMW : TPUPattern<AtomicRMWOp> {
  using TPUPattern::TPUPattern;
  Results convert(AtomicRMWOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    bool isGather = op.getIndexer().hasGather();
    if (isGather && (op.getKind() != AtomicKind::Add || op.getMask() ||
                     !op.getOld().use_empty()))
      return op.emitOpError("with index arrays can only add, without a mask "
                            "and without using the old value");
    if (isGather) {
      if (failed(gatherStore(emit, op, adaptor.getRef(), adaptor.getIndices(),
                             adaptor.getValue(), /*add=*/true)))
        return failure();
      return one(Value());
    }
    Access access = getAccess(op, adaptor, emit);
    FailureOr<Value> old = load(emit, access);
    if (failed(old))
      return failure();
    Value updated = adaptor.getValue();
    if (std::optional<CombiningKind> kind = getCombiningKind(op.getKind()))
      updated =
          emit.combine(getVectorKind(*kind, getElementType((*old).getType())),
                       *old, updated);
    if (failed(store(emit, access, updated, adaptor.getMask())))
      return failure();
    return one(*old);
  }
};

/// Compare and swap, as a load, a selection and a store.
///
///   %old = pallas.atomic_cas %m[1], %e, %v : !pallas.ref<8xi32, smem>, i32
/// -->
///   %old = memref.load %m[%c1] : memref<8xi32, #tpu.memory_space<smem>>
///   %same = arith.cmpi eq, %old, %e : i32
///   %new = arith.select %same, %v, %old : i32
///   memref.store %new, %m[%c1] : memref<8xi32, #tpu.memory_space<smem>>
///
/// If they differ the old value is stored again. No other program runs in
/// between, so it still is the one in memory.
struct ConvertAtomicCAS : TPUPattern<AtomicCASOp> {
  using TPUPattern::TPUPattern;
  Results convert(AtomicCASOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Access access = getAccess(op, adaptor, emit);
    FailureOr<Value> old = load(emit, access);
    if (failed(old))
      return failure();
    // A NaN is never expected, as in the comparison of the source.
    bool isFloat = isa<FloatType>(old->getType());
    Value same = isFloat ? emit.compare(arith::CmpFPredicate::OEQ, *old,
                                        adaptor.getExpected())
                         : emit.compare(arith::CmpIPredicate::eq, *old,
                                        adaptor.getExpected());
    if (failed(
            store(emit, access, emit.select(same, adaptor.getValue(), *old))))
      return failure();
    return one(*old);
  }
};

} // namespace

void mlir::pallas::populateRefPatterns(const TPUTypeConverter &types,
                                       TPUPatternSet &patterns) {
  addTPUPatterns<ConvertGet, ConvertSwap, ConvertAddUpdate, ConvertMaskedLoad,
                 ConvertMaskedSwap, ConvertSliceRef, ConvertReshapeRef,
                 ConvertBitcastRef, ConvertAtomicRMW, ConvertAtomicCAS>(
      types, patterns);
}
