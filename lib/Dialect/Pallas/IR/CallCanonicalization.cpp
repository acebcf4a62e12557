//===- CallCanonicalization.cpp - Simpler calls and scopes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes known sizes, windows and ids static, and removes memory and calls that
// nothing uses. Operands of calls are removed in CallOperandPatterns.cpp.
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Makes sizes of the grid static if their operands are constants. Later passes
/// can unroll, check windows and compute costs for static grids only. For
/// example:
///
///   %c4 = arith.constant 4 : i32
///   %0 = pallas.pallas_call grid(%c4, 8)
///
/// becomes
///
///   %0 = pallas.pallas_call grid(4, 8)
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

/// A block that is as large as the array along a dimension has one window
/// there, the first. The index map yields a constant zero for it, so that later
/// passes see that the window never moves. For example, with a block of 8x128
/// elements of an array of 64x128 elements:
///
///   ^bb0(%i: i32, %j: i32):
///     pallas.yield %i, %j : i32, i32
///
/// becomes
///
///   ^bb0(%i: i32, %j: i32):
///     %c0 = arith.constant 0 : i32
///     pallas.yield %i, %c0 : i32, i32
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

/// Along a dimension of size 1 there is one program, the first. So the id of
/// that dimension is zero, in the index maps and in the kernel of a pipeline:
///
///   pallas.emit_pipeline grid(4, 1) ... kernel(%i: i32, %j: i32, ...)
///
/// uses a constant zero for %j. The kernel of a call has no such arguments; its
/// `pallas.program_id` operations are folded on their own.
template <typename Op> struct MakeProgramIdsConstant : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto grid = cast<GridMappingOpInterface>(op.getOperation());
    bool changed = false;
    auto makeConstant = [&](Region &region) {
      for (auto [dim, size] : llvm::enumerate(op.getGrid())) {
        BlockArgument id = region.getArgument(dim);
        if (size != 1 || id.use_empty())
          continue;
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(&region.front());
        rewriter.replaceAllUsesWith(
            id, arith::ConstantIntOp::create(rewriter, op.getLoc(),
                                             id.getType(), 0));
        changed = true;
      }
    };
    for (Region &map : op.getIndexMaps())
      makeConstant(map);
    // The kernel of a pipeline takes them too.
    if (grid.getNumLeadingKernelArguments() == op.getGrid().size())
      makeConstant(op.getKernel());
    return success(changed);
  }
};

} // namespace

/// Erases the stores to scratch memory if they are its only uses: no program
/// reads the memory, and nothing outside of the call can refer to it.
static bool eraseStoresToUnread(BlockArgument scratch,
                                PatternRewriter &rewriter) {
  SetVector<Operation *> stores;
  WalkResult result = walkRefUses(scratch, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto access = dyn_cast<RefAccessOpInterface>(user);
    bool isStore = access && isa<SwapOp, MaskedSwapOp, AddUpdateOp>(user) &&
                   &access.getRefMutable() == &use && user->use_empty();
    if (!isStore)
      return WalkResult::interrupt();
    stores.insert(user);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return false;
  for (Operation *store : stores)
    rewriter.eraseOp(store);
  // Views go when they have no uses, in a later step.
  return !stores.empty();
}

/// Removes scratch that no kernel of the operation reads. `first` is the number
/// of arguments in front of the scratch.
static LogicalResult dropUnusedScratch(Operation *op,
                                       MutableArrayRef<Region> kernels,
                                       unsigned first, unsigned count,
                                       PatternRewriter &rewriter) {
  if (kernels.empty())
    return failure();
  bool changed = false;
  BitVector unused(kernels[0].getNumArguments());
  for (unsigned arg = first; arg < first + count; ++arg) {
    // With several kernels, one may read the stores of another.
    if (kernels.size() == 1)
      changed |= eraseStoresToUnread(kernels[0].getArgument(arg), rewriter);
    if (llvm::all_of(kernels, [&](Region &kernel) {
          return kernel.getArgument(arg).use_empty();
        }))
      unused.set(arg);
  }
  if (unused.none())
    return success(changed);
  rewriter.modifyOpInPlace(op, [&] {
    for (Region &kernel : kernels)
      kernel.front().eraseArguments(unused);
  });
  return success();
}

namespace {

/// Scratch memory is at the end of the kernel's arguments of a call.
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

/// All kernels of a map have the same arguments, so scratch memory goes only if
/// none of them uses it.
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

/// All arguments of a map over cores are scratch memory.
struct DropCoreMapScratch : OpRewritePattern<CoreMapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CoreMapOp op,
                                PatternRewriter &rewriter) const override {
    return dropUnusedScratch(op, op.getBody(), 0,
                             op.getBody().getNumArguments(), rewriter);
  }
};

