//===- MosaicGPUAssignLayouts.cpp - Layouts that inference can't find -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler infers how lanes share a vector from a short list of layouts,
// which have 128 elements or the tiles of wgmma. Others are given here, by a
// cast of what is loaded:
//
//   %v = "mosaic_gpu.vector_load"(%r) : (memref<4x8xf32>) -> vector<4x8xf32>
// becomes
//   %w = "mosaic_gpu.vector_load"(%r) <{optimized = false}> : ...
//   %v = mosaic_gpu.layout_cast x(%w : vector<4x8xf32>)
//     {new_layout = #mosaic_gpu.TiledLayout<[[4, 8], [1]], ...>}
//
// Vectors that one operation relates are one group: the compiler knows the
// layout of all when it knows that of the largest.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicGPU/Utils/Layouts.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUASSIGNLAYOUTS
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

static constexpr int64_t kLanes = 128;

namespace {

/// Vectors whose layouts follow from each other.
struct Group {
  SmallVector<Value> members;
  /// Whether something else determines their layout.
  bool isSettled = false;
  /// Whether layouts are related along dimensions.
  bool hasShapes = false;
};

/// Finds groups by union-find over values, in one walk.
class Grouper {
public:
  void run(Operation *root);
  SmallVector<Group> takeGroups();

private:
  void visit(Operation *op);
  void visitControlFlow(Operation *op);
  bool isGrouped(Value value);
  void join(Value lhs, Value rhs);
  void join(ValueRange lhs, ValueRange rhs) {
    for (auto [left, right] : llvm::zip(lhs, rhs))
      join(left, right);
  }
  unsigned getNumber(Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  }
  void settle(Operation *op);

  llvm::MapVector<Value, unsigned> numbers;
  llvm::EquivalenceClasses<unsigned> classes;
  DenseSet<Value> settled, shaped;
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Whether all elements are the same, which any layout can hold.
static bool isSplat(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<vector::BroadcastOp>(op))
    return !isa<VectorType>(op->getOperand(0).getType());
  return isa_and_nonnull<arith::ConstantOp>(op);
}

/// A splat would join vectors that have nothing else in common.
bool Grouper::isGrouped(Value value) {
  return isa<VectorType>(value.getType()) && !isSplat(value);
}

/// Scalars and splats among the operands of an operation have no layout.
void Grouper::join(Value lhs, Value rhs) {
  if (isGrouped(lhs) && isGrouped(rhs))
    classes.unionSets(getNumber(lhs), getNumber(rhs));
}

/// For operations that bring a layout of their own, such as wgmma.
void Grouper::settle(Operation *op) {
  for (Value value : op->getOperands())
    if (isGrouped(value))
      settled.insert(value);
  for (Value value : op->getResults())
    if (isGrouped(value))
      settled.insert(value);
}

/// Joins operands of regions with the values inside.
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

/// Memory relates nothing: a load may have any layout, and a store takes any.
void Grouper::visit(Operation *op) {
  for (Value result : op->getResults())
    if (isGrouped(result))
      classes.insert(getNumber(result));
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(op))
    return visitControlFlow(op);
  if (isa<OptimizationBarrierOp>(op))
    return join(op->getOperands(), op->getResults());
  if (isa<VectorLoadOp, VectorStoreOp, BroadcastedIotaOp, vector::ReductionOp,
          scf::YieldOp, scf::ConditionOp>(op) ||
      llvm::any_of(op->getResults(), isSplat))
    return;
  bool isShaped = isa<BroadcastInDimOp, vector::MultiDimReductionOp>(op);
  if (!isShaped && !op->hasTrait<OpTrait::Elementwise>())
    return settle(op);
  for (Value operand : op->getOperands())
    join(operand, op->getResult(0));
  if (isShaped && isGrouped(op->getResult(0)))
    shaped.insert(op->getResult(0));
}

void Grouper::run(Operation *root) {
  root->walk([&](Operation *op) { visit(op); });
}

/// In the order of values, so that the output does not depend on hashing.
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
// Layouts
//===----------------------------------------------------------------------===//

static VectorType getVectorType(Value value) {
  return cast<VectorType>(value.getType());
}

