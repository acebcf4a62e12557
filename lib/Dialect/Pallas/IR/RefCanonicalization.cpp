//===- RefCanonicalization.cpp - Simpler accesses and views ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexers get one spelling, views are folded into the accesses that use them,
// and masks that are all true go away. Stored values are forwarded to loads.
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

//===----------------------------------------------------------------------===//
// Indexers
//===----------------------------------------------------------------------===//

/// An indexer together with its operands.
struct Indexing {
  SmallVector<DimIndex> entries;
  SmallVector<Value> operands;
};

} // namespace

/// Writes entries in one way: constants in place, `:` for a whole dimension,
/// and nothing at all for the whole ref.
static Indexing normalize(RefAccessOpInterface op) {
  Indexing result;
  ArrayRef<int64_t> shape = op.getRef().getType().getShape();
  OperandRange operands = op.getIndices();
  unsigned next = 0;
  auto takeValue = [&](int64_t &value, bool isScalar) {
    if (!ShapedType::isDynamic(value))
      return;
    Value operand = operands[next++];
    std::optional<int64_t> constant = getConstantInteger(operand);
    // A negative constant stays an operand: as an attribute it would be an
    // error of the verifier, even if the access is never reached.
    if (constant && *constant >= 0 && isScalar)
      value = *constant;
    else
      result.operands.push_back(operand);
  };
  for (auto [position, entry] : llvm::enumerate(op.getIndexer().getEntries())) {
    DimIndex simple = entry;
    if (entry.kind == IndexKind::Gather) {
      result.operands.push_back(operands[next++]);
    } else {
      takeValue(simple.start, /*isScalar=*/true);
      // A static size would change the type of the selection.
      takeValue(simple.size, /*isScalar=*/false);
    }
    if (!ShapedType::isDynamic(shape[position]) &&
        simple == DimIndex::slice(0, shape[position]))
      simple = DimIndex::full();
    result.entries.push_back(simple);
  }
  if (llvm::all_of(result.entries, [](const DimIndex &entry) {
        return entry.kind == IndexKind::Full;
      }))
    result.entries.clear();
  return result;
}

/// Lets an access select `indexing` of `ref`.
static void setIndexing(PatternRewriter &rewriter, RefAccessOpInterface op,
                        Value ref, const Indexing &indexing) {
  rewriter.modifyOpInPlace(op, [&] {
    op->setAttr("indexer", IndexerAttr::get(op.getContext(), indexing.entries));
    op.getRefMutable().set(ref);
    op.getIndicesMutable().assign(indexing.operands);
  });
}

/// Whether static parts of an indexer stay within the ref. The verifier would
/// reject others, and a rewrite must not turn an access that is out of bounds
/// at run time into an error at compile time.
static bool isInBounds(RefAccessOpInterface op, const Indexing &indexing) {
  SmallVector<Type> types = llvm::map_to_vector(
      indexing.operands, [](Value value) { return value.getType(); });
  ScopedDiagnosticHandler ignore(op.getContext(),
                                 [](Diagnostic &) { return success(); });
  return succeeded(
      inferAccessShape(IndexerAttr::get(op.getContext(), indexing.entries),
                       op.getRef().getType().getShape(), types,
                       [&] { return op.emitOpError(); }));
}

