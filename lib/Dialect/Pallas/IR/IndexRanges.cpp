//===- IndexRanges.cpp - The values that an index may have ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Places on an axis are often asked for more than once.
static bool isSame(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  auto left = lhs.getDefiningOp<AxisIndexOp>(),
       right = rhs.getDefiningOp<AxisIndexOp>();
  return left && right && left.getType() == right.getType() &&
         left.getAxisName() == right.getAxisName() &&
         lookUpAxis(left, left.getAxisName()).holder ==
             lookUpAxis(right, right.getAxisName()).holder;
}

/// The part of a range for which the predicate holds:
///   %i = pallas.program_id 0          0 to 3 on a grid of 4
///   %c = arith.cmpi slt, %i, %c2
///   scf.if %c { ... }                 0 to 1 in here
/// Comparisons of numbers without a sign tell nothing about ranges with one.
static ConstantIntRanges narrow(const ConstantIntRanges &range,
                                arith::CmpIPredicate predicate,
                                const APInt &bound) {
  APInt first = range.smin(), last = range.smax();
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    first = last = bound;
    break;
  case arith::CmpIPredicate::ne:
    first += first == bound;
    last -= last == bound;
    break;
  case arith::CmpIPredicate::slt:
    last = llvm::APIntOps::smin(last, bound - 1);
    break;
  case arith::CmpIPredicate::sle:
    last = llvm::APIntOps::smin(last, bound);
    break;
  case arith::CmpIPredicate::sgt:
    first = llvm::APIntOps::smax(first, bound + 1);
    break;
  case arith::CmpIPredicate::sge:
    first = llvm::APIntOps::smax(first, bound);
    break;
  default:
    return range;
  }
  // The branch never runs, or the bound is an end of the type.
  if (first.sgt(last) || bound.isMinSignedValue() || bound.isMaxSignedValue())
    return range;
  return ConstantIntRanges::fromSigned(first, last);
}

/// Notes a comparison with a constant, or its inverse, as a fact. Conjunctions
/// are not taken apart: what is not noted leaves a range wide, never wrong.
void IndexRanges::learn(Value condition, bool holds) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  APInt bound;
  if (!compare || !matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
    return;
  arith::CmpIPredicate predicate =
      holds ? compare.getPredicate()
            : arith::invertPredicate(compare.getPredicate());
  Value value = compare.getLhs();
  // A condition that went through an integer: cmpi ne, (extui %c), 0
  if (auto extended = value.getDefiningOp<arith::ExtUIOp>();
      extended && extended.getIn().getType().isInteger(1)) {
    bool ifSet = arith::applyCmpPredicate(predicate,
                                          APInt(bound.getBitWidth(), 1), bound),
         ifClear = arith::applyCmpPredicate(
             predicate, APInt(bound.getBitWidth(), 0), bound);
    if (ifSet != ifClear)
      learn(extended.getIn(), ifSet);
    return;
  }
  facts.push_back({value, predicate, bound});
}

/// In the else branch, %wg is in [0, 1] of an axis of size 3:
///   %last = arith.cmpi eq, %wg, %c2 : i32
///   scf.if %last { ... } else { ... }
/// Ranges that were computed without a condition stay if it is about other
/// values, as most are: those of seven stores of a ragged product, each in a
/// branch of its own, were computed twice.
bool IndexRanges::learnConditions(Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    Operation *branch = region->getParentOp();
    // The dialect doesn't depend on scf.
    if (branch->getName().getStringRef() == "scf.if")
      learn(branch->getOperand(0), region->getRegionNumber() == 0);
  }
  bool narrows = llvm::any_of(facts, [&](const Fact &fact) {
    return llvm::any_of(ranges, [&](const auto &known) {
      return isSame(fact.value, known.first);
    });
  });
  if (narrows)
    ranges.clear();
  return narrows;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The integers in [first, last].
static ConstantIntRanges between(unsigned width, int64_t first, int64_t last) {
  if (last < first || !llvm::isIntN(width, first) || !llvm::isIntN(width, last))
    return ConstantIntRanges::maxRange(width);
  return ConstantIntRanges::fromSigned(APInt(width, first, true),
                                       APInt(width, last, true));
}

/// A place in a grid or on an axis that has `size` of them.
static ConstantIntRanges placeIn(unsigned width, std::optional<int64_t> size) {
  int64_t count = size.value_or(ShapedType::kDynamic);
  return between(width, 0,
                 ShapedType::isDynamic(count)
                     ? llvm::maxIntN(width)
                     : std::max<int64_t>(count, 1) - 1);
}

/// The range of a loop's counter. Bounds that may be negative give no range,
/// because the loop could compare them unsigned.
ConstantIntRanges IndexRanges::computeCounter(BlockArgument argument,
                                              unsigned width, unsigned depth) {
  ConstantIntRanges any = ConstantIntRanges::maxRange(width);
  auto loop =
      dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  if (!loop)
    return any;
  std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(),
                                           upper = loop.getLoopUpperBounds();
  if (!counters || !lower || !upper)
    return any;
  for (auto [counter, first, end] : llvm::zip(*counters, *lower, *upper)) {
    if (counter != argument)
      continue;
    ConstantIntRanges from = get(first, width, depth),
                      to = get(end, width, depth);
    if (from.smin().isNegative() || to.smin().isNegative() ||
        !to.smax().sgt(from.smin()))
      return any;
    return ConstantIntRanges::fromSigned(from.smin(), to.smax() - 1);
  }
  return any;
}

ConstantIntRanges IndexRanges::get(OpFoldResult bound, unsigned width,
                                   unsigned depth) {
  if (auto value = dyn_cast<Value>(bound))
    return get(value, depth);
  return ConstantIntRanges::constant(
      cast<IntegerAttr>(cast<Attribute>(bound)).getValue().sextOrTrunc(width));
}

/// Ids of programs and threads are below the size of their dimension. Other
/// operations know their ranges by the interface of MLIR, if they have it.
ConstantIntRanges IndexRanges::compute(Value value, unsigned width,
                                       unsigned depth) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeCounter(argument, width, depth);
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast<ProgramIdOp>(op)) {
    GridMappingOpInterface grid = getEnclosingGrid(op);
    if (!grid || id.getAxis() >= grid.getNumUserGridDimensions())
      return placeIn(width, std::nullopt);
    return placeIn(
        width, grid.getGridShape()[grid.getGridDimensionOfAxis(id.getAxis())]);
  }
  if (auto axis = dyn_cast<AxisIndexOp>(op))
    return placeIn(width, lookUpAxis(op, axis.getAxisName()).size);
  if (isa<MultipleOfOp, MaxContiguousOp>(op))
    return get(op->getOperand(0), depth);
  auto inferrable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferrable)
    return ConstantIntRanges::maxRange(width);
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return get(operand, depth); });
  ConstantIntRanges result = ConstantIntRanges::maxRange(width);
  inferrable.inferResultRanges(
      operands, [&](Value known, const ConstantIntRanges &range) {
        if (known == value)
          result = range;
      });
  return result;
}

ConstantIntRanges IndexRanges::get(Value value, unsigned depth) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  auto [known, isNew] =
      ranges.try_emplace(value, ConstantIntRanges::maxRange(width));
  if (!isNew || depth == 0 || width == 0)
    return known->second;
  ConstantIntRanges range = compute(value, width, depth - 1);
  for (const Fact &fact : facts)
    if (isSame(fact.value, value))
      range = narrow(range, fact.predicate, fact.bound);
  ranges.insert_or_assign(value, range);
  return range;
}
