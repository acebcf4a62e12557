//===- CopyRules.cpp - Copies between memories ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies go by the tensor memory accelerator, which moves boxes of an array.
// The arrival of a load is counted in bytes, so its barrier expects them before
// the copy starts. Stores are waited for in groups.
//
//===----------------------------------------------------------------------===//

#include "BarrierRules.h"
#include "Rules.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Support/Tiles.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// A box as copies take it: where it starts, and how long it is.
struct CopyBox {
  Value memref;
  SmallVector<Value> indices;
  SmallVector<int64_t> lengths;
};
} // namespace

/// The sizes of a box as the hardware counts: 64x128 with tiles of 8x64 is a
/// box of 8x2x8x64. Dimensions of size 1 don't count.
static SmallVector<int64_t> getHardwareBox(RefType shared) {
  SmallVector<int64_t> box(shared.getShape());
  ArrayAttr transforms = shared.getTransforms();
  for (Attribute attr :
       transforms ? transforms.getValue() : ArrayRef<Attribute>()) {
    auto tile = dyn_cast<TileTransformAttr>(attr);
    if (!tile)
      continue;
    ArrayRef<int64_t> sizes = tile.getTile();
    size_t first = box.size() - std::min(sizes.size(), box.size());
    for (auto [size, part] :
         llvm::zip(MutableArrayRef(box).drop_front(first), sizes))
      size = llvm::divideCeil(size, part);
    llvm::append_range(box, sizes);
  }
  llvm::erase(box, 1);
  return box;
}

/// Whether the hardware copies such a box.
static LogicalResult checkBox(Operation *op, MemRefType array, RefType shared) {
  const mosaic_gpu::GPUCopyLimits &limits = mosaic_gpu::getGPUCopyLimits();
  SmallVector<int64_t> box = getHardwareBox(shared);
  if (static_cast<int64_t>(box.size()) > limits.rank)
    return op->emitOpError("copies a box of ")
           << box.size() << " dimensions, those in a tile counted apart; the "
           << "hardware copies " << limits.rank << ", so copy parts";
  for (int64_t size : box)
    if (size > limits.elements)
      return op->emitOpError("copies ")
             << size << " elements of a dimension at once; the hardware "
             << "copies " << limits.elements << ", so copy parts";
  int64_t bits = array.getElementTypeBitWidth();
  auto isRow = [&](int64_t size) {
    return size * bits % (8 * limits.rowBytes) == 0;
  };
  int64_t unit = 1;
  while (!isRow(unit))
    ++unit;
  int64_t row = shared.getRank() ? shared.getShape().back() : 1;
  if (!isRow(row))
    return op->emitOpError("copies rows of ")
           << row << " elements of type " << array.getElementType()
           << "; the hardware copies multiples of " << limits.rowBytes
           << " bytes, and sizes near it are "
           << spellNearestMultiples(row, unit, limits.elements);
  if (array.getRank() > 1 && !isRow(array.getShape().back()))
    return op->emitOpError("copies a part of an array with rows of ")
           << array.getShape().back() << " elements of type "
           << array.getElementType() << "; rows start at multiples of "
           << limits.rowBytes << " bytes, so pad them to "
           << llvm::alignTo(array.getShape().back(), unit);
  return success();
}

/// The box that `ref` is, to copy to or from `shared`; null for a prefetch.
static FailureOr<CopyBox> getBox(Operation *op, Value ref, RefType shared,
                                 KernelEmitter &emit) {
  auto it = emit.boxes.find(ref);
  if (it == emit.boxes.end())
    return op->emitOpError("copies a ref of type ")
           << ref.getType()
           << " as global memory; give an operand or result of the kernel, or "
              "a "
              "slice of one";
  if (failed(checkBox(op, cast<MemRefType>(it->second.memref.getType()),
                      shared ? shared : cast<RefType>(ref.getType()))))
    return failure();
  CopyBox box{it->second.memref, {}, {}};
  for (const BoxDim &dim : it->second.dims) {
    box.indices.push_back(
        dim.start ? emit.addConstant(emit.toI32(dim.start), dim.offset)
                  : emit.i32(dim.offset));
    box.lengths.push_back(dim.isVisible ? dim.size : -1);
  }
  return box;
}

