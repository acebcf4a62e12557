//===- GridCost.cpp - Cycles of a grid and of its windows -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts a kernel by what its pipeline overlaps: while a step computes, the
// windows of the next one arrive and those of the step before leave. Steps are
// sampled, since a grid may have millions of them, and so is the pipeline,
// which becomes periodic after its first steps.
//
//===----------------------------------------------------------------------===//

#include "ArrayPlacement.h"
#include "KernelWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// The copies of a window, one in so many steps; none if that is zero.
struct Transfer {
  int64_t every = 0;
  double kib = 0;
  double cycles = 0;
  bool isScalar = false;
};

/// The cycles of a step, and the constants of copies.
struct Durations {
  double step;
  double fetchLatency, fetchKiB, flushLatency, flushKiB;
  double scalarLatency, scalarKiB;
};

/// A time by what it is made of, so that a report can tell what it is spent on.
struct TimeShares {
  double fetches = 0, fetchedKiB = 0, flushes = 0, flushedKiB = 0, steps = 0;
  double scalarFetches = 0, scalarKiB = 0;

  void addFetch(const Transfer &copy, double times = 1) {
    (copy.isScalar ? scalarFetches : fetches) += times;
    (copy.isScalar ? scalarKiB : fetchedKiB) += times * copy.kib;
  }
  void addFlush(const Transfer &copy, double times = 1) {
    flushes += times;
    flushedKiB += times * copy.kib;
  }
  void addStep(const Durations &) { steps += 1; }
  double get(const Durations &of) const {
    return fetches * of.fetchLatency + fetchedKiB * of.fetchKiB +
           flushes * of.flushLatency + flushedKiB * of.flushKiB +
           scalarFetches * of.scalarLatency + scalarKiB * of.scalarKiB +
           steps * of.step;
  }
  TimeShares &addTimes(const TimeShares &later, const TimeShares &earlier,
                       double times) {
    fetches += (later.fetches - earlier.fetches) * times;
    fetchedKiB += (later.fetchedKiB - earlier.fetchedKiB) * times;
    flushes += (later.flushes - earlier.flushes) * times;
    flushedKiB += (later.flushedKiB - earlier.flushedKiB) * times;
    scalarFetches += (later.scalarFetches - earlier.scalarFetches) * times;
    scalarKiB += (later.scalarKiB - earlier.scalarKiB) * times;
    steps += (later.steps - earlier.steps) * times;
    return *this;
  }
};

/// A time alone: a search asks for many, and for nothing else.
struct TimeSum {
  double cycles = 0;

  void addFetch(const Transfer &copy, double times = 1) {
    cycles += times * copy.cycles;
  }
  void addFlush(const Transfer &copy, double times = 1) {
    cycles += times * copy.cycles;
  }
  void addStep(const Durations &of) { cycles += of.step; }
  double get(const Durations &) const { return cycles; }
  TimeSum &addTimes(const TimeSum &later, const TimeSum &earlier,
                    double times) {
    cycles += (later.cycles - earlier.cycles) * times;
    return *this;
  }
};

/// Steps of a grid in which copies run beside the computation. A step starts
/// the fetches of the next one, waits for its own, computes, starts to flush
/// the blocks that it is the last to write, and waits for the flushes of the
/// step before. So a block that moves seldom is fetched no earlier than one
/// that moves with each step.
template <typename Time> class Pipeline {
public:
  Pipeline(const Durations &durations, ArrayRef<Transfer> fetches,
           ArrayRef<Transfer> flushes)
      : durations(durations), fetches(fetches), flushes(flushes) {}

  Time run(int64_t steps);

private:
  Time simulate(int64_t steps, int64_t mark, Time &atMark);
  const Time &later(const Time &a, const Time &b) const {
    return a.get(durations) >= b.get(durations) ? a : b;
  }

  Durations durations;
  /// The longest first.
  ArrayRef<Transfer> fetches, flushes;
};

