//===- MergeLoops.cpp - One loop for elementwise operations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-merge-loops. It fuses elementwise
// operations over the same elements, so that values go from one to the next in
// registers. Unlike fusion on tensors, this works for values with several
// users, and takes linear time.
//   %t = memref.alloc() : memref<64xf32>
//   linalg.generic ins(%x) outs(%t) { %e = math.exp %in : f32 ... }
//   linalg.generic ins(%t) outs(%o) { %s = arith.negf %in : f32 ... }
// becomes
//   linalg.generic ins(%x) outs(%o) {
//     %e = math.exp %in : f32
//     %s = arith.negf %e : f32 ... }
//
//===----------------------------------------------------------------------===//

#include "LoopGroups.h"
#include "LoopPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUMERGELOOPS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

namespace {
/// Operations that become one.
struct Group {
  SmallVector<linalg::LinalgOp> ops;
  size_t numInnerOps = 0;
  /// Memory that the operations touch, and how, by its root.
  struct Touched {
    Value memory;
    AffineMap map;
    bool isWritten;
  };
  llvm::MapVector<Value, SmallVector<Touched, 1>> touched;
};

/// The properties that operations of a common loop must agree on.
struct Domain {
  SmallVector<int64_t> sizes;
  LoopPlan plan;

  bool operator==(const Domain &other) const {
    return sizes == other.sizes && plan.vectorDim == other.plan.vectorDim &&
           plan.shortDim == other.plan.shortDim &&
           plan.widestBits == other.plan.widestBits &&
           plan.maskable == other.plan.maskable;
  }
};

/// Distributes the operations of a run over groups, and builds one operation
/// per group.
class Merger {
public:
  Merger(RewriterBase &rewriter, unsigned maxOps)
      : rewriter(rewriter), maxOps(maxOps) {}

  void run(const LoopRun &run, int64_t vectorBits);

private:
  unsigned place(linalg::LinalgOp op, const Domain *domain);
  bool fits(const Group &group, linalg::LinalgOp op,
            ArrayRef<MemoryUse> uses) const;
  /// Elements of memory that each iteration has its own of.
  using Key = std::pair<Value, AffineMap>;
  bool canDelay(unsigned index) const;
  unsigned delay(unsigned index);
  void build(const Group &group);
  void buildOp(const Group &group, ArrayRef<Key> inputs, ArrayRef<Key> outputs);

  RewriterBase &rewriter;
  unsigned maxOps;
  std::vector<Group> groups;
  /// The last group of each domain.
  SmallVector<std::pair<Domain, unsigned>> open;
  /// The last groups that write and that read a root.
  DenseMap<Value, unsigned> lastWrite, lastRead;
};
} // namespace

/// Whether `op` computes each element of its outputs from the elements of one
/// iteration.
static bool computesElements(linalg::LinalgOp op) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(
             *op.getBlock(),
             [](Operation &inner) { return isVectorizable(&inner); }) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
           return op.getMatchingIndexingMap(&output).isPermutation();
         });
}

/// Whether `op` repeats something smaller, which a later operation over the
/// same elements is going to use.
static bool isBroadcast(linalg::LinalgOp op) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).getNumResults() < op.getNumLoops();
  });
}

/// Whether two values are parts of one array that have no element in common,
/// as the halves of rows:
///
///   %a = memref.subview %x[0, 0] [64, 128] [1, 1] : memref<64x256xf32> to ...
///   %b = memref.subview %x[0, 128] [64, 128] [1, 1] : memref<64x256xf32> to
///   ...
static bool areApart(Value first, Value second) {
  auto a = first.getDefiningOp<memref::SubViewOp>();
  auto b = second.getDefiningOp<memref::SubViewOp>();
  if (!a || !b || a.getSource() != b.getSource() || !a.hasUnitStride() ||
      !b.hasUnitStride())
    return false;
  auto endsBefore = [](memref::SubViewOp a, memref::SubViewOp b, size_t dim) {
    int64_t offset = a.getStaticOffset(dim), size = a.getStaticSize(dim);
    return !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) &&
           !ShapedType::isDynamic(b.getStaticOffset(dim)) &&
           offset + size <= b.getStaticOffset(dim);
  };
  return llvm::any_of(llvm::seq<size_t>(0, a.getSourceType().getRank()),
                      [&](size_t dim) {
                        return endsBefore(a, b, dim) || endsBefore(b, a, dim);
                      });
}

