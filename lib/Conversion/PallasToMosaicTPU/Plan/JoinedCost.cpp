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

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

double mlir::pallas::estimateJoined(const CallCost &cost,
                                    ArrayRef<tpu::WindowTraffic> windows,
                                    ArrayRef<StepJoin> joins,
                                    ArrayRef<int64_t> factors,
                                    bool atBest,
                                    const tpu::CostTable &table) {
  double grown = 1, looped = 1;
  int64_t steps = cost.cycles.steps;
  for (auto [join, factor] : llvm::zip_equal(joins, factors)) {
    steps /= factor;
    (join.form == JoinForm::Grow ? grown : looped) *= factor;
  }
  // Parts in a loop are scheduled together, up to a number of them, unless
  // there is a loop in the kernel, too.
  double together = 1;
  if (atBest)
    together = std::min<double>(looped, tpu::kMaxJoinedIterations);
  else if (cost.loopSize)
    together = tpu::getNumUnrolled(*cost.loopSize, int64_t(looped));
  double step = cost.step.work + cost.step.control / grown +
                cost.step.latency / grown / together +
                cost.step.weights / (atBest ? grown : 1);
  return tpu::predictGridTime(windows, step * cost.cycles.steps, steps, table);
}

/// More rows of %x take the same weights, more columns of %y others:
///
///   pallas.dot_general %x, %y contract [1] x [0]
static tpu::MatmulShape growShape(const StepDot &dot, int64_t factor,
                                  GrownBody &body) {
  DotGeneralOp op = dot.op;
  tpu::MatmulShape shape = dot.shape;
  std::optional<unsigned> lhs = body.getNaturalDim(op.getLhs()),
                          rhs = body.getNaturalDim(op.getRhs());
  if (lhs && llvm::is_contained(op.getLhsBatch(), int64_t(*lhs)))
    shape.batch *= factor;
  else if (lhs)
    shape.m *= factor;
  else if (rhs)
    shape.n *= factor;
  return shape;
}

/// The load of a run in grown blocks. Contractions take whole passes of the
/// matrix unit, so that their work is counted again.
static tpu::BlockLoad growRun(const StepRun &run, int64_t factor,
                              GrownBody &body, const TPUChip &chip,
                              const tpu::CostTable &table) {
  tpu::BlockLoad load = run.load.scale(factor, table);
  for (const StepDot &dot : run.dots)
    load.add(tpu::getMatmulCost(growShape(dot, factor, body), chip), 1, table);
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
static bool growMemory(PallasCallOp call, const CallCost &cost, int64_t factor,
                       const GrownBody &body, const TPUChip &chip,
                       CallCost &planned) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  using Role = MemoryBuffer::Role;
  TPUFootprint grown;
  grown.vmemBytes = cost.footprint->vmemBytes;
  grown.smemBytes = cost.footprint->smemBytes;
  grown.valueBytes = cost.footprint->valueBytes * factor;
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
    } else if (auto dim =
                   body.getRefDim(grid.sliceScratchOps()[buffer.index])) {
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

std::optional<unsigned>
mlir::pallas::findOnlyGrown(GridMappingOpInterface grid,
                            ArrayRef<int64_t> factors, ArrayRef<StepJoin> joins,
                            ArrayRef<std::unique_ptr<GrownBody>> bodies,
                            IndexTables &tables) {
  std::optional<unsigned> found;
  for (auto [dim, factor] : llvm::enumerate(factors)) {
    if (factor == 1)
      continue;
    if (found || dim >= bodies.size() || !bodies[dim] ||
        joins[dim].form != JoinForm::Grow || joins[dim].reassociates)
      return std::nullopt;
    found = dim;
  }
  if (!found)
    return std::nullopt;
  // Windows may start at multiples of fewer steps only.
  StepJoin windows =
      analyzeJoinedWindows(grid, joins[*found], factors[*found], tables);
  bool isSame = !windows.obstacle && windows.walks == joins[*found].walks;
  return isSame ? found : std::nullopt;
}

/// The same sum as of the operations of larger blocks, without these:
///
///   step of 4 parts = control + runs that have grown by 4
///
/// Control flow runs once for all parts, and its cost is that of one:
///
///   scf.if %first { A }    B      of 4 parts: 1 branch, A and B on larger
///   values
bool mlir::pallas::predictGrown(PallasCallOp call, const CallCost &cost,
                                int64_t factor, GrownBody &body,
                                const TPUChip &chip,
                                const tpu::CostTable &table,
                                CallCost &planned) {
  if (!growMemory(call, cost, factor, body, chip, planned))
    return false;
  // By kind, so that blocks that grow further are estimated from these.
  StepCycles &step = planned.step;
  step.control = cost.control;
  step.work = cost.carried * factor;
  for (const StepRun &run : cost.runs)
    addCycles(growRun(run, factor, body, chip, table), run.times, table, step);
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