/// Along which dimensions of the cluster the blocks copy together.
static FailureOr<SmallVector<mosaic_gpu::Dimension>>
getCollective(CopyGmemToSmemOp op, KernelEmitter &emit) {
  SmallVector<mosaic_gpu::Dimension> dimensions;
  if (!op.getCollectiveAxes())
    return dimensions;
  SmallVector<StringRef> axes;
  for (MeshAxisAttr axis : emit.mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Cluster)
      axes.push_back(axis.getName().getValue());
  ArrayAttr names = *op.getCollectiveAxes();
  for (Attribute name : names) {
    auto *it = llvm::find(axes, cast<StringAttr>(name).getValue());
    if (it == axes.end())
      return op.emitOpError("copies for the axis ")
             << name << ", which is none of the cluster";
    dimensions.push_back(
        static_cast<mosaic_gpu::Dimension>(axes.end() - it - 1));
  }
  return dimensions;
}

/// The order matters: expecting the bytes after the copy could miss its end.
static LogicalResult convertLoad(CopyGmemToSmemOp op, KernelEmitter &emit) {
  if (op.getLeaderTracked() || op.getPartitionedDim())
    return op.emitOpError("lets the first block of a cluster track it; on "
                          "Hopper each block tracks its own copies");
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  FailureOr<Value> target = emit.getValue(op.getTarget());
  FailureOr<SmallVector<mosaic_gpu::Dimension>> collective =
      getCollective(op, emit);
  if (failed(slot) || failed(target) || failed(collective))
    return failure();
  OpBuilder::InsertionGuard guard(emit.b);
  if (Value predicate = op.getPredicate()) {
    FailureOr<Value> condition = emit.getValue(predicate);
    if (failed(condition))
      return failure();
    auto branch = scf::IfOp::create(emit.b, emit.loc, *condition,
                                    /*withElseRegion=*/false);
    emit.b.setInsertionPointToStart(branch.thenBlock());
  }
  FailureOr<CopyBox> box =
      getBox(op, op.getSource(), op.getTarget().getType(), emit);
  if (failed(box))
    return failure();
  Value barrier = getBarrierMemRef(emit, *slot);
  mosaic_gpu::ArriveExpectTxOp::create(
      emit.b, emit.loc, barrier,
      static_cast<int32_t>(getNumBytes(cast<MemRefType>((*target).getType()))));
  mosaic_gpu::AsyncLoadOp::create(emit.b, emit.loc, box->memref, *target,
                                  barrier, box->indices, box->lengths, Value(),
                                  *collective);
  return success();
}

