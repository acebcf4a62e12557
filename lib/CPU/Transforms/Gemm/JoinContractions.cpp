//===- JoinContractions.cpp - One product instead of a loop of them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-join-contractions. A grid along the
// reduction dimension of a matmul leaves a loop of matmuls of blocks. One
// matmul over the whole dimension keeps each sum in a register for longer.
//   scf.for %k = %c0 to %c4 step %c1 {
//     %a = memref.subview %x[0, %k * 64] [128, 64] [1, 1] : ...
//     %b = memref.subview %y[%k * 64, 0] [64, 128] [1, 1] : ...
//     linalg.matmul ins(%a, %b) outs(%acc)
//   }
// becomes
//   %a = memref.subview %x[0, 0] [128, 256] [1, 1] : ...
//   %b = memref.subview %y[0, 0] [256, 128] [1, 1] : ...
//   linalg.matmul ins(%a, %b) outs(%acc)
//
//===----------------------------------------------------------------------===//

#include "../Loops/LoopGroups.h"
#include "Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUJOINCONTRACTIONS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

bool cpu::isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureBufferSemantics() &&
         linalg::isaContractionOpInterface(linalgOp);
}

namespace {
/// A loop that does nothing but multiply, except in its first iteration before,
/// and in its last one after it.
class ProductLoop {
public:
  explicit ProductLoop(scf::ForOp loop) : loop(loop) {}

  /// Whether the loop is such a one and its products can be one.
  bool match();
  void join(RewriterBase &rewriter);

private:
  bool matchRange();
  bool matchBody();
  bool matchProduct();
  bool isAt(scf::IfOp branch, int64_t iteration);
  bool varies(Operation *op) const;
  std::optional<int64_t> getSlope(Value value);
  std::optional<unsigned> getAdvancing(OpOperand &operand);
  Value widen(RewriterBase &rewriter, Value view, unsigned dim) const;
  IRMapping cloneInvisible(RewriterBase &rewriter, int64_t iteration);

  scf::ForOp loop;
  int64_t lower, step, count;
  /// Operations without memory effects.
  SmallVector<Operation *> invisible;
  /// Values that differ between iterations.
  DenseSet<Value> varying;
  scf::IfOp first, last;
  linalg::LinalgOp product;
  /// The dimension of the product that continues from iteration to iteration.
  unsigned summed = 0;
};
} // namespace

/// The range has to be static, for the sizes of the joined windows.
bool ProductLoop::matchRange() {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound()),
                         to = getConstantIntValue(loop.getUpperBound()),
                         by = getConstantIntValue(loop.getStep());
  if (!from || !to || !by || *by <= 0 || *to <= *from ||
      loop.getNumResults() > 0)
    return false;
  lower = *from;
  step = *by;
  count = llvm::divideCeil(*to - *from, *by);
  return true;
}

/// Whether the branch is taken in that iteration and no other. Kernels clear
/// their accumulator in the first step and write it out in the last one:
///
///   %first = arith.cmpi eq, %k, %c0 : index
///   scf.if %first {
///     linalg.fill ins(%zero : f32) outs(%acc : memref<128x128xf32>)
///   }
bool ProductLoop::isAt(scf::IfOp branch, int64_t iteration) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      branch.elseBlock() || branch.getNumResults() > 0)
    return false;
  Value number = compare.getLhs();
  if (auto cast = number.getDefiningOp<arith::IndexCastOp>())
    number = cast.getIn();
  return number == loop.getInductionVar() &&
         getConstantIntValue(compare.getRhs()) == lower + iteration * step;
}

/// Whether `op` depends on the iteration.
bool ProductLoop::varies(Operation *op) const {
  return llvm::any_of(op->getOperands(),
                      [&](Value v) { return varying.contains(v); });
}

/// Sorts the operations of the body: those without effects, the matmul, and the
/// branches before and after it. Any other effect could see a partial sum.
bool ProductLoop::matchBody() {
  varying.insert(loop.getInductionVar());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op)) {
      // Regions may hold uses of their own.
      if (op.getNumRegions() > 0)
        return false;
      invisible.push_back(&op);
      if (varies(&op))
        varying.insert_range(op.getResults());
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && !product && !first && isAt(branch, 0))
      first = branch;
    else if (branch && product && !last && isAt(branch, count - 1))
      last = branch;
    else if (!product && cpu::isContraction(&op))
      product = cast<linalg::LinalgOp>(op);
    else
      return false;
  }
  return product != nullptr;
}

/// By how much the value grows with each iteration. For example 64 for
///
///   %offset = arith.muli %k, %c64 : index
std::optional<int64_t> ProductLoop::getSlope(Value value) {
  if (value == loop.getInductionVar())
    return step;
  if (!varying.contains(value))
    return 0;
  if (auto multiply = value.getDefiningOp<arith::MulIOp>()) {
    std::optional<int64_t> scale = getConstantIntValue(multiply.getRhs()),
                           slope = getSlope(multiply.getLhs());
    if (scale && slope)
      return *scale * *slope;
  }
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> lhs = getSlope(sum.getLhs()),
                           rhs = getSlope(sum.getRhs());
    if (lhs && rhs)
      return *lhs + *rhs;
  }
  return std::nullopt;
}

