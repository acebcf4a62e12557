//===- StepCost.cpp - Cycles of a call before it is lowered ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of lowered kernels (docs/dev/CostModel.md) on the operations of a
// kernel that is still to be lowered. It ranks forms of one kernel.
//
//===----------------------------------------------------------------------===//

#include "StepCost.h"
#include "StepOperationCost.h"
#include "StepSamples.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/MosaicTPU/Utils/ShortLoops.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Allocator.h"

using namespace mlir;
using namespace mlir::pallas;
using tpu::CostCounts;
using tpu::CostTerm;
using tpu::OperationCost;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// Adds up what the steps of a grid compute on average.
class StepWalk {
public:
  StepWalk(GridMappingOpInterface grid, const TPUChip &chip,
           const tpu::CostTable &table)
      : grid(grid), chip(chip), table(table), samples(grid) {}

  /// Nothing if a step does what there is no rule for.
  std::optional<CostCounts> run();
  SmallVector<StepRun, 0> takeRuns() { return std::move(runs); }
  /// Whether there is a contraction in what `run` has priced.
  bool hasContractions() const { return hasDots; }
  std::optional<int64_t> getLoopSize();

private:
  /// `together` runs of the block are scheduled as one.
  bool add(Block &block, double times, int64_t together = 1);
  bool addControl(Operation *op, double times);
  const OperationCost *getPrice(Operation *op);
  scf::ForOp getInlinedLoop(Operation *op);
  std::optional<int64_t> getSize(Block &block, bool skipsBranches = false);
  int64_t getNumTogether(scf::ForOp loop, int64_t count);

  GridMappingOpInterface grid;
  const TPUChip &chip;
  const tpu::CostTable &table;
  StepSamples samples;
  CostCounts sum;
  SmallVector<StepRun, 0> runs;
  bool hasDots = false;
  /// By name, type of the result and type of the first operand. Most operations
  /// of a kernel differ in nothing else.
  llvm::DenseMap<std::tuple<OperationName, Type, Type>, OperationCost *> prices;
  /// All costs of the walk.
  llvm::SpecificBumpPtrAllocator<OperationCost> costs;
};
} // namespace

/// A loop that runs once is lowered to its body.
scf::ForOp StepWalk::getInlinedLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && samples.getTripCount(loop) == 1 ? loop : scf::ForOp();
}

/// The number of operations of a block without control flow.
std::optional<int64_t> StepWalk::getSize(Block &block, bool skipsBranches) {
  int64_t size = 0;
  for (Operation &op : block) {
    if (skipsBranches && isa<scf::IfOp>(op))
      continue;
    std::optional<int64_t> nested = 1;
    if (scf::ForOp loop = getInlinedLoop(&op))
      nested = getSize(*loop.getBody());
    else if (op.getNumRegions() > 0)
      nested = std::nullopt;
    if (!nested)
      return std::nullopt;
    size += *nested;
  }
  return size;
}

/// Whether branches run at the start or at the end, on memory alone, so that
/// those of the first and the last part leave a loop over parts:
///
///   scf.if %first { pallas.swap %acc, %zero }
///   ...
///   scf.if %last { pallas.get %acc ... }
static bool mayLeaveLoop(Block &kernel) {
  bool hasAccess = false, endsHere = false;
  for (Operation &op : kernel) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch) {
      if (isa<RunScopedOp, scf::IndexSwitchOp>(op))
        return false;
      if (!isa<GetOp, SwapOp, AddUpdateOp, MaskedLoadOp, MaskedSwapOp>(op))
        continue;
      if (endsHere)
        return false;
      hasAccess = true;
      continue;
    }
    endsHere |= hasAccess;
    auto takesTensor = [&](Operation *inner) {
      return WalkResult(
          success(llvm::none_of(inner->getOperands(), [&](Value operand) {
            return operand.getParentBlock() == &kernel &&
                   isa<RankedTensorType>(operand.getType());
          })));
    };
    if (branch.getNumResults() || !branch.getElseRegion().empty() ||
        visitOperations(branch.getThenRegion(), takesTensor).wasInterrupted())
      return false;
  }
  return true;
}

