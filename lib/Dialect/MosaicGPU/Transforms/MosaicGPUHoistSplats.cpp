//===- MosaicGPUHoistSplats.cpp - Vectors whose elements are all the same -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler stores vectors of equal elements only where lanes share them
// evenly, and reduces none along a dimension. So operations whose operands are
// all such vectors compute one scalar, and only splats of scalars are left:
//
//   %a = vector.broadcast %x : f32 to vector<15xf32>
//   %s = arith.addf %a, %cst : vector<15xf32>
// becomes
//   %t = arith.addf %x, %c : f32
//   %s = vector.broadcast %t : f32 to vector<15xf32>
//
//===----------------------------------------------------------------------===//

#include "VectorGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/Utils/VectorUtils.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUHOISTSPLATS
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Whether scalars of these elements have arithmetic: those of 8 bits have only
/// that of integers.
static bool hasScalars(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1))
    return true;
  return element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() >= (isa<FloatType>(element) ? 16 : 8);
}

/// The element of a splat, or the scalar itself.
static Value getScalar(OpBuilder &b, Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = cast<SplatElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(b, constant.getLoc(),
                                     elements.getSplatValue<TypedAttr>());
  }
  return op->getOperand(0);
}

/// Reduces equal elements: their sum is a product, and their largest one any.
static Value reduceSplat(OpBuilder &b, vector::MultiDimReductionOp op) {
  Location loc = op.getLoc();
  Value element = getScalar(b, op.getSource());
  Type type = element.getType();
  if (op.getKind() == vector::CombiningKind::ADD) {
    int64_t count =
        getVectorType(op.getSource()).getNumElements() /
        std::max<int64_t>(1, getVectorType(op.getDest()).getNumElements());
    TypedAttr times = isa<FloatType>(type)
                          ? TypedAttr(b.getFloatAttr(type, count))
                          : TypedAttr(b.getIntegerAttr(
                                type, APInt(type.getIntOrFloatBitWidth(), count,
                                            /*isSigned=*/false,
                                            /*implicitTrunc=*/true)));
    Value factor = arith::ConstantOp::create(b, loc, times);
    element = isa<FloatType>(type)
                  ? arith::MulFOp::create(b, loc, element, factor).getResult()
                  : arith::MulIOp::create(b, loc, element, factor).getResult();
  }
  bool startsEqual = isSplat(op.getAcc());
  Value acc = startsEqual ? getScalar(b, op.getAcc()) : op.getAcc();
  if (!startsEqual)
    element = vector::BroadcastOp::create(b, loc, op.getType(), element);
  Value sum = vector::makeArithReduction(b, loc, op.getKind(), element, acc);
  if (startsEqual)
    sum = vector::BroadcastOp::create(b, loc, op.getType(), sum);
  return sum;
}

/// Whether a reduction of equal elements is known: not that by xor.
static bool canReduce(vector::MultiDimReductionOp op) {
  using K = vector::CombiningKind;
  return isSplat(op.getSource()) && hasScalars(op.getSource().getType()) &&
         llvm::is_contained({K::ADD, K::MAXIMUMF, K::MINIMUMF, K::MAXSI,
                             K::MINSI, K::MAXUI, K::MINUI, K::AND, K::OR},
                            op.getKind());
}

/// Computes the result of an operation on splats as a splat of a scalar; null
/// if another operand is no splat.
static Value computeOnce(Operation *op) {
  if (op->getNumResults() != 1 || !isa<VectorType>(op->getResult(0).getType()))
    return nullptr;
  auto isOnce = [](Value value) {
    return hasScalars(value.getType()) &&
           (!isa<VectorType>(value.getType()) || isSplat(value));
  };
  Value result = op->getResult(0);
  OpBuilder b(op);
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return canReduce(reduction) ? reduceSplat(b, reduction) : nullptr;
  bool isMath = op->hasTrait<OpTrait::Elementwise>() &&
                op->getNumOperands() != 0 && hasScalars(result.getType());
  if ((!isMath && !isa<BroadcastInDimOp>(op)) ||
      !llvm::all_of(op->getOperands(), isOnce))
    return nullptr;
  IRMapping scalars;
  for (Value operand : op->getOperands())
    scalars.map(operand, getScalar(b, operand));
  Value element = scalars.lookup(op->getOperand(0));
  if (isMath) {
    element = b.clone(*op, scalars)->getResult(0);
    element.setType(getElementTypeOrSelf(result.getType()));
  }
  return vector::BroadcastOp::create(
      b, op->getLoc(), cast<VectorType>(result.getType()), element);
}

/// Folds what has become known since common operands are one value: the
/// compiler would find a splat in %d = arith.subi %x, %x, too.
static Value foldMath(Operation *op) {
  SmallVector<Value> folded;
  OpBuilder b(op);
  bool isMath = op->hasTrait<OpTrait::Elementwise>() &&
                !isa<arith::ConstantOp>(op) &&
                isa<VectorType>(op->getResult(0).getType());
  if (!isMath || failed(b.tryFold(op, folded)) || folded.size() != 1)
    return nullptr;
  return folded.front();
}

namespace {
struct HoistSplats
    : mlir::mosaic_gpu::impl::MosaicGPUHoistSplatsBase<HoistSplats> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      Value once = foldMath(op);
      if (!once)
        once = computeOnce(op);
      if (once) {
        op->getResult(0).replaceAllUsesWith(once);
        op->erase();
      }
    });
  }
};
} // namespace