/// The dimension of the operand, a window, along which the next window begins
/// where this one ends.
std::optional<unsigned> ProductLoop::getAdvancing(OpOperand &operand) {
  auto window = operand.get().getDefiningOp<memref::SubViewOp>();
  if (!window || varying.contains(window.getSource()))
    return std::nullopt;
  std::optional<unsigned> advancing;
  for (unsigned dim = 0; dim < window.getMixedOffsets().size(); ++dim) {
    auto offset = dyn_cast<Value>(window.getMixedOffsets()[dim]);
    if (!offset || !varying.contains(offset))
      continue;
    std::optional<int64_t> size =
        getConstantIntValue(window.getMixedSizes()[dim]);
    if (advancing || !size || getSlope(offset) != *size ||
        getConstantIntValue(window.getMixedStrides()[dim]) != 1)
      return std::nullopt;
    advancing = dim;
  }
  auto isVarying = [&](OpFoldResult value) {
    auto dynamic = dyn_cast<Value>(value);
    return dynamic && varying.contains(dynamic);
  };
  if (llvm::any_of(window.getMixedSizes(), isVarying) ||
      llvm::any_of(window.getMixedStrides(), isVarying))
    return std::nullopt;
  return advancing;
}

/// The window over all iterations, from that of the first one.
Value ProductLoop::widen(RewriterBase &rewriter, Value view,
                         unsigned dim) const {
  auto window = view.getDefiningOp<memref::SubViewOp>();
  SmallVector<OpFoldResult> sizes = window.getMixedSizes();
  int64_t size = count * *getConstantIntValue(sizes[dim]);
  sizes[dim] = rewriter.getIndexAttr(size);
  llvm::SmallBitVector dropped = window.getDroppedDims();
  SmallVector<int64_t> shape;
  for (unsigned i = 0; i < sizes.size(); ++i)
    if (!dropped.test(i))
      shape.push_back(
          getConstantIntValue(sizes[i]).value_or(ShapedType::kDynamic));
  auto type = memref::SubViewOp::inferRankReducedResultType(
      shape, window.getSourceType(), window.getMixedOffsets(), sizes,
      window.getMixedStrides());
  return memref::SubViewOp::create(
      rewriter, window.getLoc(), cast<MemRefType>(type), window.getSource(),
      window.getMixedOffsets(), sizes, window.getMixedStrides());
}

/// Both operands must advance along the same reduction dimension, by windows
/// that follow each other, and none may alias the sums.
bool ProductLoop::matchProduct() {
  Value sums = product.getDpsInits()[0], root = cpu::getRootMemory(sums);
  if (!root || varying.contains(sums))
    return false;
  std::optional<unsigned> common;
  for (OpOperand *input : product.getDpsInputOperands()) {
    Value inputRoot = cpu::getRootMemory(input->get());
    if (!inputRoot || inputRoot == root)
      return false;
    if (!varying.contains(input->get()))
      continue;
    std::optional<unsigned> dim = getAdvancing(*input);
    if (!dim)
      return false;
    auto window = input->get().getDefiningOp<memref::SubViewOp>();
    llvm::SmallBitVector dropped = window.getDroppedDims();
    if (dropped.test(*dim))
      return false;
    unsigned place =
        *dim - llvm::count_if(llvm::seq(0u, *dim),
                              [&](unsigned i) { return dropped.test(i); });
    auto expr = dyn_cast<AffineDimExpr>(
        product.getMatchingIndexingMap(input).getResult(place));
    if (!expr || (common && *common != expr.getPosition()))
      return false;
    common = expr.getPosition();
  }
  if (!common || product.getIteratorTypesArray()[*common] !=
                     utils::IteratorType::reduction)
    return false;
  summed = *common;
  // An operand that stays the same in all iterations can't be widened.
  return llvm::all_of(product.getDpsInputOperands(), [&](OpOperand *input) {
    return varying.contains(input->get()) ||
           !product.getMatchingIndexingMap(input).isFunctionOfDim(summed);
  });
}

bool ProductLoop::match() {
  return matchRange() && matchBody() && matchProduct();
}

/// Clones the operations without effects for one iteration. Most become dead
/// afterwards.
IRMapping ProductLoop::cloneInvisible(RewriterBase &rewriter,
                                      int64_t iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(),
              arith::ConstantIndexOp::create(rewriter, loop.getLoc(),
                                             lower + iteration * step));
  for (Operation *op : invisible)
    rewriter.clone(*op, mapping);
  return mapping;
}

/// Clones the first branch, the matmul over all iterations and the last branch
/// in front of the loop, and erases the loop.
void ProductLoop::join(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(loop);
  IRMapping atFirst = cloneInvisible(rewriter, 0),
            atLast = cloneInvisible(rewriter, count - 1);
  auto cloneBranch = [&](scf::IfOp branch, IRMapping &mapping) {
    if (branch)
      for (Operation &op : branch.thenBlock()->without_terminator())
        rewriter.clone(op, mapping);
  };
  cloneBranch(first, atFirst);
  Operation *whole = rewriter.clone(*product, atFirst);
  rewriter.setInsertionPoint(whole);
  for (OpOperand &operand : product->getOpOperands()) {
    if (!varying.contains(operand.get()))
      continue;
    OpOperand &widened = whole->getOpOperand(operand.getOperandNumber());
    widened.set(widen(rewriter, widened.get(), *getAdvancing(operand)));
  }
  rewriter.setInsertionPoint(loop);
  cloneBranch(last, atLast);
  rewriter.eraseOp(loop);
}

namespace {
struct JoinContractions
    : public pallas::impl::PallasCPUJoinContractionsBase<JoinContractions> {
  using PallasCPUJoinContractionsBase::PallasCPUJoinContractionsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    bool isChanged = false;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      ProductLoop products(loop);
      if (!products.match())
        continue;
      products.join(rewriter);
      isChanged = true;
    }
    if (isChanged)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
