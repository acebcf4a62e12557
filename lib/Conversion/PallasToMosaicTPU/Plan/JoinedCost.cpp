//===- JoinedCost.cpp - Cycles of joined steps that are apart -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joining steps to find out what that brings takes longer than the rest of a
// search. The operations of a kernel are looked at once, and each run of them
// keeps its cycles of each unit. Those of larger blocks are multiples:
//
//   block<[8, 128]>    vector 40, chain 200    203 cycles
//   block<[64, 128]>   vector 320, chain 200   332 cycles
//
//===----------------------------------------------------------------------===//

#include "JoinedCost.h"
#include "StepOperationCost.h"
#include "pallas/Dialect/MosaicTPU/Utils/ShortLoops.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"

using namespace mlir;
using namespace mlir::pallas;
using tpu::CostUnit;

/// Windows that move with a joined dimension move with each larger step:
///
///   grid(8, 4)   map(%i, %j) -> (%i, 0)    8 moves
///   grid(2, 4)   d0=4                      2 moves, of 4 times the bytes
SmallVector<tpu::WindowTraffic>
mlir::pallas::joinWindows(ArrayRef<CallWindow> windows,
                          ArrayRef<StepJoin> joins, ArrayRef<int64_t> factors) {
  SmallVector<tpu::WindowTraffic> joined = getTraffic(windows);
  for (auto [dim, factor] : llvm::enumerate(factors)) {
    if (factor == 1)
      continue;
    for (auto [traffic, window] : llvm::zip_equal(joined, windows)) {
      if (joins[dim].walks[window.block])
        traffic.kib *= factor;
      if (dim < window.numMoving)
        traffic.moves = std::max(1.0, traffic.moves / factor);
      traffic.isStill |= window.isPlain && traffic.moves == 1;
    }
  }
  return joined;
}

