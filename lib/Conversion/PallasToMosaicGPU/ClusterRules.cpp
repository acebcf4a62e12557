//===- ClusterRules.cpp - Memory of other blocks of a cluster -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ref of another block is lowered as the one of this block, and each access
// names the block:
//
//   %there = pallas.cluster_ref %s, "c" = %i
//   %v = pallas.get %there[...]
// becomes
//   %there = "mosaic_gpu.get_cluster_ref"(%s, %i)
//   %v = "mosaic_gpu.vector_load"(%there)
//
//===----------------------------------------------------------------------===//

#include "ClusterRules.h"
#include "BarrierRules.h"
#include "ElementLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"

using namespace mlir;
using namespace mlir::pallas;

static bool isView(Operation *op) {
  return isa<ReshapeRefOp, SliceRefOp, TransposeRefOp>(op);
}

ClusterRefOp mlir::pallas::findClusterRef(Value ref) {
  while (Operation *view = ref.getDefiningOp()) {
    if (auto there = dyn_cast<ClusterRefOp>(view))
      return there;
    if (!isView(view))
      return {};
    ref = view->getOperand(0);
  }
  return {};
}

/// The dimension of the launch along which an axis of the cluster lies.
static FailureOr<unsigned> getDimension(ClusterRefOp op, MeshAttr mesh) {
  SmallVector<StringRef> axes;
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Cluster)
      axes.push_back(axis.getName());
  unsigned place = llvm::find(axes, op.getAxisName()) - axes.begin();
  if (place == axes.size())
    return op.emitOpError("names a block along \"")
           << op.getAxisName() << "\", which is no cluster axis of " << mesh;
  return axes.size() - place - 1;
}

/// Anything else would touch the memory of this block.
static LogicalResult checkUses(Value ref) {
  for (Operation *user : ref.getUsers()) {
    if (isView(user) || isa<ClusterRefOp>(user)) {
      if (failed(checkUses(user->getResult(0))))
        return failure();
    } else if (!isa<AtomicRMWOp, BarrierArriveOp, GetOp, SwapOp>(user)) {
      return user->emitOpError(
          "takes memory of another block of the cluster; kernels load vectors "
          "from there, store them by swap or atomic_rmw, and arrive at "
          "barriers");
    }
  }
  return success();
}

static LogicalResult convertClusterRef(ClusterRefOp op, KernelEmitter &emit) {
  if (findClusterRef(op.getRef()))
    return op.emitOpError("names a block along a second axis; the compiler "
                          "takes one, so make one axis of both");
  if (failed(getDimension(op, emit.mesh)) || failed(checkUses(op.getView())))
    return failure();
  auto barrier = emit.barriers.find(op.getRef());
  if (barrier != emit.barriers.end()) {
    BarrierSlot slot = barrier->second;
    emit.barriers[op.getView()] = std::move(slot);
    return success();
  }
  FailureOr<Value> memref = emit.getValue(op.getRef());
  if (failed(memref))
    return failure();
  emit.values[op.getView()] = *memref;
  return success();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

LogicalResult mlir::pallas::getFromBlock(GetOp op, KernelEmitter &emit) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (takesElements(access) || !isa<ShapedType>(op.getType()))
    return op.emitOpError("loads single elements of another block; load all of "
                          "a ref, and take them from it");
  ClusterRefOp there = findClusterRef(op.getRef());
  FailureOr<unsigned> dimension = getDimension(there, emit.mesh);
  FailureOr<Value> block = emit.getValue(there.getIndex());
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(dimension) || failed(block) || failed(memref) || failed(optimized))
    return failure();
  if (!access.isWholeAccess() ||
      !isa_and_nonnull<mosaic_gpu::SliceSMEMOp, mosaic_gpu::WithTransformsOp>(
          (*memref).getDefiningOp()))
    return op.emitOpError("loads a view of memory of another block; the "
                          "compiler takes all of a ref in its own shape, so "
                          "make a ref of what is loaded");
  std::array<Value, 3> ids;
  ids[*dimension] = emit.toI32(*block);
  Value remote = mosaic_gpu::GetClusterRefOp::create(emit.b, emit.loc, *memref,
                                                     ids[0], ids[1], ids[2]);
  emit.values[op] = loadStored(
      emit, remote, op.getRef().getType().getElementType(), *optimized);
  return success();
}

//===----------------------------------------------------------------------===//
// Stores and arrivals
//===----------------------------------------------------------------------===//

/// The arrival at a barrier of the same block that follows a store.
static BarrierArriveOp findArrival(Operation *store) {
  ClusterRefOp there = findClusterRef(store->getOperand(0));
  for (Operation *op = store->getNextNode(); op; op = op->getNextNode()) {
    if (auto arrival = dyn_cast<BarrierArriveOp>(op)) {
      ClusterRefOp at = findClusterRef(arrival.getBarrier());
      bool isSame = at && at.getIndex() == there.getIndex() &&
                    at.getAxisName() == there.getAxisName();
      return isSame ? arrival : BarrierArriveOp();
    }
    if (!isMemoryEffectFree(op))
      return {};
  }
  return {};
}

