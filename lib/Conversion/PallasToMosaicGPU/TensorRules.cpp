//===- TensorRules.cpp - Tensor memory and its products -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products run beside the code that starts them, one after the other, and a
// commit lets a barrier follow them. Those of two blocks are started by the
// first of them.
//
//===----------------------------------------------------------------------===//

#include "BarrierRules.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Support/Tiles.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Work of two blocks
//===----------------------------------------------------------------------===//

/// Hardware pairs blocks along x, which is the last axis of the cluster.
static LogicalResult checkPairAxis(Operation *op, StringRef axis,
                                   KernelEmitter &emit) {
  StringRef last;
  for (MeshAxisAttr known : emit.mesh.getAxes())
    if (known.getRole() == MeshAxisRole::Cluster)
      last = known.getName().getValue();
  if (axis == last)
    return success();
  return op->emitOpError("pairs blocks along \"")
         << axis << "\", but hardware pairs them along the last axis of the "
         << "cluster, \"" << last << "\"; swap the axes";
}

/// Writes what the first block does for both; without an axis, what each does.
///
///   pallas.tcgen05_mma ... collective "x"
/// -->
///   %block = gpu.cluster_block_id x
///   %isFirst = arith.cmpi eq, %block, %c0
///   scf.if %isFirst { "mosaic_gpu.tcgen05_mma"(...) <{collective = true}> }
static LogicalResult emitForPair(Operation *op, std::optional<StringRef> axis,
                                 KernelEmitter &emit,
                                 function_ref<void()> write) {
  if (!axis) {
    write();
    return success();
  }
  if (failed(checkPairAxis(op, *axis, emit)))
    return failure();
  OpBuilder &b = emit.b;
  Value block =
      emit.toI32(gpu::ClusterBlockIdOp::create(b, emit.loc, gpu::Dimension::x));
  Value isFirst = arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::eq,
                                        block, emit.i32(0));
  auto branch = scf::IfOp::create(b, emit.loc, isFirst,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  write();
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static LogicalResult checkTypes(Tcgen05MMAOp op) {
  Type lhs = op.getLhs().getType().getElementType(),
       rhs = op.getRhs().getType().getElementType(),
       acc = op.getAcc().getType().getElementType();
  if (op.getLhsScale()) {
    Type left = op.getLhsScale().getType().getElementType(),
         right = op.getRhsScale().getType().getElementType();
    if (mosaic_gpu::isGPUScaledProduct(lhs, rhs, left, right, acc))
      return success();
    return op.emitOpError("multiplies ")
           << lhs << " by " << rhs << " with scales of " << left << " and "
           << right << " into " << acc
           << "; scaled are floats of 8 or 4 bits, by equal f8E8M0FNU or "
              "f8E4M3FN, and added in f32";
  }
  if (mosaic_gpu::isGPUProduct(lhs, rhs, acc))
    return success();
  return op.emitOpError("multiplies ")
         << lhs << " by " << rhs << " into " << acc
         << "; tensor cores multiply equal floats of 32 bits or less, or i8, "
            "and add in f32 or i32, products of f16 and floats of 8 bits in "
            "f16, too; floats of 4 bits take scales";
}

/// Rules of the instructions of tensor cores.
static LogicalResult checkProduct(Tcgen05MMAOp op, KernelEmitter &emit) {
  const mosaic_gpu::GPUTensorProductLimits &limits =
      mosaic_gpu::getGPUTensorProductLimits();
  RefType acc = op.getAcc().getType();
  int64_t rows = acc.getDimSize(0),
          columns = op.getRhs().getType().getDimSize(1);
  bool isPair = op.getCollectiveAxis().has_value();
  if (rows != limits.rows && rows != limits.rows / 2)
    return op.emitOpError("adds to an accumulator of ")
           << rows << " rows; it has " << limits.rows / 2 << " or "
           << limits.rows;
  int64_t step = limits.columns;
  if (isPair)
    step *= 2;
  if (acc.getElementType().isInteger())
    step *= 2;
  if (op.getLhsMetadata())
    step = std::max(step, 2 * limits.columns);
  if (op.getLhsScale())
    step = std::max(step, limits.scaledColumns);
  // Half of the lanes have half of the columns.
  if (rows != limits.rows && !isPair)
    step *= 2;
  int64_t most = isPair ? limits.pairColumns : limits.maxColumns;
  if (columns % step != 0 || columns > most ||
      (columns > limits.maxColumns / 2 && columns != limits.maxColumns))
    return op.emitOpError("multiplies by ")
           << columns << " columns" << (isPair ? " in each block" : "")
           << "; for these operands they are a multiple of " << step
           << ", near it " << spellNearestMultiples(columns, step, most);
  if (rows != limits.rows &&
      (op.getLhsMetadata() || (op.getLhsScale() && !isPair) ||
       (op.getLhs().getType().getSpace() == MemorySpace::Tmem && !isPair)))
    return op.emitOpError("multiplies ")
           << rows
           << " rows with a sparse operand, scales, or lhs in tensor memory; "
              "such products have "
           << limits.rows << " rows";
  return checkTypes(op);
}

static void emitCommit(KernelEmitter &emit, const BarrierSlot &slot,
                       bool isPair) {
  mosaic_gpu::TCGen05CommitArriveOp::create(
      emit.b, emit.loc, getBarrierMemRef(emit, slot), Value(), isPair);
}

/// A barrier of the product is that of a commit right behind it:
///   pallas.tcgen05_mma %acc, %a, %b accumulate %more signals %done
/// -->
///   "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %more)
///   "mosaic_gpu.tcgen05_commit_arrive"(%done)
static LogicalResult convertProduct(Tcgen05MMAOp op, KernelEmitter &emit) {
  if (failed(checkProduct(op, emit)))
    return failure();
  auto get = [&](Value ref) -> FailureOr<Value> {
    return ref ? emit.getValue(ref) : Value();
  };
  SmallVector<Value> operands;
  for (Value operand :
       {Value(op.getAcc()), Value(op.getLhs()), Value(op.getRhs()),
        Value(op.getAccumulate()), Value(op.getLhsScale()),
        Value(op.getRhsScale()), Value(op.getLhsMetadata())}) {
    FailureOr<Value> value = get(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  std::optional<BarrierSlot> barrier;
  if (op.getBarrier()) {
    FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
    if (failed(slot))
      return failure();
    barrier = *slot;
  }
  bool isPair = op.getCollectiveAxis().has_value();
  return emitForPair(op, op.getCollectiveAxis(), emit, [&] {
    mosaic_gpu::TCGen05MMAOp::create(emit.b, emit.loc, operands[0], operands[1],
                                     operands[2], operands[3], operands[4],
                                     operands[5], operands[6], isPair);
    if (barrier)
      emitCommit(emit, *barrier, isPair);
  });
}

static LogicalResult convertCommit(Tcgen05CommitOp op, KernelEmitter &emit) {
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  if (failed(slot))
    return failure();
  return emitForPair(op, op.getCollectiveAxis(), emit, [&] {
    emitCommit(emit, *slot, op.getCollectiveAxis().has_value());
  });
}

//===----------------------------------------------------------------------===//
// Copies, reads and writes
//===----------------------------------------------------------------------===//

/// Scales and metadata have layouts of their own in tensor memory, so there is
/// an operation for each kind of copy.
static LogicalResult convertCopy(AsyncCopyToTmemOp op, KernelEmitter &emit) {
  FailureOr<Value> source = emit.getValue(op.getSource());
  FailureOr<Value> target = emit.getValue(op.getTarget());
  if (failed(source) || failed(target))
    return failure();
  bool isPair = op.getCollectiveAxis().has_value();
  return emitForPair(op, op.getCollectiveAxis(), emit, [&] {
    switch (op.getKind()) {
    case TensorCopyKind::Matrix:
      mosaic_gpu::AsyncStoreSmemToTmemOp::create(emit.b, emit.loc, *source,
                                                 *target, isPair);
      break;
    case TensorCopyKind::Scales:
      mosaic_gpu::AsyncStoreScalesSmemToTmemOp::create(
          emit.b, emit.loc, *source, *target, isPair);
      break;
    case TensorCopyKind::SparseMetadata:
      mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp::create(
          emit.b, emit.loc, *source, *target, isPair);
      break;
    }
  });
}

/// Tensor memory has two dimensions, which vectors keep.
static LogicalResult checkVector(Operation *op, Type tensor) {
  if (isa<VectorType>(KernelEmitter::convertType(tensor)) &&
      cast<VectorType>(KernelEmitter::convertType(tensor)).getRank() == 2)
    return success();
  return op->emitOpError("moves a value of type ")
         << tensor << "; values of tensor memory have two dimensions of more "
         << "than one element";
}

/// The load is not over before pallas.wait_load_tmem.
///   %v = pallas.async_load_tmem %acc : !pallas.ref<128x64xf32, tmem>
/// -->
///   %v = "mosaic_gpu.async_load_tmem"(%acc) : (memref<128x64xf32, ...>)
///       -> vector<128x64xf32>
static LogicalResult convertLoad(AsyncLoadTmemOp op, KernelEmitter &emit) {
  FailureOr<Value> source = emit.getValue(op.getSource());
  if (failed(source) || failed(checkVector(op, op.getType())))
    return failure();
  emit.values[op] =
      mosaic_gpu::AsyncLoadTmemOp::create(
          emit.b, emit.loc, KernelEmitter::convertType(op.getType()), *source,
          mosaic_gpu::TMEMLoadReductionAttr())
          .getResult(0);
  return success();
}

static LogicalResult convertStore(AsyncStoreTmemOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getValue());
  FailureOr<Value> target = emit.getValue(op.getTarget());
  if (failed(value) || failed(target) ||
      failed(checkVector(op, op.getValue().getType())))
    return failure();
  mosaic_gpu::AsyncStoreTmemOp::create(emit.b, emit.loc, *value, *target);
  return success();
}

/// Each thread waits for its own accesses, and the warpgroup for its threads.
///
///   pallas.wait_load_tmem
/// -->
///   nvvm.tcgen05.wait <load>
///   llvm.inline_asm "bar.sync $0, 128;", "r" %barrierOfWarpgroup
static void emitWait(KernelEmitter &emit, NVVM::Tcgen05WaitKind kind) {
  NVVM::Tcgen05WaitOp::create(emit.b, emit.loc, kind);
  emit.syncLanes();
}

static LogicalResult convertWaitLoad(WaitLoadTmemOp, KernelEmitter &emit) {
  emitWait(emit, NVVM::Tcgen05WaitKind::LOAD);
  return success();
}

static LogicalResult convertCommitStores(CommitTmemOp, KernelEmitter &emit) {
  emitWait(emit, NVVM::Tcgen05WaitKind::STORE);
  return success();
}

void mlir::pallas::addTensorRules(RuleTable &rules) {
  rules.add<AsyncCopyToTmemOp>(convertCopy);
  rules.add<AsyncLoadTmemOp>(convertLoad);
  rules.add<AsyncStoreTmemOp>(convertStore);
  rules.add<CommitTmemOp>(convertCommitStores);
  rules.add<Tcgen05CommitOp>(convertCommit);
  rules.add<Tcgen05MMAOp>(convertProduct);
  rules.add<WaitLoadTmemOp>(convertWaitLoad);
}