std::optional<int64_t> StepWalk::getLoopSize() {
  Block &kernel = grid.getKernelRegion().front();
  if (!mayLeaveLoop(kernel))
    return std::nullopt;
  return getSize(kernel, /*skipsBranches=*/true).value_or(0);
}

/// How many iterations of a loop are scheduled together, since they are written
/// out. A loop that carries values runs one iteration after the other, because
/// each needs the result of the one before.
int64_t StepWalk::getNumTogether(scf::ForOp loop, int64_t count) {
  if (loop.getNumResults() > 0)
    return 1;
  std::optional<int64_t> size = getSize(*loop.getBody());
  return size ? tpu::getNumUnrolled(*size, count) : 1;
}

/// A branch counts with its share of the steps, so the sum is that of the mean
/// step:
///
///   scf.if %first { A } else { B }    of 8 steps: A / 8 + 7 B / 8
///
/// A loop whose bounds are not known has no cost, and its kernel no prediction.
bool StepWalk::addControl(Operation *op, double times) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    sum[CostTerm::Branch] += times;
    double share = samples.getShare(branch.getCondition(), 1);
    return add(branch.getThenRegion().front(), times * share) &&
           (branch.getElseRegion().empty() ||
            add(branch.getElseRegion().front(), times * (1 - share)));
  }
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
    sum[CostTerm::Branch] += times * choice.getNumCases();
    double rest = 1;
    for (auto [number, region] :
         llvm::zip_equal(choice.getCases(), choice.getCaseRegions())) {
      double share = std::min(rest, samples.getShare(choice.getArg(), number));
      rest -= share;
      if (!add(region.front(), times * share))
        return false;
    }
    return add(choice.getDefaultBlock(), times * rest);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> count = samples.getTripCount(loop);
    if (!count)
      return false;
    double carried = 0;
    for (Type type : loop.getResultTypes())
      carried += tpu::getNumRegisters(type);
    int64_t together = getNumTogether(loop, *count);
    double iterations = times * *count / std::max<int64_t>(1, together);
    sum[CostTerm::Iteration] += iterations;
    sum[CostTerm::SpillCarried] += times * *count * std::max(0.0, carried - 48);
    return add(*loop.getBody(), iterations, together);
  }
  if (isa<RunScopedOp>(op))
    return add(op->getRegion(0).front(), times);
  return false;
}

/// Whether an access becomes loads or stores of single elements.
static bool isByElement(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access && llvm::any_of(access.getIndexer().getEntries(),
                                [](const DimIndex &entry) {
                                  return entry.kind == IndexKind::Gather;
                                });
}

/// The cost of an operation whose name and types tell it, looked up once for
/// each of them.
const OperationCost *StepWalk::getPrice(Operation *op) {
  // Attributes tell more of `pallas` operations.
  if (op->getNumResults() != 1 || isa<PallasDialect>(op->getDialect()))
    return nullptr;
  auto [it, isNew] = prices.try_emplace(
      {op->getName(), op->getResult(0).getType(),
       op->getNumOperands() ? op->getOperand(0).getType() : Type()});
  if (isNew && isPriced(op))
    it->second =
        new (costs.Allocate()) OperationCost(getStepOperationCost(op, chip));
  return it->second;
}

/// Gives up on what it does not know: a wrong rank would be worse than none.
bool StepWalk::add(Block &block, double times, int64_t together) {
  SmallVector<tpu::PricedOperation> run;
  SmallVector<StepDot, 1> dots;
  SmallVector<Operation *, 4> reads;
  auto finish = [&] {
    if (run.empty())
      return;
    StepRun &added = runs.emplace_back();
    added.times = times;
    added.isOutside = &block == &grid.getKernelRegion().front();
    added.dots = std::exchange(dots, {});
    added.reads = std::exchange(reads, {});
    sum.add(tpu::getBlockCost(run, table, together, &added.load), times);
    for (const StepDot &dot : added.dots)
      added.load.add(tpu::getMatmulCost(dot.shape, chip), -1, table);
    run.clear();
  };
  auto addTo = [&](auto &addTo, Block &block) -> bool {
    for (Operation &op : block) {
      if (const OperationCost *price = getPrice(&op)) {
        run.emplace_back(&op, price);
        continue;
      }
      if (!hasKnownShapes(&op) || isByElement(&op))
        return false;
      if (op.getNumRegions() == 0) {
        if (!isa<GetOp, SwapOp, AddUpdateOp, MaskedLoadOp, MaskedSwapOp>(op) &&
            !hasNoEffects(&op))
          return false;
        if (auto dot = dyn_cast<DotGeneralOp>(op)) {
          hasDots = true;
          dots.push_back({dot, getMatmulShape(dot)});
        }
        run.emplace_back(&op, new (costs.Allocate()) OperationCost(
                                  getStepOperationCost(&op, chip)));
        if (isa<GetOp>(op))
          reads.push_back(&op);
        continue;
      }
      if (scf::ForOp loop = getInlinedLoop(&op)) {
        if (!addTo(addTo, *loop.getBody()))
          return false;
        continue;
      }
      finish();
      if (!addControl(&op, times))
        return false;
    }
    return true;
  };
  bool isKnown = addTo(addTo, block);
  finish();
  return isKnown;
}