class GridCost {
public:
  GridCost(func::FuncOp kernel, const TPUChip &chip, const CostTable &table)
      : kernel(kernel), chip(chip), table(table), walk(chip, table) {}

  FailureOr<KernelCycles> run();

private:
  LogicalResult readGrid();
  func::FuncOp findIndexMap(DictionaryAttr window);
  LogicalResult readWindows();
  void addWindow(unsigned index, BlockArgument argument, func::FuncOp indices);
  bool isStill(func::FuncOp indices);
  bool isWritten(Value memory);
  CostCounts runSteps();
  void addIndexMaps(CostCounts &counts);
  double countMoves(func::FuncOp indices);

  func::FuncOp kernel;
  const TPUChip &chip;
  const CostTable &table;
  KernelWalk walk;
  SmallVector<int64_t> grid;
  SmallVector<WindowTraffic> windows;
  int64_t numSteps = 1;
  /// Windows on arrays in VMEM, whose blocks are not copied. Those that stay
  /// count less.
  double numInPlace = 0;
  /// KiB of each array of one element, in scalar memory: the kernel fetches
  /// them one by one, before the first step.
  SmallVector<double> inSmem;
  /// KiB of each other table that is prefetched.
  SmallVector<double> tables;
  /// Those that depend on the step, and how often it evaluates them.
  SmallVector<std::pair<func::FuncOp, double>, 4> indexMaps;
  /// Sizes of run time are the first operands of a call.
  int64_t numBounds = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Steps and copies
//===----------------------------------------------------------------------===//

/// Copies that begin with the same step run at the same time, so that the
/// longest of them counts.
static const Transfer *findLongest(ArrayRef<Transfer> copies, int64_t step) {
  const Transfer *found = llvm::find_if(
      copies, [&](const Transfer &copy) { return step % copy.every == 0; });
  return found == copies.end() ? nullptr : found;
}

/// Simulates double buffering step by step. `atMark` is the time of a grid of
/// the first `mark` steps.
template <typename Time>
Time Pipeline<Time>::simulate(int64_t steps, int64_t mark, Time &atMark) {
  Time now, fetched, flushed;
  if (const Transfer *first = findLongest(fetches, 0))
    fetched.addFetch(*first);
  for (int64_t i = 0; i < steps; ++i) {
    Time arrival = fetched;
    fetched = Time();
    const Transfer *next =
        i + 1 < steps ? findLongest(fetches, i + 1) : nullptr;
    if (next) {
      fetched = now;
      fetched.addFetch(*next);
    }
    now = later(now, arrival);
    now.addStep(durations);
    Time departure = flushed;
    flushed = Time();
    if (const Transfer *done = findLongest(flushes, i + 1)) {
      flushed = now;
      flushed.addFlush(*done);
    }
    now = later(now, departure);
    if (i + 1 == mark)
      atMark = later(now, flushed);
  }
  return later(now, flushed);
}

/// After the first steps, time grows evenly. Blocks that stay longer than the
/// period are fetched once in the simulation; their other copies follow.
template <typename Time> Time Pipeline<Time>::run(int64_t steps) {
  constexpr int64_t kPeriod = 48, kLongest = 192;
  int64_t longest = 1;
  for (ArrayRef<Transfer> copies : {fetches, flushes})
    for (const Transfer &copy : copies)
      if (copy.every <= kLongest)
        longest = std::max(longest, copy.every);
  int64_t period = llvm::alignTo(kPeriod, longest);
  int64_t simulated = std::min(steps, 2 * period);
  Time earlier, time = simulate(simulated, simulated - period, earlier);
  if (steps == simulated)
    return time;
  time = Time(time).addTimes(time, earlier, double(steps - simulated) / period);
  for (const Transfer &copy : fetches)
    if (copy.every > 2 * period)
      time.addFetch(copy, double(steps) / copy.every - 1);
  for (const Transfer &copy : flushes)
    if (copy.every > 2 * period)
      time.addFlush(copy, double(steps) / copy.every);
  return time;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

func::FuncOp GridCost::findIndexMap(DictionaryAttr window) {
  auto symbol = window.getAs<FlatSymbolRefAttr>("transform_indices");
  return symbol
             ? kernel->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
                   symbol.getAttr())
             : func::FuncOp();
}

/// libtpu's estimate assumes this number of steps for a dimension whose size is
/// known at run time only. Other dimensions and tables do not change it.
static constexpr int64_t kStepsOfRunTime = 42;

LogicalResult GridCost::readGrid() {
  if (auto bounds =
          kernel->getAttrOfType<DenseI64ArrayAttr>("iteration_bounds"))
    grid.assign(bounds.asArrayRef().begin(), bounds.asArrayRef().end());
  for (int64_t &size : grid) {
    if (ShapedType::isDynamic(size)) {
      size = kStepsOfRunTime;
      ++numBounds;
    }
    if (llvm::MulOverflow(numSteps, size, numSteps))
      return kernel.emitError()
             << "has a grid of more steps than 64 bits count; use larger "
                "blocks";
  }
  return success();
}

/// The kernel's arguments do not tell inputs from outputs, so stores do,
/// through views as well.
bool GridCost::isWritten(Value memory) {
  for (Operation *user : memory.getUsers()) {
    if (isa<VectorStoreOp, StridedStoreOp, vector::StoreOp, memref::StoreOp>(
            user))
      return true;
    if (auto copy = dyn_cast<EnqueueDMAOp>(user);
        copy && copy.getTarget() == memory)
      return true;
    bool isView = user->getNumResults() == 1 &&
                  isa<MemRefType>(user->getResult(0).getType());
    if (isView && isWritten(user->getResult(0)))
      return true;
  }
  return false;
}

/// Whether a window lies in one place, as each step knows without asking: the
/// ids that its index map yields are those of dimensions of one step.
bool GridCost::isStill(func::FuncOp indices) {
  auto isFixed = [&](Value index) {
    if (auto id = dyn_cast<BlockArgument>(index))
      return id.getArgNumber() < grid.size() && grid[id.getArgNumber()] == 1;
    return matchPattern(index, m_Constant());
  };
  return !indices || indices.isExternal() ||
         llvm::all_of(indices.front().getTerminator()->getOperands(), isFixed);
}

static bool isIn(MemRefType type, MemorySpace space) {
  auto attr = dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return attr && attr.getValue() == space;
}

/// Windows of semaphores and of dynamic shapes are not copied by the pipeline.
void GridCost::addWindow(unsigned index, BlockArgument argument,
                         func::FuncOp indices) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return;
  WindowTraffic window;
  window.index = index;
  window.isOutput = isWritten(argument);
  window.kib = getKiB(type);
  window.moves = countMoves(indices);
  window.isStill = isStill(indices);
  window.isScalar = !window.isOutput && isIn(type, MemorySpace::Smem);
  windows.push_back(window);
}

