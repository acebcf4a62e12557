//===- KernelCost.cpp - What kernels compute and move ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/KernelCost.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/BlockCoverage.h"
#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

// Sums and products saturate: a grid may have more programs than fit into 64
// bits, and a wrapped cost would look cheap.

/// One inexact part makes the sum inexact.
KernelCost &KernelCost::operator+=(const KernelCost &other) {
  flops = llvm::SaturatingAdd(flops, other.flops);
  transcendentals = llvm::SaturatingAdd(transcendentals, other.transcendentals);
  bytesAccessed = llvm::SaturatingAdd(bytesAccessed, other.bytesAccessed);
  bytesMoved = llvm::SaturatingAdd(bytesMoved, other.bytesMoved);
  remoteBytes = llvm::SaturatingAdd(remoteBytes, other.remoteBytes);
  isExact &= other.isExact;
  return *this;
}

KernelCost &KernelCost::operator*=(uint64_t times) {
  flops = llvm::SaturatingMultiply(flops, times);
  transcendentals = llvm::SaturatingMultiply(transcendentals, times);
  bytesAccessed = llvm::SaturatingMultiply(bytesAccessed, times);
  bytesMoved = llvm::SaturatingMultiply(bytesMoved, times);
  remoteBytes = llvm::SaturatingMultiply(remoteBytes, times);
  return *this;
}

namespace {
/// Adds up what all programs of one grid do.
class Adder {
public:
  Adder(GridMappingOpInterface grid, int64_t maxPrograms)
      : grid(grid), maxPrograms(maxPrograms) {
    if (!grid)
      return;
    std::optional<SmallVector<int64_t>> sizes = grid.getStaticGrid();
    isStatic = sizes.has_value();
    for (int64_t size : grid.getGridShape())
      if (!ShapedType::isDynamic(size))
        numPrograms = llvm::SaturatingMultiply<uint64_t>(numPrograms, size);
    if (sizes && numPrograms <= uint64_t(maxPrograms))
      evaluator.emplace(grid);
  }

  /// The cost of a region that `times` programs run.
  KernelCost add(Region &region, uint64_t times);
  uint64_t getNumPrograms() const { return numPrograms; }
  bool hasStaticGrid() const { return isStatic; }

private:
  KernelCost add(Operation *op, uint64_t times);
  KernelCost addChoice(scf::IfOp op, uint64_t times);
  KernelCost addMost(MutableArrayRef<Region> regions, uint64_t times);
  std::optional<uint64_t> getNumTaking(Value condition);

  GridMappingOpInterface grid;
  int64_t maxPrograms;
  uint64_t numPrograms = 1;
  bool isStatic = true;
  std::optional<ProgramEvaluator> evaluator;
};
} // namespace

/// Control flow between blocks is not followed: each block counts as run.
KernelCost Adder::add(Region &region, uint64_t times) {
  KernelCost cost;
  for (Block &block : region)
    for (Operation &op : block)
      cost += add(&op, times);
  return cost;
}

/// The number of programs in which a condition holds. The condition is
/// evaluated for every program, so the count is known only if the grid is
/// static and small enough, and the condition depends on nothing but the ids.
std::optional<uint64_t> Adder::getNumTaking(Value condition) {
  if (!evaluator)
    return std::nullopt;
  uint64_t count = 0;
  bool isKnown =
      forEachProgram(*grid.getStaticGrid(), [&](ArrayRef<int64_t> program) {
        evaluator->setProgram(program);
        std::optional<int64_t> value = evaluator->evaluate(condition);
        count += value.value_or(0) != 0;
        return value.has_value();
      });
  return isKnown ? std::optional<uint64_t>(count) : std::nullopt;
}

/// The cost of a branch that isn't known is that of the most expensive region.
KernelCost Adder::addMost(MutableArrayRef<Region> regions, uint64_t times) {
  KernelCost most;
  for (Region &region : regions) {
    KernelCost cost = add(region, times);
    most.flops = std::max(most.flops, cost.flops);
    most.transcendentals = std::max(most.transcendentals, cost.transcendentals);
    most.bytesMoved = std::max(most.bytesMoved, cost.bytesMoved);
    most.remoteBytes = std::max(most.remoteBytes, cost.remoteBytes);
  }
  most.isExact = !most.flops && !most.transcendentals && !most.bytesMoved;
  return most;
}

/// For example, in a kernel with grid(8):
///
///   %0 = pallas.program_id 0
///   %1 = arith.cmpi eq, %0, %c0 : i32
///   scf.if %1 { ... }
///
/// costs one eighth of a branch that all programs take.
KernelCost Adder::addChoice(scf::IfOp op, uint64_t times) {
  if (std::optional<uint64_t> taking = getNumTaking(op.getCondition())) {
    // In a branch that only some programs take, their share is assumed to be
    // the same.
    auto share = [&](uint64_t count) {
      return uint64_t(double(times) / double(numPrograms) * double(count));
    };
    KernelCost cost = add(op.getThenRegion(), share(*taking));
    cost += add(op.getElseRegion(), share(numPrograms - *taking));
    cost.isExact &= times % numPrograms == 0;
    return cost;
  }
  return addMost(op->getRegions(), times);
}

