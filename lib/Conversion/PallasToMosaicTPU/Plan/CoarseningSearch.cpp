//===- CoarseningSearch.cpp - How many steps become one -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes from divisor to divisor of the sizes of a grid, one dimension at a time,
// as long as fewer, larger steps promise fewer cycles:
//
//   grid(128) ... 613,000 cycles
//   grid(64), grid(32), ... 12,500 cycles with grid(4), 13,100 with grid(2)
//
// Figures come from the call as it is, and steps are joined once a choice is
// made. Those of pipelines, of loops over parts of tiles and of sums in another
// order are joined to be predicted, while a copy keeps the call as it was.
//
//===----------------------------------------------------------------------===//

#include "CoarseningSearch.h"
#include "CoarseningRules.h"
#include "JoinedCost.h"
#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"
#include "pallas/Dialect/Pallas/Transforms/ExpandPipelines.h"

using namespace mlir;
using namespace mlir::pallas;

/// Less than this share of the cycles is not worth a change.
static constexpr double kLeastGain = 0.05;
/// The compiler schedules most bodies less well in a loop over parts.
static constexpr double kLeastGainOfLoop = 0.12;
/// Copies of arrays that the host lays out differently may never leave VMEM,
/// which the model doesn't know.
static constexpr double kLeastGainOfLayout = 0.5;
/// Windows take no more than this, of the 16 MiB that each kernel gets.
static constexpr double kMostBytes = 14 << 20;

namespace {
/// Looks for the coarsening factors of one call, or of one pipeline.
class Search {
public:
  Search(GridMappingOpInterface grid, const TPUChip &chip,
         const tpu::CostTable &table, bool reassociate)
      : grid(grid), used(grid), chip(chip), table(table),
        reassociate(reassociate), tables(grid) {}

  using Choice = CoarseningChoice;

  /// Replaces the grid by the choice.
  std::optional<Choice> run();

private:
  using Factors = SmallVector<int64_t>;

  std::optional<Choice> choose();
  bool mayGain() const;
  bool isWorthIt(const Choice &choice) const;
  void findLadders();
  bool analyzeBody(unsigned dim);
  bool analyzeBodies(SmallVector<Factors> &path);
  bool isPromising(ArrayRef<int64_t> factors);
  bool hasSlowLoop(ArrayRef<int64_t> factors) const {
    bool isPlainMatmul = original.hasContractions && !original.relaidOut.any();
    return !isPlainMatmul && hasLoopOverParts(joins, factors);
  }
  bool isWorthless(ArrayRef<Factors> path) {
    return llvm::none_of(path.drop_front(), [&](const Factors &factors) {
      return isPromising(factors);
    });
  }
  bool mayJoin() const {
    return llvm::any_of(ladders, [](const SmallVector<int64_t> &ladder) {
      return !ladder.empty();
    });
  }
  void keepLayouts();
  std::optional<Choice> walkDown(SmallVector<Factors> path);
  double joinSteps(const CallCost &cost, ArrayRef<int64_t> factors,
                   bool atBest) const;
  double estimate(ArrayRef<int64_t> factors);
  double getLeastCycles(const Choice &choice, ArrayRef<int64_t> factors) const;
  double getWindowBytes(ArrayRef<int64_t> factors) const {
    return pallas::getWindowBytes(original.windows, joins, factors);
  }
  bool mayFit(ArrayRef<int64_t> factors) const;
  SmallVector<Factors> descend();
  Factors shrink(ArrayRef<int64_t> factors) const;
  std::optional<Choice> tryFactors(const Factors &factors);
  /// A choice, none, or nothing where steps have to be joined to find out.
  std::optional<std::optional<Choice>> foresee(const Factors &factors);
  bool keepsHost(const CallCost &cost) const {
    return (original.isPadded || !cost.isPadded) &&
           !cost.relaidOut.test(original.relaidOut);
  }
  CoarsenedDims coarsen(GridMappingOpInterface joined,
                        ArrayRef<int64_t> factors);
  std::optional<Choice> predict(ArrayRef<int64_t> factors);
  void join(Choice &choice);
  void erase(GridMappingOpInterface other);
  void improve(Choice &choice);
  void keepSteps(Choice &choice);
  /// Calls `visit` with each choice that is one divisor further along one
  /// dimension, of which `skipped` are left out.
  void forEachNext(ArrayRef<int64_t> factors, unsigned skipped,
                   function_ref<void(const Factors &)> visit) const;