/// The arguments of a kernel are, in this order, the ids of the grid, the
/// scalars that were prefetched, the windows, and scratch memory. Without
/// `window_params` all windows are whole arrays.
LogicalResult GridCost::readWindows() {
  auto getCount = [&](StringRef name) {
    auto attr = kernel->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  size_t first = grid.size() + getCount("scalar_prefetch");
  size_t scratch = getCount("scratch_operands");
  size_t numArguments = kernel.getNumArguments();
  auto params = kernel->getAttrOfType<ArrayAttr>("window_params");
  size_t numWindows =
      params ? params.size()
             : numArguments - std::min(numArguments, first + scratch);
  if (first + numWindows + scratch > numArguments)
    return kernel.emitError() << "has " << numWindows << " windows but only "
                              << numArguments << " arguments";
  ArrayPlacement arrays = placeArrays(kernel);
  size_t firstArray = numBounds + getCount("scalar_prefetch");
  auto isScalar = [&](size_t array) {
    return array < arrays.inSmem.size() && arrays.inSmem[array];
  };
  for (size_t array = numBounds; array < firstArray; ++array)
    if (auto type = dyn_cast<MemRefType>(
            kernel.getArgument(grid.size() + array - numBounds).getType()))
      (isScalar(array) ? inSmem : tables).push_back(getKiB(type));
  for (size_t index = 0; index < numWindows; ++index) {
    BlockArgument argument = kernel.getArgument(first + index);
    auto dict = params ? dyn_cast<DictionaryAttr>(params[index]) : nullptr;
    bool hasMap = dict && dict.contains("transform_indices");
    // Whole arrays come and go as well, unless they stay where they are.
    auto type = dyn_cast<MemRefType>(argument.getType());
    func::FuncOp indices = dict ? findIndexMap(dict) : func::FuncOp();
    if (indices && indices.getNumArguments() < grid.size())
      return indices.emitError()
             << "has " << indices.getNumArguments()
             << " arguments, but the grid of the kernel has " << grid.size()
             << " dimensions; give it one for each";
    bool isInVmem = type && isIn(type, MemorySpace::Vmem);
    bool isWindow = isInVmem || (type && isIn(type, MemorySpace::Smem));
    size_t array = firstArray + index;
    bool isInSmem = isWindow && isScalar(array);
    if (isInSmem)
      inSmem.push_back(getKiB(type));
    bool isInPlace = isInSmem || (isInVmem && array < arrays.inVmem.size() &&
                                  arrays.inVmem[array]);
    if (!isStill(indices))
      indexMaps.emplace_back(indices, isInPlace ? 1 : 2);
    if (isInPlace) {
      constexpr double kStillInPlace = 0.4;
      numInPlace += isStill(indices) ? kStillInPlace : 1;
      continue;
    }
    if (hasMap)
      addWindow(index, argument, indices);
    else if (isWindow)
      addWindow(index, argument, {});
  }
  return success();
}

/// How many points of a grid are looked at, at most.
static constexpr int64_t kMaxPoints = 3125;

/// The indices that are taken for each dimension. The first dimensions have
/// fewer of them in grids of many dimensions: conditions are about the last.
static SmallVector<SmallVector<Sample, 5>>
sampleDimensions(ArrayRef<int64_t> grid) {
  SmallVector<SmallVector<Sample, 5>> samples(grid.size());
  int64_t points = 1;
  for (int64_t dim = int64_t(grid.size()) - 1; dim >= 0; --dim) {
    samples[dim] = sampleIndices(grid[dim]);
    if (points * int64_t(samples[dim].size()) > kMaxPoints)
      samples[dim] = {{grid[dim] / 2, double(grid[dim])}};
    points *= samples[dim].size();
  }
  return samples;
}

/// Visits the points that are taken for a grid.
static void forEachSample(ArrayRef<int64_t> grid,
                          function_ref<void(ArrayRef<int64_t>, double)> visit) {
  SmallVector<int64_t> point(grid.size(), 0);
  SmallVector<SmallVector<Sample, 5>> samples = sampleDimensions(grid);
  auto recurse = [&](auto &recurse, size_t dim, double weight) -> void {
    if (dim == grid.size())
      return visit(point, weight);
    for (auto [index, share] : samples[dim]) {
      point[dim] = index;
      recurse(recurse, dim + 1, weight * share);
    }
  };
  recurse(recurse, 0, 1);
}

/// Conditions on ids, such as `pl.when(i == 0)`, hold in few steps; the sample
/// has the first and the last index of each dimension with their true weight.
CostCounts GridCost::runSteps() {
  CostCounts sum;
  forEachSample(grid, [&](ArrayRef<int64_t> point, double weight) {
    for (auto [dim, index] : llvm::enumerate(point))
      walk.set(kernel.getArgument(dim), index);
    sum.add(walk.run(kernel.getBody()), weight);
  });
  return sum;
}

/// Compares where the window lies in the steps of the sample with where it lay
/// one step earlier. Tables hold zeros, as all memory does in the compiler's
/// estimate:
///
///   %0 = memref.load %groups[%i]      stays
double GridCost::countMoves(func::FuncOp indices) {
  if (!indices || indices.isExternal())
    return 1;
  Block &body = indices.front();
  auto locate = [&](ArrayRef<int64_t> point) {
    KernelWalk place(chip, table);
    for (auto [dim, index] : llvm::enumerate(point))
      place.set(body.getArgument(dim), index);
    SmallVector<int64_t> found;
    for (Value value : body.getTerminator()->getOperands())
      found.push_back(place.evaluate(value));
    return found;
  };
  double moves = 0;
  forEachSample(grid, [&](ArrayRef<int64_t> point, double weight) {
    SmallVector<int64_t> before(point);
    for (int64_t dim = grid.size() - 1; dim >= 0; --dim) {
      if (before[dim]-- > 0)
        break;
      before[dim] = grid[dim] - 1;
    }
    bool isFirst = llvm::all_of(point, [](int64_t i) { return i == 0; });
    if (isFirst || locate(point) != locate(before))
      moves += weight;
  });
  return moves;
}

/// Tables and windows in scalar memory arrive later than vectors do.
static double getCopyCycles(const WindowTraffic &window,
                            const CostTable &table) {
  CostTerm latency = window.isOutput   ? CostTerm::FlushLatency
                     : window.isScalar ? CostTerm::PrefetchLatency
                                       : CostTerm::FetchLatency;
  CostTerm kib = window.isOutput   ? CostTerm::FlushKiB
                 : window.isScalar ? CostTerm::PrefetchKiB
                                   : CostTerm::FetchKiB;
  return table[size_t(latency)] + window.kib * table[size_t(kib)];
}

/// The copies of all inputs, or of all outputs, the longest first.
static SmallVector<Transfer, 4> getTransfers(ArrayRef<WindowTraffic> windows,
                                             bool isOutput, int64_t numSteps,
                                             const CostTable &table) {
  SmallVector<Transfer, 4> copies;
  for (const WindowTraffic &window : windows) {
    if (window.isOutput != isOutput || !window.moves)
      continue;
    int64_t moves = std::max<int64_t>(1, int64_t(window.moves));
    int64_t every = std::max<int64_t>(1, llvm::divideNearest(numSteps, moves));
    copies.push_back(
        {every, window.kib, getCopyCycles(window, table), window.isScalar});
  }
  llvm::sort(copies, [](const Transfer &a, const Transfer &b) {
    return std::pair(a.cycles, b.every) > std::pair(b.cycles, a.every);
  });
  return copies;
}

static Durations getDurations(double step, const CostTable &table) {
  auto get = [&](CostTerm term) { return table[size_t(term)]; };
  return {step,
          get(CostTerm::FetchLatency),
          get(CostTerm::FetchKiB),
          get(CostTerm::FlushLatency),
          get(CostTerm::FlushKiB),
          get(CostTerm::PrefetchLatency),
          get(CostTerm::PrefetchKiB)};
}

/// The overhead of a step. Where a window may lie elsewhere than before, the
/// step has to find out.
static CostCounts getStepOverhead(ArrayRef<WindowTraffic> windows) {
  CostCounts counts;
  counts[CostTerm::Step] = 1;
  for (const WindowTraffic &window : windows)
    counts[window.isStill ? CostTerm::StepStill : CostTerm::StepWindow] += 1;
  return counts;
}

double mlir::tpu::predictGridTime(ArrayRef<WindowTraffic> windows,
                                  double stepCycles, int64_t numSteps,
                                  const CostTable &table) {
  double call = table[size_t(CostTerm::Call)];
  if (numSteps <= 0)
    return call;
  auto fetches = getTransfers(windows, /*isOutput=*/false, numSteps, table),
       flushes = getTransfers(windows, /*isOutput=*/true, numSteps, table);
  double step =
      stepCycles / numSteps + getStepOverhead(windows).getCycles(table);
  return call + Pipeline<TimeSum>(getDurations(step, table), fetches, flushes)
                    .run(numSteps)
                    .cycles;
}

/// Combines the cost of the steps with the traffic of windows. What is returned
/// are counts of terms, not only cycles, so a report can show their shares.
KernelCycles mlir::tpu::predictGridCycles(ArrayRef<WindowTraffic> windows,
                                          CostCounts steps, int64_t numSteps,
                                          const CostTable &table) {
  KernelCycles result;
  result.steps = numSteps;
  result.counts[CostTerm::Call] = 1;
  if (numSteps <= 0) {
    result.cycles = result.counts.getCycles(table);
    return result;
  }
  steps.add(getStepOverhead(windows), numSteps);
  for (const WindowTraffic &window : windows) {
    result.bytesCopied += int64_t(window.kib * window.moves * 1024);
    result.copies.push_back(
        {window.index, window.isOutput, getCopyCycles(window, table)});
  }
  auto fetches = getTransfers(windows, /*isOutput=*/false, numSteps, table),
       flushes = getTransfers(windows, /*isOutput=*/true, numSteps, table);
  result.computeCycles = steps.getCycles(table);
  auto time =
      Pipeline<TimeShares>(getDurations(result.computeCycles / numSteps, table),
                           fetches, flushes)
          .run(numSteps);
  result.counts[CostTerm::FetchLatency] += time.fetches;
  result.counts[CostTerm::FetchKiB] += time.fetchedKiB;
  result.counts[CostTerm::FlushLatency] += time.flushes;
  result.counts[CostTerm::FlushKiB] += time.flushedKiB;
  result.counts[CostTerm::PrefetchLatency] += time.scalarFetches;
  result.counts[CostTerm::PrefetchKiB] += time.scalarKiB;
  result.counts.add(steps, time.steps / numSteps);
  for (const WindowTraffic &window : windows)
    result.copyCycles = std::max(result.copyCycles,
                                 getCopyCycles(window, table) * window.moves);
  result.cycles = result.counts.getCycles(table);
  return result;
}

/// A step evaluates index maps twice, for itself and for the one whose blocks
/// it fetches; where nothing is fetched once. Each scalar waits for the one
/// before, half of a division behind other work.
void GridCost::addIndexMaps(CostCounts &counts) {
  for (auto [indices, times] : indexMaps)
    indices.walk([&, times = times](Operation *op) {
      if (isa<memref::LoadOp>(op)) {
        counts[CostTerm::StepLookup] += times / 2;
        return;
      }
      OperationCost cost = getOperationCost(op, chip);
      counts[cost.latency] +=
          times * cost.waits * (isIntegerDivision(op) ? 0.5 : 1);
    });
}

/// An empty grid calls the kernel, and runs nothing.
FailureOr<KernelCycles> GridCost::run() {
  if (failed(readGrid()) || failed(readWindows()))
    return failure();
  CostCounts steps;
  if (numSteps > 0) {
    steps = runSteps();
    CostCounts each;
    each[CostTerm::StepInPlace] = numInPlace;
    addIndexMaps(each);
    steps.add(each, numSteps);
  }
  KernelCycles result = predictGridCycles(windows, steps, numSteps, table);
  // Tables arrive at the same time, and slowly.
  result.counts[CostTerm::PrefetchLatency] += tables.empty() ? 0 : 1;
  for (double kib : tables)
    result.counts[CostTerm::PrefetchKiB] += kib;
  // Sizes of run time arrive before anything else begins.
  result.counts[CostTerm::FetchLatency] += inSmem.size() + (numBounds ? 1 : 0);
  for (double kib : inSmem)
    result.bytesCopied += int64_t(kib * 1024);
  result.cycles = result.counts.getCycles(table);
  return result;
}

FailureOr<KernelCycles> mlir::tpu::predictKernelCycles(func::FuncOp kernel,
                                                       const TPUChip &chip,
                                                       const CostTable &table) {
  return GridCost(kernel, chip, table).run();
}