namespace {

/// Writes the indexer of an access in one way, so that other patterns can
/// compare indexers as attributes. For example, with a ref of 8x128 elements:
///
///   %0 = pallas.get %r[ds(%c0, 4), ds(0, 128)]
///
/// becomes
///
///   %0 = pallas.get %r[ds(0, 4), :]
struct NormalizeIndexer : OpInterfaceRewritePattern<RefAccessOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(RefAccessOpInterface op,
                                PatternRewriter &rewriter) const override {
    Indexing simple = normalize(op);
    if (ArrayRef<DimIndex>(simple.entries) == op.getIndexer().getEntries() ||
        !isInBounds(op, simple))
      return failure();
    setIndexing(rewriter, op, op.getRef(), simple);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Views of views
//===----------------------------------------------------------------------===//

} // namespace

/// Composes two entries of one dimension, where `inner` selects from the
/// elements that `outer` has selected:
///
///   outer ds(8, 16, 2), inner ds(3, 4)    is  ds(14, 4, 2)
///   outer ds(%i, 16),   inner 0           is  %i
///   outer ds(8, 16),    inner ds(%i, 4)   needs a sum, so there is no result
static std::optional<DimIndex> compose(const DimIndex &outer,
                                       const DimIndex &inner) {
  if (inner.kind == IndexKind::Full)
    return outer;
  if (outer.kind == IndexKind::Full)
    return inner;
  if (outer.kind != IndexKind::Slice || outer.hasDynamicSize() ||
      inner.hasDynamicSize())
    return std::nullopt;
  if (outer.start == 0 && outer.stride == 1)
    return inner;
  if (inner.kind == IndexKind::Gather || inner.hasDynamicStart())
    return std::nullopt;
  DimIndex result = inner;
  if (outer.hasDynamicStart()) {
    if (inner.start != 0)
      return std::nullopt;
    result.start = outer.start;
  } else {
    int64_t offset = 0;
    if (llvm::MulOverflow(inner.start, outer.stride, offset) ||
        llvm::AddOverflow(offset, outer.start, result.start))
      return std::nullopt;
  }
  if (inner.kind == IndexKind::Slice &&
      llvm::MulOverflow(inner.stride, outer.stride, result.stride))
    return std::nullopt;
  return result;
}

namespace {

/// Folds a slice into the access, or the slice, that uses it. For example:
///
///   %0 = pallas.slice_ref %r[ds(8, 16), :]
///   %1 = pallas.get %0[ds(%i, 4), :]
///
/// stays, because the sum 8 + %i would need an operation, but
///
///   %0 = pallas.slice_ref %r[ds(8, 16), :]
///   %1 = pallas.get %0[ds(2, 4), :]
///
/// becomes
///
///   %1 = pallas.get %r[ds(10, 4), :]
///
/// An access that may be out of bounds of the view stays too: the rule for
/// such accesses would apply to the larger ref after the fold.
struct ComposeSlices : OpInterfaceRewritePattern<RefAccessOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(RefAccessOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto view = op.getRef().getDefiningOp<SliceRefOp>();
    if (!view || view.getIndexer().hasGather())
      return failure();
    RefType base = view.getRef().getType();
    SmallVector<DimIndex> inner(op.getIndexer().getEntries());
    inner.resize(op.getRef().getType().getRank());
    SmallVector<DimIndex> outer(view.getIndexer().getEntries());
    outer.resize(base.getRank());
    // Scalars of the view and arrays of the access would change where NumPy
    // puts the common shape.
    if (op.getIndexer().hasGather() &&
        llvm::any_of(outer, [](const DimIndex &entry) {
          return entry.kind == IndexKind::Scalar;
        }))
      return failure();

    Indexing result;
    OperandRange outerOperands = view.getIndices(),
                 innerOperands = op.getIndices();
    unsigned nextOuter = 0, nextInner = 0, innerDim = 0;
    for (auto [dim, entry] : llvm::enumerate(outer)) {
      unsigned numOuter = entry.getNumOperands(), numInner = 0;
      std::optional<DimIndex> composed = entry;
      bool selectsAll = entry.kind == IndexKind::Scalar;
      if (!selectsAll) {
        const DimIndex &selected = inner[innerDim];
        numInner = selected.getNumOperands();
        composed = compose(entry, selected);
        selectsAll = selected.kind == IndexKind::Full;
        // An element outside of the view may still be inside of the ref.
        if (entry.kind != IndexKind::Full && !selectsAll &&
            mayReachOutside(op, innerDim))
          return failure();
        ++innerDim;
      }
      // A view that would leave its ref moves inside as a whole.
      if ((!selectsAll || keepsElementsInPlace(op)) &&
          mayReachOutside(cast<RefAccessOpInterface>(view.getOperation()), dim))
        return failure();
      if (!composed || (numOuter != 0 && numInner != 0))
        return failure();
      llvm::append_range(result.operands,
                         outerOperands.slice(nextOuter, numOuter));
      llvm::append_range(result.operands,
                         innerOperands.slice(nextInner, numInner));
      nextOuter += numOuter;
      nextInner += numInner;
      result.entries.push_back(*composed);
    }
    setIndexing(rewriter, op, view.getRef(), result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Stores and loads
//===----------------------------------------------------------------------===//

} // namespace

/// Whether `ref` is memory that is allocated for the region around it, so that
/// only views of `ref` can refer to it. Operands of a call give no such
/// guarantee: two of them may be one array.
static bool isFreshMemory(Value ref) {
  auto argument = dyn_cast<BlockArgument>(ref);
  if (!argument)
    return false;
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto scope = dyn_cast<RunScopedOp>(owner))
    return !scope.getCollectiveAxes();
  if (!isa<PallasCallOp>(owner))
    return false;
  return llvm::is_contained(
      cast<GridMappingOpInterface>(owner).sliceScratchOps(), argument);
}

/// Whether an operation stores to memory that is not the one of `ref`.
static bool storesElsewhere(Operation *op, Value ref) {
  if (!isa<SwapOp, MaskedSwapOp, AddUpdateOp>(op))
    return false;
  Value other = skipAliases(cast<RefAccessOpInterface>(op).getRef());
  ref = skipAliases(ref);
  return other != ref && (isFreshMemory(other) || isFreshMemory(ref));
}

namespace {

/// Forwards a stored value to a load of the same place in the same block. For
/// example:
///
///   pallas.swap %r[%i, :], %v
///   %0 = pallas.get %r[%i, :]
///
/// becomes
///
///   pallas.swap %r[%i, :], %v
///
/// with %v in place of %0. Operations in between may read, or store to memory
/// that is known to be another one.
struct ForwardStore : OpRewritePattern<GetOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GetOp op,
                                PatternRewriter &rewriter) const override {
    // If a store names a place twice, only one of its values stays there.
    if (llvm::any_of(op.getIndexer().getEntries(), [](const DimIndex &entry) {
          return entry.kind == IndexKind::Gather || entry.stride == 0;
        }))
      return failure();
    // A bound keeps the work linear in long blocks of reads.
    unsigned budget = 64;
    for (Operation *before = op->getPrevNode(); before && budget != 0;
         before = before->getPrevNode(), --budget) {
      if (storesElsewhere(before, op.getRef()))
        continue;
      if (auto store = dyn_cast<SwapOp>(before)) {
        if (store.getRef() != op.getRef() ||
            store.getIndexer() != op.getIndexer() ||
            !llvm::equal(store.getIndices(), op.getIndices()))
          return failure();
        rewriter.replaceOp(op, store.getValue());
        return success();
      }
      // The operations in between must not write.
      if (!isMemoryEffectFree(before) &&
          !hasSingleEffect<MemoryEffects::Read>(before))
        return failure();
    }
    return failure();
  }
};

} // namespace

