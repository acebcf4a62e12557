//===- SparseCorePatterns.cpp - Operations of SparseCores -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of vector subcores. Masks, which pallas has on few operations, are
// computed with neutral elements or further keys.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// A constant with one value in all elements.
static Value createSplat(OpBuilder &builder, Location loc,
                         RankedTensorType type, TypedAttr element) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(element)));
}

/// Scans add up unless they have one of these kinds.
static CumulativeKind getCumulativeKind(CombiningKind kind) {
  switch (kind) {
  case CombiningKind::Max:
    return CumulativeKind::Max;
  case CombiningKind::Min:
    return CumulativeKind::Min;
  case CombiningKind::UMax:
    return CumulativeKind::UMax;
  case CombiningKind::UMin:
    return CumulativeKind::UMin;
  default:
    return CumulativeKind::Sum;
  }
}

namespace {

///   %0 = tpu.scan <sum>, %x masked %m {dimension = 0 : i64}
///
/// becomes
///
///   %0 = arith.select %m, %x, %zeros : tensor<16xi1>, tensor<16xf32>
///   %1 = pallas.cumulative <sum> %0 dim 0 : tensor<16xf32>
struct RaiseScan : RaisePattern<tpu::ScanOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ScanOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    auto type = toTensor(op.getOutput().getType());
    Value input = adaptor.getInput();
    if (input.getType() != type) // Trues are counted.
      input = arith::ExtUIOp::create(builder, loc, type, input);
    CombiningKind kind = convertKind(op.getKind());
    int64_t dim = op.getDimension();
    if (Value mask = adaptor.getMask()) {
      auto maskType = type.clone(builder.getI1Type());
      // A mask of one dimension is for each row.
      if (mask.getType() != maskType)
        mask = BroadcastOp::create(builder, loc, maskType, mask,
                                   ArrayRef<int64_t>{dim});
      // Masked elements change nothing.
      Type element = type.getElementType();
      Value neutral =
          createSplat(builder, loc, type,
                      getNeutralElement(getVectorKind(kind, element), element));
      input = arith::SelectOp::create(builder, loc, mask, input, neutral);
    }
    return Value(CumulativeOp::create(builder, loc, type,
                                      getCumulativeKind(kind), input, dim,
                                      /*reverse=*/false));
  }
};

/// Each element gets what all elements along the dimension combine to.
///
///   %0 = pallas.reduce <add> %x dims [1] : tensor<8x16xf32>
///   %1 = pallas.broadcast %0 dims [0] : tensor<8xf32> -> tensor<8x16xf32>
struct RaiseAllReduce : RaisePattern<tpu::AllReduceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::AllReduceOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    auto type = cast<RankedTensorType>(input.getType());
    auto resultType = toTensor(op.getOutput().getType());
    int64_t dim = op.getDim();
    FailureOr<Value> reduced = reduce(op, input, resultType, dim, builder);
    if (failed(reduced))
      return failure();
    SmallVector<int64_t> kept;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim)
        kept.push_back(d);
    return Value(BroadcastOp::create(builder, loc, resultType, *reduced, kept));
  }

private:
  /// The combined elements, before they are broadcast.
  static FailureOr<Value> reduce(tpu::AllReduceOp op, Value input,
                                 RankedTensorType result, int64_t dim,
                                 OpBuilder &builder) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(input.getType());
    bool isMask = type.getElementType().isInteger(1);
    Type element = result.getElementType();
    switch (op.getKind()) {
    case tpu::ReductionKind::FindFirstSet:
      if (type.getRank() != 1)
        return op.emitOpError() << "looks for the first true in " << type
                                << ", but only vectors have a first element";
      return Value(MaskReduceOp::create(builder, loc, builder.getI32Type(),
                                        MaskReduction::First, input));
    case tpu::ReductionKind::ArgMax:
    case tpu::ReductionKind::ArgMin:
      return Value(ArgReduceOp::create(
          builder, loc,
          CombiningKindAttr::get(op.getContext(),
                                 op.getKind() == tpu::ReductionKind::ArgMax
                                     ? CombiningKind::Max
                                     : CombiningKind::Min),
          input, builder.getI64IntegerAttr(dim), TypeAttr::get(element)));
    default:
      break;
    }
    if (isMask) // Trues are counted.
      input = arith::ExtUIOp::create(builder, loc, type.clone(element), input);
    return Value(ReduceOp::create(builder, loc, convertKind(op.getKind()),
                                  input, ArrayRef<int64_t>{dim}));
  }
};

/// The results change places: pallas has the count first.
struct RaiseScanCount : OpConversionPattern<tpu::ScanCountOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tpu::ScanCountOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    auto count = ScanCountOp::create(rewriter, op.getLoc(), /*count=*/types[1],
                                     /*last=*/types[0], adaptor.getValues(),
                                     adaptor.getInMask());
    rewriter.replaceOp(op, {count.getLast(), count.getCount()});
    return success();
  }
};

