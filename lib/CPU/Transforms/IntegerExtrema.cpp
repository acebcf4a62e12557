//===- IntegerExtrema.cpp - Largest and smallest floats by integers -------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUINTEGEREXTREMA
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The largest and the smallest key of what was seen so far. Keys are integers
/// in the order of the floats: -0 comes before 0, NaN lies beyond the infinity
/// of its sign. So one bound is the extremum, and the other tells of NaN on the
/// far side.
struct Bounds {
  Value largest, smallest;
};

class KeyEmitter {
public:
  KeyEmitter(OpBuilder &b, Location loc, Type floats) : b(b), loc(loc) {
    this->floats = floats;
    element = cast<FloatType>(getElementTypeOrSelf(floats));
    keys = b.getIntegerType(element.getWidth());
    if (auto vector = dyn_cast<VectorType>(floats))
      keys = vector.clone(keys);
  }

  Value getKey(Value value) {
    Value bits = arith::BitcastOp::create(b, loc, keys, value);
    return flipNegative(bits);
  }

  /// The bounds after `value` has been seen as well.
  Bounds include(Bounds bounds, Value value) {
    Value key = getKey(value);
    return {arith::MaxSIOp::create(b, loc, bounds.largest, key),
            arith::MinSIOp::create(b, loc, bounds.smallest, key)};
  }

  Value getExtremum(Bounds bounds, bool isMaximum) {
    Value key = isMaximum ? bounds.largest : bounds.smallest;
    Value number = arith::BitcastOp::create(b, loc, floats, flipNegative(key));
    const llvm::fltSemantics &kind = element.getFloatSemantics();
    APInt infinity = APFloat::getInf(kind).bitcastToAPInt();
    // Keys of negative numbers are the complement, but for the sign.
    Value isNaN =
        isMaximum
            ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                    bounds.smallest, getInteger(~infinity))
            : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                    bounds.largest, getInteger(infinity));
    TypedAttr nan = b.getFloatAttr(element, APFloat::getQNaN(kind));
    if (auto vector = dyn_cast<VectorType>(floats))
      nan = DenseElementsAttr::get(vector, nan);
    return arith::SelectOp::create(
        b, loc, isNaN, arith::ConstantOp::create(b, loc, nan), number);
  }

private:
  Value getInteger(const APInt &value) {
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(keys), value);
    if (auto vector = dyn_cast<VectorType>(keys))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(b, loc, attribute);
  }

  /// Its own inverse, since the sign stays.
  Value flipNegative(Value bits) {
    unsigned width = element.getWidth();
    Value sign = arith::ShRSIOp::create(b, loc, bits,
                                        getInteger(APInt(width, width - 1)));
    Value flip = arith::AndIOp::create(
        b, loc, sign, getInteger(APInt::getSignedMaxValue(width)));
    return arith::XOrIOp::create(b, loc, bits, flip);
  }

  OpBuilder &b;
  Location loc;
  Type floats, keys;
  FloatType element;
};
} // namespace

static bool hasKeys(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  return vector && (element.isF16() || element.isBF16() || element.isF32() ||
                    element.isF64());
}

/// The operation that makes argument `index` of the loop an extremum of itself
/// and something else, if nothing else uses it.
static Operation *getExtremum(scf::ForOp loop, unsigned index) {
  Value carried = loop.getRegionIterArg(index);
  Operation *op = loop.getYieldedValues()[index].getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op) ||
      !hasKeys(carried.getType()) || !carried.hasOneUse() ||
      *carried.user_begin() != op || !op->getResult(0).hasOneUse() ||
      op->getParentOp() != loop)
    return nullptr;
  return op;
}

/// A reduction to one number, from bounds in every lane.
static void reduceBounds(vector::ReductionOp op, Bounds bounds) {
  OpBuilder b(op);
  KeyEmitter keys(b, op.getLoc(), op.getType());
  auto reduce = [&](vector::CombiningKind kind, Value value) -> Value {
    return vector::ReductionOp::create(b, op.getLoc(), kind, value);
  };
  bounds = {reduce(vector::CombiningKind::MAXSI, bounds.largest),
            reduce(vector::CombiningKind::MINSI, bounds.smallest)};
  if (Value initial = op.getAcc())
    bounds = keys.include(bounds, initial);
  op.replaceAllUsesWith(keys.getExtremum(
      bounds, op.getKind() == vector::CombiningKind::MAXIMUMF));
  op.erase();
}

static bool isExtremum(vector::ReductionOp op) {
  return hasKeys(op.getVector().getType()) &&
         llvm::is_contained(
             {vector::CombiningKind::MAXIMUMF, vector::CombiningKind::MINIMUMF},
             op.getKind());
}

/// Carries bounds instead of argument `index`, which is left unused.
static scf::ForOp carryBounds(RewriterBase &rewriter, scf::ForOp loop,
                              unsigned index) {
  Operation *op = getExtremum(loop, index);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  bool isMaximum = isa<arith::MaximumFOp>(op);
  Value carried = loop.getRegionIterArg(index);
  Value seen =
      op->getOperand(0) == carried ? op->getOperand(1) : op->getOperand(0);
  rewriter.setInsertionPoint(loop);
  Value first =
      KeyEmitter(rewriter, loc, type).getKey(loop.getInitArgs()[index]);
  auto yieldBounds = [&](OpBuilder &b, Location,
                         ArrayRef<BlockArgument> added) {
    Bounds next = KeyEmitter(b, loc, type).include({added[0], added[1]}, seen);
    return SmallVector<Value>{next.largest, next.smallest};
  };
  auto widened = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, {first, first}, /*replaceInitOperandUsesInLoop=*/false,
      yieldBounds));
  widened.getBody()->getTerminator()->setOperand(
      index, widened.getRegionIterArg(index));
  op->erase();

  unsigned count = widened.getNumResults();
  Bounds bounds{widened.getResult(count - 2), widened.getResult(count - 1)};
  Value result = widened.getResult(index);
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (auto reduction = dyn_cast<vector::ReductionOp>(user))
      if (isExtremum(reduction) && reduction.getVector() == result)
        reduceBounds(reduction, bounds);
  if (result.use_empty())
    return widened;
  rewriter.setInsertionPointAfter(widened);
  result.replaceAllUsesWith(
      KeyEmitter(rewriter, loc, type).getExtremum(bounds, isMaximum));
  return widened;
}

namespace {
struct IntegerExtrema
    : public pallas::impl::PallasCPUIntegerExtremaBase<IntegerExtrema> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
        if (getExtremum(loop, i))
          loop = carryBounds(rewriter, loop, i);
    getOperation()->walk([&](vector::ReductionOp op) {
      if (!isExtremum(op))
        return;
      OpBuilder b(op);
      Value key = KeyEmitter(b, op.getLoc(), op.getVector().getType())
                      .getKey(op.getVector());
      reduceBounds(op, {key, key});
    });
  }
};
} // namespace
