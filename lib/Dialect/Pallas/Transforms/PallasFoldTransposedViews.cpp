//===- PallasFoldTransposedViews.cpp - Accesses through permuted views ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where memory is seen in one order only, what goes through such a view goes to
// the ref itself, and the values are transposed:
//
//   %t = pallas.transpose_ref %r [1, 0] : !pallas.ref<8x128xf32, vmem>
//   %v = pallas.get %t[...]
// becomes
//   %w = pallas.get %r[...]
//   %v = pallas.transpose %w [1, 0]
//
// Copies become one copy for each part that is in one piece on both sides.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASFOLDTRANSPOSEDVIEWS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Moves one access from a view to the ref behind it.
///
/// Accesses are cloned rather than changed, since the inferred result type
/// depends on the indexer.
class AccessMover {
public:
  AccessMover(RefAccessOpInterface op, TransposeRefOp view)
      : op(op), view(view), builder(op), loc(op.getLoc()) {}

  /// Returns the view that a slice of the view becomes, if it is one.
  TransposeRefOp run();

private:
  void moveIndexer(RefAccessOpInterface moved);
  /// Which dimension of what `moved` selects each dimension of the selection
  /// is.
  SmallVector<int64_t> getOrder(RefAccessOpInterface moved);
  /// A value for the view as one for the ref.
  Value toRef(Value value, ArrayRef<int64_t> order);

  RefAccessOpInterface op;
  TransposeRefOp view;
  OpBuilder builder;
  Location loc;
};

} // namespace

/// Entry d of the view is entry permutation[d] of the ref; operands follow in
/// the order of the new entries.
void AccessMover::moveIndexer(RefAccessOpInterface moved) {
  ArrayRef<int64_t> permutation = view.getPermutation();
  SmallVector<DimIndex> entries = op.getFullEntries();
  SmallVector<DimIndex> permuted(entries.size());
  SmallVector<SmallVector<Value, 2>> operands(entries.size());
  auto next = op.getIndices().begin();
  for (auto [dim, entry] : llvm::enumerate(entries)) {
    permuted[permutation[dim]] = entry;
    for (unsigned i = 0; i < entry.getNumOperands(); ++i)
      operands[permutation[dim]].push_back(*next++);
  }
  SmallVector<Value> flat;
  for (ArrayRef<Value> some : operands)
    llvm::append_range(flat, some);
  moved.getRefMutable().set(view.getRef());
  moved.getIndicesMutable().assign(flat);
  moved->setAttr("indexer", IndexerAttr::get(op->getContext(), permuted));
}

/// Both selections have the same dimensions, in different orders.
SmallVector<int64_t> AccessMover::getOrder(RefAccessOpInterface moved) {
  SmallVector<AccessDim> dims = op.getAccessDims();
  SmallVector<AccessDim> movedDims = moved.getAccessDims();
  SmallVector<int64_t> order(op.getAccessShape().size());
  for (auto [dim, base] : llvm::zip_equal(dims, view.getPermutation()))
    for (unsigned i = 0; i < dim.numSelected; ++i)
      order[dim.firstSelected + i] = movedDims[base].firstSelected + i;
  return order;
}

Value AccessMover::toRef(Value value, ArrayRef<int64_t> order) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  // Masks may have fewer dimensions, and single elements to be repeated.
  // Broadcasting before the transpose keeps the dimensions apart.
  SmallVector<int64_t> shape = op.getAccessShape();
  if (type.getShape() != ArrayRef(shape)) {
    auto dims = llvm::to_vector(
        llvm::seq<int64_t>(shape.size() - type.getRank(), shape.size()));
    value = BroadcastOp::create(builder, loc, type.clone(shape), value, dims);
  }
  return TransposeOp::create(builder, loc, value,
                             invertPermutationVector(order));
}

/// Slices stay views, of the slice of the ref; other accesses are replaced.
TransposeRefOp AccessMover::run() {
  auto moved = cast<RefAccessOpInterface>(builder.clone(*op));
  moveIndexer(moved);
  SmallVector<int64_t> order = getOrder(moved);
  bool isSame = isIdentityPermutation(order);
  if (auto slice = dyn_cast<SliceRefOp>(op.getOperation())) {
    Value part = SliceRefOp::create(builder, loc, view.getRef(),
                                    moved.getIndexer(), moved.getIndices());
    TransposeRefOp partView;
    if (!isSame)
      part = partView =
          TransposeRefOp::create(builder, loc, slice.getType(), part, order);
    slice.replaceAllUsesWith(part);
    moved->erase();
    op->erase();
    return partView;
  }
  // Operands besides the ref and its indices are values of the view.
  if (!isSame) {
    builder.setInsertionPoint(moved);
    SmallPtrSet<OpOperand *, 4> others = {&moved.getRefMutable()};
    for (OpOperand &index : moved.getIndicesMutable())
      others.insert(&index);
    for (OpOperand &operand : moved->getOpOperands())
      if (!others.contains(&operand))
        operand.set(toRef(operand.get(), order));
  }
  builder.setInsertionPointAfter(moved);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), moved->getResults())) {
    result.setType(moved.getAccessType());
    Value value = result;
    if (!isSame && !old.use_empty())
      value = TransposeOp::create(builder, loc, result, order);
    old.replaceAllUsesWith(value);
  }
  op->erase();
  return {};
}

