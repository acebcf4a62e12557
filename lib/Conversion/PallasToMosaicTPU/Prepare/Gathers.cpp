//===- Gathers.cpp - Parts of a value by an array of indices --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers become operations on tensors that have forms of their own.
//
//===----------------------------------------------------------------------===//

#include "GatherIndices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// The dimension that an index array selects rows along; nothing if it selects
/// anything but rows, or puts their dimension elsewhere. `others` are where the
/// other dimensions are in the rows, whose rank is `rank`.
///
/// Taking rows 3 and 5 of an 8x128 array selects along dimension 0:
///
///   %r = pallas.gather %x at %i offset [1] collapsed [0] batching [] x []
///        map [0] sizes [1, 128] mode clip
///        : tensor<8x128xf32>, tensor<2x1xi32> -> tensor<2x128xf32>
static std::optional<int64_t>
getRowDim(ArrayRef<int64_t> selected, ArrayRef<int64_t> indexMap,
          ArrayRef<int64_t> batching, RankedTensorType indices,
          ArrayRef<int64_t> others, int64_t rank) {
  if (selected.size() != 1 || indexMap != selected || !batching.empty() ||
      indices.getRank() == 0 || indices.getShape().back() != 1)
    return std::nullopt;
  int64_t dim = selected.front(), numIndexDims = indices.getRank() - 1;
  int64_t next = 0;
  // The index dimensions take the place of `dim`, and all others keep their
  // order. Anything else would need a transpose behind the take_along.
  for (int64_t d = 0; d < rank; ++d) {
    if (d >= dim && d < dim + numIndexDims)
      continue;
    if (next == int64_t(others.size()) || others[next++] != d)
      return std::nullopt;
  }
  return dim;
}

/// `type` with another size of one dimension.
static RankedTensorType withSize(RankedTensorType type, int64_t dim,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

/// How many registers may be searched for the elements of a gather.
/// A gather compares every register of wanted places with every register of the
/// operand, so the number is the product of both.
static constexpr int64_t kMaxSearches = 2048;

namespace {

/// Adds up where in the operand each element of the result lies, when all of
/// the operand is one row.
///
/// Row-major positions in an 8x128 array, for indices (%i, %j):
///
///   %0 = arith.muli %i, 128
///   %1 = arith.addi %0, %j
class PlaceSum {
public:
  PlaceSum(OpBuilder &builder, Location loc, RankedTensorType result)
      : builder(builder), loc(loc), type(result.clone(builder.getI32Type())) {}

  /// Adds numbers for dimensions of the result, times `stride`.
  void add(Value numbers, ArrayRef<int64_t> dims, int64_t stride) {
    addTerm(BroadcastOp::create(builder, loc, type, numbers, dims), stride);
  }
  /// Adds the position along a dimension, times `stride`.
  void addPosition(int64_t dim, int64_t stride) {
    addTerm(IotaOp::create(builder, loc, type, dim), stride);
  }
  /// Marks what isn't `valid`, of dimensions of the result, as nowhere.
  // Position -1 matches no element, and take_along fills it.
  void require(Value valid, ArrayRef<int64_t> dims) {
    Value all = BroadcastOp::create(
        builder, loc, type.clone(builder.getI1Type()), valid, dims);
    isValid = isValid ? arith::AndIOp::create(builder, loc, isValid, all) : all;
  }
  /// The positions, or -1 where a dimension is out of bounds.
  Value get() {
    Value total = sum ? sum : constant(0);
    if (!isValid)
      return total;
    return arith::SelectOp::create(builder, loc, isValid, total, constant(-1));
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc,
        SplatElementsAttr::get(type, builder.getI32IntegerAttr(value)));
  }
  /// Adds a term. Strides of one need no multiplication, which the compiler
  /// would not fold for vectors.
  void addTerm(Value term, int64_t stride) {
    if (stride != 1)
      term = arith::MulIOp::create(builder, loc, term, constant(stride));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term) : term;
  }

  OpBuilder &builder;
  Location loc;
  RankedTensorType type;
  Value sum, isValid;
};

} // namespace

