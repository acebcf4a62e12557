//===- IntegerExtrema.cpp - Largest and smallest floats by integers -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-integer-extrema. `arith.maximumf` orders
// zeros by their sign and propagates NaN, which takes LLVM six instructions per
// vector. In a loop three integer bounds do the same with three instructions:
//   %m = scf.for ... iter_args(%max = %init) -> (vector<16xf32>) {
//     %next = arith.maximumf %max, %x : vector<16xf32>
//     scf.yield %next : vector<16xf32>
//   }
// becomes
//   %b:3 = scf.for ... iter_args(%l = .., %s = .., %u = ..) -> (...) {
//     %bits = arith.bitcast %x : vector<16xf32> to vector<16xi32>
//     %largest = arith.maxsi %l, %bits : vector<16xi32>
//     %smallest = arith.minsi %s, %bits : vector<16xi32>
//     %unsigned = arith.maxui %u, %bits : vector<16xi32>
//     scf.yield %largest, %smallest, %unsigned : ...
//   }
//
//===----------------------------------------------------------------------===//

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
/// Bounds of the bits of all floats seen so far. Bits of positive numbers are
/// in the order of the numbers, those of negative ones in the opposite order,
/// and NaN lies beyond the infinity of its sign. So the extremum is one of
/// these bounds, and two of them tell of NaN.
struct Bounds {
  Value largest, smallest, largestUnsigned;
};

/// Emits the integer operations for floats of one type.
class BitEmitter {
public:
  BitEmitter(OpBuilder &b, Location loc, Type floats) : b(b), loc(loc) {
    this->floats = floats;
    element = cast<FloatType>(getElementTypeOrSelf(floats));
    integers = b.getIntegerType(element.getWidth());
    if (auto vector = dyn_cast<VectorType>(floats))
      integers = vector.clone(integers);
  }

  /// The bounds of `value` alone.
  Bounds getBounds(Value value) {
    Value bits = arith::BitcastOp::create(b, loc, integers, value);
    return {bits, bits, bits};
  }

  /// The bounds after `value` has been seen as well.
  Bounds include(Bounds bounds, Value value) {
    Value bits = arith::BitcastOp::create(b, loc, integers, value);
    return {arith::MaxSIOp::create(b, loc, bounds.largest, bits),
            arith::MinSIOp::create(b, loc, bounds.smallest, bits),
            arith::MaxUIOp::create(b, loc, bounds.largestUnsigned, bits)};
  }

  /// The extremum as an integer in the order of the floats: -0 comes before 0,
  /// and NaN is beyond everything on the side of the extremum.
  Value getKey(Bounds bounds, bool isMaximum) {
    const llvm::fltSemantics &kind = element.getFloatSemantics();
    unsigned width = element.getWidth();
    Value zero = getInteger(APInt::getZero(width));
    auto isNegative = [&](Value bits) {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits,
                                   zero);
    };
    // The largest is negative if all are, and the smallest unless none is.
    Value bits =
        isMaximum
            ? arith::SelectOp::create(b, loc, isNegative(bounds.largest),
                                      bounds.smallest, bounds.largest)
            : arith::SelectOp::create(b, loc,
                                      isNegative(bounds.largestUnsigned),
                                      bounds.largestUnsigned, bounds.smallest);
    Value isPositiveNaN = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sgt, bounds.largest,
        getInteger(APFloat::getInf(kind).bitcastToAPInt()));
    Value isNegativeNaN = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ugt, bounds.largestUnsigned,
        getInteger(APFloat::getInf(kind, true).bitcastToAPInt()));
    Value isNaN = arith::OrIOp::create(b, loc, isPositiveNaN, isNegativeNaN);
    return arith::SelectOp::create(b, loc, isNaN, getKeyOfNaN(isMaximum),
                                   flipNegative(bits));
  }

  /// The number of a key.
  Value getNumber(Value key, bool isMaximum) {
    TypedAttr nan =
        b.getFloatAttr(element, APFloat::getQNaN(element.getFloatSemantics()));
    if (auto vector = dyn_cast<VectorType>(floats))
      nan = DenseElementsAttr::get(vector, nan);
    Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, key,
                                        getKeyOfNaN(isMaximum));
    Value number = arith::BitcastOp::create(b, loc, floats, flipNegative(key));
    return arith::SelectOp::create(
        b, loc, isNaN, arith::ConstantOp::create(b, loc, nan), number);
  }

