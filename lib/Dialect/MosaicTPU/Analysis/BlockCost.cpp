//===- BlockCost.cpp - Cycles of operations without control flow ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockCost.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tpu;

/// A schedule reaches the time of its busiest unit only if the others have much
/// less to do: units add up as a norm of this degree.
static constexpr double kOverlap = 4;
/// Registers for values that wait.
static constexpr double kRegisters = 48;

namespace {
/// The longest chain of operations that wait for each other.
class Chains {
public:
  explicit Chains(const CostTable &table) : table(table) {}

  void add(Operation *op, const OperationCost &cost) {
    Link link{op, nullptr, 0, cost.latency, cost.waits};
    for (Value operand : op->getOperands())
      follow(link, links.lookup(operand.getDefiningOp()));
    // A load waits for the store before it.
    Value base = getBase(op);
    if (base && op->getNumResults())
      follow(link, stores.lookup(base));
    link.end += cost.waits * table[size_t(cost.latency)];
    order.push_back(std::make_unique<Link>(link));
    Link *added = links[op] = order.back().get();
    if (base && !op->getNumResults())
      stores[base] = added;
    if (!longest || added->end > longest->end)
      longest = added;
  }

  void count(CostCounts &counts) const {
    for (const Link *link = longest; link; link = link->before)
      counts[link->term] += link->waits;
  }

private:
  struct Link {
    Operation *op;
    Link *before;
    double end;
    CostTerm term;
    double waits;
  };

  static void follow(Link &link, Link *before) {
    if (before && (!link.before || before->end > link.before->end)) {
      link.before = before;
      link.end = before->end;
    }
  }

  static Value getBase(Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        return operand;
    return {};
  }

  const CostTable &table;
  DenseMap<Operation *, Link *> links;
  DenseMap<Value, Link *> stores;
  std::vector<std::unique_ptr<Link>> order;
  Link *longest = nullptr;
};
} // namespace

/// Whether the result takes registers that hold something computed.
static double getHeldRegisters(Operation *op) {
  if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<vector::BroadcastOp, vector::LoadOp, VectorLoadOp, IotaOp>(op))
    return 0;
  return getNumRegisters(op->getResult(0).getType());
}

/// A value that is computed before an operation that needs all of its operand,
/// and used after it, goes through memory if registers can't hold it.
/// Example: %e = math.exp %x; %s = reduce %e; %r = divf %e, %s
static void countSpills(ArrayRef<Operation *> ops, CostCounts &counts) {
  DenseMap<Operation *, size_t> places;
  for (auto [place, op] : llvm::enumerate(ops))
    places[op] = place;
  SmallVector<double> changes(ops.size() + 1, 0);
  for (auto [place, op] : llvm::enumerate(ops)) {
    double held = getHeldRegisters(op);
    if (!held)
      continue;
    size_t last = place;
    for (Operation *user : op->getUsers())
      if (auto it = places.find(user); it != places.end())
        last = std::max(last, it->second);
    changes[place + 1] += held;
    changes[last] -= last > place ? held : 0;
    if (last == place)
      changes[place + 1] -= held;
  }
  double live = 0, rows = 0, all = 0;
  for (auto [place, op] : llvm::enumerate(ops)) {
    live += changes[place];
    double over = std::max(0.0, live - kRegisters);
    if (isa<MatmulOp, TransposeOp, vector::TransposeOp>(op))
      all = std::max(all, over);
    else if (isa<vector::MultiDimReductionOp, ReduceOp>(op))
      rows = std::max(rows, over);
  }
  counts[CostTerm::SpillAll] += all;
  counts[CostTerm::SpillRows] += rows;
}

CostCounts mlir::tpu::getBlockCost(ArrayRef<Operation *> ops,
                                   const TPUChip &chip,
                                   const CostTable &table) {
  CostCounts counts;
  if (ops.empty())
    return counts;
  Chains chains(table);
  for (Operation *op : ops) {
    OperationCost cost = getOperationCost(op, chip);
    for (auto [term, times] : cost.work)
      counts[term] += times;
    chains.add(op, cost);
  }
  chains.count(counts);
  countSpills(ops, counts);

  std::array<double, kNumCostUnits> times = {};
  for (size_t i = 0; i < kNumCostTerms; ++i)
    times[size_t(getCostUnit(CostTerm(i)))] += counts.counts[i] * table[i];
  double sum = 0;
  for (size_t unit = 1; unit < kNumCostUnits; ++unit)
    sum += std::pow(times[unit], kOverlap);
  double total = std::pow(sum, 1 / kOverlap);
  // The norm is the sum of these shares.
  for (size_t i = 0; i < kNumCostTerms; ++i)
    if (CostUnit unit = getCostUnit(CostTerm(i));
        unit != CostUnit::None && total > 0)
      counts.counts[i] *= std::pow(times[size_t(unit)] / total, kOverlap - 1);
  counts[CostTerm::Block] += 1;
  return counts;
}