std::optional<CostCounts> StepWalk::run() {
  if (!grid.getKernelRegion().hasOneBlock() ||
      !add(grid.getKernelRegion().front(), 1))
    return std::nullopt;
  return sum;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Whether an index map yields ids and numbers alone, as (i, 0) does.
static bool isPlainMap(Region &map) {
  return llvm::all_of(map.front().getTerminator()->getOperands(),
                      [](Value index) {
                        return isa<BlockArgument>(index) ||
                               getConstantInteger(index).has_value();
                      });
}

/// How often a window moves, found by following it; nothing where too many
/// steps would have to be looked at, or the index map asks for more than ids.
/// Only the first `numMoving` dimensions move it. Sizes of run time are assumed
/// here, but nowhere else.
static std::optional<double> followWindow(GridMappingOpInterface grid,
                                          Region &map, unsigned numMoving,
                                          IndexTables &known) {
  constexpr int64_t kMaxSteps = 256;
  SmallVector<int64_t> sizes = getAssumedGrid(grid);
  if (ShapedType::getNumElements(sizes) > kMaxSteps)
    return std::nullopt;
  std::optional<IndexTables> assumed;
  if (ShapedType::isDynamicShape(grid.getGridShape()))
    assumed.emplace(grid, sizes);
  SmallVector<unsigned> ids;
  SmallVector<ProgramTable, 0> tables;
  for (Value index : map.front().getTerminator()->getOperands()) {
    auto id = dyn_cast<BlockArgument>(index);
    if (id && id.getOwner() == &map.front() &&
        id.getArgNumber() < sizes.size()) {
      ids.push_back(id.getArgNumber());
      continue;
    }
    if (getConstantInteger(index))
      continue;
    const ProgramTable *table = (assumed ? *assumed : known).get(index);
    if (!table)
      return std::nullopt;
    tables.push_back(*table);
  }
  std::fill(sizes.begin() + numMoving, sizes.end(), 1);
  SmallVector<int64_t> place, next;
  double moves = 0;
  forEachProgram(sizes, [&](ArrayRef<int64_t> program) {
    next.clear();
    for (unsigned id : ids)
      next.push_back(program[id]);
    for (const ProgramTable &table : tables)
      next.push_back(table.get(program));
    moves += moves == 0 || next != place;
    std::swap(place, next);
    return true;
  });
  return moves;
}

/// Windows of one kind often have the same map, as those of keys and values.
static const CallWindow *findSameMap(GridMappingOpInterface grid, Region &map,
                                     ArrayRef<CallWindow> windows) {
  const auto *found = llvm::find_if(windows, [&](const CallWindow &window) {
    return window.numMoving && OperationEquivalence::isRegionEquivalentTo(
                                   grid.getIndexMap(window.block), &map,
                                   OperationEquivalence::IgnoreLocations);
  });
  return found == windows.end() ? nullptr : found;
}

/// Plain ids move the window with the last dimension that its index map asks
/// for.
void mlir::pallas::countMoves(GridMappingOpInterface grid,
                              MutableArrayRef<CallWindow> windows,
                              bool isTrivial, IndexTables &tables) {
  CallWindow &window = windows.back();
  Region *map = grid.getIndexMap(window.block);
  window.traffic.isStill =
      !map || isTrivial ||
      llvm::all_of(map->front().getTerminator()->getOperands(),
                   [](Value index) { return getConstantInteger(index); });
  if (window.traffic.isStill)
    return;
  bool isPlain = isPlainMap(*map);
  window.isPlain = isPlain;
  if (!isPlain) {
    if (const CallWindow *same = findSameMap(grid, *map, windows.drop_back())) {
      window.traffic.moves = same->traffic.moves;
      window.numMoving = same->numMoving;
      return;
    }
  }
  llvm::SmallDenseSet<Value> used;
  for (Value index : map->front().getTerminator()->getOperands())
    if (isPlain)
      used.insert(index);
    else
      used.insert_range(findSources(index));
  double steps = 1;
  for (auto [dim, size] : llvm::enumerate(getAssumedGrid(grid))) {
    steps *= size;
    if (size == 1 || !used.contains(map->getArgument(dim)))
      continue;
    window.traffic.moves = steps;
    window.numMoving = dim + 1;
  }
  if (!isPlain)
    if (std::optional<double> moves =
            followWindow(grid, *map, window.numMoving, tables))
      window.traffic.moves = *moves;
  window.traffic.isStill = isPlain && window.numMoving == 0;
}

double mlir::pallas::getKiB(const WindowPlan &plan) {
  double bits =
      plan.element.isIntOrFloat() ? plan.element.getIntOrFloatBitWidth() : 0;
  for (int64_t bound : plan.getBounds())
    bits *= bound;
  return bits / 8 / 1024;
}

/// The blocks of copies that the host makes, and that may never leave VMEM: of
/// results, of operands that are these results, and of what it transposes.
/// Other operands are reshaped, where they are.
static llvm::SmallBitVector findCopiesInVmem(GridMappingOpInterface grid,
                                             ArrayRef<WindowPlan> plans) {
  unsigned numInputs = grid.getNumInputs();
  int64_t numIndex = grid.getNumIndexOperands();
  llvm::SmallBitVector found(plans.size());
  for (auto [block, plan] : llvm::enumerate(plans))
    if (!plan.permutation.empty() || (block >= numInputs && plan.isRelaidOut()))
      found.set(block);
  for (auto [operand, output] : grid.getInputOutputAliases())
    if (operand >= numIndex && found[numInputs + output])
      found.set(operand - numIndex);
  return found;
}

static void setMemory(PallasCallOp call, ArrayRef<WindowPlan> plans,
                      const TPUChip &chip, CallCost &cost) {
  auto footprint =
      std::make_shared<TPUFootprint>(computeTPUFootprint(call, plans, chip));
  cost.vmemBytes = footprint->vmemBytes;
  cost.fits = fitsByItself(*footprint, chip);
  cost.footprint = std::move(footprint);
}

LogicalResult mlir::pallas::measureMemory(PallasCallOp call,
                                          const TPUChip &chip, CallCost &cost) {
  if (!cost.plans.empty()) {
    setMemory(call, cost.plans, chip, cost);
    return success();
  }
  auto plans = planWindows(call, chip);
  if (failed(plans))
    return failure();
  setMemory(call, *plans, chip, cost);
  return success();
}

SmallVector<tpu::WindowTraffic>
mlir::pallas::getTraffic(ArrayRef<CallWindow> windows) {
  return llvm::map_to_vector(
      windows, [](const CallWindow &window) { return window.traffic; });
}

void mlir::pallas::setLayouts(CallCost &result) {
  auto pads = [](int64_t size) { return size != 0; };
  result.relaidOut.clear();
  result.relaidOut.resize(result.plans.size());
  result.isPadded = false;
  for (auto [block, plan] : llvm::enumerate(result.plans)) {
    if (plan.isRelaidOut() || plan.hasOffsets())
      result.relaidOut.set(block);
    result.isPadded |= llvm::any_of(plan.hostPadLow, pads) ||
                       llvm::any_of(plan.hostPadHigh, pads);
  }
}

StepCycles::StepCycles(const CostCounts &step, const tpu::CostTable &table) {
  for (size_t i = 0; i < tpu::kNumCostTerms; ++i)
    getKind(CostTerm(i)) += step.counts[i] * table[i];
}

double &StepCycles::getKind(CostTerm term) {
  switch (term) {
  case CostTerm::WeightsF32:
  case CostTerm::WeightsBF16:
  case CostTerm::WeightsI8:
    return weights;
  default:
    break;
  }
  switch (tpu::getCostPart(term)) {
  case tpu::CostPart::Control:
    return control;
  case tpu::CostPart::Latency:
    return latency;
  default:
    return work;
  }
}

SmallVector<tpu::WindowTraffic>
mlir::pallas::getWindowsInHbm(GridMappingOpInterface grid,
                              const CallCost &cost) {
  llvm::SmallBitVector mayStay = findCopiesInVmem(grid, cost.plans);
  SmallVector<tpu::WindowTraffic> found;
  for (const CallWindow &window : cost.windows)
    if (!mayStay[window.block])
      found.push_back(window.traffic);
  return found;
}

std::optional<CostCounts>
mlir::pallas::predictSteps(GridMappingOpInterface grid, int64_t steps,
                           const TPUChip &chip, const tpu::CostTable &table,
                           CallCost &result) {
  StepWalk walk(grid, chip, table);
  std::optional<CostCounts> step = walk.run();
  if (!step)
    return std::nullopt;
  result.step = StepCycles(*step, table);
  result.runs = walk.takeRuns();
  result.loopSize = walk.getLoopSize();
  auto getCycles = [&](CostTerm term) {
    return (*step)[term] * table[size_t(term)];
  };
  result.control = getCycles(CostTerm::Branch) + getCycles(CostTerm::Iteration);
  result.carried = getCycles(CostTerm::SpillCarried);
  result.hasContractions = walk.hasContractions();
  CostCounts all;
  all.add(*step, steps);
  result.cycles =
      tpu::predictGridCycles(getTraffic(result.windows), all, steps, table);
  return all;
}

/// Windows whose arrays may stay in VMEM move without a copy from HBM. Whether
/// they do is XLA's choice, so there are two figures: with all copies, and with
/// those only that nothing can save.
std::optional<CallCost> mlir::pallas::predictCall(PallasCallOp call,
                                                  const TPUChip &chip,
                                                  const tpu::CostTable &table,
                                                  bool mustMeasure,
                                                  IndexTables *tables) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  int64_t steps = 1;
  for (int64_t size : getAssumedGrid(grid))
    if (llvm::MulOverflow(steps, size, steps))
      return std::nullopt;
  CallCost result;
  auto plans = planWindows(grid, chip);
  if (failed(plans))
    return std::nullopt;
  result.plans = std::move(*plans);
  setLayouts(result);
  std::optional<IndexTables> own;
  if (!tables)
    tables = &own.emplace(grid);
  for (auto [block, plan] : llvm::enumerate(result.plans)) {
    if (!plan.isWindowed || plan.space != tpu::MemorySpace::Vmem)
      continue;
    CallWindow &window = result.windows.emplace_back();
    window.block = block;
    window.traffic.isOutput = block >= grid.getNumInputs();
    window.traffic.kib = getKiB(plan);
    countMoves(grid, result.windows, plan.isTrivial, *tables);
  }
  std::optional<CostCounts> all =
      predictSteps(grid, steps, chip, table, result);
  if (!all)
    return std::nullopt;
  auto inHbm = getWindowsInHbm(grid, result);
  // A step finds its place in arrays in VMEM as well.
  (*all)[CostTerm::StepInPlace] +=
      double(steps) * (result.windows.size() - inHbm.size());
  result.leastCycles =
      inHbm.size() == result.windows.size()
          ? result.cycles.cycles
          : tpu::predictGridCycles(inHbm, *all, steps, table).cycles;
  if (mustMeasure)
    setMemory(call, result.plans, chip, result);
  return result;
}

std::optional<CallCost> mlir::pallas::predictGrid(GridMappingOpInterface grid,
                                                  const TPUChip &chip,
                                                  const tpu::CostTable &table,
                                                  bool mustMeasure,
                                                  IndexTables *tables) {
  if (auto pipeline = dyn_cast<EmitPipelineOp>(grid.getOperation()))
    return predictPipeline(pipeline, chip, table, mustMeasure, tables);
  return predictCall(cast<PallasCallOp>(grid.getOperation()), chip, table,
                     mustMeasure, tables);
}
