//===- LaneCost.cpp - What moves between lanes and rows -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes alone decide here, so that operations of any dialect ask for them.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"

using namespace mlir;
using namespace mlir::tpu;

static constexpr int64_t kRows = 8, kLanes = 128;

/// Registers are first combined with each other by arithmetic, down to one per
/// row or column of tiles. Only what is left crosses sublanes or lanes, which
/// is far more expensive.
OperationCost mlir::tpu::getReductionCost(ShapedType source,
                                          ArrayRef<int64_t> dims, bool isSum) {
  OperationCost cost;
  int64_t rank = source.getRank();
  double registers = getNumRegisters(source);
  bool lanes = llvm::is_contained(dims, rank - 1);
  bool rows = rank > 1 && llvm::is_contained(dims, rank - 2);
  double columns = llvm::divideCeil(source.getShape().back(), kLanes);
  double heights =
      rank > 1 ? llvm::divideCeil(source.getShape()[rank - 2], kRows) : 1;
  double left = registers;
  if (lanes)
    left /= columns;
  if (rows)
    left /= heights;
  cost.count(CostTerm::Arith, registers - left);
  if (rows)
    cost.count(CostTerm::RowReduction, left);
  if (lanes)
    cost.count(CostTerm::LaneReduction, left);
  // Results go to all lanes, behind a second turn of the unit. It compares no
  // integers: the least one takes a third.
  bool isCompared = !isSum && !isa<FloatType>(source.getElementType());
  return lanes ? cost.wait(CostTerm::CrossLatency, isCompared ? 3 : 2)
               : cost.wait(CostTerm::ArithLatency, rows ? 6 + heights : 2);
}

/// A new lane needs the cross-lane unit, a new sublane does not; repeating
/// whole registers costs nothing.
OperationCost mlir::tpu::getBroadcastCost(ShapedType source,
                                          ShapedType result) {
  OperationCost cost;
  int64_t from = source.getRank(), to = result.getRank();
  if (from > 0 && source.getShape().back() == 1 &&
      result.getShape().back() != 1)
    return cost.count(CostTerm::LaneBroadcast, getNumRegisters(source))
        .wait(CostTerm::CrossLatency);
  if (to > 1 && result.getShape()[to - 2] != 1 &&
      (from < 2 || source.getShape()[from - 2] == 1))
    return cost.count(CostTerm::RowBroadcast, getNumRegisters(source))
        .wait(CostTerm::ArithLatency);
  return cost;
}

/// Whether elements stay in their lanes and rows: shapes that differ in ones,
/// or before the last two dimensions.
static bool keepsTiles(ShapedType from, ShapedType to) {
  auto isPlain = [](ShapedType type, ShapedType other) {
    ArrayRef<int64_t> shape = type.getShape();
    return shape.size() >= 2 && other.getRank() >= 2 &&
           shape.take_back(2) == other.getShape().take_back(2);
  };
  if (isPlain(from, to))
    return true;
  auto dropOnes = [](ArrayRef<int64_t> shape) {
    return llvm::filter_to_vector(shape, [](int64_t n) { return n != 1; });
  };
  // Rows become lanes, or lanes rows: <8x1> -> <8>.
  if (from.getShape().back() != to.getShape().back())
    return false;
  // Whole tiles of rows are joined and split in place.
  auto isWhole = [](ShapedType type) {
    return type.getRank() >= 2 &&
           type.getShape()[type.getRank() - 2] % kRows == 0;
  };
  if (isWhole(from) && isWhole(to))
    return true;
  return dropOnes(from.getShape()) == dropOnes(to.getShape());
}

LaneOrigin mlir::tpu::getReshapeOrigin(Type from, Type to) {
  auto hasOneLane = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.getRank() && shaped.getShape().back() == 1;
  };
  return hasOneLane(to) && !hasOneLane(from) ? LaneOrigin::Repeated
                                             : LaneOrigin::Operands;
}

