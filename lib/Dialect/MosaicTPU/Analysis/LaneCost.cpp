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

bool mlir::tpu::isRepeatedInLanes(
    Value value, function_ref<LaneOrigin(Operation *)> getOrigin) {
  constexpr unsigned kMostOperations = 16;
  SmallVector<Value, 8> sources = {value};
  bool isReduced = false;
  for (unsigned next = 0; next < sources.size(); ++next) {
    Operation *op = sources[next].getDefiningOp();
    if (!op || next == kMostOperations)
      return false;
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue;
    LaneOrigin origin = getOrigin(op);
    if (origin == LaneOrigin::Other)
      return false;
    if (origin == LaneOrigin::Reduction)
      isReduced = true;
    else if (origin == LaneOrigin::Operands)
      llvm::append_range(sources, op->getOperands());
  }
  return isReduced;
}

/// A reshape that moves elements between lanes goes through a relayout, of
/// which the larger side decides.
OperationCost mlir::tpu::getReshapeCost(ShapedType from, ShapedType to) {
  OperationCost cost;
  if (keepsTiles(from, to))
    return cost;
  return cost
      .count(CostTerm::Relayout,
             std::max(getNumRegisters(from), getNumRegisters(to)))
      .wait(CostTerm::CrossLatency);
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
