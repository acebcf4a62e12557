//===- LaunchControlRules.cpp - Work of blocks that have not started ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first block of a cluster asks, and the hardware writes the answer to the
// same place in all of its blocks. Each one expects the bytes at a barrier of
// its own. Lanes read the answer by the generic proxy and hardware writes the
// next one by the asynchronous one, so fences order both.
//
//===----------------------------------------------------------------------===//

#include "BarrierRules.h"
#include "GridRules.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Bytes of an answer.
static constexpr int32_t kAnswerBytes = 16;

static LogicalResult checkTarget(Operation *op, KernelEmitter &emit) {
  // Hardware with tensor memory has it.
  if (!emit.target.tensorColumns)
    return op->emitOpError("takes over work of blocks that have not started, "
                           "which ")
           << emit.target.arch << " lacks and sm_100a has; launch as many "
           << "blocks as run at once, and loop over the work in each";
  if (emit.isInWarp)
    return op->emitOpError("takes over work of other blocks in the code of one "
                           "warp; warpgroups do so, so move it outside of the "
                           "core_map");
  return success();
}

/// Whether this program is the first one along all axes of a role that ask
/// together; null if there is no other.
static FailureOr<Value> isFirst(TryClusterCancelOp op, MeshAxisRole role,
                                KernelEmitter &emit) {
  OpBuilder &b = emit.b;
  Value first;
  for (StringRef axis : op.getAskingAxes(emit.mesh, role)) {
    FailureOr<Value> index = getAxisIndex(op, axis, emit);
    if (failed(index))
      return failure();
    Value isZero = arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::eq,
                                         *index, emit.i32(0));
    first = first ? arith::AndIOp::create(b, emit.loc, first, isZero) : isZero;
  }
  return first;
}

/// All warpgroups arrive, and the first one expects the bytes of the answer.
static void expectAnswer(KernelEmitter &emit, Value barrier, bool orders,
                         Value isFirst) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  if (!isFirst) {
    mosaic_gpu::ArriveExpectTxOp::create(b, loc, barrier, kAnswerBytes);
    return;
  }
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  mosaic_gpu::ArriveExpectTxOp::create(b, loc, barrier, kAnswerBytes);
  b.setInsertionPointToStart(branch.elseBlock());
  mosaic_gpu::ArriveOp::create(b, loc, barrier, Value(), b.getBoolAttr(orders));
}

///   pallas.try_cluster_cancel %answer signals %b
/// -->
///   scf.if %isFirstWarpgroup { mosaic_gpu.arrive_expect_tx barrier(%b) 16 }
///   else { "mosaic_gpu.arrive"(%b) }
///   "mosaic_gpu.try_cluster_cancel"(%answer, %b, %isFirst)
static LogicalResult convertTry(TryClusterCancelOp op, KernelEmitter &emit) {
  if (failed(checkTarget(op, emit)))
    return failure();
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  FailureOr<Value> answer = emit.getValue(op.getAnswer());
  if (failed(slot) || failed(answer))
    return failure();
  auto type = dyn_cast<pallas::BarrierType>(slot->group->type);
  if (!type)
    return op.emitOpError("signals ")
           << slot->group->type << "; the answer comes to a barrier of each "
           << "block, so give it one of its own";
  FailureOr<Value> isWarpgroup = isFirst(op, MeshAxisRole::Thread, emit);
  FailureOr<Value> isBlock = isFirst(op, MeshAxisRole::Cluster, emit);
  if (failed(isWarpgroup) || failed(isBlock))
    return failure();
  emit.emitAssembly(Type(), {},
                    "fence.proxy.async::generic.acquire.sync_restrict::shared"
                    "::cluster.cluster;",
                    "");
  Value barrier = getBarrierMemRef(emit, *slot);
  expectAnswer(emit, barrier, type.getOrdersTensorCore(), *isWarpgroup);
  Value asks = *isWarpgroup ? *isWarpgroup : *isBlock;
  if (*isWarpgroup && *isBlock)
    asks = arith::AndIOp::create(emit.b, emit.loc, *isWarpgroup, *isBlock);
  mosaic_gpu::TryClusterCancelOp::create(emit.b, emit.loc, *answer, barrier,
                                         asks);
  return success();
}

/// The hardware gives the ids of the first block of the cluster:
///   %i, %found = pallas.query_cluster_cancel %answer along ["i"]
/// -->
///   %x, %y, %z, %found = "mosaic_gpu.query_cluster_cancel"(%answer)
///   %i = arith.divui %x, %blocksOfACluster
static LogicalResult convertQuery(QueryClusterCancelOp op,
                                  KernelEmitter &emit) {
  FailureOr<Value> answer = emit.getValue(op.getAnswer());
  if (failed(answer) || failed(checkTarget(op, emit)))
    return failure();
  auto query =
      mosaic_gpu::QueryClusterCancelOp::create(emit.b, emit.loc, *answer);
  emit.emitAssembly(Type(), {},
                    "fence.proxy.async::generic.release.sync_restrict::shared"
                    "::cta.cluster;",
                    "");
  std::array<Value, 3> block{query.getX(), query.getY(), query.getZ()};
  for (auto [name, index] : llvm::zip_equal(
           op.getAxisNames().getAsValueRange<StringAttr>(), op.getIndices())) {
    FailureOr<Value> place =
        getGridIndex(op, name, emit, [&](gpu::Dimension dimension) {
          return block[static_cast<unsigned>(dimension)];
        });
    if (failed(place))
      return failure();
    emit.values[index] = *place;
  }
  emit.values[op.getFound()] = query.getSuccess();
  return success();
}

void mlir::pallas::addLaunchControlRules(RuleTable &rules) {
  rules.add<QueryClusterCancelOp>(convertQuery);
  rules.add<TryClusterCancelOp>(convertTry);
}