bool mlir::tpu::isRepeatedInLanes(
    Value value, function_ref<LaneOrigin(Operation *)> getOrigin) {
  constexpr unsigned kMostOperations = 16;
  SmallVector<Value, 8> sources = {value};
  bool isRepeated = false;
  for (unsigned next = 0; next < sources.size(); ++next) {
    Operation *op = sources[next].getDefiningOp();
    if (!op || next == kMostOperations)
      return false;
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue;
    LaneOrigin origin = getOrigin(op);
    if (origin == LaneOrigin::Other)
      return false;
    if (origin == LaneOrigin::Repeated)
      isRepeated = true;
    else if (origin == LaneOrigin::Operands)
      llvm::append_range(sources, op->getOperands());
  }
  return isRepeated;
}

/// How many pieces of a value move one by one if its lanes change: rows that
/// do not fill registers. Columns move eight at a time, and a single row stays.
static double getPieces(ShapedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.empty() || shape.back() % kLanes == 0)
    return 0;
  constexpr double kColumnPieces = 1.1;
  double rows = double(type.getNumElements()) / shape.back();
  if (rows == 1)
    return 0;
  return shape.back() == 1
             ? std::min(rows, kColumnPieces * getNumRegisters(type))
             : rows;
}

/// The rows of each group become one row, or the inverse, for eight groups at
/// a time:
///
///   vector.shape_cast %v : <64x8x4> to <64x32>     96 pieces, not 576
static std::optional<double> getPiecesOfGroups(ShapedType from, ShapedType to) {
  if (from.getRank() < to.getRank())
    std::swap(from, to);
  int64_t rank = to.getRank();
  if (rank < 2 || from.getRank() != rank + 1 ||
      from.getShape().drop_back(2) != to.getShape().drop_back() ||
      to.getShape()[rank - 2] % kRows)
    return std::nullopt;
  double groups = double(to.getNumElements()) / to.getShape().back() / kRows;
  return 1.5 * groups * from.getShape()[rank - 1];
}

/// A reshape that moves elements between lanes takes the rows of both sides
/// apart. Whole registers that become others only move between sublanes, and
/// rows that become other tiles keep their lanes.
OperationCost mlir::tpu::getReshapeCost(ShapedType from, ShapedType to) {
  OperationCost cost;
  if (keepsTiles(from, to))
    return cost;
  double registers = std::max(getNumRegisters(from), getNumRegisters(to));
  double left = getPieces(from), right = getPieces(to);
  if (from.getRank() && to.getRank() &&
      from.getShape().back() == to.getShape().back())
    return cost.count(CostTerm::Relayout, 0.25 * std::max(left, right))
        .wait(CostTerm::CrossLatency, 0.25);
  if (!left && !right)
    return cost.count(CostTerm::Relayout, 0.4 * registers)
        .wait(CostTerm::CrossLatency, 0.25);
  double pieces = left + right;
  pieces = std::min(pieces, getPiecesOfGroups(from, to).value_or(pieces));
  return cost.count(CostTerm::Relayout, pieces)
      .wait(CostTerm::CrossLatency, left && right ? 2.5 : 1.5);
}

/// Dimensions in front of the last two only number registers:
///
///   tpu.transpose %v, [1, 0, 2]      free
///   tpu.transpose %v, [0, 2, 1]      the transpose unit
OperationCost mlir::tpu::getTransposeCost(ShapedType source,
                                          ArrayRef<int64_t> permutation) {
  OperationCost cost;
  int64_t rank = source.getRank();
  if (rank < 2 ||
      (permutation[rank - 1] == rank - 1 && permutation[rank - 2] == rank - 2))
    return cost;
  return cost.count(CostTerm::Transpose, getNumRegisters(source))
      .wait(CostTerm::CrossLatency, 2);
}

/// Along a leading dimension only registers change their numbers, but the
/// offset is known at run time, so it costs as a rotation of rows does.
OperationCost mlir::tpu::getRotateCost(ShapedType type, int64_t dim) {
  OperationCost cost;
  double registers = getNumRegisters(type);
  if (dim == type.getRank() - 1)
    return cost.count(CostTerm::LaneRotate, registers)
        .wait(CostTerm::CrossLatency);
  return cost.count(CostTerm::RowRotate, registers)
      .wait(CostTerm::ArithLatency, 3);
}
