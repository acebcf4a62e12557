//===- CostModel.cpp - Cycles of regions with control flow ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a kernel as it would run: loops by a sample of their iterations,
// branches by their conditions, copies beside the computation until they are
// waited for. Code between control flow is scheduled as a whole by BlockCost.
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

using namespace mlir;
using namespace mlir::tpu;

/// The first and the last index count once, three in between for the rest: most
/// conditions of kernels are about the ends of a loop.
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

/// Folders take attributes; floats appear as operands of conditions.
static Attribute getNumber(Type type, int64_t number) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, double(number));
  return IntegerAttr::get(type, number);
}

void KernelWalk::set(Value value, int64_t number) {
  values[value] = getNumber(value.getType(), number);
}

/// Evaluates a scalar by the folders of its operations. What is not known, such
/// as a value from memory, counts as zero: a guess that is the same in each
/// run, and right for counters that start there. libtpu's estimate does not
/// follow the instructions that divide integers: it decides `i % 4 == 0` and
/// `0 to i / 2` as if the quotient and the remainder were zero.
Attribute KernelWalk::compute(Value value) {
  if (Attribute known = values.lookup(value))
    return known;
  Type type = value.getType();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || isIntegerDivision(op))
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

/// Booleans are 0 or 1; as signed integers of one bit they would be -1.
int64_t KernelWalk::evaluate(Value value) {
  auto number = dyn_cast<IntegerAttr>(compute(value));
  if (!number)
    return 0;
  return number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                       : number.getValue().getSExtValue();
}

/// Kernels keep flags and counters in scalar memory, which conditions read:
///
///   memref.store %c1, %flags[%c0]
///   %flag = memref.load %flags[%c0]
///   scf.if (%flag == 0) { ... }
void KernelWalk::followMemory(Operation *op) {
  auto getPlace = [&](Value buffer, ValueRange indices) {
    return std::pair(buffer.getAsOpaquePointer(),
                     llvm::map_to_vector(indices, [&](Value index) {
                       return evaluate(index);
                     }));
  };
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    stored[getPlace(store.getMemRef(), store.getIndices())] =
        compute(store.getValueToStore());
  } else if (auto load = dyn_cast<memref::LoadOp>(op);
             load && !stored.empty()) {
    auto found = stored.find(getPlace(load.getMemRef(), load.getIndices()));
    if (found != stored.end())
      values[load.getResult()] = found->second;
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// A run of operations costs the same each time, so it is scheduled once,
/// however often its loop runs.
const CostCounts &KernelWalk::getRun(Operation *first,
                                     ArrayRef<Operation *> ops) {
  std::unique_ptr<CostCounts> &known = runs[first];
  if (known)
    return *known;
  auto costs = llvm::map_to_vector(
      ops, [&](Operation *op) { return getOperationCost(op, chip); });
  SmallVector<PricedOperation> priced;
  for (auto [op, cost] : llvm::zip_equal(ops, costs))
    priced.emplace_back(op, &cost);
  known = std::make_unique<CostCounts>(getBlockCost(priced, table));
  return *known;
}

/// Control flow and synchronization are what the scheduler moves nothing
/// across.
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
        followMemory(&op);
        continue;
      }
      finish();
      walkControl(&op);
    }
    finish();
  }
}

/// Only the branch that is taken counts, by the ids and counters of the sample.
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

/// One iteration is walked for each sample and counted with its weight. Copies
/// that are under way end later by the iterations that were left out. Carried
/// values beyond 48 registers go through memory in each iteration.
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

/// Loops that count run until their conditions fail, as long as there are few
/// iterations; later ones are not entered again. Vectors have no number.
void KernelWalk::walkWhile(scf::WhileOp op) {
  auto getNumbers = [&](ValueRange carried) {
    return llvm::map_to_vector(carried, [&](Value value) {
      return isa<IntegerType, IndexType, FloatType>(value.getType())
                 ? compute(value)
                 : Attribute();
    });
  };
  auto bind = [&](ValueRange names, ArrayRef<Attribute> numbers) {
    for (auto [name, number] : llvm::zip_equal(names, numbers))
      if (number)
        values[name] = number;
  };
  DenseMap<Value, Attribute> outside = values;
  SmallVector<Attribute> carried = getNumbers(op.getInits());
  do {
    values = outside;
    bind(op.getBeforeArguments(), carried);
    now[CostTerm::Iteration] += 1;
    walk(op.getBefore());
    carried = getNumbers(op.getConditionOp().getArgs());
    if (!evaluate(op.getConditionOp().getCondition()))
      break;
    bind(op.getAfterArguments(), carried);
    walk(op.getAfter());
    carried = getNumbers(op.getYieldOp().getOperands());
  } while (--iterationsLeft > 0);
  values = std::move(outside);
}

/// Values are those of this step: they are dropped after it, since the same
/// operations have other ones in the next.
CostCounts KernelWalk::run(Region &region) {
  now = {};
  copies.clear();
  stored.clear();
  DenseMap<Value, Attribute> outside = values;
  walk(region);
  values = std::move(outside);
  return now;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

double mlir::tpu::getKiB(MemRefType type) {
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

static bool isInVmem(Value memory) {
  auto space = dyn_cast_or_null<MemorySpaceAttr>(
      cast<MemRefType>(memory.getType()).getMemorySpace());
  return space && space.getValue() == MemorySpace::Vmem;
}

/// A copy occupies no unit: it has an end, which counts at the wait. What
/// leaves VMEM has left as soon as a block of an output, long before data that
/// was asked for would have arrived.
void KernelWalk::startCopy(Operation *op) {
  auto copy = cast<EnqueueDMAOp>(op);
  now[CostTerm::CopyIssue] += 1;
  CostCounts end = now;
  bool leaves = isInVmem(copy.getSource()) && !isInVmem(copy.getTarget());
  end[leaves ? CostTerm::FlushLatency : CostTerm::CopyLatency] += 1;
  end[leaves ? CostTerm::FlushKiB : CostTerm::CopyKiB] +=
      getKiB(cast<MemRefType>(copy.getTarget().getType()));
  if (copy.getTargetSemaphore())
    copies.push_back({getRoot(copy.getTargetSemaphore()), end});
}

/// The oldest copy of the semaphore ends first. If it is done already, waiting
/// costs its own instructions and nothing else.
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
