//===- Scatters.cpp - Updates of a value by an array of indices -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One update after the other takes the place that its indices name: as an
// operation on tensors, which the driver converts in turn.
//
// The order of updates is the order of the indices. Duplicate indices need
// that: the last one wins, or all accumulate.
//
//===----------------------------------------------------------------------===//

#include "GatherIndices.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// How many updates are written out one after the other; more are in a loop.
/// Code written out lets the compiler overlap updates; a loop keeps the size of
/// the code, and the time to compile it, in bounds.
static constexpr int64_t kMaxWrittenOut = 32;

namespace {

/// Makes the updates of one scatter.
///
/// Update `k` of a scatter of rows into an 8x128 array selects by position:
///
///   %u = tensor.extract_slice %updates[%k, 0] [1, 128] [1, 1]
///   %w = pallas.broadcast %u dims [0, 1]
///        : tensor<1x128xf32> -> tensor<8x128xf32>
///   %p = pallas.iota 0 : tensor<8x128xi32>
///   %h = arith.cmpi eq, %p, %start
///   %r = arith.select %h, %w, %value
///
/// TensorCores can't store by an index, but select whole registers at once.
class ScatterBuilder {
public:
  ScatterBuilder(ScatterOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        type(cast<RankedTensorType>(op.getOperand().getType())) {}

  FailureOr<Value> run();

private:
  /// Brings the dimensions that number the updates to the front, joined into
  /// one, and gives each window the rank of the operand.
  void layOutUpdates();
  /// The value after update number `k` of it.
  Value update(OpBuilder &builder, Value k, Value value);
  /// Where in dimension `dim` update `k` starts; null for dimensions that it
  /// covers.
  Value getStart(OpBuilder &builder, Value k, int64_t dim);
  /// Repeats or moves the window along `dim` so that it can lie at `start`.
  Value widen(OpBuilder &builder, Value window, Value start, int64_t dim);
  /// Where along `dim` a window at `start` lies.
  Value getPlaces(OpBuilder &builder, Value start, int64_t dim);

  ScatterOp op;
  OpBuilder &builder;
  Location loc;
  RankedTensorType type;
  /// Size of a window in each dimension of the operand.
  SmallVector<int64_t> window;
  /// The updates as windows under one leading dimension.
  Value windows;
  Value indices;
  SmallVector<int64_t> batchShape;
};

} // namespace

void ScatterBuilder::layOutUpdates() {
  Value updates = op.getUpdates();
  auto updateType = dyn_cast<RankedTensorType>(updates.getType());
  // Dimensions that number updates come first, those of a window behind them.
  ArrayRef<int64_t> windowDims = op.getUpdateWindowDims();
  SmallVector<int64_t> order;
  for (int64_t dim = 0; updateType && dim < updateType.getRank(); ++dim)
    if (!llvm::is_contained(windowDims, dim))
      order.push_back(dim);
  llvm::append_range(order, windowDims);
  if (!isIdentityPermutation(order))
    updates = TransposeOp::create(builder, loc, updates, order);

  const auto *next = windowDims.begin();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    // Inserted and batching dimensions have size 1 in a window but are absent
    // from the updates.
    bool isOne = llvm::is_contained(op.getInsertedWindowDims(), dim) ||
                 llvm::is_contained(op.getOperandBatchingDims(), dim);
    window.push_back(isOne ? 1 : updateType.getDimSize(*next++));
  }
  SmallVector<int64_t> shape{ShapedType::getNumElements(batchShape)};
  llvm::append_range(shape, window);
  RankedTensorType laidOut = type.clone(shape);
  if (!updateType)
    windows = BroadcastOp::create(builder, loc, laidOut, updates,
                                  ArrayRef<int64_t>());
  else if (updates.getType() != laidOut)
    windows = ReshapeOp::create(builder, loc, laidOut, updates);
  else
    windows = updates;
}

static Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

Value ScatterBuilder::getStart(OpBuilder &builder, Value k, int64_t dim) {
  const auto *indexed = llvm::find(op.getScatterDimsToOperandDims(), dim);
  if (indexed != op.getScatterDimsToOperandDims().end()) {
    int64_t count = op.getScatterDimsToOperandDims().size();
    int64_t column = indexed - op.getScatterDimsToOperandDims().begin();
    auto number = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    // Outside of a loop `k` is known, and so is the place of its index.
    std::optional<int64_t> known = getConstantInteger(k);
    Value at =
        known ? number(*known * count + column).getResult()
              : builder.createOrFold<arith::AddIOp>(
                    loc,
                    builder.createOrFold<arith::MulIOp>(loc, k, number(count)),
                    number(column));
    return tensor::ExtractOp::create(builder, loc, indices, at);
  }
  const auto *batch = llvm::find(op.getOperandBatchingDims(), dim);
  if (batch == op.getOperandBatchingDims().end())
    // A dimension without index starts at 0 and the window covers it.
    return {};
  int64_t position =
      op.getScatterIndicesBatchingDims()[batch -
                                         op.getOperandBatchingDims().begin()];
  // Batching dimensions count with the number of the update, in row-major order
  // of the batch.
  int64_t inner =
      ShapedType::getNumElements(ArrayRef(batchShape).drop_front(position + 1));
  Value flat =
      builder.createOrFold<arith::IndexCastOp>(loc, builder.getI32Type(), k);
  Value outer = arith::DivSIOp::create(builder, loc, flat,
                                       constantI32(builder, loc, inner));
  return arith::RemSIOp::create(
      builder, loc, outer, constantI32(builder, loc, batchShape[position]));
}