private:
  Value getInteger(const APInt &value) {
    TypedAttr attribute =
        b.getIntegerAttr(getElementTypeOrSelf(integers), value);
    if (auto vector = dyn_cast<VectorType>(integers))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(b, loc, attribute);
  }

  Value getKeyOfNaN(bool isMaximum) {
    unsigned width = element.getWidth();
    return getInteger(isMaximum ? APInt::getSignedMaxValue(width)
                                : APInt::getSignedMinValue(width));
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
  Type floats, integers;
  FloatType element;
};
} // namespace

/// Whether this is a vector of floats whose width an integer has.
static bool hasBits(Type type) {
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
      !hasBits(carried.getType()) || !carried.hasOneUse() ||
      *carried.user_begin() != op || !op->getResult(0).hasOneUse() ||
      op->getParentOp() != loop)
    return nullptr;
  return op;
}

/// A reduction to one number, from bounds in every lane. Lanes are compared by
/// their keys, since the bits of negative floats are in the opposite order. For
/// example:
///
///   %1 = vector.reduction <maximumf>, %0 : vector<8xf32> into f32
///
/// becomes:
///
///   %key = vector.reduction <maxsi>, %keys : vector<8xi32> into i32
static void reduceBounds(vector::ReductionOp op, Bounds bounds) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
  Value keys =
      BitEmitter(b, loc, op.getVector().getType()).getKey(bounds, isMaximum);
  Value key = vector::ReductionOp::create(
      b, loc,
      isMaximum ? vector::CombiningKind::MAXSI : vector::CombiningKind::MINSI,
      keys);
  BitEmitter emit(b, loc, op.getType());
  if (Value initial = op.getAcc()) {
    Value other = emit.getKey(emit.getBounds(initial), isMaximum);
    key = isMaximum ? arith::MaxSIOp::create(b, loc, key, other).getResult()
                    : arith::MinSIOp::create(b, loc, key, other).getResult();
  }
  op.replaceAllUsesWith(emit.getNumber(key, isMaximum));
  op.erase();
}

/// Whether this reduces floats to their extremum of this kind.
static bool isExtremum(vector::ReductionOp op, vector::CombiningKind kind) {
  return op.getKind() == kind && hasBits(op.getVector().getType());
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
  Bounds first =
      BitEmitter(rewriter, loc, type).getBounds(loop.getInitArgs()[index]);
  auto yieldBounds = [&](OpBuilder &b, Location,
                         ArrayRef<BlockArgument> added) {
    Bounds next =
        BitEmitter(b, loc, type).include({added[0], added[1], added[2]}, seen);
    return SmallVector<Value>{next.largest, next.smallest,
                              next.largestUnsigned};
  };
  auto widened = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, {first.largest, first.smallest, first.largestUnsigned},
      /*replaceInitOperandUsesInLoop=*/false, yieldBounds));
  widened.getBody()->getTerminator()->setOperand(
      index, widened.getRegionIterArg(index));
  op->erase();

  unsigned count = widened.getNumResults();
  Bounds bounds{widened.getResult(count - 3), widened.getResult(count - 2),
                widened.getResult(count - 1)};
  Value result = widened.getResult(index);
  auto kind = isMaximum ? vector::CombiningKind::MAXIMUMF
                        : vector::CombiningKind::MINIMUMF;
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (auto reduction = dyn_cast<vector::ReductionOp>(user))
      if (isExtremum(reduction, kind) && reduction.getVector() == result)
        reduceBounds(reduction, bounds);
  if (result.use_empty())
    return widened;
  rewriter.setInsertionPointAfter(widened);
  BitEmitter emit(rewriter, loc, type);
  result.replaceAllUsesWith(
      emit.getNumber(emit.getKey(bounds, isMaximum), isMaximum));
  return widened;
}

namespace {
struct IntegerExtrema
    : public pallas::impl::PallasCPUIntegerExtremaBase<IntegerExtrema> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    // Loops come first: they also turn the reductions of their results, from
    // the bounds that they have carried. Other reductions find those of one
    // vector.
    for (scf::ForOp loop : loops)
      for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
        if (getExtremum(loop, i))
          loop = carryBounds(rewriter, loop, i);
    getOperation()->walk([&](vector::ReductionOp op) {
      if (!isExtremum(op, vector::CombiningKind::MAXIMUMF) &&
          !isExtremum(op, vector::CombiningKind::MINIMUMF))
        return;
      OpBuilder b(op);
      BitEmitter emit(b, op.getLoc(), op.getVector().getType());
      reduceBounds(op, emit.getBounds(op.getVector()));
    });
  }
};
} // namespace