/// Drops unused memory of a scope, and the scope if no memory is left:
///
///   %0 = pallas.run_scoped () -> i32 {
///     %1 = pallas.get %r[0]
///     pallas.yield %1 : i32
///   }
///
/// becomes
///
///   %1 = pallas.get %r[0]
struct SimplifyScope : OpRewritePattern<RunScopedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RunScopedOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    if (body.getNumArguments() != 0)
      return dropUnusedScratch(op, op.getBody(), 0, body.getNumArguments(),
                               rewriter);
    // A collective scope is also a barrier: all programs meet at its entry.
    if (op.getCollectiveAxes())
      return failure();
    SmallVector<Value> results(body.getTerminator()->getOperands());
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Replaces a call without programs by its inputs, if every output is an alias
/// of one. Other outputs have undefined values, which no input can replace.
///
///   %o = pallas.pallas_call grid(0) in(%x : tensor<8x128xf32>)
///       out(tensor<8x128xf32>) aliases [0 -> 0] kernel(...) {...}
/// -->
///   %o becomes %x
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

/// Erases a call without effect: no result is used, and its kernels access
/// only memory of the call.
template <typename Op> struct DropDeadCall : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    // Through operands of these types a kernel may write what others read.
    if (!op->use_empty() || saysItHasEffects(op.getCompilerParams()) ||
        llvm::any_of(op->getOperandTypes(),
                     llvm::IsaPred<RefType, AccumulatorType, PinnedType>))
      return failure();
    WalkResult result = op->walk([&](Operation *nested) {
      return nested == op || touchesOwnMemoryOnly(nested)
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool saysItHasEffects(std::optional<ArrayAttr> params) {
    return params && llvm::any_of(*params, [](Attribute attr) {
             auto tpu = dyn_cast<TPUParamsAttr>(attr);
             return tpu && tpu.getHasSideEffects();
           });
  }

  /// No ref comes from outside of the call. Its effects are visible only if
  /// another program may wait for them, or if they aren't effects on a ref.
  static bool touchesOwnMemoryOnly(Operation *op) {
    if (isa<GetGlobalOp>(op))
      return false;
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op))
      return true;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return false;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    return llvm::all_of(effects, [](const auto &effect) {
      Value value = effect.getValue();
      if (!value)
        return isa<MemoryEffects::Read>(effect.getEffect());
      auto ref = dyn_cast<RefType>(value.getType());
      return !ref || !ref.isSynchronization();
    });
  }
};

/// Erases a map over cores whose kernel is empty.
///
///   pallas.core_map <tensorcore, [<core "core" = 2>]> {}
/// -->
///   nothing
struct DropEmptyCoreMap : OpRewritePattern<CoreMapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CoreMapOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::hasSingleElement(op.getBody().front()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Removes state that no operation of the region accesses: its result is its
/// initial value.
///
///   %r:2 = pallas.run_state (%a: !pallas.ref<8xf32> = %x : tensor<8xf32>,
///                            %b: !pallas.ref<8xf32> = %y : tensor<8xf32>) {
///     ...  // %b is not used
///   }
/// -->
///   %r = pallas.run_state (%a: !pallas.ref<8xf32> = %x : tensor<8xf32>) {
///     ...
///   }
///   %r#1 becomes %y
struct DropUnusedState : OpRewritePattern<RunStateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RunStateOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    BitVector unused(body.getNumArguments());
    for (BlockArgument arg : body.getArguments())
      if (arg.use_empty())
        unused.set(arg.getArgNumber());
    if (unused.none())
      return failure();
    SmallVector<Value> finals(op.getInits()), inits;
    for (auto [index, init] : llvm::enumerate(op.getInits()))
      if (!unused.test(index))
        inits.push_back(init);
    auto replacement = RunStateOp::create(rewriter, op.getLoc(),
                                          ValueRange(inits).getTypes(), inits);
    replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getBody(), replacement.getBody(),
                                replacement.getBody().end());
    replacement.getBody().front().eraseArguments(unused);
    auto next = replacement.getFinals().begin();
    for (auto [index, final] : llvm::enumerate(finals))
      if (!unused.test(index))
        final = *next++;
    rewriter.replaceOp(op, finals);
    return success();
  }
};

} // namespace

void PallasCallOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<MakeGridStatic<PallasCallOp>, MakeWindowTrivial<PallasCallOp>,
               MakeProgramIdsConstant<PallasCallOp>, DropCallScratch,
               DropEmptyCall, DropDeadCall<PallasCallOp>>(context);
  addOperandPatterns<PallasCallOp>(patterns);
}

void EmitPipelineOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns
      .add<MakeGridStatic<EmitPipelineOp>, MakeWindowTrivial<EmitPipelineOp>,
           MakeProgramIdsConstant<EmitPipelineOp>>(context);
  addOperandPatterns<EmitPipelineOp>(patterns);
}

void MpmdMapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropMpmdScratch, DropDeadCall<MpmdMapOp>>(context);
  addOperandPatterns<MpmdMapOp>(patterns);
}

void CoreMapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropCoreMapScratch, DropEmptyCoreMap>(context);
}

void mlir::pallas::addStatePatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnusedState>(patterns.getContext());
}

void RunScopedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<SimplifyScope>(context);
}
