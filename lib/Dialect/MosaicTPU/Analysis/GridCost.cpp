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

#include "KernelWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// The cycles of one fetch, flush and step.
struct Durations {
  double fetch, flush, step;
};

/// A time by what it is made of, so that a report can tell what it is spent on.
struct TimeShares {
  double fetches = 0, flushes = 0, steps = 0;

  void addFetch(const Durations &) { fetches += 1; }
  void addFlush(const Durations &) { flushes += 1; }
  void addStep(const Durations &) { steps += 1; }
  double get(const Durations &of) const {
    return fetches * of.fetch + flushes * of.flush + steps * of.step;
  }
  TimeShares &addTimes(const TimeShares &later, const TimeShares &earlier,
                       double times) {
    fetches += (later.fetches - earlier.fetches) * times;
    flushes += (later.flushes - earlier.flushes) * times;
    steps += (later.steps - earlier.steps) * times;
    return *this;
  }
};

/// A time alone: a search asks for many, and for nothing else.
struct TimeSum {
  double cycles = 0;

  void addFetch(const Durations &of) { cycles += of.fetch; }
  void addFlush(const Durations &of) { cycles += of.flush; }
  void addStep(const Durations &of) { cycles += of.step; }
  double get(const Durations &) const { return cycles; }
  TimeSum &addTimes(const TimeSum &later, const TimeSum &earlier,
                    double times) {
    cycles += (later.cycles - earlier.cycles) * times;
    return *this;
  }
};

/// Steps of a grid in which copies run beside the computation. Two blocks of
/// each window are held: a block is fetched when the one before the last is
/// done with, after what was written two steps ago has left.
template <typename Time> class Pipeline {
public:
  Pipeline(const Durations &durations, int64_t fetchEvery, int64_t flushEvery)
      : durations(durations), fetchEvery(fetchEvery), flushEvery(flushEvery) {}

  Time run(int64_t steps);

private:
  Time simulate(int64_t steps, int64_t mark, Time &atMark);
  const Time &later(const Time &a, const Time &b) const {
    return a.get(durations) >= b.get(durations) ? a : b;
  }

  Durations durations;
  int64_t fetchEvery, flushEvery;
};

class GridCost {
public:
  GridCost(func::FuncOp kernel, const TPUChip &chip, const CostTable &table)
      : kernel(kernel), chip(chip), table(table), walk(chip, table) {}

  FailureOr<KernelCycles> run();

private:
  LogicalResult readGrid();
  std::optional<int64_t> findTableLength(unsigned dim);
  func::FuncOp findIndexMap(DictionaryAttr window);
  LogicalResult readWindows();
  void addWindow(unsigned index, BlockArgument argument, func::FuncOp indices);
  bool isWritten(Value memory);
  CostCounts runSteps();
  double countMoves(func::FuncOp indices);