Value ScatterBuilder::widen(OpBuilder &builder, Value value, Value start,
                            int64_t dim) {
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] = type.getDimSize(dim);
  RankedTensorType wide = from.clone(shape);
  // One element can be anywhere once it is everywhere: no move is needed.
  if (window[dim] == 1) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    return BroadcastOp::create(builder, loc, wide, value, dims);
  }
  // A longer window is inserted between zeros, which the selection drops.
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(wide)));
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : from.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  offsets[dim] =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), start)
          .getResult();
  return tensor::InsertSliceOp::create(builder, loc, value, zero, offsets,
                                       sizes, strides);
}

Value ScatterBuilder::getPlaces(OpBuilder &builder, Value start, int64_t dim) {
  auto wide = type.clone(builder.getI32Type());
  Value position = IotaOp::create(builder, loc, wide, dim);
  auto compare = [&](arith::CmpIPredicate predicate, Value number) -> Value {
    Value all =
        BroadcastOp::create(builder, loc, wide, number, ArrayRef<int64_t>());
    return arith::CmpIOp::create(builder, loc, predicate, position, all);
  };
  // The comparison is unsigned and finds negative starts, too. Moving the start
  // to the end of the dimension leaves no position inside.
  if (window[dim] == 1)
    return compare(arith::CmpIPredicate::eq, start);
  // A window that is not all inside is skipped, as XLA does.
  int64_t size = type.getDimSize(dim);
  Value isInside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, start,
                            constantI32(builder, loc, size - window[dim]));
  start = arith::SelectOp::create(builder, loc, isInside, start,
                                  constantI32(builder, loc, size));
  Value end = arith::AddIOp::create(builder, loc, start,
                                    constantI32(builder, loc, window[dim]));
  return arith::AndIOp::create(builder, loc,
                               compare(arith::CmpIPredicate::sge, start),
                               compare(arith::CmpIPredicate::slt, end));
}

/// The value after update `k`: the combination where its window is, `value`
/// elsewhere.
Value ScatterBuilder::update(OpBuilder &builder, Value k, Value value) {
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, window);
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : shape)
    sizes.push_back(builder.getIndexAttr(size));
  offsets[0] = getAsOpFoldResult(k);
  Value part = tensor::ExtractSliceOp::create(builder, loc, type.clone(shape),
                                              windows, offsets, sizes, strides);
  part = ReshapeOp::create(builder, loc, type.clone(window), part);
  Value isHere;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value start = getStart(builder, k, dim);
    if (!start)
      continue;
    // A window over all of a dimension needs no position there.
    if (window[dim] != type.getDimSize(dim))
      part = widen(builder, part, start, dim);
    Value here = getPlaces(builder, start, dim);
    isHere = isHere ? arith::AndIOp::create(builder, loc, isHere, here) : here;
  }
  Value combined =
      op.getKind() ? createCombined(builder, loc, *op.getKind(), value, part)
                   : part;
  if (!isHere)
    return combined;
  return arith::SelectOp::create(builder, loc, isHere, combined, value);
}

/// Selections by position have to compute every combination for all elements,
/// so only the kinds with an operation for vectors are accepted.
FailureOr<Value> ScatterBuilder::run() {
  if (op.getKind() &&
      !llvm::is_contained({CombiningKind::Add, CombiningKind::Mul,
                           CombiningKind::Max, CombiningKind::Min},
                          *op.getKind()))
    return op.emitOpError()
           << "combines by " << stringifyCombiningKind(*op.getKind())
           << ", but on TPUs scatters add, mul, max or min";
  auto indexType = cast<RankedTensorType>(op.getScatterIndices().getType());
  batchShape.assign(indexType.getShape().begin(), indexType.getShape().end());
  batchShape.pop_back();
  indices = flattenIndices(builder, loc, op.getScatterIndices());
  layOutUpdates();
  int64_t count = ShapedType::getNumElements(batchShape);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value value = op.getOperand();
  // Beyond the bound:
  //
  //   %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x)
  if (count > kMaxWrittenOut) {
    auto loop = scf::ForOp::create(
        builder, loc, number(0), number(count), number(1), value,
        [&](OpBuilder &nested, Location, Value k, ValueRange carried) {
          scf::YieldOp::create(nested, loc, update(nested, k, carried[0]));
        });
    return loop.getResult(0);
  }
  for (int64_t k = 0; k < count; ++k)
    value = update(builder, number(k), value);
  return value;
}

FailureOr<Value> mlir::pallas::decomposeScatter(OpBuilder &builder,
                                                ScatterOp op) {
  return ScatterBuilder(op, builder).run();
}