  /// The grid without joined steps, and the one whose results are used. They
  /// are the same until steps of the latter are joined.
  GridMappingOpInterface grid, used;
  const TPUChip &chip;
  const tpu::CostTable &table;
  /// Whether sums may be added up in another order.
  bool reassociate;
  IndexTables tables;
  CallCost original;
  double originalBytes = 0;
  /// Coarsening factors of each dimension in growing order; empty where steps
  /// stay apart.
  SmallVector<SmallVector<int64_t>> ladders;
  SmallVector<StepJoin> joins;
  SmallVector<std::pair<Factors, double>> estimates;
  /// How the kernel of `used` grows along each dimension.
  SmallVector<std::unique_ptr<GrownBody>> bodies;
  /// The dimensions that the kernel was analyzed for.
  llvm::SmallBitVector analyzed;
  /// The choices that were predicted.
  SmallVector<std::pair<Factors, std::optional<Choice>>, 4> tried;
  unsigned numPredicted = 0;
  SmallVector<GridMappingOpInterface> copies;
};
} // namespace

/// Cycles that a step takes for being one: the rest stays as it is.
bool Search::mayGain() const {
  double saved = 0;
  for (tpu::CostPart part :
       {tpu::CostPart::Steps, tpu::CostPart::Copies, tpu::CostPart::Control,
        tpu::CostPart::Latency, tpu::CostPart::Matmul})
    saved += original.cycles.counts.getCycles(table, part);
  return saved > kLeastGain * original.cycles.cycles;
}

/// Whether a choice saves enough. Larger blocks may spare the host copies of
/// arrays into another layout or with padding. What these copies cost is
/// uncertain, so the choice then has to pay even if they took no time.
bool Search::isWorthIt(const Choice &choice) const {
  bool keepsLayouts =
      choice.cost.relaidOut == original.relaidOut && !original.isPadded;
  double before = keepsLayouts ? original.cycles.cycles : original.leastCycles;
  double least = keepsLayouts && original.relaidOut.any() ? kLeastGainOfLayout
                                                          : kLeastGain;
  // Nor does it count what a pipeline does around its steps.
  if (isa<EmitPipelineOp>(grid))
    least = kLeastGainOfLoop;
  if (hasSlowLoop(choice.factors))
    least = std::max(least, kLeastGainOfLoop);
  return choice.cost.cycles.cycles <= (1 - least) * before;
}

/// The coarsening factors that windows allow, as if all blocks could grow.
void Search::findLadders() {
  SmallVector<int64_t> least;
  for (int64_t size : grid.getGridShape()) {
    ladders.push_back(size < 2 ? SmallVector<int64_t>() : getLadder(size));
    least.push_back(size < 2 ? 1 : ladders.back().front());
  }
  joins = analyzeJoinedWindows(grid, least, tables);
  for (auto [join, ladder] : llvm::zip_equal(joins, ladders)) {
    if (join.obstacle)
      ladder.clear();
    else if (!ladder.empty())
      join.form = JoinForm::Grow;
  }
}

/// Leaves the coarsening factors of a dimension that the kernel allows. Returns
/// whether these are all, as estimates have assumed.
bool Search::analyzeBody(unsigned dim) {
  analyzed.set(dim);
  if (ladders[dim].empty())
    return true;
  StepJoin &join = joins[dim];
  join.form = JoinForm::None;
  join = analyzeJoinedBody(grid, std::move(join), &bodies[dim],
                           {/*mayGrow=*/true, reassociate});
  if (!isGoodJoin(grid, join))
    ladders[dim].clear();
  bool isAsAssumed = join.form == JoinForm::Grow && !join.reassociates &&
                     !ladders[dim].empty();
  if (!isAsAssumed)
    llvm::erase_if(estimates,
                   [&](const auto &known) { return known.first[dim] != 1; });
  return isAsAssumed;
}

