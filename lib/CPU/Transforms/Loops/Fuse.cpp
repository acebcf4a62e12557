//===- Fuse.cpp - Elementwise fusion on tensors ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-fuse. It brings everything that computes on
// tensors into the form of `linalg.generic` and fuses elementwise operations
// into their users, as upstream's elementwise fusion does, but with another
// cost model: operations on the same elements may also share a loop later, on
// memory (see MergeLoops.cpp), so only what saves memory or work is fused here.
//   %1 = linalg.generic ins(%x) ... arith.mulf ...
//   %2 = linalg.generic ins(%1, %y) ... arith.addf ...
// becomes
//   %2 = linalg.generic ins(%x, %y) ... arith.mulf ... arith.addf ...
//
//===----------------------------------------------------------------------===//

#include "FuseReshapes.h"
#include "LoopPlan.h"
#include "SplitParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUFUSE
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Bodies longer than this spill registers, and fusing pair by pair would take
/// quadratic time.
static constexpr size_t maxFusedOps = 64;

/// Whether computing the results again costs about as much as loading them.
/// Such a producer is fused into each of its users.
static bool isCheap(linalg::LinalgOp producer) {
  unsigned work = 0, fullInputs = 0;
  for (Operation &op : producer.getBlock()->without_terminator()) {
    if (isa_and_present<math::MathDialect>(op.getDialect()) ||
        isa<arith::DivFOp, tensor::ExtractOp>(op))
      return false;
    work += !isa<arith::ConstantOp, linalg::IndexOp>(op);
  }
  for (OpOperand *input : producer.getDpsInputOperands())
    fullInputs += producer.getMatchingIndexingMap(input).getNumResults() ==
                  producer.getNumLoops();
  return fullInputs == 0 ? work <= 8 : work <= 2 && fullInputs == 1;
}

/// Whether vectors of both have as many elements, without which they share no
/// loop. The many elements of a long computation with narrow values are worth a
/// loop of its own; those of `a & b`, as the condition of a choice, are not.
static bool haveSameLanes(linalg::LinalgOp producer,
                          linalg::LinalgOp consumer) {
  constexpr size_t shortBody = 4;
  return producer.getBlock()->getOperations().size() > shortBody ||
         cpu::getWidestBits(producer) == cpu::getWidestBits(consumer);
}

/// Whether both go through the same elements in the same order, so that they
/// share a loop in the end without becoming one operation here. Fusing here
/// would compute a producer with several users more than once.
static bool willShareLoop(linalg::LinalgOp producer, linalg::LinalgOp consumer,
                          OpOperand *fused) {
  return producer->getBlock() == consumer->getBlock() &&
         producer.getNumParallelLoops() == producer.getNumLoops() &&
         consumer.getNumParallelLoops() == consumer.getNumLoops() &&
         haveSameLanes(producer, consumer) &&
         !ShapedType::isDynamicShape(consumer.getStaticLoopRanges()) &&
         consumer.getMatchingIndexingMap(fused).isIdentity() &&
         producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
             .isIdentity();
}

/// Whether this is a matmul, which reads its operands from memory many times.
/// Contractions with less dimensions are loops like others.
static bool isMatrixProduct(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

/// Whether a contraction reads the elements of `fused` again and again, as a
/// matrix times a vector reads the vector.
static bool isReadRepeatedly(linalg::LinalgOp op, OpOperand *fused) {
  return linalg::isaContractionOpInterface(op) &&
         !op.getMatchingIndexingMap(fused).isPermutation();
}

/// Whether an operation reads its outputs. Fused into a user, it would
/// accumulate onto them once for each iteration of that user.
static bool readsInits(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init);
  });
}

/// Decides for one operand of a consumer.
static bool shouldFuse(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  if (!producer || !consumer || producer->getNumResults() != 1 ||
      readsInits(producer) || isMatrixProduct(consumer) ||
      willShareLoop(producer, consumer, fused))
    return false;
  if (producer.getBlock()->getOperations().size() +
          consumer.getBlock()->getOperations().size() >
      maxFusedOps)
    return false;
  // Within loops, a value from outside is computed once.
  if ((producer->getBlock() != consumer->getBlock() ||
       isReadRepeatedly(consumer, fused)) &&
      !isCheap(producer))
    return false;
  return producer->hasOneUse() || isCheap(producer);
}

