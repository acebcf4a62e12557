//===- IntegerCode.cpp - Integer arithmetic at many points ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/IntegerCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

static unsigned getWidth(Type type) {
  return type.isIndex() ? IndexType::kInternalStorageBitWidth
                        : type.getIntOrFloatBitWidth();
}

/// Booleans as numbers have a sign, which their slots don't keep.
static bool isKnown(Operation *op) {
  if (isa<arith::AndIOp, arith::OrIOp, arith::SelectOp, arith::ExtUIOp>(op))
    return true;
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CmpIOp,
             arith::ExtSIOp, arith::IndexCastOp, arith::DivSIOp, arith::RemSIOp,
             arith::MinSIOp, arith::MaxSIOp>(op) &&
         !op->getOperand(0).getType().isInteger(1);
}

/// Operands come first, so that one pass over the steps computes the value. A
/// value that several operations use is computed once.
std::optional<unsigned>
IntegerCode::add(Value value,
                 function_ref<std::optional<unsigned>(Value)> findInput) {
  if (auto it = places.find(value); it != places.end())
    return it->second;
  if (!value.getType().isIntOrIndex() || getWidth(value.getType()) > 64)
    return std::nullopt;
  Step step;
  step.width = getWidth(value.getType());
  step.input = findInput(value);
  Operation *op = value.getDefiningOp();
  if (!step.input && !op)
    return std::nullopt;
  std::optional<int64_t> constant;
  if (!step.input && op->getNumOperands() == 0)
    constant = getConstantInteger(value);
  if (constant) {
    step.constant = *constant;
  } else if (!step.input) {
    if (!isKnown(op))
      return std::nullopt;
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      std::optional<unsigned> place = add(operand, findInput);
      if (!place)
        return std::nullopt;
      step.operands[number] = *place;
    }
    step.op = op;
    step.from = getWidth(op->getOperand(0).getType());
  }
  steps.push_back(std::move(step));
  return places[value] = steps.size() - 1;
}

std::optional<IntegerCode>
IntegerCode::compile(Value value,
                     function_ref<std::optional<unsigned>(Value)> findInput) {
  IntegerCode code;
  // More than most maps and conditions have.
  code.steps.reserve(16);
  if (!code.add(value, findInput))
    return std::nullopt;
  code.slots.resize(code.steps.size());
  return code;
}

/// Numbers are in 64 bits, with their sign, and wrap around as unsigned ones.
/// The caller truncates the result to its type. Unsigned comparisons need no
/// case of their own, since sign extension keeps the order:
///
///   arith.cmpi ult, %a, %b : i8    -1 < 1 is 255 < 1 in i8, and false in both
std::optional<int64_t> IntegerCode::compute(const Step &step) const {
  auto get = [&](unsigned operand) { return slots[step.operands[operand]]; };
  auto bits = [&](unsigned operand) { return uint64_t(get(operand)); };
  using Number = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Number>(step.op)
      .Case([&](arith::AddIOp) { return Number(bits(0) + bits(1)); })
      .Case([&](arith::SubIOp) { return Number(bits(0) - bits(1)); })
      .Case([&](arith::MulIOp) { return Number(bits(0) * bits(1)); })
      .Case([&](arith::AndIOp) { return Number(bits(0) & bits(1)); })
      .Case([&](arith::OrIOp) { return Number(bits(0) | bits(1)); })
      .Case([&](arith::CmpIOp compare) {
        return Number(arith::applyCmpPredicate(
            compare.getPredicate(), APInt(64, bits(0)), APInt(64, bits(1))));
      })
      .Case([&](arith::SelectOp) { return Number(get(0) ? get(1) : get(2)); })
      .Case([&](arith::ExtUIOp) {
        return Number(bits(0) & llvm::maskTrailingOnes<uint64_t>(step.from));
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return Number(get(0)); })
      .Case<arith::DivSIOp, arith::RemSIOp>([&](auto op) {
        // The least number has no opposite.
        if (get(1) == 0 || (get(1) == -1 && get(0) == llvm::minIntN(step.from)))
          return Number();
        return Number(isa<arith::DivSIOp>(op) ? get(0) / get(1)
                                              : get(0) % get(1));
      })
      .Case([&](arith::MinSIOp) { return Number(std::min(get(0), get(1))); })
      .Case([&](arith::MaxSIOp) { return Number(std::max(get(0), get(1))); })
      .Default([](Operation *) { return Number(); });
}

std::optional<int64_t> IntegerCode::run(ArrayRef<int64_t> inputs) {
  for (auto [step, slot] : llvm::zip_equal(steps, slots)) {
    std::optional<int64_t> result = step.constant;
    if (step.input)
      result = inputs[*step.input];
    else if (step.op)
      result = compute(step);
    if (!result)
      return std::nullopt;
    slot =
        step.width == 1 ? *result & 1 : llvm::SignExtend64(*result, step.width);
  }
  return slots.back();
}
