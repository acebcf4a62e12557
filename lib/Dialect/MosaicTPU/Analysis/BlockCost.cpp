//===- BlockCost.cpp - Cycles of operations without control flow ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates what a list scheduler makes of straight-line code: units work side
// by side, so the time is near that of the busiest one, but no shorter than the
// longest chain of operations that wait for each other.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tpu;

/// A schedule reaches the time of its busiest unit only if the others have much
/// less to do: units add up as a norm of degree 4.
static double getNorm(ArrayRef<double> times) {
  double sum = 0;
  for (double time : times)
    sum += (time * time) * (time * time);
  return std::sqrt(std::sqrt(sum));
}
/// Registers for values that wait.
static constexpr double kRegisters = 48;

namespace {
/// The longest chain of operations that wait for each other.
class Chains {
public:
  explicit Chains(const CostTable &table) : table(table) {}

  /// Links the operation behind the operand, or the store to its memory, that
  /// ends last. Only one predecessor is kept: the longest chain needs no other.
  void add(Operation *op, const OperationCost &cost) {
    Link link{op, nullptr, 0, cost.latency, cost.waits};
    for (Value operand : op->getOperands())
      follow(link, links.lookup(operand.getDefiningOp()));
    // A load waits for the store before it.
    Value base = cost.memory;
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

  const CostTable &table;
  DenseMap<Operation *, Link *> links;
  DenseMap<Value, Link *> stores;
  std::vector<std::unique_ptr<Link>> order;
  Link *longest = nullptr;
};
} // namespace

/// A value that is computed before an operation that needs all of its operand,
/// and used after it, goes through memory if registers can't hold it.
/// Example: %e = math.exp %x; %s = reduce %e; %r = divf %e, %s
static void countSpills(ArrayRef<Operation *> ops,
                        ArrayRef<OperationCost> costs, CostCounts &counts) {
  DenseMap<Operation *, size_t> places;
  for (auto [place, op] : llvm::enumerate(ops))
    places[op] = place;
  SmallVector<double> changes(ops.size() + 1, 0);
  for (auto [place, op] : llvm::enumerate(ops)) {
    double held = costs[place].held;
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
  for (auto [place, cost] : llvm::enumerate(costs)) {
    live += changes[place];
    double over = std::max(0.0, live - kRegisters);
    if (cost.needsAll == NeedsAll::Of)
      all = std::max(all, over);
    else if (cost.needsAll == NeedsAll::OfRows)
      rows = std::max(rows, over);
  }
  counts[CostTerm::SpillAll] += all;
  counts[CostTerm::SpillRows] += rows;
}

/// The time of a block is the norm of the times of its units. Each term is
/// scaled to its share of that norm, so that terms add up to the time of the
/// block and a report by term stays a sum.
CostCounts
mlir::tpu::getBlockCost(ArrayRef<Operation *> ops,
                        function_ref<OperationCost(Operation *)> getCost,
                        const CostTable &table, int64_t times) {
  CostCounts counts;
  if (ops.empty())
    return counts;
  Chains chains(table);
  SmallVector<OperationCost, 0> costs;
  for (Operation *op : ops) {
    const OperationCost &cost = costs.emplace_back(getCost(op));
    for (auto [term, count] : cost.work)
      counts[term] += count;
    chains.add(op, cost);
  }
  countSpills(ops, costs, counts);
  for (double &count : counts.counts)
    count *= times;
  chains.count(counts);

  std::array<double, kNumCostUnits> spent = {};
  for (size_t i = 0; i < kNumCostTerms; ++i)
    spent[size_t(getCostUnit(CostTerm(i)))] += counts.counts[i] * table[i];
  double total = getNorm(ArrayRef(spent).drop_front());
  // The norm is the sum of these shares.
  for (size_t i = 0; i < kNumCostTerms; ++i)
    if (CostUnit unit = getCostUnit(CostTerm(i));
        unit != CostUnit::None && total > 0) {
      double share = spent[size_t(unit)] / total;
      counts.counts[i] *= share * share * share;
    }
  counts[CostTerm::Block] += 1;
  return counts;
}