/// Iterations of a shared loop may only meet in memory that each of them
/// indexes in the same way. For example, `x[i]` may be written by one operation
/// and read by the next one, but not read as `x[i + 1]`: iteration i would see
/// it too early.
bool Merger::fits(const Group &group, linalg::LinalgOp op,
                  ArrayRef<MemoryUse> uses) const {
  if (group.numInnerOps + op.getBlock()->getOperations().size() > maxOps)
    return false;
  bool shares = isBroadcast(op);
  for (const MemoryUse &use : uses) {
    const auto *found = group.touched.find(use.root);
    if (found == group.touched.end())
      continue;
    shares = true;
    for (const Group::Touched &other : found->second)
      if ((other.isWritten || use.writes) &&
          (!use.map || other.map != use.map || other.memory != use.memory) &&
          !areApart(other.memory, use.memory))
        return false;
  }
  return shares;
}

/// Whether no later group depends on this one, as on the difference in
///
///   linalg.generic ins(%x, %lowest) outs(%t) { arith.subf }
///   linalg.generic ins(%x) outs(%largest) { largest of each column }
///   linalg.generic ins(%t, %lowest, %largest) outs(%o) { arith.divf }
bool Merger::canDelay(unsigned index) const {
  return llvm::all_of(groups[index].touched, [&](const auto &entry) {
    bool writes = llvm::any_of(
        entry.second, [](const Group::Touched &use) { return use.isWritten; });
    return lastWrite.lookup(entry.first) <= index &&
           (!writes || lastRead.lookup(entry.first) <= index);
  });
}

/// Moves a group behind all others, and returns its new number.
unsigned Merger::delay(unsigned index) {
  unsigned last = groups.size();
  for (auto &[root, uses] : groups[index].touched)
    for (const Group::Touched &use : uses) {
      lastRead[root] = last;
      if (use.isWritten)
        lastWrite[root] = last;
    }
  Group moved = std::exchange(groups[index], Group());
  groups.push_back(std::move(moved));
  return last;
}

/// Adds `op` to a group, and returns its number. A group is only open to
/// operations behind everything that they depend on, so the order of groups
/// respects all dependences.
unsigned Merger::place(linalg::LinalgOp op, const Domain *domain) {
  SmallVector<MemoryUse> uses = *getMemoryUses(op);
  // Dependences that must precede it.
  int64_t earliest = 0;
  auto comesAfter = [&](const DenseMap<Value, unsigned> &last, Value root) {
    auto found = last.find(root);
    if (found != last.end())
      earliest = std::max<int64_t>(earliest, found->second);
  };
  for (const MemoryUse &use : uses) {
    comesAfter(lastWrite, use.root);
    if (use.writes)
      comesAfter(lastRead, use.root);
  }
  auto *last = llvm::find_if(
      open, [&](auto &entry) { return domain && entry.first == *domain; });
  unsigned index = groups.size();
  if (last != open.end() && fits(groups[last->second], op, uses) &&
      (last->second >= earliest || canDelay(last->second)))
    index = last->second >= earliest ? last->second : delay(last->second);
  else
    groups.emplace_back();
  if (domain && last == open.end())
    open.push_back({*domain, index});
  else if (domain)
    last->second = index;

  Group &group = groups[index];
  group.ops.push_back(op);
  group.numInnerOps += op.getBlock()->getOperations().size();
  for (const MemoryUse &use : uses) {
    group.touched[use.root].push_back({use.memory, use.map, use.writes});
    lastRead[use.root] = std::max(lastRead.lookup(use.root), index);
    if (use.writes)
      lastWrite[use.root] = std::max(lastWrite.lookup(use.root), index);
  }
  return index;
}