/// Analyzes the kernel for the dimensions of the best estimate, until it holds.
/// The others may join it later for matmuls and other layouts only. Returns
/// whether there are steps worth joining.
bool Search::analyzeBodies(SmallVector<Factors> &path) {
  bool mayChangeLayouts = original.relaidOut.any();
  auto analyze = [&](unsigned dim) {
    if (!analyzeBody(dim))
      path = descend();
    return mayChangeLayouts || !isWorthless(path);
  };
  auto findNext = [&] {
    for (auto [dim, factor] : llvm::enumerate(path.back()))
      if (factor != 1 && !analyzed[dim])
        return int(dim);
    return analyzed.find_first_unset();
  };
  for (int dim; (dim = findNext()) >= 0;) {
    bool isOnPath = path.back()[dim] != 1;
    if (!isOnPath && !mayChangeLayouts && !original.hasContractions)
      break;
    if (!analyze(dim))
      return false;
  }
  return mayJoin();
}

/// The cycles of a call with `cost` whose steps are joined.
double Search::joinSteps(const CallCost &cost, ArrayRef<int64_t> factors,
                         bool atBest) const {
  return estimateJoined(cost, joinWindows(cost.windows, joins, factors), joins,
                        factors, atBest, table);
}

/// Whether the estimate leaves enough to gain. Where a loop over parts has to
/// save more, its estimate has to, too.
bool Search::isPromising(ArrayRef<int64_t> factors) {
  // The prediction of a loop is seldom below this share of its estimate.
  constexpr double kSure = 0.95;
  double cycles = original.cycles.cycles, found = estimate(factors);
  return found <= (1 - kLeastGain) * cycles &&
         (!hasSlowLoop(factors) ||
          kSure * found <= (1 - kLeastGainOfLoop) * cycles);
}

/// Remembered, since each analysis of the kernel leads to another descent,
/// which asks for most figures again.
double Search::estimate(ArrayRef<int64_t> factors) {
  for (const auto &[known, cycles] : estimates)
    if (factors == ArrayRef(known))
      return cycles;
  double cycles = joinSteps(original, factors, /*atBest=*/false);
  estimates.emplace_back(factors, cycles);
  return cycles;
}

/// A bound for a choice that a predicted one becomes by growing blocks further.
/// It saves the prediction of most that are no better.
double Search::getLeastCycles(const Choice &choice,
                              ArrayRef<int64_t> factors) const {
  Factors further;
  for (auto [to, from] : llvm::zip_equal(factors, choice.factors))
    further.push_back(to / from);
  return joinSteps(choice.cost, further, /*atBest=*/true);
}

/// Whether windows that grow leave enough VMEM. The sum of a matmul grows along
/// both of its dimensions.
bool Search::mayFit(ArrayRef<int64_t> factors) const {
  double bytes = getWindowBytes(factors);
  if (original.hasContractions) {
    double rest = original.vmemBytes - originalBytes;
    for (auto [join, factor] : llvm::zip_equal(joins, factors))
      if (join.form == JoinForm::Grow && !join.reassociates)
        rest *= factor;
    bytes += std::max(0.0, rest);
  }
  return bytes < kMostBytes;
}

void Search::forEachNext(ArrayRef<int64_t> factors, unsigned skipped,
                         function_ref<void(const Factors &)> visit) const {
  for (auto [dim, ladder] : llvm::enumerate(ladders)) {
    const auto *next = llvm::upper_bound(ladder, factors[dim]);
    if (ladder.end() - next <= skipped)
      continue;
    Factors further(factors);
    further[dim] = next[skipped];
    visit(further);
  }
}

