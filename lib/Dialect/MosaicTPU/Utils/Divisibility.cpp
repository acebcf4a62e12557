//===- Divisibility.cpp - Known divisors of computed numbers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering asks whether the start of an access is a multiple of the tile.
// The answer is a power of two, up to a limit.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

using namespace mlir;
using namespace mlir::tpu;

int64_t mlir::tpu::getPowerOfTwoDivisor(int64_t value, int64_t limit) {
  // Zero is a multiple of everything.
  if (value == 0)
    return limit;
  return std::min<int64_t>(value & -value, limit);
}

/// Follows the computation of a value:
///
///   %0 = arith.muli %i, %c8 : i32
///   %1 = arith.addi %0, %c16 : i32
///
/// %1 is a multiple of 8, which divides both terms. Depth is bounded, because
/// values that are used twice would be visited twice.
static int64_t getKnownMultiple(Value value, int64_t limit, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getPowerOfTwoDivisor(*constant, limit);
  if (depth == 0)
    return 1;
  auto both = [&](Value lhs, Value rhs) {
    return std::min(getKnownMultiple(lhs, limit, depth - 1),
                    getKnownMultiple(rhs, limit, depth - 1));
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && value == loop.getInductionVar())
      // The induction variable is the lower bound plus a multiple of the step.
      return both(loop.getLowerBound(), loop.getStep());
    return 1;
  }
  Operation *op = value.getDefiningOp();
  // The promise may be weaker than what is known otherwise.
  if (auto assume = dyn_cast<AssumeMultipleOp>(op))
    return std::max(getPowerOfTwoDivisor(assume.getMultiple(), limit),
                    getKnownMultiple(assume.getValue(), limit, depth - 1));
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return getKnownMultiple(op->getOperand(0), limit, depth - 1);
  // A power of two that divides both operands divides these, too: the remainder
  // is the difference of two multiples.
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemSIOp, arith::RemUIOp,
          arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return both(op->getOperand(0), op->getOperand(1));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return both(select.getTrueValue(), select.getFalseValue());
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return std::min(limit,
                    getKnownMultiple(product.getLhs(), limit, depth - 1) *
                        getKnownMultiple(product.getRhs(), limit, depth - 1));
  if (auto shift = dyn_cast<arith::ShLIOp>(op))
    if (std::optional<int64_t> amount = getConstantIntValue(shift.getRhs()))
      if (*amount >= 0 && *amount < 32)
        return std::min(limit,
                        getKnownMultiple(shift.getLhs(), limit, depth - 1)
                            << *amount);
  return 1;
}

int64_t mlir::tpu::getKnownMultiple(Value value, int64_t limit) {
  return ::getKnownMultiple(value, limit, /*depth=*/8);
}
