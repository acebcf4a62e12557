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

/// The unit of each term, without a function call. Most runs have fewer
/// operations than there are terms.
static constexpr CostUnit kUnits[] = {
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X) CostUnit::UNIT,
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
};

namespace {
/// A run of operations as it is scheduled: the longest chain of them, and
/// values that registers don't hold. Operations are known by their places, and
/// those of operands are looked up once.
class Schedule {
public:
  Schedule(const CostTable &table, size_t size) : table(table) {
    links.reserve(size);
    places.reserve(size);
  }

  void add(Operation *op, const OperationCost &cost);
  void countChain(CostCounts &counts) const;
  /// The most registers that wait for an operation that needs all of its
  /// operand, or all of its rows.
  std::pair<double, double> findHeld() const;

private:
  /// An operation, and the one before it in its chain.
  struct Link {
    const Link *before = nullptr;
    double end = 0;
    CostTerm term;
    double waits;
    double turns;
    double held;
    NeedsAll needsAll;
    /// The place of the last user.
    size_t last;
  };

  static void follow(Link &link, const Link *before) {
    if (before && (!link.before || before->end > link.before->end)) {
      link.before = before;
      link.end = before->end;
    }
  }

  const CostTable &table;
  /// Never grows beyond what is reserved, so links stay where they are.
  SmallVector<Link, 0> links;
  DenseMap<Operation *, size_t> places;
  DenseMap<Value, const Link *> stores;
  const Link *longest = nullptr;
};
} // namespace

/// Links the operation behind the operand, or the store to its memory, that
/// ends last. Only one predecessor is kept: the longest chain needs no other.
void Schedule::add(Operation *op, const OperationCost &cost) {
  size_t place = links.size();
  Link link;
  link.term = cost.latency;
  link.waits = cost.waits;
  link.turns = cost.turns;
  link.held = cost.held;
  link.needsAll = cost.needsAll;
  link.last = place;
  for (Value operand : op->getOperands()) {
    Operation *before = operand.getDefiningOp();
    auto it = before ? places.find(before) : places.end();
    if (it == places.end())
      continue;
    links[it->second].last = place;
    follow(link, &links[it->second]);
  }
  // A load waits for the store before it.
  Value base = cost.memory;
  if (base && (op->getNumResults() || cost.isInOrder))
    follow(link, stores.lookup(base));
  link.end += cost.waits * table[size_t(cost.latency)] +
              cost.turns * table[size_t(CostTerm::CrossLatency)];
  places[op] = place;
  links.push_back(link);
  const Link *added = &links.back();
  if (base && !op->getNumResults())
    stores[base] = added;
  if (!longest || added->end > longest->end)
    longest = added;
}

void Schedule::countChain(CostCounts &counts) const {
  for (const Link *link = longest; link; link = link->before) {
    counts[link->term] += link->waits;
    counts[CostTerm::CrossLatency] += link->turns;
  }
}

/// A value that is computed before an operation that needs all of its operand,
/// and used after it, goes through memory if registers can't hold it.
/// Example: %e = math.exp %x; %s = reduce %e; %r = divf %e, %s
std::pair<double, double> Schedule::findHeld() const {
  SmallVector<double> changes(links.size() + 1, 0);
  for (auto [place, link] : llvm::enumerate(links))
    if (link.last > place) {
      changes[place + 1] += link.held;
      changes[link.last] -= link.held;
    }
  double live = 0, rows = 0, all = 0;
  for (auto [place, link] : llvm::enumerate(links)) {
    live += changes[place];
    if (link.needsAll == NeedsAll::Of)
      all = std::max(all, live);
    else if (link.needsAll == NeedsAll::OfRows)
      rows = std::max(rows, live);
  }
  return {all, rows};
}

static double getOver(double held) { return std::max(0.0, held - kRegisters); }