/// The choices on the way to the best estimate.
SmallVector<Search::Factors> Search::descend() {
  SmallVector<Factors> path = {Factors(ladders.size(), 1)};
  double best = original.cycles.cycles;
  // Behind a divisor that gains nothing there may be one that does.
  for (unsigned skipped = 0; skipped < 2;) {
    Factors found;
    forEachNext(path.back(), skipped, [&](const Factors &factors) {
      if (!mayFit(factors))
        return;
      double cycles = estimate(factors);
      if (cycles >= best)
        return;
      best = cycles;
      found = factors;
    });
    if (found.empty()) {
      ++skipped;
      continue;
    }
    path.push_back(std::move(found));
    skipped = 0;
  }
  return path;
}

/// Remembers what it finds: a copy of the kernel costs more than all estimates.
std::optional<Search::Choice> Search::tryFactors(const Factors &factors) {
  for (const auto &[known, choice] : tried)
    if (known == factors)
      return choice;
  // A prediction without a copy takes a third of the time of one with it.
  std::optional<std::optional<Choice>> found = foresee(factors);
  constexpr unsigned kMostCopies = 3;
  if (!found) {
    if (numPredicted++ == kMostCopies)
      return std::nullopt;
    found = predict(factors);
  }
  tried.emplace_back(factors, std::move(*found));
  return tried.back().second;
}

/// Layouts follow from the blocks alone, so that choices that are none by these
/// take no copy. Those whose estimate isn't worth it don't either, but for
/// other layouts, whose tiles may be fuller.
std::optional<std::optional<Search::Choice>>
Search::foresee(const Factors &factors) {
  const std::optional<Choice> kNone;
  // Predictions are seldom lower than this share of the estimate.
  constexpr double kSure = 0.9;
  auto call = dyn_cast<PallasCallOp>(grid.getOperation());
  if (!call)
    return std::nullopt;
  std::optional<CallCost> cost =
      planJoinedWindows(call, original, joins, factors, chip);
  if (!cost || !keepsHost(*cost))
    return kNone;
  bool isRelaidOut = cost->relaidOut != original.relaidOut;
  Choice choice{factors, std::move(*cost), {}, {}, original.cycles.cycles};
  if (std::optional<StepParts> parts =
          findParts(grid, original, factors, joins, bodies, chip, tables)) {
    if (!original.footprint && failed(measureMemory(call, chip, original)))
      return kNone;
    if (predictJoined(call, original, *parts, chip, table, choice.cost)) {
      choice.cost.plans.clear();
      return std::optional(std::move(choice));
    }
  }
  choice.cost.cycles.cycles =
      kSure * estimateJoined(original, getTraffic(choice.cost.windows), joins,
                             factors, /*atBest=*/true, table);
  if (isRelaidOut || isWorthIt(choice))
    return std::nullopt;
  return kNone;
}

CoarsenedDims Search::coarsen(GridMappingOpInterface joined,
                              ArrayRef<int64_t> factors) {
  // How pipelines sum up is not looked into.
  return coarsenGrid(
      joined, factors,
      {reassociate, isa<PallasCallOp>(joined), joins, bodies, &tables});
}

/// Most searches predict one choice and take it. So the first prediction joins
/// the steps of the original, for which the kernel has been analyzed, and later
/// ones those of copies.
std::optional<Search::Choice> Search::predict(ArrayRef<int64_t> factors) {
  OpBuilder builder(grid);
  auto copy = cast<GridMappingOpInterface>(builder.clone(*grid));
  GridMappingOpInterface joined = copy;
  if (grid == used)
    std::swap(joined, grid);
  CoarsenedDims dims = coarsen(joined, factors);
  bodies.clear();
  std::optional<CallCost> cost;
  if (!dims.numRefused)
    cost = predictGrid(joined, chip, table, /*mustMeasure=*/true);
  if (!cost || !cost->fits || !keepsHost(*cost)) {
    // The memory of a copy that doesn't fit would count for the next one.
    erase(joined);
    return std::nullopt;
  }
  cost->plans.clear();
  copies.push_back(joined);
  return Choice{SmallVector<int64_t>(factors), *cost, joined,
                std::move(dims.remarks), original.cycles.cycles};
}

