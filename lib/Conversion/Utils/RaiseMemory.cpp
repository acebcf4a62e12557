//===- RaiseMemory.cpp - Loads and stores through refs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file raises loads and stores of memrefs to accesses of refs.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/Utils/Raising.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Indexers
//===----------------------------------------------------------------------===//

/// A constant that is out of bounds stays an operand: the verifier of `pallas`
/// would reject it as a static index.
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

/// A slice of the whole dimension is printed as `:`.
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

VectorAccess mlir::pallas::getAccess(const IndexerBuilder &index, RefType ref) {
  return {index.getIndexer(ref.getContext()),
          SmallVector<Value>(index.getOperands())};
}

/// The part of `ref` from `starts` that has the shape of `vector`; leading
/// dimensions that the vector lacks have one index.
VectorAccess mlir::pallas::selectVector(RefType ref, VectorType vector,
                                        ValueRange starts,
                                        ArrayRef<int32_t> strides) {
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

VectorAccess mlir::pallas::selectElement(RefType ref, ValueRange places) {
  IndexerBuilder index(ref);
  for (Value place : places)
    index.addScalar(place);
  return getAccess(index, ref);
}

Value mlir::pallas::load(OpBuilder &builder, Location loc, Value ref,
                         const VectorAccess &access, Value mask) {
  if (!mask)
    return GetOp::create(builder, loc, ref, access.indexer, access.operands);
  return MaskedLoadOp::create(builder, loc, ref, access.indexer,
                              access.operands, mask, /*other=*/Value());
}

void mlir::pallas::store(OpBuilder &builder, Location loc, Value ref,
                         const VectorAccess &access, Value value, Value mask) {
  if (mask)
    MaskedSwapOp::create(builder, loc, ref, access.indexer, access.operands,
                         value, mask);
  else
    SwapOp::create(builder, loc, ref, access.indexer, access.operands, value);
}

/// Whether the operands that should be refs are: a memref that no ref can be
/// stays as it is.
LogicalResult mlir::pallas::checkRef(Operation *op, Value base) {
  if (isa<RefType>(base.getType()))
    return success();
  return op->emitOpError() << "accesses memory of type " << base.getType()
                           << ", which no ref can be";
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Raises `vector.load`:
///
///   %v = vector.load %m[%i, %c0] : memref<16x128xf32>, vector<8x128xf32>
///
/// becomes
///
///   %v = pallas.get %m[ds(%i, 8), :] : !pallas.ref<16x128xf32, vmem>
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

/// Raises `vector.store` to a `pallas.swap` whose old value is unused.
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

/// Raises `memref.load` to `pallas.get` of one element.
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

/// Raises `memref.store` to `pallas.swap` of one element.
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

} // namespace

void mlir::pallas::populateMemoryRaisingPatterns(const TypeConverter &types,
                                                 RewritePatternSet &patterns) {
  patterns.add<RaiseLoad, RaiseStore, RaiseScalarLoad, RaiseScalarStore>(
      types, patterns.getContext());
}
