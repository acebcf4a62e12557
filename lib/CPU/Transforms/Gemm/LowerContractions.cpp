//===- LowerContractions.cpp - Matmuls in register tiles ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-lower-contractions. For any layout of its
// operands, a contraction becomes loops around matmuls of 2-D views of the
// operands:
//   linalg.batch_matmul ins(%a, %b) outs(%c)
// becomes
//   scf.for %i = %c0 to %batch step %c1 {
//     %x = memref.subview %a[%i, 0, 0] [1, %m, %k] [1, 1, 1] : ...
//     packed matmul of %x, the like view of %b, onto that of %c
//   }
// Contractions that do not fit are left to pallas-cpu-lower-linalg.
//
//===----------------------------------------------------------------------===//

#include "../Loops/EdgeViews.h"
#include "../Loops/LoopGroups.h"
#include "../Loops/LoopPlan.h"
#include "Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPULOWERCONTRACTIONS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The operands by their role, and the dimensions of the matrices.
struct Matrices {
  OpOperand *a, *b, *c;
  unsigned m, n, k;
};
} // namespace

/// Whether neighbors along a loop are neighbors in memory.
static bool isUnitStrideAlong(linalg::LinalgOp op, OpOperand *operand,
                              unsigned dim) {
  return cpu::getAccess(op, *operand, dim) == cpu::Access::Contiguous;
}

/// Of several dimensions, the longest one.
static unsigned getLongest(ArrayRef<unsigned> dims, ArrayRef<int64_t> sizes) {
  return *llvm::max_element(
      dims, [&](unsigned x, unsigned y) { return sizes[x] < sizes[y]; });
}

/// Elements that the register tiles can take into the sum.
static bool isSupported(linalg::LinalgOp op) {
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  for (Value input : op.getDpsInputs()) {
    Type type = getElementTypeOrSelf(input.getType());
    if ((isa<FloatType>(type) && !isa<FloatType>(sum)) ||
        type.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      return false;
  }
  // The body may extend its operands only as packing does, and must multiply
  // and add in the type of the sums: a product that was narrower would wrap or
  // be rounded before it is added.
  return (sum.isF32() || sum.isF64() || sum.isInteger(32)) &&
         llvm::all_of(*op.getBlock(), [&](Operation &inner) {
           if (isa<linalg::YieldOp>(inner))
             return true;
           return inner.getResultTypes() == TypeRange(sum) &&
                  (isa<arith::MulFOp, arith::AddFOp, arith::MulIOp,
                       arith::AddIOp>(inner) ||
                   (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
                        arith::SIToFPOp, arith::UIToFPOp>(inner) &&
                    isa<BlockArgument>(inner.getOperand(0))));
         });
}

/// Whether the body takes integers of `operand` as ones without a sign.
static bool isUnsigned(linalg::LinalgOp op, OpOperand *operand) {
  return llvm::any_of(op.getMatchingBlockArgument(operand).getUsers(),
                      llvm::IsaPred<arith::ExtUIOp, arith::UIToFPOp>);
}

/// Of several dimensions of one kind the longest becomes that of the matrix;
/// the others are loops.
static std::optional<Matrices> matchMatrices(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || !isSupported(op))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty() ||
      ShapedType::isDynamicShape(sizes))
    return std::nullopt;
  Matrices result{op.getDpsInputOperand(0),
                  op.getDpsInputOperand(1),
                  op.getDpsInitOperand(0),
                  0,
                  0,
                  getLongest(dims->k, sizes)};
  // The sum must be contiguous along n. If it is contiguous along m, the
  // operands are exchanged, since C^T = B^T A^T.
  AffineMap map = op.getMatchingIndexingMap(result.c);
  unsigned last = cast<AffineDimExpr>(map.getResults().back()).getPosition();
  if (!isUnitStrideAlong(op, result.c, last))
    return std::nullopt;
  if (llvm::is_contained(dims->m, last)) {
    std::swap(result.a, result.b);
    std::swap(dims->m, dims->n);
  }
  if (!llvm::is_contained(dims->n, last))
    return std::nullopt;
  result.n = last;
  result.m = getLongest(dims->m, sizes);
  if (sizes[result.m] < 2 || sizes[result.n] < 2)
    return std::nullopt;
  return result;
}