/// A loop costs its trips if its bounds are constants. Otherwise one trip is
/// counted, and the cost is no longer exact.
KernelCost Adder::add(Operation *op, uint64_t times) {
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return addChoice(choice, times);
  if (isa<scf::IndexSwitchOp>(op))
    return addMost(op->getRegions(), times);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> lower = getConstantInteger(loop.getLowerBound()),
                           upper = getConstantInteger(loop.getUpperBound()),
                           step = getConstantInteger(loop.getStep());
    bool isKnown = lower && upper && step && *step > 0;
    uint64_t trips =
        !isKnown ? 1
        : *upper > *lower
            ? llvm::divideCeil(uint64_t(*upper - *lower), uint64_t(*step))
            : 0;
    KernelCost cost =
        add(loop.getRegion(), llvm::SaturatingMultiply(times, trips));
    cost.isExact &= isKnown;
    return cost;
  }
  if (isa<GridMappingOpInterface, MpmdMapOp, CoreMapOp>(op)) {
    KernelCost cost = computeKernelCost(op, maxPrograms);
    // The arrays of a pipeline are those of the call.
    cost.bytesAccessed = 0;
    return cost *= times;
  }
  KernelCost cost = getOperationCost(op);
  cost *= times;
  // Bodies of linalg operations are counted with them.
  if (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op))
    return cost;
  cost.isExact &= isa<RunScopedOp, RunStateOp>(op);
  for (Region &region : op->getRegions())
    cost += add(region, times);
  return cost;
}

/// Adds the bytes of the arrays, and of the windows that are copied between
/// them and the memory of the kernel. A window that stays from one program to
/// the next is not copied again, so the changes of a window count, not the
/// programs.
static void addWindows(KernelCost &cost, GridMappingOpInterface grid,
                       int64_t maxPrograms) {
  auto addBytes = [&](uint64_t &to, Type type, uint64_t times) {
    std::optional<int64_t> bytes = getElementBytes(type);
    if (bytes)
      to = llvm::SaturatingAdd(
          to, llvm::SaturatingMultiply(uint64_t(*bytes), times));
    else
      cost.isExact = false;
  };
  for (Value table : grid.getIndexOperands()) {
    addBytes(cost.bytesAccessed, table.getType(), 1);
    addBytes(cost.bytesMoved, table.getType(), 1);
  }
  for (unsigned block = 0; block < grid.getNumBlocks(); ++block) {
    auto ref = dyn_cast<RefType>(grid.sliceBlockOps()[block].getType());
    if (!ref || ref.isSynchronization())
      continue;
    addBytes(cost.bytesAccessed, grid.getArrayType(block), 1);
    // Memory that isn't windowed is moved by the kernel itself.
    MemorySpace space = ref.getSpace();
    if (space == MemorySpace::Any || space == MemorySpace::Hbm ||
        space == MemorySpace::Gmem)
      continue;
    if (grid.hasTrivialWindow(block)) {
      addBytes(cost.bytesMoved, ref, 1);
      continue;
    }
    BlockCoverage coverage = computeBlockCoverage(grid, block, maxPrograms);
    if (!coverage.unknown.empty())
      cost.isExact = false;
    addBytes(cost.bytesMoved, ref,
             coverage.unknown.empty() ? coverage.changes : 1);
  }
}

/// The cost of a call is that of all programs: of the points of the grid, or of
/// the cores of each mesh.
KernelCost pallas::computeKernelCost(Operation *call, int64_t maxPrograms) {
  if (auto grid = dyn_cast<GridMappingOpInterface>(call)) {
    Adder adder(grid, maxPrograms);
    KernelCost cost = adder.add(grid.getKernelRegion(), adder.getNumPrograms());
    cost.isExact &= adder.hasStaticGrid();
    addWindows(cost, grid, maxPrograms);
    return cost;
  }
  KernelCost cost;
  auto addMesh = [&](MeshAttr mesh, Region &kernel) {
    Adder adder({}, maxPrograms);
    cost += adder.add(kernel, ShapedType::getNumElements(mesh.getShape()));
  };
  if (auto mpmd = dyn_cast<MpmdMapOp>(call)) {
    for (auto [mesh, kernel] : llvm::zip(mpmd.getMeshes(), mpmd.getKernels()))
      addMesh(cast<MeshAttr>(mesh), kernel);
    for (TypeRange types : {TypeRange(call->getOperandTypes()),
                            TypeRange(call->getResultTypes())})
      for (Type type : types)
        if (getArrayShapedType(type))
          cost.bytesAccessed += getElementBytes(type).value_or(0);
  } else if (auto core = dyn_cast<CoreMapOp>(call)) {
    addMesh(core.getMesh(), core.getBody());
  }
  return cost;
}

CostEstimateAttr pallas::getCostEstimate(Operation *call) {
  if (auto op = dyn_cast<PallasCallOp>(call))
    return op.getCostEstimateAttr();
  if (auto op = dyn_cast<MpmdMapOp>(call))
    return op.getCostEstimateAttr();
  if (auto op = dyn_cast<CoreMapOp>(call))
    return op.getCostEstimateAttr();
  return {};
}
