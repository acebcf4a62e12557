//===- Gathers.cpp - Rows of a value by an array of indices ---------------===//
//
// Gathers and scatters of whole rows become operations on tensors that have
// forms of their own: the driver converts those in turn.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

/// How many updates are made one after the other.
static constexpr int64_t kMaxUpdates = 256;

/// The dimension that an index array selects rows along; nothing if it selects
/// anything but rows, or puts their dimension elsewhere. `others` are where the
/// other dimensions stand in the rows, whose rank is `rank`.
static std::optional<int64_t>
getRowDim(ArrayRef<int64_t> selected, ArrayRef<int64_t> indexMap,
          ArrayRef<int64_t> batching, RankedTensorType indices,
          ArrayRef<int64_t> others, int64_t rank) {
  if (selected.size() != 1 || indexMap != selected || !batching.empty() ||
      indices.getRank() == 0 || indices.getShape().back() != 1)
    return std::nullopt;
  int64_t dim = selected.front(), numIndexDims = indices.getRank() - 1;
  int64_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (d >= dim && d < dim + numIndexDims)
      continue;
    if (next == int64_t(others.size()) || others[next++] != d)
      return std::nullopt;
  }
  return dim;
}

/// The indices in 32 bits, in one dimension.
static Value flattenIndices(OpBuilder &builder, Location loc, Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (flat != type)
    indices = ReshapeOp::create(builder, loc, flat, indices);
  unsigned width = flat.getElementTypeBitWidth();
  if (width == 32)
    return indices;
  auto wide = flat.clone(builder.getI32Type());
  return width < 32
             ? arith::ExtSIOp::create(builder, loc, wide, indices).getResult()
             : arith::TruncIOp::create(builder, loc, wide, indices).getResult();
}

static RankedTensorType withSize(RankedTensorType type, int64_t dim,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

namespace {

struct ConvertGather : TPUPattern<GatherOp> {
  using TPUPattern::TPUPattern;
  /// The operations that it writes are converted in their turn.
  Results convert(GatherOp op, Adaptor, Emitter &emit) const override {
    OpBuilder &builder = emit.getBuilder();
    Location loc = emit.getLoc();
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
    std::optional<int64_t> dim =
        result ? getRowDim(op.getCollapsedSliceDims(), op.getStartIndexMap(),
                           op.getOperandBatchingDims(),
                           op.getStartIndices().getType(), op.getOffsetDims(),
                           result.getRank())
               : std::nullopt;
    if (!dim || withSize(type, *dim, 1).getShape() != op.getSliceSizes())
      return op.emitOpError("gathers more than whole rows of one dimension, "
                            "which has no form on TPUs; gather row by row");
    Value indices = flattenIndices(builder, loc, op.getStartIndices());
    auto indexType = cast<RankedTensorType>(indices.getType());
    RankedTensorType rows = withSize(type, *dim, indexType.getNumElements());
    Value places =
        BroadcastOp::create(builder, loc, rows.clone(builder.getI32Type()),
                            indices, ArrayRef<int64_t>{*dim});
    Value taken = TakeAlongOp::create(builder, loc, rows, op.getOperand(),
                                      places, *dim, op.getMode());
    if (rows != result)
      taken = ReshapeOp::create(builder, loc, result, taken);
    return one(taken);
  }
};

/// One update after the other takes the place that its index names.
struct ConvertScatter : TPUPattern<ScatterOp> {
  using TPUPattern::TPUPattern;
  /// The operations that it writes are converted in their turn.
  Results convert(ScatterOp op, Adaptor, Emitter &emit) const override {
    OpBuilder &builder = emit.getBuilder();
    Location loc = emit.getLoc();
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    auto updateType = dyn_cast<RankedTensorType>(op.getUpdates().getType());
    std::optional<int64_t> dim =
        updateType ? getRowDim(op.getInsertedWindowDims(),
                               op.getScatterDimsToOperandDims(),
                               op.getOperandBatchingDims(),
                               op.getScatterIndices().getType(),
                               op.getUpdateWindowDims(), updateType.getRank())
                   : std::nullopt;
    Value indices = flattenIndices(builder, loc, op.getScatterIndices());
    int64_t count = cast<RankedTensorType>(indices.getType()).getNumElements();
    if (!dim || count > kMaxUpdates ||
        withSize(type, *dim, count).getNumElements() !=
            updateType.getNumElements())
      return op.emitOpError()
             << "updates " << count << " parts; on TPUs a scatter updates at "
             << "most " << kMaxUpdates << " whole rows of one dimension";
    RankedTensorType rows = withSize(type, *dim, count);
    Value updates = op.getUpdates();
    if (updateType != rows)
      updates = ReshapeOp::create(builder, loc, rows, updates);
    auto indexType = type.clone(builder.getI32Type());
    Value position = IotaOp::create(builder, loc, indexType, *dim);
    Value value = op.getOperand();
    for (int64_t k = 0; k < count; ++k) {
      FailureOr<Value> next =
          update(op, builder, value, getRow(builder, loc, updates, *dim, k));
      if (failed(next))
        return failure();
      Value at = arith::ConstantIndexOp::create(builder, loc, k);
      Value index = tensor::ExtractOp::create(builder, loc, indices, at);
      Value all = BroadcastOp::create(builder, loc, indexType, index,
                                      ArrayRef<int64_t>());
      Value here = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         position, all);
      value = arith::SelectOp::create(builder, loc, here, *next, value);
    }
    return one(value);
  }

private:
  static Value getRow(OpBuilder &builder, Location loc, Value rows, int64_t dim,
                      int64_t k) {
    auto type = withSize(cast<RankedTensorType>(rows.getType()), dim, 1);
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> sizes,
        strides(type.getRank(), builder.getIndexAttr(1));
    offsets[dim] = builder.getIndexAttr(k);
    for (int64_t size : type.getShape())
      sizes.push_back(builder.getIndexAttr(size));
    return tensor::ExtractSliceOp::create(builder, loc, type, rows, offsets,
                                          sizes, strides);
  }

  /// What the row makes of all rows of `old`.
  static FailureOr<Value> update(ScatterOp op, OpBuilder &builder, Value old,
                                 Value row) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(old.getType());
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Value rows = BroadcastOp::create(builder, loc, type, row, all);
    if (!op.getKind())
      return rows;
    bool isFloat = isa<FloatType>(type.getElementType());
    switch (*op.getKind()) {
    case CombiningKind::Add:
      return isFloat
                 ? arith::AddFOp::create(builder, loc, old, rows).getResult()
                 : arith::AddIOp::create(builder, loc, old, rows).getResult();
    case CombiningKind::Mul:
      return isFloat
                 ? arith::MulFOp::create(builder, loc, old, rows).getResult()
                 : arith::MulIOp::create(builder, loc, old, rows).getResult();
    case CombiningKind::Max:
      return isFloat
                 ? arith::MaximumFOp::create(builder, loc, old, rows)
                       .getResult()
                 : arith::MaxSIOp::create(builder, loc, old, rows).getResult();
    case CombiningKind::Min:
      return isFloat
                 ? arith::MinimumFOp::create(builder, loc, old, rows)
                       .getResult()
                 : arith::MinSIOp::create(builder, loc, old, rows).getResult();
    default:
      return op.emitOpError()
             << "combines by " << stringifyCombiningKind(*op.getKind())
             << ", but on TPUs scatters add, mul, max or min";
    }
  }
};

} // namespace

void mlir::pallas::populateGatherPatterns(const TPUTypeConverter &types,
                                          TPUPatternSet &patterns) {
  addTPUPatterns<ConvertGather, ConvertScatter>(types, patterns);
}
