//===- Generalize.cpp - Operations on tensors as loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-generalize. It brings everything that
// computes on tensors into the form of `linalg.generic`, the only one that
// fuses:
//   %1 = arith.addf %x, %y : tensor<8xf32>
// becomes
//   %1 = linalg.generic ins(%x, %y) ... arith.addf ...
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/DeadCode.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUGENERALIZE
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Gives operations that move or combine elements the general form, the only
/// one that fuses. Contractions and fills keep their names: later passes look
/// for them.
static void generalize(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (isa<linalg::BroadcastOp, linalg::TransposeOp, linalg::MapOp,
            linalg::ReduceOp, linalg::ElementwiseOp>(op))
      ops.push_back(op);
  });
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

/// Whether `op` swaps rows and columns, and contractions are its only users.
static bool isReadByContractions(linalg::TransposeOp op) {
  ArrayRef<int64_t> order = op.getPermutation();
  int64_t rank = order.size();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (order[dim] != dim)
      return false;
  return rank >= 2 && order[rank - 1] == rank - 2 &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return linalg::isaContractionOpInterface(
               dyn_cast<linalg::LinalgOp>(user));
         });
}

/// Folds transposes into the contractions that read them, as in `x @ y.T`:
///
///   %t = linalg.transpose ins(%y : tensor<4x8xf32>) outs(%empty)
///       permutation = [1, 0]
///   %p = linalg.matmul ins(%x, %t) outs(%zeros)
///
/// becomes, with %y in the map (d0, d1, d2) -> (d1, d2)
///
///   %p = linalg.contract indexing_maps = [...] ins(%x, %y) outs(%zeros)
static void readTransposed(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (isa<linalg::MatmulOp, linalg::BatchMatmulOp, linalg::ContractOp>(op))
      ops.push_back(op);
  });
  DenseSet<Operation *> known;
  for (linalg::LinalgOp op : ops) {
    SmallVector<Value> inputs = op.getDpsInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (auto [input, map] : llvm::zip(inputs, maps)) {
      auto transpose = input.getDefiningOp<linalg::TransposeOp>();
      if (!transpose ||
          (!known.contains(transpose) && !isReadByContractions(transpose)))
        continue;
      known.insert(transpose);
      input = transpose.getInput();
      SmallVector<AffineExpr> exprs(map.getResults());
      std::swap(exprs.back(), exprs[exprs.size() - 2]);
      map = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
    }
    if (llvm::equal(inputs, op.getDpsInputs()))
      continue;
    rewriter.setInsertionPoint(op);
    NamedAttrList attributes;
    if (auto cast = op->getAttrOfType<linalg::TypeFnAttr>("cast"))
      attributes.set("cast", cast);
    rewriter.replaceOpWithNewOp<linalg::ContractOp>(
        op, op->getResultTypes(), inputs, op.getDpsInits(),
        rewriter.getAffineMapArrayAttr(maps), attributes.getAttrs());
  }
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
    // A loop would fill all of it for each slice.
    auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
    if (slice && slice.getType().hasStaticShape()) {
      rewriter.setInsertionPoint(slice);
      Value empty = createEmpty(rewriter, loc, slice.getType(), Value());
      rewriter.replaceOpWithNewOp<linalg::FillOp>(slice, scalar, empty);
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

namespace {
struct Generalize : public pallas::impl::PallasCPUGeneralizeBase<Generalize> {
  using PallasCPUGeneralizeBase::PallasCPUGeneralizeBase;

  /// Constants first, since a splat that is added to a contraction must already
  /// be a fill when the sum is looked at.
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> elementwise;
    SmallVector<arith::ConstantOp> constants;
    getOperation()->walk([&](Operation *op) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        constants.push_back(constant);
      if (!OpTrait::hasElementwiseMappableTraits(op) ||
          !llvm::all_of(op->getResultTypes(),
                        llvm::IsaPred<RankedTensorType>) ||
          llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
        return;
      elementwise.push_back(op);
    });
    readTransposed(rewriter, getOperation());
    for (arith::ConstantOp op : constants)
      fillConstant(rewriter, op);
    for (Operation *op : elementwise)
      if (!isa<arith::AddFOp, arith::AddIOp>(op) ||
          !accumulateIntoContraction(rewriter, op))
        generalizeElementwise(rewriter, op);
    generalize(rewriter, getOperation());
    eraseDeadCode(getOperation());
  }
};
} // namespace