LogicalResult mlir::pallas::checkStoreToBlock(Operation *op) {
  auto access = cast<RefAccessOpInterface>(op);
  auto update = dyn_cast<AtomicRMWOp>(op);
  if (takesElements(access) || !isa<ShapedType>(op->getResult(0).getType()) ||
      !op->use_empty() ||
      (update && (update.getMask() || !getAtomicType(update.getKind()))))
    return op->emitOpError(
        "updates scalars or single elements of another block, by an exchange, "
        "or uses what was there; kernels store a vector, as it is or by add, "
        "min, max, and, or or xor");
  if (!findArrival(op))
    return op->emitOpError(
        "stores to another block without an arrival at a barrier of that "
        "block as the next operation; the hardware stores and arrives at once");
  return success();
}

/// The number of a block of the cluster that differs from this one along one
/// dimension: x + sizeX * (y + sizeY * z).
static Value getBlockNumber(KernelEmitter &emit, unsigned dimension,
                            Value block) {
  Value number;
  int64_t stride = 1;
  for (auto [dim, size] : llvm::enumerate(LaunchGrid(emit.mesh).cluster)) {
    if (size == 1)
      continue;
    Value id = dim == dimension
                   ? block
                   : emit.toI32(gpu::ClusterBlockIdOp::create(
                         emit.b, emit.loc, static_cast<gpu::Dimension>(dim)));
    if (stride != 1)
      id = arith::MulIOp::create(emit.b, emit.loc, id, emit.i32(stride));
    number = number ? Value(arith::AddIOp::create(emit.b, emit.loc, number, id))
                    : id;
    stride *= size;
  }
  return number ? number : emit.i32(0);
}

///   pallas.swap %there[...], %v
///   pallas.barrier_arrive %barrierThere
/// -->
///   "mosaic_gpu.async_store_smem"(%v, %s, %barrier, %i)
static LogicalResult startStore(Operation *op, const BarrierSlot &slot,
                                unsigned dimension, Value block,
                                KernelEmitter &emit) {
  auto update = dyn_cast<AtomicRMWOp>(op);
  FailureOr<Value> memref =
      getAccessedMemRef(emit, cast<RefAccessOpInterface>(op));
  FailureOr<Value> value =
      emit.getValue(update ? update.getValue() : cast<SwapOp>(op).getValue());
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(memref) || failed(value) || failed(optimized))
    return failure();
  MLIRContext *context = emit.b.getContext();
  mosaic_gpu::AtomicOpTypeAttr atomic;
  if (update)
    atomic = mosaic_gpu::AtomicOpTypeAttr::get(
        context, *getAtomicType(update.getKind()));
  mosaic_gpu::AsyncStoreSmemOp::create(
      emit.b, emit.loc,
      toStored(emit, *value, getElementTypeOrSelf(memref->getType())), *memref,
      getBarrierMemRef(emit, slot),
      mosaic_gpu::DimensionAttr::get(
          context, static_cast<mosaic_gpu::Dimension>(dimension)),
      block, atomic, *optimized);
  return success();
}

LogicalResult mlir::pallas::arriveAtBlock(BarrierArriveOp op,
                                          const BarrierSlot &slot,
                                          KernelEmitter &emit) {
  ClusterRefOp there = findClusterRef(op.getBarrier());
  if (!isa<pallas::BarrierType>(slot.group->type))
    return op.emitOpError("arrives at ")
           << slot.group->type
           << " of another block; arrivals reach all blocks of its axes, so "
              "give the barrier of this block";
  if (emit.isInWarp)
    return op.emitOpError("arrives at a barrier of another block in the code "
                          "of one warp; all lanes of a warpgroup arrive there, "
                          "so move it outside of the core_map");
  FailureOr<unsigned> dimension = getDimension(there, emit.mesh);
  FailureOr<Value> index = emit.getValue(there.getIndex());
  if (failed(dimension) || failed(index))
    return failure();
  Value block = emit.toI32(*index);
  Operation *before = op->getPrevNode();
  while (before && isMemoryEffectFree(before))
    before = before->getPrevNode();
  if (isa_and_nonnull<AtomicRMWOp, SwapOp>(before) &&
      findClusterRef(before->getOperand(0)) && findArrival(before) == op)
    return startStore(before, slot, *dimension, block, emit);
  // Each of the 128 lanes arrives, as at barriers of the own block.
  Value address = getBarrierAddress(emit, slot);
  Value number = getBlockNumber(emit, *dimension, block);
  emit.emitAssembly(
      Type(), {address, number},
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, $0, $1; "
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }",
      "r,r");
  return success();
}

void mlir::pallas::addClusterRules(RuleTable &rules) {
  rules.add<ClusterRefOp>(convertClusterRef);
}