/// The matrix that `operand` holds over dims `row` and `column` at the given
/// indices of all others. Sets `transposed` if it is stored the other way
/// round.
///
///   %x = memref.subview %a[%i, 0, 0] [1, 128, 64] [1, 1, 1]
///       : memref<4x128x64xf32>
///       to memref<128x64xf32, strided<[64, 1], offset: ?>>
static Value getMatrix(RewriterBase &rewriter, linalg::LinalgOp op,
                       OpOperand *operand, unsigned row, unsigned column,
                       ArrayRef<Value> ivs, bool &transposed) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto type = cast<MemRefType>(operand->get().getType());
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(map.getNumResults(),
                                    rewriter.getIndexAttr(1));
  SmallVector<int64_t> kept;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    bool isKept = dim == row || dim == column;
    if (isKept) {
      transposed = kept.empty() ? dim == column : transposed;
      kept.push_back(type.getDimSize(i));
    }
    offsets.push_back(isKept ? OpFoldResult(rewriter.getIndexAttr(0))
                             : OpFoldResult(ivs[dim]));
    sizes.push_back(rewriter.getIndexAttr(isKept ? type.getDimSize(i) : 1));
  }
  if (map.getNumResults() == 2)
    return operand->get();
  auto viewType = memref::SubViewOp::inferRankReducedResultType(
      kept, type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, op.getLoc(),
                                   cast<MemRefType>(viewType), operand->get(),
                                   offsets, sizes, strides);
}

namespace {
/// Elementwise operations by the memory that they read.
class Readers {
public:
  void add(linalg::LinalgOp op) {
    if (op.getNumDpsInits() != 1 ||
        op.getNumParallelLoops() != op.getNumLoops())
      return;
    for (Value input : op.getDpsInputs())
      if (isa<MemRefType>(input.getType()))
        if (Value root = cpu::getRootMemory(input))
          readers[root].push_back(op);
  }

  /// Memory that is filled from the sums of `product`, element by element.
  Value findDestination(linalg::LinalgOp product, Value sums,
                        DominanceInfo &dominance) const {
    Value root = cpu::getRootMemory(sums);
    auto found = readers.find(root);
    // One of many would be a guess.
    if (!root || found == readers.end() || found->second.size() > 1)
      return {};
    linalg::LinalgOp reader = found->second[0];
    Value filled = reader.getDpsInits()[0];
    bool hasShape = cast<MemRefType>(filled.getType()).getShape() ==
                    cast<MemRefType>(sums.getType()).getShape();
    return hasShape && cpu::getRootMemory(filled) != root &&
                   dominance.properlyDominates(filled, product)
               ? filled
               : Value();
  }

private:
  DenseMap<Value, SmallVector<linalg::LinalgOp>> readers;
};
} // namespace

/// How many indices along `dim` are inside of the array that `operand` is a
/// window of; null if all are. The others are padding, so sums with them are
/// undefined and need not be computed.
static Value getUsed(linalg::LinalgOp op, OpOperand *operand, unsigned dim) {
  std::optional<cpu::EdgeView> edge = cpu::getInputEdge(operand->get());
  if (!edge)
    return {};
  AffineExpr expr = getAffineDimExpr(dim, op.getContext());
  AffineMap map = op.getMatchingIndexingMap(operand);
  return dyn_cast<Value>(edge->sizes[*map.getResultPosition(expr)]);
}

/// The operation right in front of `op` that gives all of its sums one value.
/// The first pass then starts from a constant, which saves writing and reading
/// C. Not if some sums are skipped: these would keep what the memory held.
static linalg::FillOp findFill(linalg::LinalgOp op, const Matrices &matrices) {
  Operation *previous = cpu::getPreviousEffect(op);
  auto fill = dyn_cast_or_null<linalg::FillOp>(previous);
  if (!fill || op.getNumLoops() != 3 ||
      fill.getDpsInits()[0] != matrices.c->get() ||
      getUsed(op, matrices.a, matrices.m) ||
      getUsed(op, matrices.b, matrices.n))
    return {};
  return fill;
}

