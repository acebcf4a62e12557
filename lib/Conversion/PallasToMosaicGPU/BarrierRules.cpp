//===- BarrierRules.cpp - Arrivals and waits ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier of the pallas dialect counts phases by itself. In hardware a wait
// names the parity of the phase, so each thread keeps one bit per barrier.
//
//===----------------------------------------------------------------------===//

#include "BarrierRules.h"
#include "ClusterRules.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"

using namespace mlir;
using namespace mlir::pallas;

/// How long a wait sleeps before it looks again.
static constexpr int64_t kTicks = 10000000;

/// Barriers come from scopes: arguments and results would have no address.
FailureOr<BarrierSlot> mlir::pallas::getBarrier(Operation *op, Value ref,
                                                KernelEmitter &emit) {
  auto it = emit.barriers.find(ref);
  if (it == emit.barriers.end())
    return op->emitOpError("uses a barrier that no run_scoped around it makes");
  int64_t count = cast<RefType>(ref.getType()).getNumElements();
  if (count != 1)
    return op->emitOpError("uses ")
           << count << " barriers at once; index one of them";
  return it->second;
}

/// The address of a barrier.
Value mlir::pallas::getBarrierAddress(KernelEmitter &emit,
                                      const BarrierSlot &slot) {
  Value pointer = slot.group->pointer;
  if (!slot.number)
    return pointer;
  return LLVM::GEPOp::create(emit.b, emit.loc, pointer.getType(),
                             emit.b.getI64Type(), pointer,
                             ValueRange(slot.number));
}

/// Operations of mosaic_gpu take a memref of one barrier, made from its
/// address.
Value mlir::pallas::getBarrierMemRef(KernelEmitter &emit,
                                     const BarrierSlot &slot) {
  auto array = cast<MemRefType>(slot.group->slice.getResult().getType());
  auto type =
      MemRefType::get({}, array.getElementType(), MemRefLayoutAttrInterface(),
                      array.getMemorySpace());
  return UnrealizedConversionCastOp::create(emit.b, emit.loc, type,
                                            getBarrierAddress(emit, slot))
      .getResult(0);
}

/// The parity of the phase that this warpgroup waits for, and the word of the
/// phases when that is over. Each thread keeps one bit per barrier and flips it
/// with every wait.
static std::pair<Value, Value> readPhase(KernelEmitter &emit,
                                         const BarrierSlot &slot) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  Value number = slot.number ? slot.number : emit.i32(0);
  Value phases = memref::LoadOp::create(b, loc, slot.group->phases);
  Value bit = arith::ShLIOp::create(b, loc, emit.i32(1), number);
  Value masked = arith::AndIOp::create(b, loc, phases, bit);
  Value parity = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                       emit.i32(0));
  Value flipped = arith::XOrIOp::create(b, loc, phases, bit);
  return {emit.toI32(parity), flipped};
}

static bool ordersTensorCore(const BarrierSlot &slot) {
  if (auto barrier = dyn_cast<pallas::BarrierType>(slot.group->type))
    return barrier.getOrdersTensorCore();
  return cast<ClusterBarrierType>(slot.group->type).getOrdersTensorCore();
}

