//===- BoundExponents.cpp - Exponents that are not positive ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-bound-exponents. Softmax and its relatives
// subtract the largest element of a row before they take exponentials, so that
// none overflows:
//   %m = linalg.generic ins(%x) outs(%least) { arith.maximumf } along a row
//   %b = linalg.generic ins(%m) outs(%empty) { copy to the whole row }
//   %d = arith.subf %x, %b : tensor<8x128xf32>
//   %e = math.exp %d : tensor<8x128xf32>
// The attribute states this, and the expansion leaves the case of infinity out:
//   %e = math.exp %d {pallas_cpu.at_most_zero} : tensor<8x128xf32>
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUBOUNDEXPONENTS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The element of `tensor` that belongs to each index of another tensor.
struct Elements {
  Value tensor;
  AffineMap map;
};
} // namespace

/// The elements of a reshape's operand. `groups` has the dimensions of the
/// longer shape, `longer`, that make up each of the shorter one. Only
/// dimensions of one element may come or go.
static std::optional<AffineMap> reshape(AffineMap map, bool isExpanded,
                                        RankedTensorType longer,
                                        ArrayRef<ReassociationIndices> groups) {
  MLIRContext *context = map.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> results(isExpanded ? groups.size() : longer.getRank(),
                                  zero);
  for (auto [i, group] : llvm::enumerate(groups)) {
    bool hasFound = false;
    for (int64_t dim : group) {
      if (longer.getDimSize(dim) == 1)
        continue;
      if (hasFound)
        return std::nullopt;
      hasFound = true;
      results[isExpanded ? i : dim] = map.getResult(isExpanded ? dim : i);
    }
  }
  return AffineMap::get(map.getNumDims(), 0, results, context);
}

/// One step back through an operation that only moves elements.
static std::optional<Elements> getMoved(const Elements &elements) {
  Operation *op = elements.tensor.getDefiningOp();
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op)) {
    auto map = reshape(elements.map, true, expand.getResultType(),
                       expand.getReassociationIndices());
    if (map)
      return Elements{expand.getSrc(), *map};
  }
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    auto map = reshape(elements.map, false, collapse.getSrcType(),
                       collapse.getReassociationIndices());
    if (map)
      return Elements{collapse.getSrc(), *map};
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInits() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      !generic.getIndexingMapMatchingResult(generic->getResult(0)).isIdentity())
    return std::nullopt;
  auto copied = dyn_cast<BlockArgument>(
      generic.getBlock()->getTerminator()->getOperand(0));
  if (!copied || copied.getOwner() != generic.getBlock() ||
      copied.getArgNumber() >= generic.getNumDpsInputs())
    return std::nullopt;
  OpOperand *input = generic.getDpsInputOperand(copied.getArgNumber());
  if (!isa<RankedTensorType>(input->get().getType()))
    return std::nullopt;
  return Elements{input->get(),
                  generic.getMatchingIndexingMap(input).compose(elements.map)};
}

/// Whether each element is the largest of elements of `x`, its own among them.
static bool isMaximumOf(const Elements &elements, Value x) {
  auto generic = elements.tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1 || generic.getDpsInputs()[0] != x ||
      !generic.getMatchingIndexingMap(generic.getDpsInputOperand(0))
           .isIdentity())
    return false;
  Block *body = generic.getBlock();
  auto maximum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MaximumFOp>();
  if (!maximum ||
      !llvm::is_contained(maximum->getOperands(), Value(body->getArgument(0))))
    return false;
  auto type = cast<RankedTensorType>(elements.tensor.getType());
  AffineMap results =
      generic.getIndexingMapMatchingResult(generic->getResult(0));
  for (auto [dim, result] : llvm::enumerate(results.getResults()))
    if (result != elements.map.getResult(dim) && type.getDimSize(dim) != 1)
      return false;
  return true;
}

/// Whether each element is NaN or at least the element of `x` that it belongs
/// to. Sums of products may differ in the last bit where they are computed
/// twice, which the expansion allows for.
static bool isAtLeast(const Elements &bound, Value x, unsigned depth = 0) {
  constexpr unsigned mostSteps = 8;
  if (depth > mostSteps)
    return false;
  if ((bound.tensor == x && bound.map.isIdentity()) || isMaximumOf(bound, x))
    return true;
  Operation *op = bound.tensor.getDefiningOp();
  if (isa_and_nonnull<arith::MaximumFOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isAtLeast({operand, bound.map}, x, depth + 1);
    });
  if (auto wide = dyn_cast_or_null<arith::ExtFOp>(op))
    if (auto widened = x.getDefiningOp<arith::ExtFOp>())
      return isAtLeast({wide.getIn(), bound.map}, widened.getIn(), depth + 1);
  std::optional<Elements> moved = getMoved(bound);
  return moved && isAtLeast(*moved, x, depth + 1);
}

/// Whether all elements are one number that is not below zero.
static bool isNotNegative(Value value) {
  APFloat number(0.0);
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    number = elements.getSplatValue<APFloat>();
  else if (!matchPattern(value, m_ConstantFloat(&number)))
    return false;
  return !number.isNegative() && !number.isNaN();
}

/// Whether no element is positive. Some may be NaN.
static bool isAtMostZero(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!type || !op)
    return false;
  if (auto wide = dyn_cast<arith::ExtFOp>(op))
    return isAtMostZero(wide.getIn());
  // As the coefficient in front of exponentials of two.
  if (auto product = dyn_cast<arith::MulFOp>(op))
    return isNotNegative(product.getRhs()) && isAtMostZero(product.getLhs());
  auto difference = dyn_cast<arith::SubFOp>(op);
  if (!difference)
    return false;
  AffineMap here =
      AffineMap::getMultiDimIdentityMap(type.getRank(), value.getContext());
  return isAtLeast({difference.getRhs(), here}, difference.getLhs());
}

namespace {
struct BoundExponents
    : public pallas::impl::PallasCPUBoundExponentsBase<BoundExponents> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<math::ExpOp, math::Exp2Op>(op) && isAtMostZero(op->getOperand(0)))
        op->setDiscardableAttr(cpu::atMostZeroAttrName,
                               UnitAttr::get(op->getContext()));
    });
  }
};
} // namespace
