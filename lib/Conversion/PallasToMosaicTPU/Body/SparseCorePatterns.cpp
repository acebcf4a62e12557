//===- SparseCorePatterns.cpp - Computations of vector subcores -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, sorts and permutations of vector subcores, which have instructions for
// one register. Fails silently for other shapes and types, so that the general
// patterns expand them.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "pallas/Dialect/Pallas/IR/Cumulative.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

namespace {

/// The kind of a scan in hardware. Signed integers flip their sign: old
/// compilers compare them as unsigned ones.
struct ScanKind {
  tpu::ReductionKind kind;
  bool flipsSign;
};

} // namespace

/// Kinds without an instruction have no entry.
static std::optional<ScanKind> getScanKind(CombiningKind kind, Type element) {
  bool isInteger = isa<IntegerType>(element);
  auto maximum =
      isInteger ? tpu::ReductionKind::MaxUI : tpu::ReductionKind::MaxF;
  auto minimum =
      isInteger ? tpu::ReductionKind::MinUI : tpu::ReductionKind::MinF;
  switch (kind) {
  case CombiningKind::Add:
    return ScanKind{tpu::ReductionKind::Sum, false};
  case CombiningKind::Max:
    return ScanKind{maximum, isInteger};
  case CombiningKind::Min:
    return ScanKind{minimum, isInteger};
  case CombiningKind::UMax:
    return ScanKind{maximum, false};
  case CombiningKind::UMin:
    return ScanKind{minimum, false};
  default:
    return std::nullopt;
  }
}

/// Null where the hardware has no such scan.
///
///   %0 = tpu.scan <sum>, %x masked %all : vector<16xf32>
///
/// Signed maxima flip the sign bit before and after, which keeps the order.
static Value scan(Emitter &emit, CombiningKind kind, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || type.getRank() != 1)
    return {};
  Type element = type.getElementType();
  std::optional<ScanKind> scanKind = getScanKind(kind, element);
  if (!scanKind || !(element.isF32() || element.isBF16() ||
                     element.isInteger(32) || element.isInteger(16)))
    return {};
  auto flip = [&](Value vector) -> Value {
    if (!scanKind->flipsSign)
      return vector;
    int64_t sign = -(int64_t(1) << (element.getIntOrFloatBitWidth() - 1));
    return emit.create<arith::XOrIOp>(vector, emit.integer(type, sign));
  };
  // No element is left out.
  Value all =
      emit.integer(withElementType(type, emit.getBuilder().getI1Type()), 1);
  return flip(emit.create<tpu::ScanOp>(type, flip(value), scanKind->kind,
                                       /*dimension=*/0, all));
}

namespace {

/// A scan backwards has no instruction.
struct LanesCumulative : TPUPattern<CumulativeOp> {
  using TPUPattern::TPUPattern;
  Results convert(CumulativeOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    std::optional<CombiningKind> kind = getCombiningKind(op.getKind());
    Value result = kind && !op.getReverse()
                       ? scan(emit, *kind, adaptor.getInput())
                       : Value();
    if (!result)
      return failure();
    return one(result);
  }
};

/// The last element of a scan combines all.
///
///   %0 = tpu.scan <sum>, %x masked %all : vector<16xf32>
///   %1 = vector.extract %0[15] : f32 from vector<16xf32>
struct LanesReduce : TPUPattern<ReduceOp> {
  using TPUPattern::TPUPattern;
  Results convert(ReduceOp op, Adaptor adaptor, Emitter &emit) const override {
    Value result = scan(emit, op.getKind(), adaptor.getInput());
    if (!result)
      return failure();
    int64_t last = cast<VectorType>(result.getType()).getDimSize(0) - 1;
    return one(emit.create<vector::ExtractOp>(result, last));
  }
};

///   %0:2 = tpu.scan_count mask(%m : vector<16xi1>) value(%x : vector<16xi32>)
///
/// The results change places: the operation yields the mask first.
struct LanesScanCount : TPUPattern<ScanCountOp> {
  using TPUPattern::TPUPattern;
  Results convert(ScanCountOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    auto scan =
        emit.create<tpu::ScanCountOp>(convertType(op.getLast().getType()),
                                      convertType(op.getCount().getType()),
                                      adaptor.getMask(), adaptor.getInput());
    return SmallVector<Value>{scan.getCounts(), scan.getOutMask()};
  }
};

/// All elements of the result are the same.
///
///   %0 = tpu.all_reduce %m {dim = 0, kind = #tpu.reduction_kind<sum>}
///   %1 = vector.extract %0[0] : i32 from vector<16xi32>
struct LanesMaskReduce : TPUPattern<MaskReduceOp> {
  using TPUPattern::TPUPattern;
  Results convert(MaskReduceOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    auto type = cast<VectorType>(adaptor.getMask().getType());
    if (type.getRank() != 1)
      return failure();
    auto kind = op.getKind() == MaskReduction::Count
                    ? tpu::ReductionKind::Sum
                    : tpu::ReductionKind::FindFirstSet;
    Value all = emit.create<tpu::AllReduceOp>(
        type.clone(emit.getBuilder().getI32Type()), adaptor.getMask(),
        /*dim=*/0, kind);
    return one(emit.create<vector::ExtractOp>(all, 0));
  }
};

/// Lanes are counted in one dimension.
struct LanesIota : TPUPattern<IotaOp> {
  using TPUPattern::TPUPattern;
  Results convert(IotaOp op, Adaptor, Emitter &emit) const override {
    auto type = dyn_cast<VectorType>(convertType(op.getType()));
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger(32))
      return failure();
    return one(emit.create<tpu::IotaOp>(
        type, emit.getBuilder().getDenseI32ArrayAttr({0})));
  }
};