/// Gives operations that move or combine elements the general form, the only
/// one that fuses. Contractions and fills are recognized by what they are.
static void generalize(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (isa<linalg::BroadcastOp, linalg::TransposeOp, linalg::MapOp,
            linalg::ReduceOp, linalg::ElementwiseOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Lets `x + contraction(a, b, 0)` accumulate onto x:
///
///   %p = linalg.matmul ins(%a, %b) outs(%zeros) -> tensor<8x8xf32>
///   %s = arith.addf %x, %p : tensor<8x8xf32>
///
/// becomes
///
///   %s = linalg.matmul ins(%a, %b) outs(%x) -> tensor<8x8xf32>
/// Returns whether that was possible.
static bool accumulateIntoContraction(RewriterBase &rewriter, Operation *op) {
  for (unsigned index : {0, 1}) {
    Value product = op->getOperand(index), other = op->getOperand(1 - index);
    auto contraction = product.getDefiningOp<linalg::LinalgOp>();
    if (!contraction || !product.hasOneUse() ||
        contraction->getBlock() != op->getBlock() ||
        !linalg::isaContractionOpInterface(contraction))
      continue;
    auto fill = contraction.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (!fill || !(matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                   matchPattern(fill.getInputs()[0], m_Zero())))
      continue;
    rewriter.setInsertionPoint(op);
    Operation *accumulated = rewriter.clone(*contraction);
    cast<linalg::LinalgOp>(accumulated).setDpsInitOperand(0, other);
    rewriter.replaceOp(op, accumulated->getResults());
    rewriter.eraseOp(contraction);
    return true;
  }
  return false;
}

/// A tensor of the shape and the element type of `type`; sizes that are not
/// known are those of `like`.
static Value createEmpty(OpBuilder &b, Location loc, RankedTensorType type,
                         Value like) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, like, d));
  return tensor::EmptyOp::create(b, loc, type, sizes);
}

/// The bodies of linalg's loops hold operations on elements only.
static Operation *skipLoopBodies(Operation *op) {
  while (auto loop = op->getParentOfType<linalg::LinalgOp>())
    op = loop;
  return op;
}

/// A tensor of equal elements needs no memory in the object. It is made where
/// it is used: branches that are not taken don't need it.
///
///   %c = arith.constant dense<1.0> : tensor<8xf32>
///
/// becomes
///
///   %empty = tensor.empty() : tensor<8xf32>
///   %c = linalg.fill ins(%one : f32) outs(%empty : tensor<8xf32>)
static void fillConstant(RewriterBase &rewriter, arith::ConstantOp op) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!splat || !type)
    return;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value scalar = arith::ConstantOp::create(rewriter, loc,
                                           splat.getSplatValue<TypedAttr>());
  DenseMap<Operation *, Value> fills;
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner())) {
      rewriter.replaceOp(extract, scalar);
      continue;
    }
    Operation *place = skipLoopBodies(use.getOwner());
    Value &fill = fills[place];
    if (!fill) {
      rewriter.setInsertionPoint(place);
      Value empty = createEmpty(rewriter, loc, type, Value());
      fill = linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
    }
    use.set(fill);
  }
  rewriter.eraseOp(op);
}

/// Gives an operation that does the same to all elements of its operands the
/// general form.
///
///   %1 = arith.addf %x, %y : tensor<8xf32>
///
/// becomes
///
///   %1 = linalg.generic ins(%x, %y) outs(%empty) {
///   ^bb0(%a: f32, %b: f32, %out: f32):
///     %2 = arith.addf %a, %b : f32
///     linalg.yield %2 : f32
///   }
static void generalizeElementwise(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs, outputs;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      inputs.push_back(operand);
  for (Type type : op->getResultTypes())
    outputs.push_back(createEmpty(
        rewriter, op->getLoc(), cast<RankedTensorType>(type), inputs.front()));
  unsigned rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + outputs.size(),
                              rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, op->getLoc(), op->getResultTypes(), inputs, outputs, maps,
      kinds, [&](OpBuilder &b, Location loc, ValueRange arguments) {
        OperationState state(loc, op->getName());
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType())) {
            state.addOperands(arguments.front());
            arguments = arguments.drop_front();
          } else {
            state.addOperands(operand);
          }
        for (Type type : op->getResultTypes())
          state.addTypes(getElementTypeOrSelf(type));
        state.addAttributes(op->getAttrs());
        linalg::YieldOp::create(b, loc, b.create(state)->getResults());
      });
  rewriter.replaceOp(op, generic);
}

/// Brings everything that computes on tensors into the forms that fuse.
/// Constants first, since a splat that is added to a contraction must already
/// be a fill when the sum is looked at.
static void prepare(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> elementwise;
  SmallVector<arith::ConstantOp> constants;
  root->walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constants.push_back(constant);
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
        llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
      return;
    elementwise.push_back(op);
  });
  for (arith::ConstantOp op : constants)
    fillConstant(rewriter, op);
  for (Operation *op : elementwise)
    if (!isa<arith::AddFOp, arith::AddIOp>(op) ||
        !accumulateIntoContraction(rewriter, op))
      generalizeElementwise(rewriter, op);
  generalize(root);
}