/// A mask that is true everywhere selects everything inside of the ref.
static bool isAllTrue(Value mask) {
  DenseElementsAttr dense;
  if (matchPattern(mask, m_Constant(&dense)) && dense.isSplat())
    return dense.getSplatValue<APInt>().isAllOnes();
  return getConstantInteger(mask).value_or(0) != 0;
}

namespace {

/// Drops the mask of a store if all of it is true. Elements outside of the ref
/// are not stored by a masked store, so the access must be known to be inside.
///
///   pallas.masked_swap %r[0, :], %v mask %true
///
/// becomes
///
///   pallas.swap %r[0, :], %v
struct DropTrueStoreMask : OpRewritePattern<MaskedSwapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaskedSwapOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAllTrue(op.getMask()) || mayReachOutside(op))
      return failure();
    rewriter.replaceOpWithNewOp<SwapOp>(op, op.getRef(), op.getIndexerAttr(),
                                        op.getIndices(), op.getValue());
    return success();
  }
};

/// Drops the mask of a load if all of it is true, or if there is none:
///
///   %0 = pallas.masked_load %r[ds(0, 8), :] mask %true
///
/// becomes
///
///   %0 = pallas.get %r[ds(0, 8), :]
///
/// Single elements outside of the ref have no defined value either way. A slice
/// that may end outside of the ref stays, because a plain load would move its
/// start so that the whole slice is inside.
struct DropTrueLoadMask : OpRewritePattern<MaskedLoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaskedLoadOp op,
                                PatternRewriter &rewriter) const override {
    if ((op.getMask() && !isAllTrue(op.getMask())) || mayHangOver(op))
      return failure();
    rewriter.replaceOpWithNewOp<GetOp>(op, op.getRef(), op.getIndexerAttr(),
                                       op.getIndices());
    return success();
  }
};

} // namespace

void PallasDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<NormalizeIndexer, ComposeSlices, ComposeCasts<BitcastRefOp>>(
      getContext());
  addAsyncPatterns(patterns);
  addGridPatterns(patterns);
  addStatePatterns(patterns);
}

void GetOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ForwardStore>(context);
}

void MaskedLoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<DropTrueLoadMask>(context);
}

void MaskedSwapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<DropTrueStoreMask>(context);
}

void ReshapeRefOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<ComposeCasts<ReshapeRefOp>>(context);
}

void TransposeRefOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<ComposePermutations<TransposeRefOp>>(context);
}