/// Elements that the mask leaves out come last.
///
///   %0 = arith.extui %mask : tensor<16xi1> to tensor<16xi32>
///   %1 = arith.xori %0, %ones : tensor<16xi32>
///   %2:3 = pallas.sort %1, %keys, %values dim 0 stable
///
/// The flag is the first key: 0 for selected elements in ascending order, and 1
/// in descending order. The sorted mask is the sorted flag.
struct RaiseSort : OpConversionPattern<tpu::SortOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tpu::SortOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value keys = adaptor.getKeys(), values = adaptor.getValues();
    auto type = cast<RankedTensorType>(keys.getType());
    auto maskType = cast<RankedTensorType>(type.clone(rewriter.getI1Type()));
    auto rankType = cast<RankedTensorType>(type.clone(rewriter.getI32Type()));
    Value mask = adaptor.getMask();
    if (!mask)
      mask = createSplat(rewriter, loc, maskType, rewriter.getBoolAttr(true));
    Value rank = arith::ExtUIOp::create(rewriter, loc, rankType, mask);
    Value one =
        createSplat(rewriter, loc, rankType, rewriter.getI32IntegerAttr(1));
    if (!op.getDescending())
      rank = arith::XOrIOp::create(rewriter, loc, rank, one);
    SmallVector<Type> types = {rankType, type, values.getType()};
    auto sort = SortOp::create(
        rewriter, loc, types, ValueRange{rank, keys, values},
        type.getRank() - 1, /*numKeys=*/2,
        /*stable=*/true, /*unsignedKeys=*/false, op.getDescending());
    Value first =
        createSplat(rewriter, loc, rankType,
                    rewriter.getI32IntegerAttr(op.getDescending() ? 1 : 0));
    Value sortedMask = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, sort.getResult(0), first);
    rewriter.replaceOp(op, {sortedMask, sort.getResult(1), sort.getResult(2)});
    return success();
  }
};

/// All subcores of one SparseCore meet.
///
///   tpu.barrier barrier_id(%i)
/// -->
///   pallas.core_barrier "subcore"
struct RaiseBarrier : RaisePattern<tpu::BarrierOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::BarrierOp op, Adaptor,
                         OpBuilder &builder) const override {
    CoreBarrierOp::create(builder, op.getLoc(),
                          stringifyMeshAxisRole(MeshAxisRole::Subcore));
    return none();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Indirect copies
//===----------------------------------------------------------------------===//

/// The rows of `ref` that `offsets` name.
///
///   %0 = pallas.slice_ref %r[gather(%offsets), :]
static Value selectRows(OpBuilder &builder, Location loc, Value ref,
                        Value offsets) {
  auto type = cast<RefType>(ref.getType());
  IndexerBuilder index(type);
  index.addGather(offsets);
  for (int64_t d = 1; d < type.getRank(); ++d)
    index.addFull();
  return SliceRefOp::create(builder, loc, ref,
                            index.getIndexer(builder.getContext()),
                            index.getOperands());
}

/// Whether a copy between these memories gathers: its target is the memory of
/// the core itself.
/// The other side is the table that the offsets select from.
static bool isGather(Value source, Value target) {
  auto isOwn = [](Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    return tpu::getMemorySpace(type) == tpu::MemorySpace::Vmem &&
           tpu::getNamedCoreType(type).value_or(
               tpu::CoreType::ScVectorSubcore) ==
               tpu::CoreType::ScVectorSubcore;
  };
  return isOwn(target) || !isOwn(source);
}

namespace {

///   tpu.enqueue_indirect_dma source(%table) target(%rows) offsets(%i)
///       semaphore(%s)
///
/// becomes
///
///   %0 = pallas.slice_ref %table[gather(%i), :]
///   pallas.dma_start %0 to %rows signals %s
struct RaiseEnqueueIndirect : RaisePattern<tpu::EnqueueIndirectDMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::EnqueueIndirectDMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (op.getOffsetFilter())
      return op.emitOpError("leaves out rows by offset_filter, which copies "
                            "have no word for here; copy row by row");
    Value source = adaptor.getSource(), target = adaptor.getTarget();
    Value offsets = adaptor.getOffsets();
    if (cast<ShapedType>(offsets.getType()).getRank() != 1)
      return op.emitOpError()
             << "takes offsets of type " << op.getOffsets().getType()
             << "; use a list of them";
    Location loc = op.getLoc();
    if (isGather(op.getSource(), op.getTarget()))
      source = selectRows(builder, loc, source, offsets);
    else
      target = selectRows(builder, loc, target, offsets);
    DMAStartOp::create(builder, loc, source, target, adaptor.getSemaphore(),
                       /*sourceSemaphore=*/Value(), /*deviceIds=*/ValueRange(),
                       /*coreIndex=*/Value(), DeviceIdTypeAttr(),
                       /*deviceAxes=*/ArrayAttr(), /*priority=*/0, op.getAdd());
    return none();
  }
};

/// The size of the copy is that of the side that the core holds.
struct RaiseWaitIndirect : RaisePattern<tpu::WaitIndirectDMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::WaitIndirectDMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    bool gathers = isGather(op.getSrc(), op.getDst());
    Value counted = gathers ? adaptor.getDst() : adaptor.getSrc();
    DMAWaitOp::create(builder, op.getLoc(), counted, counted,
                      adaptor.getSemaphore(), /*sourceSemaphore=*/Value(),
                      /*deviceIds=*/ValueRange(), /*coreIndex=*/Value(),
                      DeviceIdTypeAttr(), /*deviceAxes=*/ArrayAttr());
    return none();
  }
};

} // namespace

void mlir::pallas::populateSparseCorePatterns(const TypeConverter &types,
                                              RewritePatternSet &patterns) {
  patterns.add<RaiseScan, RaiseAllReduce, RaiseScanCount, RaiseSort,
               RaiseBarrier, RaiseEnqueueIndirect, RaiseWaitIndirect>(
      types, patterns.getContext());
}
