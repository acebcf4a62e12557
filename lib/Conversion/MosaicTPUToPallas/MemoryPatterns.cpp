//===- MemoryPatterns.cpp - Loads and stores ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores become accesses of refs. The tpu dialect masks elements and
// steps over them in ways of its own, which become index arrays.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

/// The elements of each dimension that `places` gives the index of.
///
///   %0 = tpu.vector_load_idx %m[%i, %j]
///
/// becomes
///
///   %0 = pallas.get %m[gather(%i), gather(%j)]
static VectorAccess selectPlaces(RefType ref, ValueRange places) {
  IndexerBuilder index(ref);
  for (Value value : places)
    index.addGather(value);
  return getAccess(index, ref);
}

/// `value` where the mask is set, and zero elsewhere: adding zero leaves an
/// element unchanged.
static Value maskAddend(OpBuilder &builder, Location loc, Value value,
                        Value mask) {
  if (!mask)
    return value;
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(value.getType())));
  return arith::SelectOp::create(builder, loc, mask, value, zero);
}

/// Stores, or adds where the store has the flag.
template <typename OpTy>
static void storeOrAdd(OpBuilder &builder, OpTy op, Value ref,
                       const VectorAccess &access, Value value, Value mask) {
  Location loc = op.getLoc();
  if (!op.getAdd())
    return store(builder, loc, ref, access, value, mask);
  AddUpdateOp::create(builder, loc, ref, access.indexer, access.operands,
                      maskAddend(builder, loc, value, mask));
}

//===----------------------------------------------------------------------===//
// Masks that pack elements
//===----------------------------------------------------------------------===//

/// Whether masks of plain accesses pack elements, as on vector subcores.
/// TensorCores mask elements at their places instead.
static bool packsElements(Operation *op) {
  MeshAttr mesh = getEnclosingMesh(op);
  return mesh && mesh.getKind() == MeshKind::ScVector;
}

/// An access to memory in which the elements that the mask leaves out take no
/// room along the dimension `dim` of a vector of this shape:
///
///   mask    [false, true, false, true]
///   places  [    -, start,    -, start + 1]
static VectorAccess selectPacked(OpBuilder &builder, Location loc, RefType ref,
                                 ValueRange starts, Value mask, int64_t dim) {
  auto maskType = cast<RankedTensorType>(mask.getType());
  auto type = cast<RankedTensorType>(maskType.clone(builder.getI32Type()));
  // A vector has fewer dimensions than the buffer; the leading ones are
  // scalars.
  int64_t leading = ref.getRank() - type.getRank();
  SmallVector<Value> places;
  for (auto [d, start] : llvm::enumerate(starts)) {
    if (start.getType().isIndex())
      start =
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), start);
    Value place =
        BroadcastOp::create(builder, loc, type, start, ArrayRef<int64_t>{});
    int64_t own = int64_t(d) - leading;
    if (own == dim) {
      // How many elements the mask selects before each one.
      Value one = arith::ExtUIOp::create(builder, loc, type, mask);
      // The sum includes the element itself.
      Value count = CumulativeOp::create(
          builder, loc, type, CumulativeKind::Sum, one, dim, /*reverse=*/false);
      count = arith::SubIOp::create(builder, loc, count, one);
      place = arith::AddIOp::create(builder, loc, place, count);
    } else if (own >= 0) {
      Value index = IotaOp::create(builder, loc, type, own);
      place = arith::AddIOp::create(builder, loc, place, index);
    }
    places.push_back(place);
  }
  return selectPlaces(ref, places);
}

/// An add reads the old elements, because the same place is never selected
/// twice.
static void storePacked(OpBuilder &builder, Location loc, Value ref,
                        ValueRange starts, Value value, Value mask, int64_t dim,
                        bool add) {
  auto type = cast<RefType>(ref.getType());
  VectorAccess access = selectPacked(builder, loc, type, starts, mask, dim);
  if (add) {
    Value old = load(builder, loc, ref, access, mask);
    value = isa<FloatType>(type.getElementType())
                ? arith::AddFOp::create(builder, loc, old, value).getResult()
                : arith::AddIOp::create(builder, loc, old, value).getResult();
  }
  store(builder, loc, ref, access, value, mask);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {

///   %0 = tpu.vector_load %m[%i, %j] masked %k
///
/// becomes
///
///   %0 = pallas.masked_load %m[ds(%i, 8), ds(%j, 128)] mask %k
///
/// and a plain get without a mask.
struct RaiseVectorLoad : RaisePattern<tpu::VectorLoadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::VectorLoadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    auto vector = cast<VectorType>(op.getResult().getType());
    RefType ref = getRef(adaptor.getBase());
    Value mask = adaptor.getMask();
    VectorAccess access =
        mask && packsElements(op)
            ? selectPacked(builder, op.getLoc(), ref, adaptor.getIndices(),
                           mask, vector.getRank() - 1)
            : selectVector(ref, vector, adaptor.getIndices());
    return load(builder, op.getLoc(), adaptor.getBase(), access, mask);
  }
};