/// Each lane takes the element of the opposite one.
///
///   %0 = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
///   %1 = arith.subi %last, %0
///   %2 = tpu.dynamic_gather %x[%1] in [0]
struct LanesRev : TPUPattern<RevOp> {
  using TPUPattern::TPUPattern;
  Results convert(RevOp op, Adaptor adaptor, Emitter &emit) const override {
    auto type = dyn_cast<VectorType>(adaptor.getInput().getType());
    if (!type || type.getRank() != 1 || type.getElementTypeBitWidth() != 32 ||
        op.getDimensions().empty())
      return failure();
    OpBuilder &builder = emit.getBuilder();
    auto lanes = withElementType(type, builder.getI32Type());
    Value lane =
        emit.create<tpu::IotaOp>(lanes, builder.getDenseI32ArrayAttr({0}));
    Value opposite = emit.create<arith::SubIOp>(
        emit.integer(lanes, type.getDimSize(0) - 1), lane);
    return one(emit.create<tpu::DynamicGatherOp>(adaptor.getInput(), opposite,
                                                 ArrayRef<int32_t>{0}));
  }
};

/// Elements go to memory and from there to their places. Of several for one
/// place the last one stays.
///
///   tpu.vector_store %m[%c0], %operand
///   tpu.vector_store_idx %m[%places], %updates masked %k
///   %r = tpu.vector_load %m[%c0]
///
/// Indices out of bounds, negative ones included, are masked off by an unsigned
/// comparison. scan_count marks the last of equal indices, so that only its
/// update is stored.
struct LanesScatter : TPUPattern<ScatterOp> {
  using TPUPattern::TPUPattern;
  Results convert(ScatterOp op, Adaptor adaptor, Emitter &emit) const override {
    auto type = dyn_cast<VectorType>(adaptor.getOperand().getType());
    auto updates = dyn_cast<VectorType>(adaptor.getUpdates().getType());
    bool isAdd = op.getKind() == CombiningKind::Add;
    if (!type || !updates || type.getRank() != 1 || updates.getRank() != 1 ||
        type.getElementTypeBitWidth() != 32 || (op.getKind() && !isAdd))
      return failure();
    Value places = getPlaces(adaptor.getScatterIndices(), updates, emit);
    if (!places)
      return failure();
    // Additions accumulate, so every update is stored.
    Value mask =
        emit.compare(arith::CmpIPredicate::ult, places,
                     emit.integer(places.getType(), type.getDimSize(0)));
    if (!isAdd)
      mask = emit.create<tpu::ScanCountOp>(mask.getType(), places.getType(),
                                           mask, places)
                 .getOutMask();
    OpBuilder &builder = emit.getBuilder();
    auto region = emit.create<tpu::RegionOp>(TypeRange(type));
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region.getRegion());
    Value buffer = tpu::createVmemBuffer(emit, type);
    Value zero = emit.index(0);
    emit.create<tpu::VectorStoreOp>(adaptor.getOperand(), buffer, zero,
                                    Value());
    emit.create<tpu::VectorStoreIdxOp>(adaptor.getUpdates(), buffer, places,
                                       mask, builder.getBoolAttr(isAdd));
    Value result = emit.create<tpu::VectorLoadOp>(type, buffer, zero, Value());
    emit.create<tpu::YieldOp>(ValueRange(result));
    return one(region->getResult(0));
  }

  /// The vector of places, of which the operation has one in a row.
  static Value getPlaces(Value indices, VectorType updates, Emitter &emit) {
    if (auto cast = indices.getDefiningOp<vector::ShapeCastOp>())
      indices = cast.getSource();
    auto type = dyn_cast<VectorType>(indices.getType());
    if (!type || type.getShape() != updates.getShape() ||
        !type.getElementType().isInteger(32))
      return {};
    return indices;
  }
};

/// The hardware sorts numbers and carries others along. It promises no order of
/// equal keys.
///
///   %0:3 = tpu.sort %keys, %values masked %all {descending = false}
///
/// So a stable sort is left to the network.
struct LanesSort : TPUPattern<SortOp> {
  using TPUPattern::TPUPattern;
  Results convert(SortOp op, Adaptor adaptor, Emitter &emit) const override {
    ValueRange inputs = adaptor.getInputs();
    auto isSortable = [](Value value) {
      auto type = dyn_cast<VectorType>(value.getType());
      return type && type.getRank() == 1 &&
             (type.getElementType().isF32() ||
              type.getElementType().isInteger(32));
    };
    if (inputs.size() > 2 || op.getNumKeys() != 1 || op.getStable() ||
        op.getUnsignedKeys() || !llvm::all_of(inputs, isSortable))
      return failure();
    Value keys = inputs.front(), values = inputs.back();
    Type mask = withElementType(keys.getType(), emit.getBuilder().getI1Type());
    auto sort = emit.create<tpu::SortOp>(mask, keys.getType(), values.getType(),
                                         keys, values, emit.integer(mask, 1),
                                         op.getDescending());
    SmallVector<Value> results = {sort.getSortedKeys()};
    if (inputs.size() == 2)
      results.push_back(sort.getSortedValues());
    return results;
  }
};

} // namespace

void mlir::pallas::populateSparseCorePatterns(const TPUTypeConverter &types,
                                              TPUPatternSet &patterns) {
  patterns.add<LanesCumulative, LanesReduce, LanesScanCount, LanesMaskReduce,
               LanesIota, LanesRev, LanesScatter, LanesSort>(types,
                                                             /*benefit=*/2);
}