/// Arrays of the caller that the function only reads.
static DenseSet<Value> findConstants(func::FuncOp func) {
  DenseSet<Value> constants;
  for (Value argument : func.getArguments())
    constants.insert(argument);
  auto visit = [&](Operation *op) {
    auto touches = dyn_cast<MemoryEffectOpInterface>(op);
    if (!touches)
      return isMemoryEffectFree(op) ||
             op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
             op == func.getOperation();
    SmallVector<MemoryEffects::EffectInstance> effects;
    touches.getEffects(effects);
    return llvm::all_of(effects, [&](MemoryEffects::EffectInstance &effect) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        return true;
      Value root =
          effect.getValue() ? cpu::getRootMemory(effect.getValue()) : Value();
      constants.erase(root);
      return root != nullptr;
    });
  };
  WalkResult result = func.walk([&](Operation *op) {
    return visit(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    constants.clear();
  return constants;
}

/// Emits loops over the dimensions that the matrices don't have, and a matmul
/// in them.
static void lowerContraction(RewriterBase &rewriter, linalg::LinalgOp op,
                             const Matrices &matrices, Value destination,
                             const DenseSet<Value> &constants,
                             const cpu::Target &target) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<Value> ivs(sizes.size());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (dim == matrices.m || dim == matrices.n || dim == matrices.k)
      continue;
    Value size = arith::ConstantIndexOp::create(rewriter, loc, sizes[dim]);
    auto loop = scf::ForOp::create(rewriter, loc, zero, size, one);
    ivs[dim] = loop.getInductionVar();
    rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  }
  cpu::Gemm gemm;
  bool isTransposed = false;
  gemm.a = getMatrix(rewriter, op, matrices.a, matrices.m, matrices.k, ivs,
                     gemm.transposeA);
  gemm.b = getMatrix(rewriter, op, matrices.b, matrices.k, matrices.n, ivs,
                     gemm.transposeB);
  gemm.c = getMatrix(rewriter, op, matrices.c, matrices.m, matrices.n, ivs,
                     isTransposed);
  assert(!isTransposed && "the sum is contiguous along n");
  gemm.unsignedA = isUnsigned(op, matrices.a);
  gemm.unsignedB = isUnsigned(op, matrices.b);
  gemm.usedRows = getUsed(op, matrices.a, matrices.m);
  gemm.usedColumns = getUsed(op, matrices.b, matrices.n);
  gemm.m = sizes[matrices.m];
  gemm.n = sizes[matrices.n];
  gemm.k = sizes[matrices.k];
  gemm.isConstantA = constants.contains(cpu::getRootMemory(gemm.a));
  gemm.isConstantB = constants.contains(cpu::getRootMemory(gemm.b));
  if (sizes.size() == 3)
    gemm.destination = destination;
  linalg::FillOp fill = findFill(op, matrices);
  if (fill)
    gemm.start = fill.getInputs()[0];
  cpu::emitGemm(rewriter, loc, gemm, target);
  if (fill)
    rewriter.eraseOp(fill);
}

namespace {
struct LowerContractions
    : public pallas::impl::PallasCPULowerContractionsBase<LowerContractions> {
  using PallasCPULowerContractionsBase::PallasCPULowerContractionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    Readers readers;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureBufferSemantics())
        return;
      if (op.getNumReductionLoops() > 0)
        ops.push_back(op);
      else
        readers.add(op);
    });
    DominanceInfo dominance(getOperation());
    DenseSet<Value> constants = findConstants(getOperation());
    for (linalg::LinalgOp op : ops) {
      std::optional<Matrices> matrices = matchMatrices(op);
      if (!matrices)
        continue;
      Value destination =
          readers.findDestination(op, matrices->c->get(), dominance);
      rewriter.setInsertionPoint(op);
      lowerContraction(rewriter, op, *matrices, destination, constants, target);
      rewriter.eraseOp(op);
    }
  }

private:
  cpu::Target target;
};
} // namespace
