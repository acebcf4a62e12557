//===- CallCanonicalization.cpp - Simpler calls and scopes ----------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Sizes of the grid that operands give become part of the type of the grid
/// when they are constants.
template <typename Op> struct MakeGridStatic : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> grid(op.getGrid());
    SmallVector<Value> dynamic;
    OperandRange operands = op.getDynamicGrid();
    auto next = operands.begin();
    // A pipeline needs sizes of at least 1.
    int64_t least = isa<EmitPipelineOp>(op.getOperation()) ? 1 : 0;
    for (int64_t &size : grid) {
      if (!ShapedType::isDynamic(size))
        continue;
      Value operand = *next++;
      std::optional<int64_t> constant = getConstantInteger(operand);
      if (constant && *constant >= least)
        size = *constant;
      else
        dynamic.push_back(operand);
    }
    if (dynamic.size() == operands.size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setGrid(grid);
      op.getDynamicGridMutable().assign(dynamic);
    });
    return success();
  }
};

/// Where a block is as large as the array there is one window, the first.
template <typename Op> struct MakeWindowTrivial : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto grid = cast<GridMappingOpInterface>(op.getOperation());
    bool changed = false;
    for (auto [index, mapping] : llvm::enumerate(grid.getMappings())) {
      ShapedType array = getArrayShapedType(grid.getArrayType(index));
      Region *map = grid.getIndexMap(index);
      // Two results of a bounded dimension would shift the others.
      if (mapping.getNumIndexMapResults() != mapping.getDims().size())
        continue;
      Operation *yield = map->front().getTerminator();
      for (auto [dim, blockDim] : llvm::enumerate(mapping.getDims())) {
        Value result = yield->getOperand(dim);
        bool isOneWindow = (blockDim.getKind() == BlockDimKind::Blocked ||
                            blockDim.getKind() == BlockDimKind::Squeezed) &&
                           blockDim.getSize() == array.getDimSize(dim);
        if (!isOneWindow || getConstantInteger(result) == 0)
          continue;
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(yield);
        Value zero = arith::ConstantOp::create(
            rewriter, yield->getLoc(), rewriter.getZeroAttr(result.getType()));
        rewriter.modifyOpInPlace(
            yield, [&, at = unsigned(dim)] { yield->setOperand(at, zero); });
        changed = true;
      }
    }
    return success(changed);
  }
};

/// Removes scratch that no kernel of the operation uses. `first` is the number
/// of arguments in front of the scratch.
LogicalResult dropUnusedScratch(Operation *op, MutableArrayRef<Region> kernels,
                                unsigned first, unsigned count,
                                PatternRewriter &rewriter) {
  if (kernels.empty())
    return failure();
  BitVector unused(kernels[0].getNumArguments());
  for (unsigned arg = first; arg < first + count; ++arg)
    if (llvm::all_of(kernels, [&](Region &kernel) {
          return kernel.getArgument(arg).use_empty();
        }))
      unused.set(arg);
  if (unused.none())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    for (Region &kernel : kernels)
      kernel.front().eraseArguments(unused);
  });
  return success();
}

struct DropCallScratch : OpRewritePattern<PallasCallOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PallasCallOp op,
                                PatternRewriter &rewriter) const override {
    unsigned count =
        cast<GridMappingOpInterface>(op.getOperation()).getNumScratchOperands();
    Region &kernel = op.getKernel();
    return dropUnusedScratch(op, kernel, kernel.getNumArguments() - count,
                             count, rewriter);
  }
};

struct DropMpmdScratch : OpRewritePattern<MpmdMapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MpmdMapOp op,
                                PatternRewriter &rewriter) const override {
    MutableArrayRef<Region> kernels = op.getKernels();
    unsigned first = op.getInputs().size() + op.getNumResults();
    return dropUnusedScratch(op, kernels, first,
                             kernels[0].getNumArguments() - first, rewriter);
  }
};

struct DropCoreMapScratch : OpRewritePattern<CoreMapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CoreMapOp op,
                                PatternRewriter &rewriter) const override {
    return dropUnusedScratch(op, op.getBody(), 0,
                             op.getBody().getNumArguments(), rewriter);
  }
};

/// Drops unused memory, and the scope when nothing is left of it.
struct SimplifyScope : OpRewritePattern<RunScopedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RunScopedOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    if (body.getNumArguments() != 0)
      return dropUnusedScratch(op, op.getBody(), 0, body.getNumArguments(),
                               rewriter);
    // All programs of a collective scope meet at its entry.
    if (op.getCollectiveAxes())
      return failure();
    SmallVector<Value> results(body.getTerminator()->getOperands());
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A call without programs leaves aliased outputs as they are.
struct DropEmptyCall : OpRewritePattern<PallasCallOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PallasCallOp op,
                                PatternRewriter &rewriter) const override {
    auto aliases =
        cast<GridMappingOpInterface>(op.getOperation()).getInputOutputAliases();
    if (!llvm::is_contained(op.getGrid(), 0) ||
        aliases.size() != op.getNumResults())
      return failure();
    SmallVector<Value> results(op.getNumResults());
    for (auto [input, output] : aliases)
      results[output] = op.getInputs()[input - op.getIndexOperands().size()];
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void PallasCallOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<MakeGridStatic<PallasCallOp>, MakeWindowTrivial<PallasCallOp>,
               DropCallScratch, DropEmptyCall>(context);
}

void EmitPipelineOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns
      .add<MakeGridStatic<EmitPipelineOp>, MakeWindowTrivial<EmitPipelineOp>>(
          context);
}

void MpmdMapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropMpmdScratch>(context);
}

void CoreMapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropCoreMapScratch>(context);
}

void RunScopedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<SimplifyScope>(context);
}