/// Reads element by element: operand and result become one row each.
///
///   %0 = pallas.reshape %x : tensor<8x16xf32> -> tensor<128xf32>
///   %1 = pallas.take_along %0 at %places dim 0
///   %2 = pallas.reshape %1 : tensor<6xf32> -> tensor<2x3xf32>
///
/// This is the form for every gather, at the price of a search in all of the
/// operand. A scalar result is taken as a row of one element.
static FailureOr<Value> gatherElements(OpBuilder &builder, GatherOp op,
                                       RegisterShape registers) {
  Location loc = op.getLoc();
  auto operandType = cast<RankedTensorType>(op.getOperand().getType());
  auto resultType = dyn_cast<RankedTensorType>(op.getResult().getType());
  bool isScalar = !resultType;
  if (isScalar)
    resultType = operandType.clone(ArrayRef<int64_t>{1});
  int64_t size = operandType.getNumElements();
  int64_t wanted = resultType.getNumElements();
  // A search compares one register of wanted places with one row of operands.
  int64_t searches =
      llvm::divideCeil(size, registers.columns) *
      llvm::divideCeil(wanted, registers.rows * registers.columns);
  if (searches > kMaxSearches)
    return op.emitOpError()
           << "gathers " << wanted << " elements, other than whole rows of one "
           << "dimension, out of " << size << "; that is " << searches
           << " searches of registers, and at most " << kMaxSearches
           << " are made on TPUs; gather whole rows, or fewer at a time";

  ArrayRef<int64_t> shape = operandType.getShape();
  // The index vectors are numbered by the dimensions of the result that are not
  // offsets, in order.
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> batchDims;
  for (int64_t dim = 0; !isScalar && dim < resultType.getRank(); ++dim)
    if (!llvm::is_contained(op.getOffsetDims(), dim))
      batchDims.push_back(dim);
  PlaceSum places(builder, loc, resultType);
  for (auto [k, dim] : llvm::enumerate(op.getStartIndexMap())) {
    Value starts = getIndexColumn(builder, loc, op.getStartIndices(), k);
    // Clamping comes before the sum. An index out of bounds in one dimension
    // could otherwise name an element of the next row.
    int64_t last = shape[dim] - op.getSliceSizes()[dim];
    Value safe = clampIndices(builder, loc, starts, last);
    if (op.getMode() == GatherMode::Fill)
      places.require(arith::CmpIOp::create(
                         builder, loc, arith::CmpIPredicate::eq, starts, safe),
                     batchDims);
    places.add(safe, batchDims, strides[dim]);
  }
  // Batching dimensions of operand and indices run in step.
  for (auto [dim, batch] : llvm::zip_equal(op.getOperandBatchingDims(),
                                           op.getStartIndicesBatchingDims()))
    places.addPosition(batchDims[batch], strides[dim]);
  // The rest of the offset dimensions walk through the slice.
  const auto *offset = op.getOffsetDims().begin();
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
    if (!llvm::is_contained(op.getCollapsedSliceDims(), dim) &&
        !llvm::is_contained(op.getOperandBatchingDims(), dim))
      places.addPosition(*offset++, strides[dim]);

  auto flat = [&](Value value, int64_t count) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 1)
      return value;
    return ReshapeOp::create(builder, loc, type.clone(ArrayRef<int64_t>{count}),
                             value);
  };
  auto row = resultType.clone(ArrayRef<int64_t>{wanted});
  // All modes but `fill` were made in bounds by the clamps above.
  Value taken = TakeAlongOp::create(
      builder, loc, row, flat(op.getOperand(), size),
      flat(places.get(), wanted), /*dimension=*/0,
      op.getMode() == GatherMode::Fill ? GatherMode::Fill
                                       : GatherMode::PromiseInBounds);
  if (isScalar) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return Value(tensor::ExtractOp::create(builder, loc, taken, zero));
  }
  if (row != resultType)
    taken = ReshapeOp::create(builder, loc, resultType, taken);
  return taken;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Rows along one dimension keep the layout of the operand: the result of
///
///   %r = pallas.gather %x at %i offset [1] collapsed [0] batching [] x []
///        map [0] sizes [1, 128] mode clip
///
/// is one take_along, whose places are the indices repeated along the rows:
///
///   %0 = pallas.reshape %i : tensor<2x1xi32> -> tensor<2xi32>
///   %1 = pallas.broadcast %0 dims [0] : tensor<2xi32> -> tensor<2x128xi32>
///   %2 = pallas.take_along %x at %1 dim 0
///
/// Anything else is gathered by elements.
FailureOr<Value> mlir::pallas::decomposeGather(OpBuilder &builder, GatherOp op,
                                               RegisterShape registers) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  std::optional<int64_t> dim =
      result ? getRowDim(op.getCollapsedSliceDims(), op.getStartIndexMap(),
                         op.getOperandBatchingDims(),
                         op.getStartIndices().getType(), op.getOffsetDims(),
                         result.getRank())
             : std::nullopt;
  if (!dim || withSize(type, *dim, 1).getShape() != op.getSliceSizes())
    return gatherElements(builder, op, registers);
  Value indices = flattenIndices(builder, loc, op.getStartIndices());
  auto indexType = cast<RankedTensorType>(indices.getType());
  RankedTensorType rows = withSize(type, *dim, indexType.getNumElements());
  Value places =
      BroadcastOp::create(builder, loc, rows.clone(builder.getI32Type()),
                          indices, ArrayRef<int64_t>{*dim});
  Value taken = TakeAlongOp::create(builder, loc, rows, op.getOperand(), places,
                                    *dim, op.getMode());
  if (rows != result)
    taken = ReshapeOp::create(builder, loc, result, taken);
  return taken;
}