/// The loops over rows of one element, as reductions that keep their dimension
/// leave them.
static SmallVector<unsigned> getUnitLoops(Operation *op) {
  SmallVector<unsigned> dims;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto type = generic && generic->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(generic->getResult(0).getType())
                  : RankedTensorType();
  if (!type || type.getRank() == 0 || type.getShape().back() != 1)
    return dims;
  for (auto [dim, size] : llvm::enumerate(generic.getStaticLoopRanges()))
    if (size == 1)
      dims.push_back(dim);
  return dims;
}

/// Drops the unit dimensions of such rows: they would keep one value in memory
/// of two shapes, which no loop could share. For example `tensor<8x1xf32>`
/// becomes `tensor<8xf32>`. A reduction over one element that loses its loop
/// reads its neutral element as an input, so that it fuses as others do:
///
///   %1 = linalg.generic {iterators = ["reduction"]}
///          ins(%x : tensor<1xf32>) outs(%zero : tensor<f32>) ... arith.addf
///
/// becomes
///
///   %1 = linalg.generic {iterators = []}
///          ins(%x, %zero : tensor<f32>, tensor<f32>) outs(%empty)
static LogicalResult dropUnitDims(Operation *root) {
  bool found = false;
  root->walk([&](Operation *op) { found |= !getUnitLoops(op).empty(); });
  if (!found)
    return success();
  RewritePatternSet patterns(root->getContext());
  linalg::ControlDropUnitDims options;
  options.controlFn = getUnitLoops;
  linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
  linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(patterns, options);
  linalg::populateMoveInitOperandsToInputPattern(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

/// Puts the operands of concatenations that are left into one tensor after the
/// other, so that they can be computed where the whole is stored. This is safe
/// for operands that read the same memory, because the conversion to linalg
/// copies values that are read ahead of a store to their memory.
static LogicalResult insertParts(RewriterBase &rewriter, Operation *root) {
  SmallVector<tensor::ConcatOp> ops;
  root->walk([&](tensor::ConcatOp op) { ops.push_back(op); });
  for (tensor::ConcatOp op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> whole = op.decomposeOperation(rewriter);
    if (failed(whole))
      return failure();
    rewriter.replaceOp(op, *whole);
  }
  return success();
}

/// Fusion leaves producers without users.
static void eraseDeadOps(RewriterBase &rewriter, Operation *root) {
  // Backwards, users come before what they use; and what is inside of an
  // operation must come before it, since it goes with it.
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

/// Reads elements that are all the same from no memory.
static void inlineFill(RewriterBase &rewriter, linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto fill = input->get().getDefiningOp<linalg::FillOp>())
      rewriter.replaceAllUsesWith(op.getMatchingBlockArgument(input),
                                  fill.getInputs()[0]);
}

/// Fuses what `op` reads into it, as long as there is something.
static void fuseProducers(RewriterBase &rewriter, linalg::GenericOp op) {
  while (true) {
    inlineFill(rewriter, op);
    SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
    auto *found = llvm::find_if(inputs, [](OpOperand *input) {
      return linalg::areElementwiseOpsFusable(input) && shouldFuse(input);
    });
    rewriter.setInsertionPoint(op);
    if (found == inputs.end())
      break;
    Operation *producer = (*found)->get().getDefiningOp();
    auto fused = linalg::fuseElementwiseOps(rewriter, *found);
    if (failed(fused))
      break;
    for (Value result : op->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    rewriter.eraseOp(op);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    op = cast<linalg::GenericOp>(fused->fusedOp);
    auto reduced = linalg::deduplicateOperandsAndRemoveDeadResults(
        rewriter, op, /*removeOutputs=*/true);
    if (succeeded(reduced))
      op = *reduced;
  }
  // Results without readers need not be computed.
  (void)linalg::deduplicateOperandsAndRemoveDeadResults(rewriter, op,
                                                        /*removeOutputs=*/true);
}

namespace {
struct Fuse : public pallas::impl::PallasCPUFuseBase<Fuse> {
  using PallasCPUFuseBase::PallasCPUFuseBase;

  /// Reshapes of empty tensors fold by the interface of the sizes of results.
  void getDependentDialects(DialectRegistry &registry) const override {
    PallasCPUFuseBase::getDependentDialects(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    prepare(rewriter, getOperation());
    if (fuse)
      cpu::fuseShortRows(rewriter, getOperation());
    if (fuse && (failed(dropUnitDims(getOperation())) ||
                 failed(cpu::fuseReshapes(getOperation()))))
      return signalPassFailure();
    SmallVector<linalg::GenericOp> ops;
    if (fuse)
      getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    // Users come after what they use, so producers are complete.
    for (linalg::GenericOp op : ops)
      fuseProducers(rewriter, op);
    if (fuse) {
      cpu::concatenateBeforeCollapse(rewriter, getOperation());
      eraseDeadOps(rewriter, getOperation());
      cpu::splitParts(rewriter, getOperation());
      if (failed(insertParts(rewriter, getOperation())))
        return signalPassFailure();
    }
    eraseDeadOps(rewriter, getOperation());
  }
};
} // namespace
