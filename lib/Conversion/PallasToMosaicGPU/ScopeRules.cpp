//===- ScopeRules.cpp - Memory, barriers and accumulators of scopes -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory is a stack: a scope takes what lies behind that of the scopes
// around it, and gives it back at its end. So sizes have to be static, and
// offsets are constants.
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "SemaphoreRules.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pallas;

static Value allocateMemory(KernelEmitter &emit, RefType type, unsigned index) {
  auto memref =
      MemRefType::get(type.getShape(), getStoredType(type.getElementType()),
                      MemRefLayoutAttrInterface(),
                      mosaic_gpu::getSharedMemorySpace(emit.b.getContext()));
  Value memory = mosaic_gpu::SliceSMEMOp::create(
      emit.b, emit.loc, memref,
      emit.b.getI32IntegerAttr(
          emit.allocate(getNumBytes(memref), kScopeRole, index)),
      IntegerAttr());
  return applyTransforms(emit, memory, type);
}

/// Accumulators of scopes start from zero, as in Pallas.
static Value makeZero(KernelEmitter &emit, AccumulatorType type) {
  auto vector =
      cast<VectorType>(KernelEmitter::convertType(type.getValueType()));
  return arith::ConstantOp::create(emit.b, emit.loc,
                                   emit.b.getZeroAttr(vector));
}

/// The converted value of an argument of a scope.
static LogicalResult makeArgument(RunScopedOp op, BlockArgument argument,
                                  KernelEmitter &emit,
                                  SmallVectorImpl<BarrierGroup *> &taken) {
  if (auto type = dyn_cast<AccumulatorType>(argument.getType())) {
    emit.takeRegisters(type.getValueType());
    emit.accumulators[argument] = startAccumulator(emit, makeZero(emit, type));
    return success();
  }
  auto type = dyn_cast<RefType>(argument.getType());
  if (type && type.hasStaticShape() &&
      isa<pallas::BarrierType, ClusterBarrierType>(type.getElementType())) {
    FailureOr<BarrierGroup *> group =
        emit.takeBarriers(type.getElementType(), type.getNumElements());
    if (failed(group))
      return failure();
    taken.push_back(*group);
    BarrierSlot slot;
    slot.group = *group;
    slot.strides = computeStrides(type.getShape());
    emit.barriers[argument] = std::move(slot);
    return success();
  }
  if (type && type.getSpace() == MemorySpace::Tmem &&
      !type.isSynchronization()) {
    FailureOr<Value> memory =
        allocateTensorMemory(emit, type, argument.getArgNumber());
    if (failed(memory))
      return failure();
    emit.values[argument] = *memory;
    return success();
  }
  if (type && type.hasStaticShape() && type.getSpace() == MemorySpace::Gmem &&
      isa<SemaphoreType>(type.getElementType()))
    return makeSemaphores(op, argument, emit);
  if (!type || !type.hasStaticShape() || type.isSynchronization() ||
      type.getSpace() != MemorySpace::Smem)
    return op.emitOpError("makes a value of type ")
           << argument.getType()
           << "; on GPUs scopes make refs in shared and tensor memory, "
              "barriers, semaphores in gmem and accumulators";
  Value memory = allocateMemory(emit, type, argument.getArgNumber());
  if (!memory)
    return failure();
  emit.values[argument] = memory;
  emit.scopedBuffers[argument] = emit.getBuffers().size() - 1;
  return success();
}

/// Whether warpgroups differ along an axis.
static bool countsWarpgroups(MeshAxisAttr axis) {
  return axis.getRole() == MeshAxisRole::Thread && axis.getSize() > 1;
}

/// The branch or loop around `op` that each warpgroup enters by its own place:
///
///   %wg = pallas.axis_index "wg"
///   %first = arith.cmpi eq, %wg, %c0 : i32
///   scf.if %first { ... }
static Operation *getBranchOfWarpgroups(Operation *op, KernelEmitter &emit) {
  auto isOwnPlace = [&](Operation *part) {
    auto index = dyn_cast<AxisIndexOp>(part);
    return index && llvm::any_of(emit.mesh.getAxes(), [&](MeshAxisAttr axis) {
             return countsWarpgroups(axis) &&
                    axis.getName().getValue() == index.getAxisName();
           });
  };
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  for (Operation *parent = op->getParentOp();
       isa_and_present<scf::SCFDialect>(parent->getDialect());
       parent = parent->getParentOp())
    for (Value operand : parent->getOperands()) {
      llvm::SetVector<Operation *> slice;
      (void)getBackwardSlice(operand, &slice, options);
      if (llvm::any_of(slice, isOwnPlace))
        return parent;
    }
  return nullptr;
}