///   pallas.masked_swap %m[ds(%i, 8), ds(%j, 128)], %v mask %k
struct RaiseVectorStore : RaisePattern<tpu::VectorStoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::VectorStoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value base = adaptor.getBase(), value = adaptor.getValueToStore();
    if (failed(checkRef(op, base)))
      return failure();
    auto vector = cast<VectorType>(op.getValueToStore().getType());
    if (adaptor.getMask() && packsElements(op)) {
      storePacked(builder, op.getLoc(), base, adaptor.getIndices(), value,
                  adaptor.getMask(), vector.getRank() - 1, op.getAdd());
      return none();
    }
    storeOrAdd(builder, op, base,
               selectVector(getRef(base), vector, adaptor.getIndices()), value,
               adaptor.getMask());
    return none();
  }
};

/// Expands packed elements of memory to the lanes of the mask.
struct RaiseExpandLoad : RaisePattern<tpu::VectorExpandLoadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::VectorExpandLoadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value base = adaptor.getBase(), mask = adaptor.getMask();
    if (failed(checkRef(op, base)))
      return failure();
    return load(builder, op.getLoc(), base,
                selectPacked(builder, op.getLoc(), getRef(base),
                             adaptor.getIndices(), mask, op.getExpandDim()),
                mask);
  }
};

/// The counterpart of the expanding load: selected lanes are packed in memory.
struct RaiseCompressStore : RaisePattern<tpu::VectorCompressStoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::VectorCompressStoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    storePacked(builder, op.getLoc(), adaptor.getBase(), adaptor.getIndices(),
                adaptor.getValueToStore(), adaptor.getMask(),
                op.getCompressDim(), op.getAdd());
    return none();
  }
};

///   %0 = tpu.strided_load %m[%i, %j] {strides = array<i32: 2, 1>}
///
/// becomes
///
///   %0 = pallas.get %m[ds(%i, 8, 2), ds(%j, 128)]
struct RaiseStridedLoad : RaisePattern<tpu::StridedLoadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::StridedLoadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    auto vector = cast<VectorType>(op.getResult().getType());
    Value value = load(builder, op.getLoc(), adaptor.getBase(),
                       selectVector(getRef(adaptor.getBase()), vector,
                                    adaptor.getIndices(), op.getStrides()));
    // A stride of 0 reads one element for all, which is a broadcast.
    auto type = toTensor(vector);
    if (value.getType() == type)
      return value;
    return Value(BroadcastOp::create(
        builder, op.getLoc(), type, value,
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))));
  }
};

///   pallas.swap %m[ds(%i, 8, 2), ds(%j, 128)], %v
struct RaiseStridedStore : RaisePattern<tpu::StridedStoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::StridedStoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    auto vector = cast<VectorType>(op.getValueToStore().getType());
    store(builder, op.getLoc(), adaptor.getBase(),
          selectVector(getRef(adaptor.getBase()), vector, adaptor.getIndices(),
                       op.getStrides()),
          adaptor.getValueToStore());
    return none();
  }
};

/// A gather of single elements.
struct RaiseVectorLoadIdx : RaisePattern<tpu::VectorLoadIdxOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::VectorLoadIdxOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    return load(builder, op.getLoc(), adaptor.getBase(),
                selectPlaces(getRef(adaptor.getBase()), adaptor.getIndices()),
                adaptor.getMask());
  }
};

/// A scatter of single elements, or a scatter that adds.
struct RaiseVectorStoreIdx : RaisePattern<tpu::VectorStoreIdxOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::VectorStoreIdxOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value base = adaptor.getBase(), value = adaptor.getValueToStore();
    if (failed(checkRef(op, base)))
      return failure();
    storeOrAdd(builder, op, base,
               selectPlaces(getRef(base), adaptor.getIndices()), value,
               adaptor.getMask());
    return none();
  }
};

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Adds to a number that another core may add to as well.
///
///   %0 = pallas.atomic_rmw <add> %m[%i], %v
struct RaiseFetchAndAdd : RaisePattern<tpu::FetchAndAddSyncOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::FetchAndAddSyncOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    VectorAccess access =
        selectElement(getRef(adaptor.getBase()), adaptor.getIndices());
    return Value(AtomicRMWOp::create(builder, op.getLoc(), AtomicKind::Add,
                                     adaptor.getBase(), access.indexer,
                                     access.operands, adaptor.getValue(),
                                     /*mask=*/Value()));
  }
};

} // namespace

void mlir::pallas::populateMemoryPatterns(const TypeConverter &types,
                                          RewritePatternSet &patterns) {
  patterns.add<RaiseVectorLoad, RaiseVectorStore, RaiseExpandLoad,
               RaiseCompressStore, RaiseStridedLoad, RaiseStridedStore,
               RaiseVectorLoadIdx, RaiseVectorStoreIdx, RaiseFetchAndAdd>(
      types, patterns.getContext());
}