/// Operations that are not elementwise get a group of their own, which keeps
/// their place among the others.
void Merger::run(const LoopRun &run, int64_t vectorBits) {
  groups.clear();
  open.clear();
  lastWrite.clear();
  lastRead.clear();
  for (linalg::LinalgOp op : run.ops) {
    Domain domain{op.getStaticLoopRanges(), planLoops(op, vectorBits)};
    place(op, computesElements(op) ? &domain : nullptr);
  }
  // Groups are in the order of their first operations, which need not be that
  // of the operations which joined later, so all move.
  Operation *end = run.ops.back()->getNextNode();
  for (const Group &group : groups)
    for (linalg::LinalgOp op : group.ops)
      rewriter.moveOpBefore(op, end);
  for (const Group &group : groups)
    if (group.ops.size() > 1)
      build(group);
}

/// Replaces the operations of a group by one.
void Merger::build(const Group &group) {
  llvm::SmallSetVector<Key, 8> inputs, outputs;
  DenseMap<Value, int64_t> numUses;
  for (linalg::LinalgOp op : group.ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      Key key{operand.get(), op.getMatchingIndexingMap(&operand)};
      ++numUses[operand.get()];
      if (isa<MemRefType>(operand.get().getType()) &&
          op.payloadUsesValueFromOperand(&operand) && !outputs.contains(key))
        inputs.insert(key);
    }
    for (OpOperand &output : op.getDpsInitsMutable())
      outputs.insert({output.get(), op.getMatchingIndexingMap(&output)});
  }
  // Memory without other readers stays in registers.
  SmallVector<Operation *> dead;
  outputs.remove_if([&](const Key &key) {
    auto alloc = key.first.getDefiningOp<memref::AllocOp>();
    if (!alloc || inputs.contains(key) ||
        numUses.lookup(key.first) !=
            std::distance(alloc->use_begin(), alloc->use_end()))
      return false;
    dead.push_back(alloc);
    return true;
  });
  if (!outputs.empty())
    buildOp(group, inputs.getArrayRef(), outputs.getArrayRef());
  for (linalg::LinalgOp op : group.ops)
    rewriter.eraseOp(op);
  for (Operation *alloc : dead)
    rewriter.eraseOp(alloc);
}

/// One operation that reads and writes each of the keys once.
void Merger::buildOp(const Group &group, ArrayRef<Key> inputs,
                     ArrayRef<Key> outputs) {
  linalg::LinalgOp last = group.ops.back();
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  for (const Key &key : inputs) {
    ins.push_back(key.first);
    maps.push_back(key.second);
  }
  for (const Key &key : outputs) {
    outs.push_back(key.first);
    maps.push_back(key.second);
  }
  rewriter.setInsertionPoint(last);
  SmallVector<Location> locs;
  for (linalg::LinalgOp op : group.ops)
    locs.push_back(op.getLoc());
  linalg::GenericOp::create(
      rewriter, rewriter.getFusedLoc(locs), ins, outs, maps,
      last.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        // The latest value of each element: an output of one operation is the
        // input of the next one.
        DenseMap<Key, Value> current;
        for (auto [key, argument] : llvm::zip(inputs, arguments))
          current[key] = argument;
        for (linalg::LinalgOp op : group.ops) {
          IRMapping mapping;
          for (OpOperand &operand : op->getOpOperands()) {
            Key key{operand.get(), op.getMatchingIndexingMap(&operand)};
            Value value = isa<MemRefType>(operand.get().getType())
                              ? current.lookup(key)
                              : operand.get();
            if (value)
              mapping.map(op.getMatchingBlockArgument(&operand), value);
          }
          for (Operation &inner : op.getBlock()->without_terminator())
            b.clone(inner, mapping);
          for (OpOperand &output : op.getDpsInitsMutable())
            current[{output.get(), op.getMatchingIndexingMap(&output)}] =
                mapping.lookupOrDefault(
                    op.getMatchingYieldValue(&output)->get());
        }
        SmallVector<Value> results;
        for (const Key &key : outputs)
          results.push_back(current.lookup(key));
        linalg::YieldOp::create(b, loc, results);
      });
}

namespace {
struct MergeLoops : public pallas::impl::PallasCPUMergeLoopsBase<MergeLoops> {
  using PallasCPUMergeLoopsBase::PallasCPUMergeLoopsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    int64_t bits = target.vectorBits;
    Merger merger(rewriter, maxOps);
    for (const LoopRun &run : collectRuns(rewriter, getOperation()))
      merger.run(run, bits);
  }

private:
  cpu::Target target;
};
} // namespace
