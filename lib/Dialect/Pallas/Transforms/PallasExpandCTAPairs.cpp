//===- PallasExpandCTAPairs.cpp - Work of two blocks of a cluster ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware takes both blocks' halves of an operand at once and lets the barrier
// of the first block count the copies of both. Where memory of other blocks can
// be named, the first block may as well do all of it, one half after the other:
// signals come after both.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASEXPANDCTAPAIRS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Writes what the first of two blocks does in place of an operation of both.
class PairExpander {
public:
  PairExpander(Operation *op, StringRef axis)
      : builder(op), loc(op->getLoc()), axis(axis) {}

  /// From here on, only the first block goes on, and only if `predicate`.
  void enterFirstBlock(Value predicate = {}) {
    Value block = AxisIndexOp::create(builder, loc, builder.getI32Type(), axis);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, block, createIndex(0));
    if (predicate)
      isFirst = arith::AndIOp::create(builder, loc, isFirst, predicate);
    auto branch = scf::IfOp::create(builder, loc, isFirst);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  }

  /// The same memory of the first or second block, seen from the first.
  Value getMemoryOf(int64_t block, Value ref) {
    if (block == 0)
      return ref;
    return ClusterRefOp::create(builder, loc, ref.getType(), ref, axis,
                                createIndex(block));
  }

  /// The first or second half of a dimension.
  Value getHalf(Value ref, int64_t dim, int64_t half) {
    int64_t size = cast<RefType>(ref.getType()).getDimSize(dim) / 2;
    return getPart(ref, dim, half * size, size);
  }

  Value getPart(Value ref, int64_t dim, int64_t start, int64_t size) {
    auto type = cast<RefType>(ref.getType());
    SmallVector<DimIndex> entries(type.getRank(), DimIndex::full());
    entries[dim] = DimIndex::slice(start, size);
    return SliceRefOp::create(builder, loc, ref,
                              IndexerAttr::get(builder.getContext(), entries),
                              ValueRange());
  }

  /// Copies in place of `copy`, such that the arrival follows both.
  void createCopies(CopyGmemToSmemOp copy) {
    auto scope = RunScopedOp::create(builder, loc, TypeRange(), ArrayAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&scope.getBody());
    // The barrier of this copy counts one arrival, so that of the other block
    // is waited for before.
    Value own = body->addArgument(
        RefType::get({}, BarrierType::get(builder.getContext(), 1, false),
                     MemorySpace::Smem),
        loc);
    createCopy(copy, 1, own);
    BarrierWaitOp::create(builder, loc, own);
    createCopy(copy, 0, copy.getBarrier());
    YieldOp::create(builder, loc);
  }

  /// Both blocks' rows of the product: each half of the columns comes from the
  /// operand of one block.
  void createProducts(Tcgen05MMAOp product) {
    for (int64_t rows : {0, 1})
      for (int64_t columns : {0, 1})
        createProduct(product, rows, columns);
  }

  /// The copies of both blocks.
  void createTensorCopies(AsyncCopyToTmemOp copy) {
    for (int64_t block : {0, 1})
      AsyncCopyToTmemOp::create(builder, loc, copy.getKind(),
                                getMemoryOf(block, copy.getSource()),
                                getMemoryOf(block, copy.getTarget()),
                                /*collectiveAxis=*/StringAttr());
  }

  /// Arrivals at the barriers of both blocks.
  void createCommits(Value barrier) {
    for (int64_t block : {0, 1})
      Tcgen05CommitOp::create(builder, loc, getMemoryOf(block, barrier),
                              /*collectiveAxis=*/StringAttr());
  }

