//===- BlockCost.h - Cycles of operations without control flow --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes decide what operations count, so that vectors and the tensors that
// become vectors share the rules.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_ANALYSIS_BLOCKCOST_H
#define PALLAS_DIALECT_MOSAICTPU_ANALYSIS_BLOCKCOST_H

#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"

namespace mlir::tpu {

/// Which values have to wait in registers, or in memory, for an operation that
/// needs all of its operand.
enum class NeedsAll { No, OfRows, Of };

/// The terms that one operation counts, and how long its result takes: a term
/// of the part `latency` and how often.
struct OperationCost {
  SmallVector<std::pair<CostTerm, double>, 4> work;
  CostTerm latency = CostTerm::ArithLatency;
  double waits = 0;
  /// How often an operand crosses lanes before the operation begins.
  double turns = 0;
  /// The memory that the operation loads from or stores to.
  Value memory;
  /// A store that the stores before it may overlap.
  bool isInOrder = false;
  /// Registers that the result takes.
  double held = 0;
  NeedsAll needsAll = NeedsAll::No;

  OperationCost &count(CostTerm term, double times) {
    work.emplace_back(term, times);
    return *this;
  }
  OperationCost &wait(CostTerm term, double times = 1) {
    latency = term;
    waits = times;
    return *this;
  }
};

/// The cost of an operation of a kernel in the `tpu` dialect.
OperationCost getOperationCost(Operation *op, const TPUChip &chip);

/// The work of a load or a store; none for other operations.
std::optional<OperationCost> getAccessCost(Operation *op);

/// Vector registers of 32-bit elements that a vector fills; zero for scalars.
double getNumRegisters(Type type);
/// Where registers hold two or four elements per word.
double getNumPackedRegisters(Type type);

/// Quotients and remainders of integers, which no unit computes.
bool isIntegerDivision(Operation *op);
/// An operation on elements, by its name.
OperationCost getElementCost(Operation *op);

/// A product of matrices, `batch` times.
struct MatmulShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  unsigned bits = 32;
  bool isHighest = false;
};
OperationCost getMatmulCost(const MatmulShape &shape, const TPUChip &chip);

OperationCost getReductionCost(ShapedType source, ArrayRef<int64_t> dims,
                               bool isSum);
/// The source has as many dimensions as the result, with ones where elements
/// are repeated.
OperationCost getBroadcastCost(ShapedType source, ShapedType result);
/// Where the lanes of a result come from.
enum class LaneOrigin {
  /// A reduction along them, or a reshape that made rows of them: both leave
  /// the result in all lanes.
  Repeated,
  /// One number for all of them.
  Splat,
  /// The same lanes of the operands.
  Operands,
  Other
};
/// The origin after a reshape: <8x128> to <8x128x1> repeats each element.
LaneOrigin getReshapeOrigin(Type from, Type to);
/// Whether a value is the same in all lanes without a broadcast.
bool isRepeatedInLanes(Value value,
                       function_ref<LaneOrigin(Operation *)> getOrigin);
OperationCost getTransposeCost(ShapedType source,
                               ArrayRef<int64_t> permutation);
OperationCost getReshapeCost(ShapedType from, ShapedType to);
/// A rotation, along the lanes or not.
OperationCost getRotateCost(ShapedType type, int64_t dim);
OperationCost getLoadCost(Type type, bool isAligned);
OperationCost getStoreCost(Type type, bool isAligned);

/// An operation and its cost. Most operations of a run share one cost, so the
/// pair points to it.
using PricedOperation = std::pair<Operation *, const OperationCost *>;

/// The cycles that a run takes of each unit before units overlap. They tell the
/// cycles of the same operations on larger values, without another look at
/// them.
struct BlockLoad {
  std::array<double, kNumCostUnits> cycles = {};
  /// Registers that wait for an operation that needs all of its operand.
  double heldForAll = 0, heldForRows = 0;
  /// How many runs are scheduled together.
  double times = 1;

  /// Values take `growth` times the registers. The longest chain stays.
  BlockLoad scale(double growth, const CostTable &table) const;
  /// Several runs that do not wait for each other have the chain of one.
  BlockLoad repeat(int64_t count) const;
  /// Adds the work of an operation as often, or takes it out.
  void add(const OperationCost &cost, double count, const CostTable &table);
  /// The cycles by unit. Those that overlap have their share of the time.
  std::array<double, kNumCostUnits> getShares(const CostTable &table) const;

private:
  double getSpilled(double growth, const CostTable &table) const;
};

/// Counts a run of operations: they are scheduled together, so that the
/// units work side by side, and none ends before the longest chain of them.
/// Several runs that do not wait for each other have the chain of one.
CostCounts getBlockCost(ArrayRef<PricedOperation> ops, const CostTable &table,
                        int64_t times = 1, BlockLoad *load = nullptr);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_ANALYSIS_BLOCKCOST_H