/// Accesses of tensor memory stay behind a wait at a barrier for them.
static void fenceTensorCore(KernelEmitter &emit, const BarrierSlot &slot) {
  if (ordersTensorCore(slot))
    NVVM::Tcgen05FenceOp::create(emit.b, emit.loc,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

/// The hardware's wait gives up after a while, and the compiler repeats it.
static void emitWait(KernelEmitter &emit, const BarrierSlot &slot,
                     Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(emit.b, emit.loc,
                                        getBarrierAddress(emit, slot), parity,
                                        emit.i32(kTicks));
  fenceTensorCore(emit, slot);
}

static LogicalResult convertWait(BarrierWaitOp op, KernelEmitter &emit) {
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  if (failed(slot))
    return failure();
  auto [parity, flipped] = readPhase(emit, *slot);
  memref::StoreOp::create(emit.b, emit.loc, flipped, slot->group->phases);
  emitWait(emit, *slot, parity);
  return success();
}

/// A test that finds the phase complete is a wait. All threads of the warp come
/// together first, so that none sees another answer:
///
///   %done = pallas.barrier_test %b
/// -->
///   nvvm.bar.warp.sync %all
///   %done = nvvm.mbarrier.test.wait %address, %parity
///   scf.if %done { memref.store %flipped, %phases[] }
/// Where a parity is given, the kernel keeps the phase itself.
static LogicalResult convertTest(BarrierTestOp op, KernelEmitter &emit) {
  if (!emit.isInWarp)
    return op.emitOpError("tests a barrier in the code of a warpgroup, whose "
                          "warps may see different answers; test it in the "
                          "code of one warp, in a core_map");
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  if (failed(slot))
    return failure();
  OpBuilder &b = emit.b;
  NVVM::SyncWarpOp::create(b, emit.loc, emit.i32(-1));
  Value parity, flipped;
  if (op.getParity()) {
    FailureOr<Value> given = emit.getValue(op.getParity());
    if (failed(given))
      return failure();
    parity = emit.toI32(*given);
  } else {
    std::tie(parity, flipped) = readPhase(emit, *slot);
  }
  Value done = NVVM::MBarrierTestWaitOp::create(
      b, emit.loc, b.getI1Type(), getBarrierAddress(emit, *slot), parity);
  emit.values[op] = done;
  if (!flipped && !ordersTensorCore(*slot))
    return success();
  auto branch = scf::IfOp::create(b, emit.loc, done, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  fenceTensorCore(emit, *slot);
  if (flipped)
    memref::StoreOp::create(b, emit.loc, flipped, slot->group->phases);
  return success();
}

/// The kernel keeps the phase itself, so there is no word to flip.
static LogicalResult convertWaitParity(BarrierWaitParityOp op,
                                       KernelEmitter &emit) {
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  FailureOr<Value> parity = emit.getValue(op.getParity());
  if (failed(slot) || failed(parity))
    return failure();
  emitWait(emit, *slot, emit.toI32(*parity));
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers of a cluster
//===----------------------------------------------------------------------===//

/// The dimensions of the launch along which a group of axes of the cluster
/// lies.
static SmallVector<unsigned> getDimensions(KernelEmitter &emit,
                                           ArrayRef<StringAttr> group) {
  SmallVector<StringAttr> axes;
  for (MeshAxisAttr axis : emit.mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Cluster)
      axes.push_back(axis.getName());
  return llvm::map_to_vector(group, [&](StringAttr name) -> unsigned {
    return axes.end() - llvm::find(axes, name) - 1;
  });
}

/// Bits of the blocks that differ from block 0 along these dimensions only:
///   0b0101 for y of a cluster of 2x2
static int64_t getMask(ArrayRef<int64_t> cluster, ArrayRef<unsigned> along) {
  SmallVector<int64_t> blocks{0};
  int64_t stride = 1;
  for (auto [dim, size] : llvm::enumerate(cluster)) {
    if (llvm::is_contained(along, dim)) {
      SmallVector<int64_t> before(blocks);
      for (int64_t i = 1; i < size; ++i)
        for (int64_t block : before)
          blocks.push_back(block + i * stride);
    }
    stride *= size;
  }
  int64_t mask = 0;
  for (int64_t block : blocks)
    mask |= int64_t(1) << block;
  return mask;
}

/// The blocks that an arrival reaches, as bits: all that differ from this one
/// along the axes of one group at most; or, of these, the first one.
static Value getTargets(KernelEmitter &emit, ClusterBarrierType type) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  SmallVector<int64_t, 3> cluster = LaunchGrid(emit.mesh).cluster;
  Value targets;
  for (ArrayRef<StringAttr> group : getAxisGroups(type)) {
    SmallVector<unsigned> along = getDimensions(emit, group);
    // The bits move to where this block is along the other dimensions.
    ArrayRef<unsigned> reached = along;
    if (type.getLeaderTracked())
      reached = {};
    Value bits = emit.i32(getMask(cluster, reached)), shift;
    int64_t stride = 1;
    for (auto [dim, size] : llvm::enumerate(cluster)) {
      if (!llvm::is_contained(along, dim) && size != 1) {
        Value id = emit.toI32(gpu::ClusterBlockIdOp::create(
            b, loc, static_cast<gpu::Dimension>(dim)));
        if (stride != 1)
          id = arith::MulIOp::create(b, loc, id, emit.i32(stride));
        shift = shift ? Value(arith::AddIOp::create(b, loc, shift, id)) : id;
      }
      stride *= size;
    }
    if (shift)
      bits = arith::ShLIOp::create(b, loc, bits, shift);
    targets =
        targets ? Value(arith::OrIOp::create(b, loc, targets, bits)) : bits;
  }
  return targets;
}

/// Lane 8 * i arrives at the barrier of block i, if that is a target: a cluster
/// has 16 blocks at most.
static void arriveAcrossCluster(KernelEmitter &emit, const BarrierSlot &slot) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  // Not all lanes arrive, so those that do come behind the accesses of all.
  if (ordersTensorCore(slot)) {
    NVVM::Tcgen05FenceOp::create(b, loc,
                                 NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    emit.syncWarpgroup();
  }
  Value thread = emit.toI32(gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  Value lane = arith::RemUIOp::create(b, loc, thread, emit.i32(128));
  Value block = arith::DivUIOp::create(b, loc, lane, emit.i32(8));
  Value rest = arith::RemUIOp::create(b, loc, lane, emit.i32(8));
  Value bit = arith::ShLIOp::create(b, loc, emit.i32(1), block);
  Value hit = arith::AndIOp::create(
      b, loc, bit,
      getTargets(emit, cast<ClusterBarrierType>(slot.group->type)));
  Value isTarget =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, hit, emit.i32(0));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                        emit.i32(0));
  Value predicate = arith::AndIOp::create(b, loc, isTarget, isFirst);
  emit.emitAssembly(
      Type(), {predicate, getBarrierAddress(emit, slot), block},
      "{ .reg .b32 there; @$0 mapa.shared::cluster.u32 there, $1, $2; "
      "@$0 mbarrier.arrive.shared::cluster.b64 _, [there]; }",
      "b,r,r");
}

/// Another name would reach fewer blocks than are waited for.
static LogicalResult checkAxes(BarrierArriveOp op, ClusterBarrierType type,
                               MeshAttr mesh) {
  if (type.getLeaderTracked() && type.getCollectiveAxes().size() != 1)
    return op.emitOpError("arrives at ")
           << type << "; the first block is one along one axis, so name one";
  for (ArrayRef<StringAttr> group : getAxisGroups(type))
    for (StringAttr name : group)
      if (llvm::none_of(mesh.getAxes(), [&](MeshAxisAttr axis) {
            return axis.getRole() == MeshAxisRole::Cluster &&
                   axis.getName() == name;
          }))
        return op.emitOpError("arrives along ")
               << name << ", which is no cluster axis of " << mesh
               << "; name the axes along which blocks share the barrier";
  return success();
}

static LogicalResult convertArrive(BarrierArriveOp op, KernelEmitter &emit) {
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  if (failed(slot))
    return failure();
  if (findClusterRef(op.getBarrier()))
    return arriveAtBlock(op, *slot, emit);
  auto cluster = dyn_cast<ClusterBarrierType>(slot->group->type);
  if (cluster) {
    if (failed(checkAxes(op, cluster, emit.mesh)))
      return failure();
    arriveAcrossCluster(emit, *slot);
    return success();
  }
  mosaic_gpu::ArriveOp::create(
      emit.b, emit.loc, getBarrierMemRef(emit, *slot), Value(),
      emit.b.getBoolAttr(
          cast<pallas::BarrierType>(slot->group->type).getOrdersTensorCore()));
  return success();
}

void mlir::pallas::addBarrierRules(RuleTable &rules) {
  rules.add<BarrierArriveOp>(convertArrive);
  rules.add<BarrierTestOp>(convertTest);
  rules.add<BarrierWaitOp>(convertWait);
  rules.add<BarrierWaitParityOp>(convertWaitParity);
}
