//===- Divisibility.cpp - Known divisors of computed numbers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowerings ask whether the start of an access is a multiple of a tile. The
// answer is a power of two, up to a limit.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pallas;

int64_t mlir::pallas::getPowerOfTwoDivisor(int64_t value, int64_t limit) {
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
static int64_t getMultiple(Value value, int64_t limit, MultipleFn promised,
                           unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getPowerOfTwoDivisor(*constant, limit);
  if (depth == 0)
    return 1;
  auto of = [&](Value operand) {
    return getMultiple(operand, limit, promised, depth - 1);
  };
  auto both = [&](Value lhs, Value rhs) { return std::min(of(lhs), of(rhs)); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && value == loop.getInductionVar())
      // The induction variable is the lower bound plus a multiple of the step.
      return both(loop.getLowerBound(), loop.getStep());
    return 1;
  }
  Operation *op = value.getDefiningOp();
  // A promise of 8 may come with code that yields multiples of 64.
  if (int64_t multiple = promised ? promised(op) : 0)
    return std::max(getPowerOfTwoDivisor(multiple, limit),
                    of(op->getOperand(0)));
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return of(op->getOperand(0));
  // A power of two that divides both operands divides these, too: the remainder
  // is the difference of two multiples.
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemSIOp, arith::RemUIOp,
          arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return both(op->getOperand(0), op->getOperand(1));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return both(select.getTrueValue(), select.getFalseValue());
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return std::min(limit, of(product.getLhs()) * of(product.getRhs()));
  if (auto shift = dyn_cast<arith::ShLIOp>(op))
    if (std::optional<int64_t> amount = getConstantIntValue(shift.getRhs()))
      if (*amount >= 0 && *amount < 32)
        return std::min(limit, of(shift.getLhs()) << *amount);
  return 1;
}

int64_t mlir::pallas::getKnownMultiple(Value value, int64_t limit,
                                       MultipleFn promised) {
  return getMultiple(value, limit, promised, /*depth=*/8);
}