/// A part of a ref: all of it but for the dimensions with an index.
static Value slicePart(OpBuilder &builder, Location loc, Value ref,
                       const DenseMap<int64_t, Value> &indices) {
  SmallVector<DimIndex> entries;
  SmallVector<Value> operands;
  for (int64_t dim = 0, rank = cast<RefType>(ref.getType()).getRank();
       dim < rank; ++dim) {
    Value index = indices.lookup(dim);
    entries.push_back(index ? DimIndex::scalar(ShapedType::kDynamic)
                            : DimIndex::full());
    if (index)
      operands.push_back(index);
  }
  return SliceRefOp::create(builder, loc, ref,
                            IndexerAttr::get(builder.getContext(), entries),
                            operands);
}

/// Starts or waits for the copies of all parts that have one index along each
/// dimension that is elsewhere in the view. Elements of the last dimension are
/// next to each other on both sides.
template <typename CopyOp>
///   pallas.dma_start %view to %t signals %s
///
/// becomes a loop over the dimensions that moved, with a copy of
///
///   %a = pallas.slice_ref %r[:, %i, :]
///   %b = pallas.slice_ref %t[%i, :, :]
static bool splitCopy(CopyOp op, TransposeRefOp view) {
  ArrayRef<int64_t> permutation = view.getPermutation();
  RefType type = view.getType();
  bool isSource = op.getSource() == view.getResult();
  OpOperand &mine = isSource ? op.getSourceMutable() : op.getTargetMutable();
  OpOperand &other = isSource ? op.getTargetMutable() : op.getSourceMutable();
  // Rows have to stay rows: elements within one can't be rearranged.
  int64_t last = type.getRank() - 1;
  if (mine.get() != view.getResult() || permutation[last] != last ||
      !type.hasStaticShape())
    return false;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  DenseMap<int64_t, Value> inView, inRef;
  for (int64_t dim = 0; dim < last; ++dim) {
    if (permutation[dim] == dim)
      continue;
    auto loop = scf::ForOp::create(builder, loc, i32(0),
                                   i32(type.getShape()[dim]), i32(1));
    inView[dim] = inRef[permutation[dim]] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }
  Value theirs = slicePart(builder, loc, other.get(), inView);
  Value ours = slicePart(builder, loc, view.getRef(), inRef);
  auto part = cast<CopyOp>(builder.clone(*op));
  part.getSourceMutable().set(isSource ? ours : theirs);
  part.getTargetMutable().set(isSource ? theirs : ours);
  op.erase();
  return true;
}

/// Lets what uses a view use the ref behind it. Returns false for operations
/// that need the view itself. Views of the view are added to `views`.
///   %2 = pallas.transpose_ref %1, [1, 0]
///
/// of a view %1 becomes a view of its ref by both permutations.
static bool moveUser(Operation *user, TransposeRefOp view,
                     SmallVectorImpl<TransposeRefOp> &views) {
  if (auto again = dyn_cast<TransposeRefOp>(user)) {
    SmallVector<int64_t> both =
        applyPermutation(view.getPermutation(), again.getPermutation());
    again.getRefMutable().set(view.getRef());
    again.setPermutation(both);
    return true;
  }
  if (auto start = dyn_cast<DMAStartOp>(user))
    return splitCopy(start, view);
  if (auto wait = dyn_cast<DMAWaitOp>(user))
    return splitCopy(wait, view);
  auto access = dyn_cast<RefAccessOpInterface>(user);
  if (!access || access.getRef() != view.getResult())
    return false;
  if (TransposeRefOp part = AccessMover(access, view).run())
    views.push_back(part);
  return true;
}

/// A user that needs the view itself has no form.
static LogicalResult foldView(TransposeRefOp view,
                              SmallVectorImpl<TransposeRefOp> &views) {
  for (Operation *user : llvm::make_early_inc_range(view->getUsers())) {
    if (moveUser(user, view, views))
      continue;
    InFlightDiagnostic diag =
        user->emitOpError()
        << "takes a transposed view, but where memory is seen in one order "
           "only what reads, writes and slices refs can, and copies where the "
           "last dimension stays the last; copy the ref and transpose the "
           "value";
    diag.attachNote(view.getLoc()) << "transposed here";
    return diag;
  }
  view->erase();
  return success();
}

namespace {
struct FoldTransposedViewsPass
    : public pallas::impl::PallasFoldTransposedViewsBase<
          FoldTransposedViewsPass> {
  using PallasFoldTransposedViewsBase::PallasFoldTransposedViewsBase;

  void runOnOperation() override {
    SmallVector<TransposeRefOp> views;
    getOperation()->walk([&](TransposeRefOp view) { views.push_back(view); });
    // The first one is taken first: it may be behind others.
    std::reverse(views.begin(), views.end());
    while (!views.empty()) {
      if (failed(foldView(views.pop_back_val(), views)))
        return signalPassFailure();
      ++numFolded;
    }
  }
};
} // namespace
