//===- WindowMotion.cpp - How results of index maps move ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the id of one grid dimension through index maps, by affine arithmetic
// or, where there is other arithmetic, by trying all programs.
//
//===----------------------------------------------------------------------===//

#include "WindowMotion.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pallas;

using Interval = std::optional<std::pair<int64_t, int64_t>>;

static Interval addRanges(Interval left, Interval right) {
  if (!left || !right)
    return std::nullopt;
  int64_t low, high;
  if (llvm::AddOverflow(left->first, right->first, low) ||
      llvm::AddOverflow(left->second, right->second, high))
    return std::nullopt;
  return std::pair(low, high);
}

/// A negative scale exchanges the bounds, as in `%c16 - %i`.
static Interval scaleRange(Interval range, int64_t factor) {
  if (!range)
    return std::nullopt;
  int64_t low, high;
  if (llvm::MulOverflow(range->first, factor, low) ||
      llvm::MulOverflow(range->second, factor, high))
    return std::nullopt;
  return std::pair(std::min(low, high), std::max(low, high));
}

/// Only the id of the joined dimension moves within a step, from a multiple of
/// the number of parts on.
Motion MotionAnalysis::traceArgument(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  if (argument.getParentRegion()->getParentOp() != grid ||
      number >= shape.size())
    return Motion{0, 1};
  int64_t size = shape[number];
  Interval range;
  if (!ShapedType::isDynamic(size))
    range = {0, size - 1};
  return number == dim ? Motion{1, factor, range} : Motion{0, 1, range};
}

/// Derives the motion from affine arithmetic:
///
///   %0 = arith.muli %i, %c2 : i32      stride 2, multiple of 2 * parts
///   %1 = arith.addi %0, %j : i32       stride 2, any multiple
///
/// Anything else is still as long as its operands are, a read of a prefetched
/// array by `pallas.get` included.
std::optional<Motion> MotionAnalysis::trace(Value value) {
  if (std::optional<int64_t> constant = getConstantInteger(value))
    return Motion{0, std::abs(*constant), {{*constant, *constant}}};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return traceArgument(argument);
  Operation *op = value.getDefiningOp();
  // A value from outside of the grid is the same in all programs.
  if (!grid->isProperAncestor(op))
    return Motion{0, 1};
  if (op->getNumRegions() || (!hasNoEffects(op) && !isa<GetOp>(op)))
    return std::nullopt;
  SmallVector<Motion> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Motion> motion = trace(operand);
    if (!motion)
      return std::nullopt;
    operands.push_back(*motion);
  }
  if (isa<arith::IndexCastOp, MultipleOfOp>(op))
    return operands[0];
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
    return Motion{
        operands[0].stride + sign * operands[1].stride,
        std::gcd(operands[0].multiple, operands[1].multiple),
        addRanges(operands[0].range, scaleRange(operands[1].range, sign))};
  }
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (auto constant = getConstantInteger(op->getOperand(side)))
        return Motion{operands[1 - side].stride * *constant,
                      operands[1 - side].multiple * std::abs(*constant),
                      scaleRange(operands[1 - side].range, *constant)};
  // The same operands in all parts yield the same result.
  bool isStill = llvm::all_of(
      operands, [](const Motion &motion) { return motion.stride == 0; });
  return isStill ? std::optional<Motion>(Motion{0, 1}) : std::nullopt;
}

/// Compares all parts of a step with the first one.
bool MotionAnalysis::addPart(ArrayRef<int64_t> ids, const ProgramTable &table,
                             Motion &motion) {
  int64_t part = ids[dim] % factor;
  SmallVector<int64_t> first(ids);
  first[dim] -= part;
  int64_t base = table.get(first), moved = table.get(ids);
  motion.multiple = std::gcd(motion.multiple, base);
  auto [low, high] = motion.range.value_or(std::pair(moved, moved));
  motion.range = {std::min(low, moved), std::max(high, moved)};
  // The first step tells the stride.
  if (part == 1 && first[dim] == 0 &&
      llvm::all_of(first, [](int64_t id) { return id == 0; }))
    motion.stride = moved - base;
  return moved - base == motion.stride * part;
}

/// Index maps that divide, as those of grouped heads do, are tried out.
std::optional<Motion> MotionAnalysis::evaluate(Value value) {
  const ProgramTable *table = tables.get(value);
  if (!table)
    return std::nullopt;
  Motion motion{0, 0};
  bool isKnown = forEachProgram(table->getShape(), [&](ArrayRef<int64_t> ids) {
    return addPart(ids, *table, motion);
  });
  return isKnown ? std::optional<Motion>(motion) : std::nullopt;
}
