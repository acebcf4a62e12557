//===- CostModel.cpp - Cycles of regions with control flow ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

using namespace mlir;
using namespace mlir::tpu;

SmallVector<Sample, 5> mlir::tpu::sampleIndices(int64_t count) {
  SmallVector<Sample, 5> samples;
  if (count <= 5) {
    for (int64_t i = 0; i < count; ++i)
      samples.push_back({i, 1});
    return samples;
  }
  double middle = double(count - 2) / 3;
  return {{0, 1},
          {1 + (count - 2) / 6, middle},
          {count / 2, middle},
          {count - 2 - (count - 2) / 6, middle},
          {count - 1, 1}};
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Attribute getNumber(Type type, int64_t number) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, double(number));
  return IntegerAttr::get(type, number);
}

void KernelWalk::set(Value value, int64_t number) {
  values[value] = getNumber(value.getType(), number);
}

Attribute KernelWalk::compute(Value value) {
  if (Attribute known = values.lookup(value))
    return known;
  Type type = value.getType();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions())
    return getNumber(type, 0);
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<IntegerType, IndexType, FloatType>(operand.getType()))
      return getNumber(type, 0);
    operands.push_back(compute(operand));
  }
  Attribute result;
  SmallVector<OpFoldResult> folded;
  if (succeeded(op->fold(operands, folded)) && folded.size() == 1) {
    result = dyn_cast<Attribute>(folded.front());
    if (auto same = dyn_cast<Value>(folded.front()))
      result = compute(same);
  }
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(result))
    result = getNumber(type, 0);
  return values[value] = result;
}

int64_t KernelWalk::evaluate(Value value) {
  auto number = dyn_cast<IntegerAttr>(compute(value));
  if (!number)
    return 0;
  return number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                       : number.getValue().getSExtValue();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

const CostCounts &KernelWalk::getRun(Operation *first,
                                     ArrayRef<Operation *> ops) {
  std::unique_ptr<CostCounts> &known = runs[first];
  if (!known)
    known = std::make_unique<CostCounts>(getBlockCost(
        ops, [&](Operation *op) { return getOperationCost(op, chip); }, table));
  return *known;
}

static bool endsRun(Operation *op) {
  return op->getNumRegions() ||
         isa<EnqueueDMAOp, WaitDMA2Op, WaitDMAOp, SemWaitOp, SemSignalOp>(op);
}

/// The terms of one block come from its runs, each of which is scheduled as a
/// whole.
void KernelWalk::walk(Region &region) {
  for (Block &block : region) {
    SmallVector<Operation *> run;
    auto finish = [&] {
      if (!run.empty())
        now.add(getRun(run.front(), run));
      run.clear();
    };
    for (Operation &op : block) {
      if (!endsRun(&op)) {
        run.push_back(&op);
        continue;
      }
      finish();
      walkControl(&op);
    }
    finish();
  }
}

void KernelWalk::walkControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return walkLoop(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return walkWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    now[CostTerm::Branch] += 1;
    return walk(evaluate(branch.getCondition()) ? branch.getThenRegion()
                                                : branch.getElseRegion());
  }
  if (isa<EnqueueDMAOp>(op))
    return startCopy(op);
  if (isa<WaitDMA2Op, WaitDMAOp>(op))
    return waitForCopy(op);
  if (isa<SemWaitOp, SemSignalOp>(op)) {
    now[CostTerm::CopyWait] += 1;
    return;
  }
  for (Region &region : op->getRegions())
    walk(region);
}

void KernelWalk::walkLoop(scf::ForOp op) {
  int64_t lower = evaluate(op.getLowerBound());
  int64_t step = std::max<int64_t>(1, evaluate(op.getStep()));
  int64_t upper = evaluate(op.getUpperBound());
  int64_t count = upper > lower ? llvm::divideCeil(upper - lower, step) : 0;
  double carried = 0;
  for (Type type : op.getResultTypes())
    carried += getNumRegisters(type);
  DenseMap<Value, Attribute> outside = values;
  for (auto [index, weight] : sampleIndices(count)) {
    values = outside;
    set(op.getInductionVar(), lower + index * step);
    CostCounts before = now;
    now[CostTerm::Iteration] += 1;
    now[CostTerm::SpillCarried] += std::max(0.0, carried - 48);
    walk(op.getRegion());
    // Iterations like this one follow each other.
    CostCounts after = now;
    after.add(before, -1);
    now.add(after, weight - 1);
    for (Copy &copy : copies)
      copy.end.add(after, weight - 1);
  }
  values = std::move(outside);
}

/// The condition sees zeros in place of what the loop carries; a loop that it
/// does not let begin runs no iteration.
void KernelWalk::walkWhile(scf::WhileOp op) {
  now[CostTerm::Iteration] += 1;
  walk(op.getBefore());
  if (evaluate(op.getConditionOp().getCondition()))
    walk(op.getAfter());
}

CostCounts KernelWalk::run(Region &region) {
  now = {};
  copies.clear();
  DenseMap<Value, Attribute> outside = values;
  walk(region);
  values = std::move(outside);
  return now;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static double getKiB(MemRefType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return double(type.getNumElements()) *
         type.getElementType().getIntOrFloatBitWidth() / 8 / 1024;
}

/// The allocation that a view is of.
static Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->getNumOperands() || !isa<MemRefType>(op->getOperand(0).getType()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

void KernelWalk::startCopy(Operation *op) {
  auto copy = cast<EnqueueDMAOp>(op);
  now[CostTerm::CopyIssue] += 1;
  CostCounts end = now;
  end[CostTerm::CopyLatency] += 1;
  end[CostTerm::CopyKiB] +=
      getKiB(cast<MemRefType>(copy.getTarget().getType()));
  if (copy.getTargetSemaphore())
    copies.push_back({getRoot(copy.getTargetSemaphore()), end});
}

void KernelWalk::waitForCopy(Operation *op) {
  now[CostTerm::CopyWait] += 1;
  Value semaphore;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && isa<DMASemaphoreType>(type.getElementType())) {
      semaphore = getRoot(operand);
      break;
    }
  auto copy = llvm::find_if(
      copies, [&](const Copy &c) { return c.semaphore == semaphore; });
  if (copy == copies.end())
    return;
  if (copy->end.getCycles(table) > now.getCycles(table))
    now = copy->end;
  copies.erase(copy);
}
