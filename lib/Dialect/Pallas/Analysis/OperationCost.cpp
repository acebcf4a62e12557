//===- OperationCost.cpp - What single operations cost --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counts are those of JAX's cost estimates where it has them: one operation
// per element for arithmetic, transcendental functions apart, two per
// multiplication and addition of a contraction.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Dialect/Pallas/Analysis/KernelCost.h"
#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// A scalar is one element. So is an array of unknown size, which makes the
/// cost a lower bound.
static uint64_t getNumElements(Type type) {
  ShapedType shaped = getArrayShapedType(type);
  return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 1;
}

/// A power by an integer squares once per bit and multiplies once per bit that
/// is set. A negative exponent adds the division.
static uint64_t getPowerFlops(int64_t exponent) {
  if (exponent == 0 || exponent == 1)
    return 0;
  uint64_t magnitude = std::abs(exponent);
  return llvm::Log2_64(magnitude) + llvm::popcount(magnitude) +
         (exponent < 0 ? 1 : 0);
}

/// A product of m x k and k x n elements has m * n * k multiplications and as
/// many additions.
static KernelCost getProductCost(Type lhs, Type rhs) {
  KernelCost cost;
  if (ShapedType right = getArrayShapedType(rhs);
      right && right.hasStaticShape() && right.getRank() == 2)
    cost.flops = 2 * getNumElements(lhs) * right.getDimSize(1);
  return cost;
}

/// The body of a linalg operation runs once per point of its loops.
static KernelCost getLinalgCost(linalg::LinalgOp op) {
  KernelCost cost;
  for (Operation &nested : op.getBlock()->without_terminator())
    cost += getOperationCost(&nested);
  uint64_t points = 1;
  for (int64_t size : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(size))
      cost.isExact = false;
    else
      points = llvm::SaturatingMultiply<uint64_t>(points, size);
  }
  return cost *= points;
}

/// Each element of the target is moved once. A copy to another device counts as
/// remote too.
static KernelCost getCopyCost(DMAStartOp op) {
  KernelCost cost;
  std::optional<int64_t> bytes = getElementBytes(op.getTarget().getType());
  cost.isExact = bytes.has_value();
  cost.bytesMoved = bytes.value_or(0);
  if (!op.getDeviceIds().empty())
    cost.remoteBytes = cost.bytesMoved;
  return cost;
}

/// Operations that are not listed cost nothing here.
KernelCost pallas::getOperationCost(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getLinalgCost(linalgOp);
  KernelCost cost;
  uint64_t elements =
      op->getNumResults() ? getNumElements(op->getResult(0).getType()) : 0;
  TypeSwitch<Operation *>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
            arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp, arith::NegFOp, arith::AddIOp, arith::SubIOp,
            arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::MaxSIOp,
            arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp,
            arith::OrIOp, arith::XOrIOp, math::FloorOp, math::CeilOp,
            math::RoundOp, math::RoundEvenOp>([&](Operation *) {
        // Addresses are no work of the kernel.
        if (!getElementTypeOrSelf(op->getResult(0).getType()).isIndex())
          cost.flops = elements;
      })
      .Case<math::FmaOp>([&](Operation *) { cost.flops = 2 * elements; })
      .Case<math::SinOp, math::CosOp, math::TanOp, math::SinhOp, math::CoshOp,
            math::TanhOp, math::AsinOp, math::AcosOp, math::AtanOp,
            math::Atan2Op, math::AsinhOp, math::AcoshOp, math::AtanhOp,
            math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
            math::Log10Op, math::Log1pOp, math::SqrtOp, math::RsqrtOp,
            math::CbrtOp, math::ErfOp, math::ErfcOp, math::PowFOp>(
          [&](Operation *) { cost.transcendentals = elements; })
      .Case<math::IPowIOp, math::FPowIOp>([&](Operation *power) {
        std::optional<int64_t> exponent =
            getConstantInteger(power->getOperand(1));
        cost.isExact = exponent.has_value();
        cost.flops = elements * (exponent ? getPowerFlops(*exponent) : 1);
      })
      .Case<AddUpdateOp>([&](AddUpdateOp update) {
        cost.flops = getNumElements(update.getValue().getType());
      })
      .Case<DotGeneralOp>([&](DotGeneralOp dot) {
        auto lhs = cast<ShapedType>(dot.getLhs().getType());
        cost.flops = 2 * elements;
        for (int64_t dim : dot.getLhsContracting())
          cost.flops *= lhs.isDynamicDim(dim) ? 1 : lhs.getDimSize(dim);
      })
      .Case<WGMMARefOp, WGMMAOp, Tcgen05MMAOp>([&](auto product) {
        cost = getProductCost(product.getLhs().getType(),
                              product.getRhs().getType());
      })
      .Case<DMAStartOp>([&](DMAStartOp copy) { cost = getCopyCost(copy); })
      .Case<CopyGmemToSmemOp, CopySmemToGmemOp>([&](auto copy) {
        std::optional<int64_t> bytes =
            getElementBytes(copy.getTarget().getType());
        cost.isExact = bytes.has_value();
        cost.bytesMoved = bytes.value_or(0);
      });
  return cost;
}
