//===- VectorGroups.cpp - Vectors whose layouts are related ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors that an operation reads and writes in one layout are of one group:
//   %c = arith.addf %a, %b           %a, %b, %c
//   %r = vector.multi_reduction <add>, %a, %acc [1]
//                                    %a, %acc, %r, along dimension 0 of %a
// Layouts are then chosen for groups, not for values.
//
//===----------------------------------------------------------------------===//

#include "VectorGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Utils/SharedMemory.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// A splat has any layout, so it relates nothing.
bool mlir::mosaic_gpu::isSplat(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<vector::BroadcastOp>(op))
    return !isa<VectorType>(op->getOperand(0).getType());
  return isa_and_nonnull<arith::ConstantOp>(op);
}

bool Grouper::isGrouped(Value value) {
  return isa<VectorType>(value.getType()) && !isSplat(value);
}

/// Each dimension of a value has a number of its own, since a reduction relates
/// only some of them.
unsigned Grouper::getNumber(Value value) {
  auto [it, isNew] = numbers.try_emplace(value, numbers.size());
  if (isNew) {
    firstDims.push_back(numDims);
    numDims += getVectorType(value).getRank();
    dims.grow(numDims);
  }
  return it->second;
}

/// Dimension `i` of `lhs` is dimension `related[i]` of `rhs`.
void Grouper::join(Value lhs, Value rhs, ArrayRef<int64_t> related) {
  if (!isGrouped(lhs) || !isGrouped(rhs))
    return;
  unsigned left = getNumber(lhs), right = getNumber(rhs);
  classes.unionSets(left, right);
  for (auto [from, to] : llvm::enumerate(related))
    dims.join(firstDims[left] + from, firstDims[right] + to);
}

void Grouper::join(Value lhs, Value rhs) {
  if (isGrouped(lhs))
    join(lhs, rhs,
         llvm::to_vector(llvm::seq<int64_t>(getVectorType(lhs).getRank())));
}

/// The operation fixes the layouts of its vectors, so there is none to choose.
void Grouper::settle(Operation *op) {
  for (Value value : op->getOperands())
    if (isGrouped(value))
      settled.insert(value);
  for (Value value : op->getResults())
    if (isGrouped(value))
      settled.insert(value);
}

/// Joins operands of regions with the values inside:
///   %r = scf.for ... iter_args(%a = %init) { ... scf.yield %next }
/// has %r, %a, %init and %next in one group.
void Grouper::visitControlFlow(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    join(loop.getInitArgs(), loop.getRegionIterArgs());
    join(loop.getInitArgs(), loop.getResults());
    join(loop.getYieldedValues(), loop.getRegionIterArgs());
    join(loop.getYieldedValues(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    join(loop.getInits(), loop.getBeforeArguments());
    join(loop.getYieldedValues(), loop.getBeforeArguments());
    join(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    join(loop.getConditionOp().getArgs(), loop.getResults());
    join(loop.getResults(), loop.getAfterArguments());
  } else {
    for (Region &region : op->getRegions())
      if (!region.empty())
        join(region.front().getTerminator()->getOperands(), op->getResults());
  }
}

/// Reduced dimensions end here; the kept ones are those of the result.
void Grouper::visitReduction(vector::MultiDimReductionOp op) {
  SmallVector<int64_t> kept;
  for (auto [dim, isReduced] : llvm::enumerate(op.getReductionMask())) {
    if (!isReduced)
      kept.push_back(static_cast<int64_t>(dim));
    else if (isGrouped(op.getSource()))
      reduced.insert(firstDims[getNumber(op.getSource())] + dim);
  }
  join(op.getDest(), op.getSource(), kept);
  join(op.getAcc(), op.getDest());
  shaped.insert(op.getDest());
}

/// Tiles lie within the slice, so offsets limit how long they are:
///   vector.extract_strided_slice %v {offsets = [64, 8], ...}
/// lets tiles of %v have at most 64 rows and 8 columns.
void Grouper::visitSlice(vector::ExtractStridedSliceOp op) {
  if (!isGrouped(op.getSource()) || op.hasNonUnitStrides())
    return settle(op);
  SmallVector<int64_t> offsets;
  op.getOffsets(offsets);
  unsigned first = firstDims[getNumber(op.getSource())];
  for (auto [dim, offset] : llvm::enumerate(offsets))
    divisors[first + dim] = std::gcd(divisors.lookup(first + dim), offset);
  join(op.getSource(), op.getResult());
  shaped.insert(op.getResult());
}

/// Loads, stores and iota take any layout. What no case knows settles its
/// vectors, which is always safe.
void Grouper::visit(Operation *op) {
  if (ignored.contains(op))
    return;
  for (Value result : op->getResults())
    if (isGrouped(result))
      add(result);
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(op))
    return visitControlFlow(op);
  if (isa<OptimizationBarrierOp>(op))
    return join(op->getOperands(), op->getResults());
  if (isa<VectorLoadOp, VectorStoreOp, BroadcastedIotaOp, DebugPrintOp,
          vector::ReductionOp, scf::YieldOp, scf::ConditionOp>(op) ||
      llvm::any_of(op->getResults(), isSplat))
    return;
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
      reduction && isa<VectorType>(reduction.getType()))
    return visitReduction(reduction);
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    shaped.insert(broadcast.getResult());
    return join(broadcast.getOperand(), broadcast.getResult(),
                broadcast.getBroadcastDimensions());
  }
  if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op))
    return visitSlice(slice);
  if (!op->hasTrait<OpTrait::Elementwise>())
    return settle(op);
  for (Value operand : op->getOperands())
    join(operand, op->getResult(0));
}

void Grouper::run(Operation *root) {
  root->walk([&](Operation *op) { visit(op); });
}

SmallVector<Group> Grouper::takeGroups() {
  llvm::MapVector<unsigned, Group> groups;
  for (auto [value, number] : numbers) {
    classes.insert(number);
    Group &group = groups[classes.getLeaderValue(number)];
    group.members.push_back(value);
    group.isSettled |= settled.contains(value);
    group.hasShapes |= shaped.contains(value);
  }
  return llvm::map_to_vector(groups, [](auto &entry) { return entry.second; });
}

//===----------------------------------------------------------------------===//
// Groups that need a layout
//===----------------------------------------------------------------------===//

bool mlir::mosaic_gpu::canInfer(const Group &group) {
  return !group.hasShapes && llvm::all_of(group.members, [](Value member) {
    return getVectorType(member).getNumElements() % kLanes == 0;
  });
}

/// Whether memory has an order of its own, which lanes have to follow.
static bool isTransformed(Value memref) {
  WithTransformsOp memory = findTransforms(memref);
  return memory && !memory.getTransforms().empty();
}

bool mlir::mosaic_gpu::hasTransforms(const Group &group) {
  return llvm::any_of(group.members, [](Value member) {
    if (auto load = member.getDefiningOp<VectorLoadOp>())
      if (isTransformed(load.getSource()))
        return true;
    return llvm::any_of(member.getUsers(), [](Operation *user) {
      auto store = dyn_cast<VectorStoreOp>(user);
      return store && isTransformed(store.getDestination());
    });
  });
}