double BlockLoad::getSpilled(double growth, const CostTable &table) const {
  return getOver(growth * heldForAll) * table[size_t(CostTerm::SpillAll)] +
         getOver(growth * heldForRows) * table[size_t(CostTerm::SpillRows)];
}

/// Scalars don't grow:
///
///   8x128    matrix 10, vector 40, chain 200, none 3
///   32x128   matrix 40, vector 160, chain 200, none 3
BlockLoad BlockLoad::scale(double growth, const CostTable &table) const {
  BlockLoad scaled = *this;
  double &stores = scaled.cycles[size_t(CostUnit::Store)];
  stores -= times * getSpilled(1, table);
  for (auto [unit, time] : llvm::enumerate(scaled.cycles))
    if (!llvm::is_contained({CostUnit::None, CostUnit::Scalar, CostUnit::Chain},
                            CostUnit(unit)))
      time *= growth;
  stores += times * getSpilled(growth, table);
  scaled.heldForAll *= growth;
  scaled.heldForRows *= growth;
  return scaled;
}

BlockLoad BlockLoad::repeat(int64_t count) const {
  BlockLoad repeated = *this;
  for (auto [unit, time] : llvm::enumerate(repeated.cycles))
    if (CostUnit(unit) != CostUnit::Chain)
      time *= count;
  repeated.times *= count;
  return repeated;
}

/// Work alone: the chain is that of the run.
void BlockLoad::add(const OperationCost &cost, double count,
                    const CostTable &table) {
  for (auto [term, termCount] : cost.work)
    cycles[size_t(kUnits[size_t(term)])] +=
        count * times * termCount * table[size_t(term)];
}

/// As in `getBlockCost`, so that a run that hasn't grown has the same cycles.
std::array<double, kNumCostUnits>
BlockLoad::getShares(const CostTable &table) const {
  std::array<double, kNumCostUnits> shares = cycles;
  double total = getNorm(ArrayRef(cycles).drop_front());
  for (double &time : MutableArrayRef(shares).drop_front())
    if (total > 0)
      time *= (time / total) * (time / total) * (time / total);
  shares[size_t(CostUnit::None)] += table[size_t(CostTerm::Block)];
  return shares;
}

/// The time of a block is the norm of the times of its units. Each term is
/// scaled to its share of that norm, so that terms add up to the time of the
/// block and a report by term stays a sum.
CostCounts mlir::tpu::getBlockCost(ArrayRef<PricedOperation> ops,
                                   const CostTable &table, int64_t times,
                                   BlockLoad *load) {
  CostCounts counts;
  if (ops.empty())
    return counts;
  Schedule schedule(table, ops.size());
  for (auto [op, cost] : ops) {
    for (auto [term, count] : cost->work)
      counts[term] += count;
    schedule.add(op, *cost);
  }
  auto [heldForAll, heldForRows] = schedule.findHeld();
  counts[CostTerm::SpillAll] += getOver(heldForAll);
  counts[CostTerm::SpillRows] += getOver(heldForRows);
  for (double &count : counts.counts)
    count *= times;
  schedule.countChain(counts);

  std::array<double, kNumCostUnits> spent = {};
  for (size_t i = 0; i < kNumCostTerms; ++i)
    spent[size_t(kUnits[i])] += counts.counts[i] * table[i];
  if (load)
    *load = {spent, heldForAll, heldForRows, double(times)};
  double total = getNorm(ArrayRef(spent).drop_front());
  if (total > 0) {
    // The norm is the sum of these shares.
    std::array<double, kNumCostUnits> shares;
    for (auto [unit, time] : llvm::enumerate(spent)) {
      double share = time / total;
      shares[unit] = share * share * share;
    }
    shares[size_t(CostUnit::None)] = 1;
    for (size_t i = 0; i < kNumCostTerms; ++i)
      counts.counts[i] *= shares[size_t(kUnits[i])];
  }
  counts[CostTerm::Block] += 1;
  return counts;
}