static std::optional<mosaic_gpu::TMAReduction> getReduction(AtomicKind kind,
                                                            bool isFloat) {
  using mosaic_gpu::TMAReduction;
  switch (kind) {
  case AtomicKind::Xchg:
    return std::nullopt;
  case AtomicKind::Add:
    return TMAReduction::Add;
  case AtomicKind::Max:
    return isFloat ? TMAReduction::Max : TMAReduction::Smax;
  case AtomicKind::Min:
    return isFloat ? TMAReduction::Min : TMAReduction::Smin;
  case AtomicKind::UMax:
    return TMAReduction::Umax;
  case AtomicKind::UMin:
    return TMAReduction::Umin;
  case AtomicKind::And:
    return TMAReduction::And;
  case AtomicKind::Or:
    return TMAReduction::Or;
  case AtomicKind::Xor:
    return TMAReduction::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

/// Null without a reduction; an error for what the hardware cannot combine.
static FailureOr<mosaic_gpu::TMAReductionAttr>
getReduction(CopySmemToGmemOp op) {
  if (!op.getReduction())
    return mosaic_gpu::TMAReductionAttr();
  Type element = op.getSource().getType().getElementType();
  std::optional<mosaic_gpu::TMAReduction> kind =
      getReduction(*op.getReduction(), isa<FloatType>(element));
  if (kind && mosaic_gpu::isGPUReduction(*kind, element))
    return mosaic_gpu::TMAReductionAttr::get(op.getContext(), *kind);
  return op.emitOpError("combines elements of type ")
         << element << " by " << stringifyAtomicKind(*op.getReduction())
         << "; a copy to global memory adds floats of 16 and 32 bits, takes "
            "the min or max of floats of 16 bits, and combines integers of 32 "
            "and 64 bits";
}

static LogicalResult convertStore(CopySmemToGmemOp op, KernelEmitter &emit) {
  FailureOr<Value> source = emit.getValue(op.getSource());
  FailureOr<CopyBox> box =
      getBox(op, op.getTarget(), op.getSource().getType(), emit);
  FailureOr<mosaic_gpu::TMAReductionAttr> reduction = getReduction(op);
  if (failed(source) || failed(box) || failed(reduction))
    return failure();
  Value predicate;
  if (op.getPredicate()) {
    FailureOr<Value> condition = emit.getValue(op.getPredicate());
    if (failed(condition))
      return failure();
    predicate = *condition;
  }
  mosaic_gpu::AsyncStoreOp::create(emit.b, emit.loc, *source, box->memref,
                                   box->indices, predicate, Value(),
                                   emit.b.getDenseI64ArrayAttr(box->lengths),
                                   emit.b.getBoolAttr(op.getCommitGroup()),
                                   *reduction, emit.b.getBoolAttr(false));
  return success();
}

/// The accelerator reads memory by another path than stores write it. The fence
/// orders both for one lane, and the barrier all lanes of the warpgroup.
void mlir::pallas::commitSharedMemory(KernelEmitter &emit) {
  MLIRContext *context = emit.b.getContext();
  NVVM::FenceProxyOp::create(
      emit.b, emit.loc,
      NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
  emit.syncWarpgroup();
}

static LogicalResult convertCommit(CommitSmemOp, KernelEmitter &emit) {
  commitSharedMemory(emit);
  return success();
}

static LogicalResult convertCommitGroup(CommitSmemToGmemGroupOp,
                                        KernelEmitter &emit) {
  NVVM::CpAsyncBulkCommitGroupOp::create(emit.b, emit.loc);
  return success();
}

static LogicalResult convertWait(WaitSmemToGmemOp op, KernelEmitter &emit) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      emit.b, emit.loc, emit.b.getI32IntegerAttr(op.getPending()),
      op.getReadOnly() ? emit.b.getUnitAttr() : UnitAttr());
  // One lane issued the copies, so the others learn of their end from it.
  emit.syncLanes();
  return success();
}

/// A prefetch goes to the cache, so there is no shared memory to check against.
static LogicalResult convertPrefetch(AsyncPrefetchOp op, KernelEmitter &emit) {
  FailureOr<CopyBox> box = getBox(op, op.getSource(), RefType(), emit);
  if (failed(box))
    return failure();
  mosaic_gpu::AsyncPrefetchOp::create(
      emit.b, emit.loc, box->memref, box->indices, Value(),
      emit.b.getDenseI64ArrayAttr(box->lengths), emit.b.getArrayAttr({}));
  return success();
}

void mlir::pallas::addCopyRules(RuleTable &rules) {
  rules.add<AsyncPrefetchOp>(convertPrefetch);
  rules.add<CommitSmemOp>(convertCommit);
  rules.add<CommitSmemToGmemGroupOp>(convertCommitGroup);
  rules.add<CopyGmemToSmemOp>(convertLoad);
  rules.add<CopySmemToGmemOp>(convertStore);
  rules.add<WaitSmemToGmemOp>(convertWait);
}