double mlir::pallas::getWindowBytes(ArrayRef<CallWindow> windows,
                                    ArrayRef<StepJoin> joins,
                                    ArrayRef<int64_t> factors) {
  double bytes = 0;
  for (const CallWindow &window : windows) {
    double kib = window.traffic.kib;
    for (auto [dim, factor] : llvm::enumerate(factors))
      if (factor != 1 && joins[dim].walks[window.block])
        kib *= factor;
    bytes += 2 * kib * 1024;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// How many of these parts in a loop are scheduled together.
static int64_t getNumTogether(const CallCost &cost, int64_t numParts) {
  if (!cost.loopSize)
    return std::min(numParts, tpu::kMaxJoinedIterations);
  return *cost.loopSize ? tpu::getNumUnrolled(*cost.loopSize, numParts) : 1;
}

double mlir::pallas::estimateJoined(const CallCost &cost,
                                    ArrayRef<tpu::WindowTraffic> windows,
                                    ArrayRef<StepJoin> joins,
                                    ArrayRef<int64_t> factors, bool atBest,
                                    const tpu::CostTable &table) {
  double grown = 1, looped = 1;
  int64_t steps = cost.cycles.steps;
  for (auto [join, factor] : llvm::zip_equal(joins, factors)) {
    steps /= factor;
    (join.form == JoinForm::Grow ? grown : looped) *= factor;
  }
  double together = atBest ? std::min<double>(looped, tpu::kMaxJoinedIterations)
                           : getNumTogether(cost, int64_t(looped));
  double step = cost.step.work + cost.step.control / grown +
                cost.step.latency / grown / together +
                cost.step.weights / (atBest ? grown : 1);
  return tpu::predictGridTime(windows, step * cost.cycles.steps, steps, table);
}

double StepParts::getGrowth() const {
  double all = 1;
  for (const Dim &dim : grown)
    all *= dim.growth;
  return all;
}

double StepParts::getGrowth(Value value) const {
  double all = 1;
  for (const Dim &dim : grown)
    if (dim.body->getNaturalDim(value))
      all *= dim.growth;
  return all;
}

/// More rows of %x take the same weights, more columns of %y others:
///
///   pallas.dot_general %x, %y contract [1] x [0]
static tpu::MatmulShape growShape(const StepDot &dot, const StepParts &parts) {
  DotGeneralOp op = dot.op;
  tpu::MatmulShape shape = dot.shape;
  for (auto [body, factor, growth] : parts.grown) {
    std::optional<unsigned> lhs = body->getNaturalDim(op.getLhs()),
                            rhs = body->getNaturalDim(op.getRhs());
    if (lhs && llvm::is_contained(op.getLhsBatch(), int64_t(*lhs)))
      shape.batch *= factor;
    else if (lhs)
      shape.m *= factor;
    else if (rhs)
      shape.n *= factor;
  }
  return shape;
}

/// The load of a run in grown blocks. Contractions take whole passes of the
/// matrix unit, so that their work is counted again.
static tpu::BlockLoad growRun(const StepRun &run, const StepParts &parts,
                              const TPUChip &chip,
                              const tpu::CostTable &table) {
  double growth = parts.getGrowth();
  tpu::BlockLoad load = run.load.scale(growth, table);
  for (Operation *read : run.reads)
    if (double own = parts.getGrowth(read->getResult(0)); own != growth)
      load.add(getStepOperationCost(read, chip), own - growth, table);
  for (const StepDot &dot : run.dots)
    load.add(tpu::getMatmulCost(growShape(dot, parts), chip), 1, table);
  return load;
}

/// Adds the cycles of a run, with the share of each unit in the time of all.
static void addCycles(const tpu::BlockLoad &load, double times,
                      const tpu::CostTable &table, StepCycles &step) {
  auto shares = load.getShares(table);
  for (auto [unit, cycles] : llvm::enumerate(shares))
    switch (CostUnit(unit)) {
    case CostUnit::None:
    case CostUnit::Scalar:
      step.control += times * cycles;
      break;
    case CostUnit::Weights:
      step.weights += times * cycles;
      break;
    case CostUnit::Chain:
      step.latency += times * cycles;
      break;
    default:
      step.work += times * cycles;
    }
}

//===----------------------------------------------------------------------===//
// Windows and memory
//===----------------------------------------------------------------------===//

/// Blocks that don't move with a joined dimension keep their plans.
std::optional<CallCost> mlir::pallas::planJoinedWindows(
    PallasCallOp call, const CallCost &cost, ArrayRef<StepJoin> joins,
    ArrayRef<int64_t> factors, const TPUChip &chip) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  CallCost planned;
  planned.plans.reserve(cost.plans.size());
  planned.windows = cost.windows;
  for (auto [window, traffic] : llvm::zip_equal(
           planned.windows, joinWindows(cost.windows, joins, factors)))
    window.traffic = traffic;
  planned.hasContractions = cost.hasContractions;
  planned.cycles.steps = cost.cycles.steps;
  for (auto [block, mapping] : llvm::enumerate(grid.getMappings())) {
    BlockMappingAttr larger = mapping;
    for (auto [join, factor] : llvm::zip_equal(joins, factors))
      if (factor != 1 && join.walks[block])
        larger = growMapping(larger, *join.walks[block], factor);
    if (larger == mapping) {
      planned.plans.push_back(cost.plans[block]);
      continue;
    }
    // A larger block may have another layout:
    //
    //   block<[4, 128]> of 16x128 is split by the host, block<[8, 128]> is not
    FailureOr<WindowPlan> plan = planWindow(grid, block, larger, chip);
    if (failed(plan))
      return std::nullopt;
    planned.plans.push_back(std::move(*plan));
  }
  for (CallWindow &window : planned.windows)
    window.traffic.kib = getKiB(planned.plans[window.block]);
  for (int64_t factor : factors)
    planned.cycles.steps /= factor;
  setLayouts(planned);
  return planned;
}

/// Windows are as large as planned, and scratch memory that holds parts
/// grows with them. Values take no more than as many times as before.
static bool growMemory(PallasCallOp call, const CallCost &cost,
                       const StepParts &parts, const TPUChip &chip,
                       CallCost &planned) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  using Role = MemoryBuffer::Role;
  TPUFootprint grown;
  grown.vmemBytes = cost.footprint->vmemBytes;
  grown.smemBytes = cost.footprint->smemBytes;
  grown.valueBytes = cost.footprint->valueBytes * parts.getGrowth();
  for (const MemoryBuffer &buffer : cost.footprint->memory.buffers) {
    if (buffer.role == Role::Scoped || buffer.owner != call)
      return false;
    if (buffer.role == Role::Prefetch || !buffer.bytes)
      continue;
    auto type = cast<RefType>(buffer.type);
    SmallVector<int64_t> shape(type.getShape());
    Type element = type.getElementType();
    if (buffer.role != Role::Scratch) {
      const WindowPlan &plan =
          planned
              .plans[buffer.index +
                     (buffer.role == Role::Output ? grid.getNumInputs() : 0)];
      shape = plan.getBounds();
      element = plan.element;
    } else {
      Value scratch = grid.sliceScratchOps()[buffer.index];
      for (auto [body, factor, growth] : parts.grown)
        if (auto dim = body->getRefDim(scratch))
          shape[*dim] *= factor;
    }
    (type.getSpace() == MemorySpace::Smem ? grown.smemBytes
                                          : grown.vmemBytes) +=
        buffer.count *
        (getTPUPaddedBytes(shape, element, chip) - *buffer.bytes);
  }
  planned.vmemBytes = grown.vmemBytes;
  return fitsByItself(grown, chip);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Elements of a tile along the dimension of an array, as it has in registers.
static int64_t getTile(ArrayRef<BlockDimAttr> dims, unsigned walk,
                       const TPUChip &chip) {
  int64_t fromMinor =
      llvm::count_if(dims.drop_front(walk + 1), [](BlockDimAttr dim) {
        return dim.getKind() != BlockDimKind::Squeezed;
      });
  return fromMinor == 0 ? chip.lanes : fromMinor == 1 ? chip.sublanes : 1;
}

/// Blocks of 4 x 128 take as many registers as those of 8 x 128.
static double getRegisterGrowth(GridMappingOpInterface grid,
                                const StepJoin &join, int64_t factor,
                                const TPUChip &chip) {
  double growth = 1;
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  for (auto [mapping, walk] : llvm::zip_equal(mappings, join.walks)) {
    if (!walk)
      continue;
    ArrayRef<BlockDimAttr> dims = mapping.getDims();
    int64_t tile = getTile(dims, *walk, chip);
    bool isSqueezed = dims[*walk].getKind() == BlockDimKind::Squeezed;
    int64_t size = isSqueezed ? tile : dims[*walk].getSize();
    growth = std::max(growth, double(llvm::divideCeil(size * factor, tile)) /
                                  llvm::divideCeil(size, tile));
  }
  return growth;
}

/// Whether a loop views whole tiles of each block, so that an access to a part
/// costs what it did, and runs branches of one part, such as the first, before
/// or after it.
static bool isPlainLoop(GridMappingOpInterface grid, const CallCost &cost,
                        const StepJoin &join, const TPUChip &chip) {
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  for (auto [mapping, walk] : llvm::zip_equal(mappings, join.walks)) {
    if (!walk)
      continue;
    ArrayRef<BlockDimAttr> dims = mapping.getDims();
    int64_t tile = getTile(dims, *walk, chip);
    if (tile != 1 && (dims[*walk].getKind() == BlockDimKind::Squeezed ||
                      dims[*walk].getSize() % tile))
      return false;
  }
  double onePart = 1.0 / grid.getGridShape()[join.dim];
  bool isInParts = cost.loopSize == 0;
  return cost.loopSize && llvm::all_of(cost.runs, [&](const StepRun &run) {
           return isInParts || run.isOutside || run.times <= onePart;
         });
}

std::optional<StepParts>
mlir::pallas::findParts(GridMappingOpInterface grid, const CallCost &cost,
                        ArrayRef<int64_t> factors, ArrayRef<StepJoin> joins,
                        ArrayRef<std::unique_ptr<GrownBody>> bodies,
                        const TPUChip &chip, IndexTables &tables) {
  StepParts parts;
  for (auto [dim, factor] : llvm::enumerate(factors)) {
    const StepJoin &join = joins[dim];
    if (factor == 1)
      continue;
    // Windows may start at multiples of fewer steps only.
    StepJoin windows = analyzeJoinedWindows(grid, join, factor, tables);
    if (dim >= bodies.size() || windows.obstacle || windows.walks != join.walks)
      return std::nullopt;
    if (join.form == JoinForm::Grow && bodies[dim] && !join.reassociates)
      parts.grown.push_back({bodies[dim].get(), factor,
                             getRegisterGrowth(grid, join, factor, chip)});
    else if (join.form == JoinForm::Loop && parts.numLooped == 1 &&
             isPlainLoop(grid, cost, join, chip))
      parts.numLooped = factor;
    else
      return std::nullopt;
  }
  return parts;
}

/// The same sum as of the operations of larger blocks, without these:
///
///   step of 4 parts = control + runs that have grown by 4
///
/// Control flow runs once for all parts, and its cost is that of one:
///
///   scf.if %first { A }    B      of 4 parts: 1 branch, A and B on larger
///   values
///
/// In a loop over parts, operations outside of branches are scheduled together.
bool mlir::pallas::predictJoined(PallasCallOp call, const CallCost &cost,
                                 const StepParts &parts, const TPUChip &chip,
                                 const tpu::CostTable &table,
                                 CallCost &planned) {
  if (!growMemory(call, cost, parts, chip, planned))
    return false;
  int64_t numLooped = parts.numLooped;
  bool isInParts = cost.loopSize == 0;
  int64_t together = getNumTogether(cost, numLooped);
  // By kind, so that blocks that grow further are estimated from these.
  StepCycles &step = planned.step;
  step.control = cost.control * (isInParts ? numLooped : 1);
  if (numLooped > 1)
    step.control +=
        double(numLooped) / together * table[size_t(tpu::CostTerm::Iteration)];
  step.work = cost.carried * parts.getGrowth() * numLooped;
  for (const StepRun &run : cost.runs) {
    int64_t runTogether = run.isOutside ? together : 1;
    addCycles(growRun(run, parts, chip, table).repeat(runTogether),
              run.times * numLooped / runTogether, table, step);
  }
  double all = (step.work + step.control + step.latency + step.weights) *
               planned.cycles.steps;
  // A step finds its place in arrays in VMEM as well.
  auto predict = [&](ArrayRef<tpu::WindowTraffic> windows) {
    double inPlace = double(planned.cycles.steps) *
                     (planned.windows.size() - windows.size()) *
                     table[size_t(tpu::CostTerm::StepInPlace)];
    return tpu::predictGridTime(windows, all + inPlace, planned.cycles.steps,
                                table);
  };
  SmallVector<tpu::WindowTraffic> windows = getTraffic(planned.windows);
  planned.cycles.cycles = planned.leastCycles = predict(windows);
  auto inHbm = getWindowsInHbm(
      cast<GridMappingOpInterface>(call.getOperation()), planned);
  if (inHbm.size() != windows.size())
    planned.leastCycles = predict(inHbm);
  return true;
}