/// Joins the steps of a choice that was foreseen. Dimensions were analyzed one
/// by one, so blocks that grow along one may keep their size along another.
void Search::join(Choice &choice) {
  SmallVector<int64_t> before = grid.getGridShape();
  CoarsenedDims dims = coarsen(grid, choice.factors);
  choice.grid = grid;
  choice.remarks = std::move(dims.remarks);
  if (!dims.numRefused &&
      dims.numLoops == hasLoopOverParts(joins, choice.factors))
    return;
  for (auto [factor, from, to] :
       llvm::zip_equal(choice.factors, before, grid.getGridShape()))
    factor = from / to;
  if (auto cost = predictGrid(grid, chip, table, /*mustMeasure=*/true))
    choice.cost = std::move(*cost);
}

/// Erases a grid. Uses of its results become those of `grid`.
void Search::erase(GridMappingOpInterface other) {
  if (other == used) {
    used->replaceAllUsesWith(grid);
    used = grid;
  }
  other->erase();
}

/// The smallest windows of those in which one block has one divisor less.
Search::Factors Search::shrink(ArrayRef<int64_t> factors) const {
  Factors best(factors);
  for (auto [dim, ladder] : llvm::enumerate(ladders)) {
    const auto *at = llvm::find(ladder, factors[dim]);
    if (joins[dim].form != JoinForm::Grow || at == ladder.end())
      continue;
    Factors smaller(factors);
    smaller[dim] = at == ladder.begin() ? 1 : at[-1];
    if (getWindowBytes(smaller) < getWindowBytes(best))
      best = std::move(smaller);
  }
  return best;
}

/// The matrix unit gets more out of larger blocks than estimates know, and of
/// parts of a contraction in one step more than predictions do. Blocks grow by
/// one divisor at a time, loops at once as far as VMEM goes, if need be with
/// smaller blocks.
void Search::improve(Choice &choice) {
  constexpr double kUnforeseen = 1.05;
  // The bound is off by less than this.
  constexpr double kSure = 0.98;
  double least = choice.cost.cycles.cycles;
  auto accept = [&](const Factors &factors, double most) {
    std::optional<Choice> found = tryFactors(factors);
    if (!found || !isWorthIt(*found) || found->cost.cycles.cycles >= most)
      return false;
    least = std::min(least, found->cost.cycles.cycles);
    choice = std::move(*found);
    return true;
  };
  for (auto [dim, ladder] : llvm::enumerate(ladders)) {
    if (joins[dim].form != JoinForm::Loop)
      continue;
    for (int64_t factor : llvm::reverse(ladder)) {
      if (factor <= choice.factors[dim])
        break;
      Factors longer(choice.factors);
      longer[dim] = factor;
      if (!mayFit(longer))
        longer = shrink(longer);
      if (mayFit(longer) && accept(longer, kUnforeseen * least))
        break;
    }
  }
  for (bool hasImproved = true; hasImproved;) {
    hasImproved = false;
    Choice before = choice;
    forEachNext(before.factors, /*skipped=*/0, [&](const Factors &factors) {
      hasImproved |= mayFit(factors) &&
                     kSure * getLeastCycles(before, factors) < least &&
                     accept(factors, least);
    });
  }
}

/// Copies of the first windows and of the last results overlap with no work.
/// Matmuls of few, large steps take more than predicted, by a tenth on v5e and
/// v6e, so smaller windows that are about as good win:
///
///   grid(1, 2, 1)   v6e 17,400 cycles predicted, 13,910 by libtpu
///   grid(2, 2, 1)       18,700                   12,555
void Search::keepSteps(Choice &choice) {
  constexpr int64_t kFewSteps = 4;
  constexpr double kAboutAsGood = 1.06;
  int64_t steps = original.cycles.steps;
  for (int64_t factor : choice.factors)
    steps /= factor;
  if (steps >= kFewSteps)
    return;
  Factors smaller = shrink(choice.factors);
  if (smaller == choice.factors)
    return;
  std::optional<Choice> found = tryFactors(smaller);
  if (found && isWorthIt(*found) &&
      found->cost.cycles.cycles <= kAboutAsGood * choice.cost.cycles.cycles)
    choice = std::move(*found);
}

