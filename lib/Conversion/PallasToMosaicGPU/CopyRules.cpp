//===- CopyRules.cpp - Copies between memories ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierRules.h"
#include "Rules.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

static FailureOr<CopyBox> getBox(Operation *op, Value ref,
                                 KernelEmitter &emit) {
  auto it = emit.boxes.find(ref);
  if (it == emit.boxes.end())
    return op->emitOpError("copies a ref of type ")
           << ref.getType()
           << " as global memory; give an operand or result of the kernel, or "
              "a "
              "slice of one";
  CopyBox box{it->second.memref, {}, {}};
  for (const BoxDim &dim : it->second.dims) {
    box.indices.push_back(
        dim.start ? emit.addConstant(emit.toI32(dim.start), dim.offset)
                  : emit.i32(dim.offset));
    box.lengths.push_back(dim.isVisible ? dim.size : -1);
    // A descriptor holds sizes of a box in 8 bits.
    if (dim.size > 256)
      return op->emitOpError("copies ")
             << dim.size << " elements of a dimension at once; the hardware "
             << "copies 256, so copy parts";
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
  FailureOr<CopyBox> box = getBox(op, op.getSource(), emit);
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

static FailureOr<mosaic_gpu::TMAReductionAttr>
getReduction(CopySmemToGmemOp op) {
  using mosaic_gpu::TMAReduction;
  if (!op.getReduction())
    return mosaic_gpu::TMAReductionAttr();
  bool isFloat = isa<FloatType>(op.getSource().getType().getElementType());
  auto give = [&](TMAReduction kind) {
    return mosaic_gpu::TMAReductionAttr::get(op.getContext(), kind);
  };
  switch (*op.getReduction()) {
  case AtomicKind::Xchg:
    return op.emitOpError("exchanges elements; a copy to global memory adds, "
                          "takes the min or max, or combines bits");
  case AtomicKind::Add:
    return give(TMAReduction::Add);
  case AtomicKind::Max:
    return give(isFloat ? TMAReduction::Max : TMAReduction::Smax);
  case AtomicKind::Min:
    return give(isFloat ? TMAReduction::Min : TMAReduction::Smin);
  case AtomicKind::UMax:
    return give(TMAReduction::Umax);
  case AtomicKind::UMin:
    return give(TMAReduction::Umin);
  case AtomicKind::And:
    return give(TMAReduction::And);
  case AtomicKind::Or:
    return give(TMAReduction::Or);
  case AtomicKind::Xor:
    return give(TMAReduction::Xor);
  }
  llvm_unreachable("all kinds are handled");
}

static LogicalResult convertStore(CopySmemToGmemOp op, KernelEmitter &emit) {
  FailureOr<Value> source = emit.getValue(op.getSource());
  FailureOr<CopyBox> box = getBox(op, op.getTarget(), emit);
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

static LogicalResult convertCommit(CommitSmemOp, KernelEmitter &emit) {
  MLIRContext *context = emit.b.getContext();
  NVVM::FenceProxyOp::create(
      emit.b, emit.loc,
      NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
  emit.syncWarpgroup();
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
  emit.syncWarpgroup();
  return success();
}

static LogicalResult convertPrefetch(AsyncPrefetchOp op, KernelEmitter &emit) {
  FailureOr<CopyBox> box = getBox(op, op.getSource(), emit);
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