private:
  /// A part of the rows and columns. The first block has the scales of all
  /// columns, and each block those of its rows.
  void createProduct(Tcgen05MMAOp product, int64_t rows, int64_t columns) {
    auto ofRows = [&](Value ref) {
      return ref ? getMemoryOf(rows, ref) : Value();
    };
    int64_t size = product.getRhs().getType().getDimSize(1);
    Value rhsScale = product.getRhsScale();
    if (rhsScale) {
      // With 64 rows, each half of the scales has those of a block's columns.
      int64_t start = columns * size;
      if (product.getAcc().getType().getDimSize(0) == 64)
        start = columns * cast<RefType>(rhsScale.getType()).getDimSize(0) / 2;
      rhsScale = getPart(rhsScale, 0, start, size);
    }
    Tcgen05MMAOp::create(
        builder, loc, getMemoryOf(rows, getHalf(product.getAcc(), 1, columns)),
        getMemoryOf(rows, product.getLhs()),
        getMemoryOf(columns, product.getRhs()), product.getAccumulate(),
        /*barrier=*/Value(), ofRows(product.getLhsScale()), rhsScale,
        ofRows(product.getLhsMetadata()), /*collectiveAxis=*/StringAttr());
  }

  Value createIndex(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }

  void createCopy(CopyGmemToSmemOp copy, int64_t block, Value barrier) {
    Value source = copy.getSource();
    if (std::optional<uint64_t> dim = copy.getPartitionedDim())
      source = getHalf(source, *dim, block);
    auto part = CopyGmemToSmemOp::create(
        builder, loc, source, getMemoryOf(block, copy.getTarget()), barrier,
        /*predicate=*/Value(), /*collectiveAxes=*/ArrayAttr(),
        /*leaderTracked=*/UnitAttr(),
        /*partitionedDim=*/IntegerAttr());
    // Hints of compilers hold for each half.
    part->setDiscardableAttrs(copy->getDiscardableAttrDictionary());
  }

  OpBuilder builder;
  Location loc;
  StringRef axis;
};
} // namespace

/// Turns a copy of both blocks into two of the first one:
///
///   pallas.copy_gmem_to_smem %g to %s signals %b collective ["x"] partitioned
///   0
///
/// copies the first half of %g to %s, and the second half to %s of the other
/// block, before %b gets its arrival.
static LogicalResult expandCopy(CopyGmemToSmemOp copy) {
  if (std::optional<uint64_t> dim = copy.getPartitionedDim();
      dim && copy.getSource().getType().isDynamicDim(*dim))
    return copy.emitOpError()
           << "shares dimension " << *dim << " of "
           << copy.getSource().getType()
           << " among two blocks, but its size is not known; slice a part of "
              "known size first";
  PairExpander expander(
      copy, cast<StringAttr>((*copy.getCollectiveAxes())[0]).getValue());
  expander.enterFirstBlock(copy.getPredicate());
  expander.createCopies(copy);
  copy.erase();
  return success();
}

/// Four matmuls of one block, and an arrival at the barrier of each block.
static void expandProduct(Tcgen05MMAOp product) {
  PairExpander expander(product, *product.getCollectiveAxis());
  expander.enterFirstBlock();
  expander.createProducts(product);
  if (Value barrier = product.getBarrier())
    expander.createCommits(barrier);
  product.erase();
}

/// Each block's copy goes to its own tensor memory.
static void expandTensorCopy(AsyncCopyToTmemOp copy) {
  PairExpander expander(copy, *copy.getCollectiveAxis());
  expander.enterFirstBlock();
  expander.createTensorCopies(copy);
  copy.erase();
}

/// The commit of the pair reaches the barriers of both blocks.
static void expandCommit(Tcgen05CommitOp commit) {
  PairExpander expander(commit, *commit.getCollectiveAxis());
  expander.enterFirstBlock();
  expander.createCommits(commit.getBarrier());
  commit.erase();
}

namespace {
struct ExpandCTAPairsPass
    : public pallas::impl::PallasExpandCTAPairsBase<ExpandCTAPairsPass> {
  using PallasExpandCTAPairsBase::PallasExpandCTAPairsBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!isOfBlockPair(op))
        return WalkResult::advance();
      ++numExpanded;
      if (auto copy = dyn_cast<CopyGmemToSmemOp>(op))
        return WalkResult(expandCopy(copy));
      if (auto product = dyn_cast<Tcgen05MMAOp>(op))
        expandProduct(product);
      else if (auto copy = dyn_cast<AsyncCopyToTmemOp>(op))
        expandTensorCopy(copy);
      else
        expandCommit(cast<Tcgen05CommitOp>(op));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