/// Warpgroups and warps run the same code, but an allocation is one of the
/// block.
static LogicalResult checkSharing(RunScopedOp op, KernelEmitter &emit) {
  bool makesMemory =
      llvm::any_of(op.getBody().getArgumentTypes(), [](Type type) {
        auto ref = dyn_cast<RefType>(type);
        return ref && ref.getSpace() != MemorySpace::Gmem;
      });
  if (!makesMemory)
    return success();
  if (emit.isInWarp)
    return op.emitOpError("makes memory or barriers for each of the 4 warps of "
                          "a warpgroup, which share one allocation; make them "
                          "by run_scoped around the warps");
  if (Operation *branch = getBranchOfWarpgroups(op, emit)) {
    InFlightDiagnostic error = op.emitOpError(
        "makes memory or barriers where not all warpgroups come, but all "
        "wait for each other at its start; make them in front of the branch");
    error.attachNote(branch->getLoc())
        << "which warpgroups come here depends on their place";
    return error;
  }
  for (MeshAxisAttr axis : emit.mesh.getAxes())
    if (countsWarpgroups(axis) &&
        !(op.getCollectiveAxes() &&
          llvm::is_contained(*op.getCollectiveAxes(), axis.getName())))
      return op.emitOpError("makes memory or barriers for each of ")
             << axis.getSize()
             << " warpgroups, which share one allocation; add collective ["
             << axis.getName() << "], and index it by warpgroup where they "
             << "differ";
  return success();
}

/// Arguments without a form are noted as refused, and the body is converted all
/// the same, for its own errors.
static LogicalResult convertScope(RunScopedOp op, KernelEmitter &emit) {
  Block &body = op.getBody().front();
  bool isRefused = failed(checkSharing(op, emit));
  // Memory that warpgroups share may still be read under its old name.
  Operation *fence = fenceCopies(op, emit);
  bool isAlone = LaunchGrid(emit.mesh).warpgroups == 1;
  bool isShared = op.getCollectiveAxes() && body.getNumArguments() && !isAlone;
  if (isShared)
    gpu::BarrierOp::create(emit.b, emit.loc);
  int64_t mark = emit.getUsedBytes(), registers = emit.getUsedRegisters();
  int64_t columns = emit.tensorMemory.usedColumns;
  unsigned firstBuffer = emit.getBuffers().size();
  SmallVector<BarrierGroup *> taken;
  for (BlockArgument argument : body.getArguments())
    if (failed(makeArgument(op, argument, emit, taken))) {
      emit.refuse(argument);
      isRefused = true;
    }
  if (fence)
    emit.sharedWaits.push_back(
        {fence, firstBuffer,
         static_cast<unsigned>(emit.getBuffers().size() - firstBuffer),
         op->getParentOfType<LoopLikeOpInterface>()
             ? SharedWait::OpenStoresInLoop
             : SharedWait::OpenStores});
  if (failed(emit.convertBlock(body)) || isRefused)
    return failure();
  FailureOr<SmallVector<Value>> results = emit.getTerminatorValues(body);
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results))
    emit.values[result] = value;
  if (failed(finishScope(op, emit)))
    return failure();
  if (isShared)
    leaveScope(emit, firstBuffer);
  // A scope that only makes accumulators lets no warpgroup wait for others, so
  // scratch memory of its code stays theirs.
  if (isShared || isAlone)
    emit.releaseTo(mark);
  emit.releaseRegistersTo(registers);
  emit.tensorMemory.usedColumns = columns;
  for (BarrierGroup *group : taken)
    group->isFree = true;
  return success();
}

/// Accumulators, and refs in registers, that start with a value.
static LogicalResult convertState(RunStateOp op, KernelEmitter &emit) {
  Block &body = op.getBody().front();
  bool hasProducts = false;
  int64_t registers = emit.getUsedRegisters();
  for (auto [argument, init] :
       llvm::zip_equal(body.getArguments(), op.getInits())) {
    auto ref = dyn_cast<RefType>(argument.getType());
    if (ref && ref.getSpace() != MemorySpace::Default)
      return op.emitOpError("starts a ref of type ")
             << ref << " with a value; on GPUs accumulators and refs in the "
             << "default space start with values, memory is written by swap";
    FailureOr<Value> value = emit.getValue(init);
    if (failed(value))
      return failure();
    if (!ref) {
      hasProducts = true;
      emit.takeRegisters(
          cast<AccumulatorType>(argument.getType()).getValueType());
    }
    emit.accumulators[argument] = ref ? *value : startAccumulator(emit, *value);
  }
  if (failed(emit.convertBlock(body)))
    return failure();
  emit.releaseRegistersTo(registers);
  // The results are used as values, so all products have to be done.
  if (hasProducts)
    waitForProducts(emit, /*pending=*/0);
  for (auto [argument, result] :
       llvm::zip_equal(body.getArguments(), op.getFinals()))
    emit.values[result] = emit.accumulators[argument];
  return success();
}

void mlir::pallas::addScopeRules(RuleTable &rules) {
  rules.add<RunScopedOp>(convertScope);
  rules.add<RunStateOp>(convertState);
}