  func::FuncOp kernel;
  const TPUChip &chip;
  const CostTable &table;
  KernelWalk walk;
  SmallVector<int64_t> grid;
  SmallVector<WindowTraffic> windows;
  int64_t numSteps = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Steps and copies
//===----------------------------------------------------------------------===//

/// Simulates double buffering step by step. A step begins when its windows are
/// there and the buffer that it writes has been flushed two steps before. Of
/// each kind of copy the last two matter, one per buffer. `atMark` is the time
/// of a grid of the first `mark` steps.
template <typename Time>
Time Pipeline<Time>::simulate(int64_t steps, int64_t mark, Time &atMark) {
  Time now, fetched[2], flushed[2];
  int64_t blocks = fetchEvery ? llvm::divideCeil(steps, fetchEvery) : 0;
  int64_t numFetched = std::min<int64_t>(2, blocks), numFlushed = 0;
  for (Time &time : fetched)
    time.addFetch(durations);
  // The block that is computed on, and how many steps each has left.
  int64_t block = 0, untilFetch = fetchEvery, untilFlush = flushEvery;
  auto getEnd = [&] {
    return numFlushed ? later(now, flushed[(numFlushed - 1) % 2]) : now;
  };
  for (int64_t i = 0; i < steps; ++i) {
    if (fetchEvery)
      now = later(now, fetched[block % 2]);
    if (numFlushed >= 2)
      now = later(now, flushed[numFlushed % 2]);
    now.addStep(durations);
    Time free = now;
    if (flushEvery && --untilFlush == 0) {
      untilFlush = flushEvery;
      if (numFlushed)
        free = later(now, flushed[(numFlushed - 1) % 2]);
      Time out = now;
      out.addFlush(durations);
      flushed[numFlushed++ % 2] = out;
    }
    if (fetchEvery && --untilFetch == 0) {
      untilFetch = fetchEvery;
      ++block;
      if (numFetched < blocks) {
        free.addFetch(durations);
        fetched[numFetched++ % 2] = free;
      }
    }
    if (i + 1 == mark)
      atMark = getEnd();
  }
  return getEnd();
}

/// After the first steps, time grows evenly.
template <typename Time> Time Pipeline<Time>::run(int64_t steps) {
  constexpr int64_t kSimulated = 96, kPeriod = 48;
  int64_t simulated = std::min(steps, kSimulated);
  Time earlier, time = simulate(simulated, simulated - kPeriod, earlier);
  if (steps == simulated)
    return time;
  return Time(time).addTimes(time, earlier,
                             double(steps - simulated) / kPeriod);
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

/// How many steps along a dimension have an entry in the tables that index maps
/// look up by its id; none where there are no tables:
///
///   func.func @transform_0(%i: i32, %groups: memref<15xi32>)
///     %0 = memref.load %groups[%i]                            at most 15 steps
std::optional<int64_t> GridCost::findTableLength(unsigned dim) {
  std::optional<int64_t> length;
  auto isId = [&](Value index) {
    if (auto cast = index.getDefiningOp<arith::IndexCastOp>())
      index = cast.getIn();
    auto id = dyn_cast<BlockArgument>(index);
    return id && id.getOwner()->isEntryBlock() && id.getArgNumber() == dim;
  };
  auto params = kernel->getAttrOfType<ArrayAttr>("window_params");
  for (Attribute param : params ? params.getValue() : ArrayRef<Attribute>()) {
    auto dict = dyn_cast<DictionaryAttr>(param);
    func::FuncOp map = dict ? findIndexMap(dict) : func::FuncOp();
    if (!map)
      continue;
    map.walk([&](memref::LoadOp load) {
      for (auto [index, size] :
           llvm::zip_equal(load.getIndices(), load.getMemRefType().getShape()))
        if (isId(index) && !ShapedType::isDynamic(size))
          length = std::min(size, length.value_or(size));
    });
  }
  return length;
}

/// A size of run time has no number of steps to multiply with, but tables may
/// tell how many there are at most.
LogicalResult GridCost::readGrid() {
  if (auto bounds =
          kernel->getAttrOfType<DenseI64ArrayAttr>("iteration_bounds"))
    grid.assign(bounds.asArrayRef().begin(), bounds.asArrayRef().end());
  for (auto [dim, size] : llvm::enumerate(grid)) {
    if (ShapedType::isDynamic(size))
      size = findTableLength(dim).value_or(size);
    if (ShapedType::isDynamic(size))
      return kernel.emitError()
             << "has a grid with a size that is known at run time only; give "
                "the grid numbers to predict its cycles";
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

/// Windows of semaphores and of dynamic shapes are not copied by the pipeline.
void GridCost::addWindow(unsigned index, BlockArgument argument,
                         func::FuncOp indices) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return;
  WindowTraffic window;
  window.index = index;
  window.isOutput = isWritten(argument);
  window.kib = double(type.getNumElements()) *
               type.getElementType().getIntOrFloatBitWidth() / 8 / 1024;
  window.moves = countMoves(indices);
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
  for (size_t index = 0; index < numWindows; ++index) {
    BlockArgument argument = kernel.getArgument(first + index);
    auto dict = params ? dyn_cast<DictionaryAttr>(params[index]) : nullptr;
    bool hasMap = dict && dict.contains("transform_indices");
    // Whole arrays come and go as well, unless they stay where they are.
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto space = type ? dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace())
                      : nullptr;
    func::FuncOp indices = dict ? findIndexMap(dict) : func::FuncOp();
    if (indices && indices.getNumArguments() < grid.size())
      return indices.emitError()
             << "has " << indices.getNumArguments()
             << " arguments, but the grid of the kernel has " << grid.size()
             << " dimensions; give it one for each";
    if (hasMap)
      addWindow(index, argument, indices);
    else if (space && space.getValue() == MemorySpace::Vmem)
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
/// one step earlier. What a table holds is not known, so another entry counts
/// as another place:
///
///   %0 = memref.load %groups[%i]      moves with each step along %i
double GridCost::countMoves(func::FuncOp indices) {
  if (!indices || indices.isExternal())
    return 1;
  Block &body = indices.front();
  SmallVector<Value> entries;
  indices.walk([&](memref::LoadOp load) {
    llvm::append_range(entries, load.getIndices());
  });
  auto locate = [&](ArrayRef<int64_t> point) {
    KernelWalk place(chip, table);
    for (auto [dim, index] : llvm::enumerate(point))
      place.set(body.getArgument(dim), index);
    SmallVector<int64_t> found;
    for (Value value : body.getTerminator()->getOperands())
      found.push_back(place.evaluate(value));
    for (Value entry : entries)
      found.push_back(place.evaluate(entry));
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

namespace {
/// The copies of all inputs, or of all outputs: those of several windows run at
/// the same time, and the one with the longest sum of times decides.
struct LongestCopies {
  double kib = 0;
  /// Of one copy.
  double cycles = 0;
  double moves = 0;
};
} // namespace

static CostTerm getLatencyTerm(bool isOutput) {
  return isOutput ? CostTerm::FlushLatency : CostTerm::FetchLatency;
}

static CostTerm getKiBTerm(bool isOutput) {
  return isOutput ? CostTerm::FlushKiB : CostTerm::FetchKiB;
}

static double getCopyCycles(const WindowTraffic &window,
                            const CostTable &table) {
  return table[size_t(getLatencyTerm(window.isOutput))] +
         window.kib * table[size_t(getKiBTerm(window.isOutput))];
}

static LongestCopies findLongestCopies(ArrayRef<WindowTraffic> windows,
                                       bool isOutput, const CostTable &table) {
  LongestCopies longest;
  double most = -1;
  for (const WindowTraffic &window : windows) {
    if (window.isOutput != isOutput)
      continue;
    double cycles = getCopyCycles(window, table);
    if (cycles * window.moves > most) {
      longest = {window.kib, cycles, window.moves};
      most = cycles * window.moves;
    }
  }
  return longest;
}

/// How often the parts of a grid count whose steps take `step` cycles.
template <typename Time>
static Time runPipeline(const LongestCopies &fetch, const LongestCopies &flush,
                        double step, int64_t numSteps) {
  auto getEvery = [&](double moves) -> int64_t {
    return moves ? std::max<int64_t>(
                       1, llvm::divideNearest(
                              numSteps, std::max<int64_t>(1, int64_t(moves))))
                 : 0;
  };
  return Pipeline<Time>({fetch.cycles, flush.cycles, step},
                        getEvery(fetch.moves), getEvery(flush.moves))
      .run(numSteps);
}

/// The cycles of a step that does nothing.
static double getStepOverhead(size_t numWindows, const CostTable &table) {
  return table[size_t(CostTerm::Step)] +
         double(numWindows) * table[size_t(CostTerm::StepWindow)];
}

double mlir::tpu::predictGridTime(ArrayRef<WindowTraffic> windows,
                                  double stepCycles, int64_t numSteps,
                                  const CostTable &table) {
  double call = table[size_t(CostTerm::Call)];
  if (numSteps <= 0)
    return call;
  LongestCopies fetch = findLongestCopies(windows, /*isOutput=*/false, table),
                flush = findLongestCopies(windows, /*isOutput=*/true, table);
  double step = stepCycles / numSteps + getStepOverhead(windows.size(), table);
  return call + runPipeline<TimeSum>(fetch, flush, step, numSteps).cycles;
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
  steps[CostTerm::Step] += numSteps;
  steps[CostTerm::StepWindow] += double(numSteps) * windows.size();
  for (const WindowTraffic &window : windows) {
    result.bytesCopied += int64_t(window.kib * window.moves * 1024);
    result.copies.push_back(
        {window.index, window.isOutput, getCopyCycles(window, table)});
  }
  LongestCopies fetch = findLongestCopies(windows, /*isOutput=*/false, table),
                flush = findLongestCopies(windows, /*isOutput=*/true, table);
  result.computeCycles = steps.getCycles(table);
  auto time = runPipeline<TimeShares>(
      fetch, flush, result.computeCycles / numSteps, numSteps);
  auto count = [&](const LongestCopies &copies, bool isOutput, double times) {
    result.counts[getLatencyTerm(isOutput)] += times;
    result.counts[getKiBTerm(isOutput)] += times * copies.kib;
  };
  count(fetch, /*isOutput=*/false, time.fetches);
  count(flush, /*isOutput=*/true, time.flushes);
  result.counts.add(steps, time.steps / numSteps);
  result.copyCycles =
      std::max(fetch.cycles * fetch.moves, flush.cycles * flush.moves);
  result.cycles = result.counts.getCycles(table);
  return result;
}

/// An empty grid calls the kernel, and runs nothing.
FailureOr<KernelCycles> GridCost::run() {
  if (failed(readGrid()) || failed(readWindows()))
    return failure();
  return predictGridCycles(windows, numSteps > 0 ? runSteps() : CostCounts(),
                           numSteps, table);
}

FailureOr<KernelCycles> mlir::tpu::predictKernelCycles(func::FuncOp kernel,
                                                       const TPUChip &chip,
                                                       const CostTable &table) {
  return GridCost(kernel, chip, table).run();
}