/// Leaves out dimensions along which larger blocks get other layouts.
void Search::keepLayouts() {
  // A pipeline has no layouts to keep.
  auto call = cast<PallasCallOp>(grid.getOperation());
  for (auto [dim, ladder] : llvm::enumerate(ladders)) {
    if (ladder.empty())
      continue;
    Factors factors(ladders.size(), 1);
    factors[dim] = ladder.back();
    std::optional<CallCost> cost =
        planJoinedWindows(call, original, joins, factors, chip);
    if (!cost || cost->relaidOut != original.relaidOut)
      ladder.clear();
  }
}

/// The first choice that is worth it on the way back from the best estimate.
std::optional<Search::Choice> Search::walkDown(SmallVector<Factors> path) {
  // The last ones may need more VMEM than windows take, or other layouts.
  constexpr unsigned kMostTries = 4;
  for (unsigned tries = 0; tries < kMostTries && path.size() > 1; ++tries) {
    Factors factors = path.pop_back_val();
    if (!isPromising(factors))
      continue;
    std::optional<Choice> best = tryFactors(factors);
    if (!best || !isWorthIt(*best))
      continue;
    if (original.hasContractions) {
      improve(*best);
      keepSteps(*best);
    }
    return best;
  }
  return std::nullopt;
}

std::optional<Search::Choice> Search::choose() {
  // Most calls have nothing to join, and are not looked at.
  if (llvm::all_of(grid.getGridShape(), [](int64_t size) { return size < 2; }))
    return std::nullopt;
  // Errors name the blocks that the author wrote, not those of joined steps.
  if (auto pipeline = dyn_cast<EmitPipelineOp>(grid.getOperation());
      pipeline &&
      failed(verifyPipelineWindows(pipeline, {chip.sublanes, chip.lanes})))
    return std::nullopt;
  findLadders();
  if (!mayJoin())
    return std::nullopt;
  std::optional<CallCost> cost =
      predictGrid(grid, chip, table, /*mustMeasure=*/false, &tables);
  if (!cost || cost->cycles.steps < 2)
    return std::nullopt;
  original = std::move(*cost);
  originalBytes = getWindowBytes(Factors(ladders.size(), 1));
  if (!mayGain())
    return std::nullopt;
  // Most calls that are busy computing are left before their operations and
  // their memory are looked at.
  SmallVector<Factors> path = descend();
  if (isWorthless(path))
    return std::nullopt;
  bodies.resize(ladders.size());
  analyzed.resize(ladders.size());
  // Measuring memory takes longer than finding the way without it.
  if (!analyzeBodies(path))
    return std::nullopt;
  auto call = dyn_cast<PallasCallOp>(grid.getOperation());
  if (call && original.hasContractions) {
    if (failed(measureMemory(call, chip, original)))
      return std::nullopt;
    path = descend();
  }
  std::optional<Choice> choice = walkDown(std::move(path));
  if (!choice && original.relaidOut.any()) {
    keepLayouts();
    choice = walkDown(descend());
  }
  return choice;
}

std::optional<Search::Choice> Search::run() {
  std::optional<Choice> choice = choose();
  if (choice && !choice->grid)
    join(*choice);
  GridMappingOpInterface before =
      std::exchange(grid, choice ? choice->grid : grid);
  if (before != grid)
    erase(before);
  for (GridMappingOpInterface copy : copies)
    if (copy != grid)
      erase(copy);
  return choice;
}

std::optional<CoarseningChoice>
mlir::pallas::chooseCoarsening(GridMappingOpInterface grid, const TPUChip &chip,
                               const tpu::CostTable &table, bool reassociate) {
  return Search(grid, chip, table, reassociate).run();
}