/// The type of which the layouts of all members are parts.
static VectorType getLargest(ArrayRef<Value> members) {
  Value largest = *llvm::max_element(members, [](Value lhs, Value rhs) {
    VectorType left = getVectorType(lhs), right = getVectorType(rhs);
    return std::pair(left.getRank(), left.getNumElements()) <
           std::pair(right.getRank(), right.getNumElements());
  });
  return getVectorType(largest);
}

/// Whether the compiler finds layouts itself.
static bool canInfer(const Group &group) {
  VectorType largest = getLargest(group.members);
  if (!group.hasShapes)
    return largest.getNumElements() % kLanes == 0;
  return largest.getRank() == 2 && largest.getDimSize(0) % 64 == 0 &&
         largest.getDimSize(1) % 8 == 0;
}

/// Whether memory has an order of its own, which lanes have to follow.
static bool hasTransforms(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    auto transforms = dyn_cast<WithTransformsOp>(op);
    if (transforms && !transforms.getTransforms().empty())
      return true;
    if (!transforms && !isa<ViewLikeOpInterface>(op) &&
        !isa<memref::TransposeOp>(op))
      return false;
    memref = op->getOperand(0);
  }
  return false;
}

/// Tiled or swizzled memory can only be accessed in its own order, which the
/// compiler infers.
static bool hasTransforms(const Group &group) {
  return llvm::any_of(group.members, [](Value member) {
    if (auto load = member.getDefiningOp<VectorLoadOp>())
      if (hasTransforms(load.getSource()))
        return true;
    return llvm::any_of(member.getUsers(), [](Operation *user) {
      auto store = dyn_cast<VectorStoreOp>(user);
      return store && hasTransforms(store.getDestination());
    });
  });
}

/// The layout is spread over as many lanes as the vector has elements for.
static Value castLayout(OpBuilder &b, Value value) {
  return LayoutCastOp::create(
      b, value.getLoc(), value.getType(), value,
      getSpreadLayout(value.getContext(), getVectorType(value).getShape()),
      BoolAttr());
}

/// Casts what defines vectors of the largest shape. Returns how many.
static unsigned assign(const Group &group) {
  ArrayRef<int64_t> shape = getLargest(group.members).getShape();
  auto isSource = [&](Value member) {
    return getVectorType(member).getShape() == shape &&
           isa_and_nonnull<VectorLoadOp, BroadcastedIotaOp>(
               member.getDefiningOp());
  };
  bool hasSource = llvm::any_of(group.members, isSource);
  unsigned count = 0;
  for (Value member : group.members) {
    if (auto load = member.getDefiningOp<VectorLoadOp>())
      load.setOptimized(false);
    bool isSpread = getVectorType(member).getShape() == shape &&
                    member.getDefiningOp<BroadcastInDimOp>();
    if (!isSource(member) && (hasSource || !isSpread))
      continue;
    OpBuilder b(member.getContext());
    b.setInsertionPointAfterValue(member);
    Value inLayout = castLayout(b, member);
    member.replaceAllUsesExcept(inLayout, inLayout.getDefiningOp());
    ++count;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Elements that are all the same are stored by lanes of a layout, unless lanes
/// have as many each.
static unsigned castStoredSplats(Operation *root) {
  unsigned count = 0;
  root->walk([&](VectorStoreOp store) {
    Value value = store.getValueToStore();
    int64_t size = getVectorType(value).getNumElements();
    if (!isSplat(value) || size == 1 || size % kLanes == 0)
      return;
    OpBuilder b(store);
    store.getValueToStoreMutable().assign(castLayout(b, value));
    ++count;
  });
  return count;
}

namespace {
/// Layouts that the compiler infers are left to it: it may choose a better one.
struct AssignLayoutsPass
    : mlir::mosaic_gpu::impl::MosaicGPUAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    Grouper grouper;
    grouper.run(getOperation());
    for (const Group &group : grouper.takeGroups())
      if (!group.isSettled && !canInfer(group) && !hasTransforms(group))
        numAssigned += assign(group);
    numAssigned += castStoredSplats(getOperation());
  }
};
} // namespace
