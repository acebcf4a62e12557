//===- MemoryPatterns.cpp - Loads and stores ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Indexers
//===----------------------------------------------------------------------===//

std::optional<int64_t> IndexerBuilder::getStaticPlace(Value place,
                                                      int64_t extent) const {
  std::optional<int64_t> constant = getConstantInteger(place);
  int64_t size = shape[entries.size()];
  if (!constant || *constant < 0 || ShapedType::isDynamic(size) ||
      *constant > size - extent)
    return std::nullopt;
  return constant;
}

void IndexerBuilder::addScalar(Value place) {
  std::optional<int64_t> constant = getStaticPlace(place, 1);
  entries.push_back(DimIndex::scalar(constant.value_or(ShapedType::kDynamic)));
  if (!constant)
    operands.push_back(place);
}

void IndexerBuilder::addSlice(Value start, int64_t size, int64_t stride) {
  int64_t extent = (size - 1) * stride + 1;
  std::optional<int64_t> constant = getStaticPlace(start, extent);
  if (constant == 0 && size == shape[entries.size()])
    return addFull();
  entries.push_back(
      DimIndex::slice(constant.value_or(ShapedType::kDynamic), size, stride));
  if (!constant)
    operands.push_back(start);
}

void IndexerBuilder::addSlice(Value start, Value size) {
  std::optional<int64_t> constant = getStaticPlace(start, 0);
  entries.push_back(DimIndex::slice(constant.value_or(ShapedType::kDynamic),
                                    ShapedType::kDynamic));
  if (!constant)
    operands.push_back(start);
  operands.push_back(size);
}

void IndexerBuilder::addGather(Value places) {
  entries.push_back(DimIndex::gather());
  operands.push_back(places);
}

namespace {

/// The part of a ref that an access selects, and the shape that the vector has
/// for it.
struct VectorAccess {
  IndexerAttr indexer;
  SmallVector<Value> operands;
};

} // namespace

static VectorAccess getAccess(const IndexerBuilder &index, RefType ref) {
  return {index.getIndexer(ref.getContext()),
          SmallVector<Value>(index.getOperands())};
}

/// The part of `ref` from `starts` that has the shape of `vector`; leading
/// dimensions that the vector lacks have one index.
static VectorAccess selectVector(RefType ref, VectorType vector,
                                 ValueRange starts,
                                 ArrayRef<int32_t> strides = {}) {
  IndexerBuilder index(ref);
  int64_t leading = ref.getRank() - vector.getRank();
  for (auto [d, start] : llvm::enumerate(starts)) {
    int64_t dim = int64_t(d) - leading;
    if (dim < 0)
      index.addScalar(start);
    else if (strides.empty())
      index.addSlice(start, vector.getDimSize(dim));
    else // A stride of zero reads one element again and again.
      index.addSlice(start, strides[d] == 0 ? 1 : vector.getDimSize(dim),
                     std::max(strides[d], 1));
  }
  return getAccess(index, ref);
}

static VectorAccess selectElement(RefType ref, ValueRange places) {
  IndexerBuilder index(ref);
  for (Value place : places)
    index.addScalar(place);
  return getAccess(index, ref);
}

/// The elements of each dimension that `places` gives the index of.
static VectorAccess selectPlaces(RefType ref, ValueRange places) {
  IndexerBuilder index(ref);
  for (Value value : places)
    index.addGather(value);
  return getAccess(index, ref);
}

static Value load(OpBuilder &builder, Location loc, Value ref,
                  const VectorAccess &access, Value mask = {}) {
  if (!mask)
    return GetOp::create(builder, loc, ref, access.indexer, access.operands);
  return MaskedLoadOp::create(builder, loc, ref, access.indexer,
                              access.operands, mask, /*other=*/Value());
}

static void store(OpBuilder &builder, Location loc, Value ref,
                  const VectorAccess &access, Value value, Value mask = {}) {
  if (mask)
    MaskedSwapOp::create(builder, loc, ref, access.indexer, access.operands,
                         value, mask);
  else
    SwapOp::create(builder, loc, ref, access.indexer, access.operands, value);
}

/// `value` where the mask allows it, and zero elsewhere.
static Value maskAddend(OpBuilder &builder, Location loc, Value value,
                        Value mask) {
  if (!mask)
    return value;
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(value.getType())));
  return arith::SelectOp::create(builder, loc, mask, value, zero);
}

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
static bool packsElements(Operation *op) {
  auto map = op->getParentOfType<MpmdMapOp>();
  if (!map)
    return false;
  Region *kernel = op->getParentRegion();
  while (kernel->getParentOp() != map)
    kernel = kernel->getParentRegion();
  auto mesh = cast<MeshAttr>(map.getMeshes()[kernel->getRegionNumber()]);
  return mesh.getKind() == MeshKind::ScVector;
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

static RefType getRef(Value value) { return cast<RefType>(value.getType()); }

/// Whether the operands that should be refs are: a memref that no ref can be
/// stays as it is.
static LogicalResult checkRef(Operation *op, Value base) {
  if (isa<RefType>(base.getType()))
    return success();
  return op->emitOpError() << "accesses memory of type " << base.getType()
                           << ", which no ref can be";
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {

struct RaiseLoad : RaisePattern<vector::LoadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::LoadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    return load(builder, op.getLoc(), adaptor.getBase(),
                selectVector(getRef(adaptor.getBase()), op.getVectorType(),
                             adaptor.getIndices()));
  }
};

struct RaiseStore : RaisePattern<vector::StoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::StoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getBase())))
      return failure();
    store(builder, op.getLoc(), adaptor.getBase(),
          selectVector(getRef(adaptor.getBase()), op.getVectorType(),
                       adaptor.getIndices()),
          adaptor.getValueToStore());
    return none();
  }
};

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
    auto type = toTensor(vector);
    if (value.getType() == type)
      return value;
    return Value(BroadcastOp::create(
        builder, op.getLoc(), type, value,
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))));
  }
};

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

struct RaiseScalarLoad : RaisePattern<memref::LoadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(memref::LoadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getMemref())))
      return failure();
    return load(
        builder, op.getLoc(), adaptor.getMemref(),
        selectElement(getRef(adaptor.getMemref()), adaptor.getIndices()));
  }
};

struct RaiseScalarStore : RaisePattern<memref::StoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(memref::StoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getMemref())))
      return failure();
    store(builder, op.getLoc(), adaptor.getMemref(),
          selectElement(getRef(adaptor.getMemref()), adaptor.getIndices()),
          adaptor.getValue());
    return none();
  }
};

/// Adds to a number that another core may add to as well.
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
  patterns.add<RaiseLoad, RaiseStore, RaiseVectorLoad, RaiseVectorStore,
               RaiseExpandLoad, RaiseCompressStore, RaiseStridedLoad,
               RaiseStridedStore, RaiseVectorLoadIdx, RaiseVectorStoreIdx,
               RaiseScalarLoad, RaiseScalarStore, RaiseFetchAndAdd>(
      types, patterns.getContext());
}
