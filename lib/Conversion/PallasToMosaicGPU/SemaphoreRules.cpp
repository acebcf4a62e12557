//===- SemaphoreRules.cpp - Counters in global memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semaphores are words of one array in global memory, which the call gives as
// zeros: first those that all blocks share, then those of block 0, of block 1
// and so on. Compilers of the dialect have no operations for them, so additions
// and waits are assembly of one thread:
//
//   pallas.semaphore_signal %s, %n -> @%elected red.release.gpu.global.add.u32
//
//===----------------------------------------------------------------------===//

#include "SemaphoreRules.h"
#include "DeviceRules.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Who shares the semaphores of a scope: all blocks, or the threads of one.
/// Nothing where they belong to some blocks or to some of the threads.
static std::optional<bool> isSharedByBlocks(RunScopedOp op, MeshAttr mesh) {
  bool sharesAll = true, sharesBlocks = false;
  for (MeshAxisAttr axis : mesh.getAxes()) {
    bool isShared = op.getCollectiveAxes() &&
                    llvm::is_contained(*op.getCollectiveAxes(), axis.getName());
    if (axis.getRole() == MeshAxisRole::Thread) {
      if (!isShared && axis.getSize() > 1)
        return std::nullopt;
      continue;
    }
    sharesAll &= isShared || axis.getSize() == 1;
    sharesBlocks |= isShared;
  }
  if (sharesBlocks && !sharesAll)
    return std::nullopt;
  return sharesBlocks;
}

static bool isSemaphore(Type type) {
  auto ref = dyn_cast<RefType>(type);
  return ref && ref.hasStaticShape() && ref.getSpace() == MemorySpace::Gmem &&
         isa<SemaphoreType>(ref.getElementType());
}

/// Gives each semaphore its words before the kernel is written, since the
/// array is an argument of the kernel and its size a type. Names that come
/// twice are one semaphore.
SemaphorePlan mlir::pallas::planSemaphores(Block &kernel, MeshAttr mesh) {
  SemaphorePlan plan;
  kernel.walk([&](Operation *op) {
    if (auto global = dyn_cast<GetGlobalOp>(op)) {
      auto type = cast<RefType>(global.getRef().getType());
      if (isSemaphore(type) &&
          plan.globals.try_emplace(global.getName(), plan.numShared).second)
        plan.numShared += type.getNumElements();
    }
    auto scope = dyn_cast<RunScopedOp>(op);
    if (!scope)
      return;
    for (BlockArgument argument : scope.getBody().getArguments()) {
      std::optional<bool> isShared = isSharedByBlocks(scope, mesh);
      if (!isSemaphore(argument.getType()) || !isShared)
        continue;
      int64_t &count = *isShared ? plan.numShared : plan.numPerBlock;
      plan.scoped[argument] = {*isShared, count};
      count += cast<RefType>(argument.getType()).getNumElements();
    }
  });
  return plan;
}

/// The number of this block, as words of the blocks lie: x is the innermost
/// dimension.
///   %number = (%blockZ * numY + %blockY) * numX + %blockX
static Value emitBlock(KernelEmitter &emit) {
  OpBuilder &b = emit.b;
  LaunchGrid grid(emit.mesh);
  Value number;
  for (unsigned dim : {2, 1, 0}) {
    int64_t blocks = grid.grid[dim] * grid.cluster[dim];
    if (number && blocks != 1)
      number = arith::MulIOp::create(b, emit.loc, number, emit.i32(blocks));
    if (blocks == 1)
      continue;
    Value id = emit.toI32(
        gpu::BlockIdOp::create(b, emit.loc, static_cast<gpu::Dimension>(dim)));
    number =
        number ? Value(arith::AddIOp::create(b, emit.loc, number, id)) : id;
  }
  return number ? number : emit.i32(0);
}

LogicalResult mlir::pallas::makeSemaphores(RunScopedOp op,
                                           BlockArgument argument,
                                           KernelEmitter &emit) {
  const SemaphorePlan &plan = *emit.semaphorePlan;
  auto it = plan.scoped.find(argument);
  if (it == plan.scoped.end())
    return op.emitOpError("makes semaphores ")
           << argument.getType() << " that some blocks or warpgroups share; on "
           << "GPUs all warpgroups of a block share them, or all of all "
              "blocks, "
              "so name these axes as collective";
  auto [isShared, place] = it->second;
  SyncSlots slots;
  if (isShared) {
    slots.number = emit.i32(place);
  } else {
    Value first = arith::MulIOp::create(emit.b, emit.loc, emitBlock(emit),
                                        emit.i32(plan.numPerBlock));
    slots.number = emit.addConstant(first, plan.numShared + place);
  }
  slots.strides = computeStrides(cast<RefType>(argument.getType()).getShape());
  emit.semaphores[argument] = std::move(slots);
  return success();
}

static LogicalResult convertGlobal(GetGlobalOp op, KernelEmitter &emit) {
  auto type = cast<RefType>(op.getRef().getType());
  auto it = emit.semaphorePlan->globals.find(op.getName());
  if (!isSemaphore(type) || it == emit.semaphorePlan->globals.end())
    return op.emitOpError("asks for memory of type ")
           << type << "; on GPUs all blocks share semaphores in gmem, and "
           << "arrays that are operands and results of the kernel";
  emit.semaphores[op.getRef()] = {emit.i32(it->second),
                                  computeStrides(type.getShape())};
  return success();
}

//===----------------------------------------------------------------------===//
// Signals and waits
//===----------------------------------------------------------------------===//

/// The address of the array of semaphores.
static Value getWords(const DevicePlace &place, KernelEmitter &emit) {
  OpBuilder &b = emit.b;
  if (!place.isHere())
    return getArrayAddress(emit, emit.devices.table.numArrays - 1, place);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto array = LLVM::LLVMArrayType::get(b.getI64Type(), 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, pointer, b.getI64Type(), array, array});
  Value fields = UnrealizedConversionCastOp::create(b, emit.loc, descriptor,
                                                    emit.semaphoreArray)
                     .getResult(0);
  return LLVM::ExtractValueOp::create(b, emit.loc, fields, 1);
}

/// The address of one semaphore: the array of the call, and the word in it.
///   %address = llvm.getelementptr %words[%number] : (!llvm.ptr, i32)
///       -> !llvm.ptr, i32
static FailureOr<Value> getAddress(Operation *op, Value ref,
                                   const DevicePlace &place,
                                   KernelEmitter &emit) {
  auto it = emit.semaphores.find(ref);
  if (it == emit.semaphores.end())
    return op->emitOpError("uses a semaphore that no get_global or run_scoped "
                           "of this kernel makes");
  OpBuilder &b = emit.b;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, emit.loc, pointer, b.getI32Type(),
                             getWords(place, emit),
                             ValueRange(it->second.number))
      .getResult();
}

/// The same of a semaphore that this device waits for.
static FailureOr<Value> getOwnAddress(Operation *op, Value ref,
                                      KernelEmitter &emit) {
  DevicePlace place = emit.semaphores.lookup(ref).place;
  if (!place.isHere())
    return op->emitOpError("waits for a semaphore of another device; kernels "
                           "signal there, and wait for those of their own");
  return getAddress(op, ref, place, emit);
}

/// Who sees signals: all devices in a kernel that knows of others.
static std::string atScope(StringRef before, KernelEmitter &emit,
                           StringRef after) {
  return (before + (emit.devices.table.numDevices ? ".sys" : ".gpu") + after)
      .str();
}

/// The device of a signal: that of the ref, or the one that the signal names.
static FailureOr<DevicePlace> getPlace(SemaphoreSignalOp op,
                                       KernelEmitter &emit) {
  DevicePlace place = emit.semaphores.lookup(op.getSemaphore()).place;
  if (op.getDeviceIds().empty())
    return place;
  if (!place.isHere() || op.getDeviceIdType() != DeviceIdType::Logical)
    return op.emitOpError("signals a semaphore of a device that is not named "
                          "by one number; describe devices by the attribute "
                          "pallas.device_mesh of the function, and name the "
                          "device once");
  FailureOr<Value> device = emit.getValue(op.getDeviceIds()[0]);
  if (failed(device))
    return failure();
  return DevicePlace{emit.toI32(*device), /*isAll=*/false};
}

/// All lanes have written what the signal tells of before one of them signals.
static LogicalResult convertSignal(SemaphoreSignalOp op, KernelEmitter &emit) {
  if (op.getCoreIndex())
    return op.emitOpError("signals a semaphore of a core; devices of GPU "
                          "kernels have none");
  FailureOr<DevicePlace> place = getPlace(op, emit);
  if (failed(place))
    return failure();
  FailureOr<Value> address = getAddress(op, op.getSemaphore(), *place, emit);
  FailureOr<Value> increment = emit.getValue(op.getIncrement());
  if (failed(address) || failed(increment))
    return failure();
  emit.syncLanes();
  // Other lanes may read the array by its address on this device.
  std::string text =
      place->isAll
          ? "{ @$2 multimem.red.release.sys.global.add.u32 [$0], $1; "
            "fence.proxy.alias; }"
          : atScope("@$2 red.release", emit, ".global.add.u32 [$0], $1;");
  emit.emitAssembly(Type(), {*address, *increment, emit.electThread()}, text,
                    "l,r,b");
  return success();
}

/// The condition of a wait: subtracts what is waited for if it is there, and
/// gives whether to look again, with the count to expect then.
static void writeCondition(KernelEmitter &emit, Value address, Value expected,
                           Value count, bool decrement) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  Type i32 = b.getI32Type();
  Value repeats, next = expected;
  if (decrement) {
    Value rest = arith::SubIOp::create(b, loc, expected, count);
    Value found = emit.emitAssembly(
        i32, {address, expected, rest},
        atScope("atom.relaxed", emit, ".global.cas.b32 $0, [$1], $2, $3;"),
        "=r,l,r,r");
    repeats = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, found,
                                    expected);
    next = arith::MaxUIOp::create(b, loc, found, count);
  } else {
    Value found = emit.emitAssembly(
        i32, {address}, atScope("ld.relaxed", emit, ".global.b32 $0, [$1];"),
        "=r,l");
    repeats =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, found, count);
  }
  scf::ConditionOp::create(b, loc, repeats, next);
}

/// One thread looks until the count is there; the others wait for it. The fence
/// lets all of them see the writes before the signal.
static void writeWait(KernelEmitter &emit, Value address, Value count,
                      bool decrement) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  auto branch = scf::IfOp::create(b, loc, emit.electThread(),
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::WhileOp::create(
        b, loc, TypeRange(b.getI32Type()), ValueRange(count),
        [&](OpBuilder &, Location, ValueRange expected) {
          writeCondition(emit, address, expected[0], count, decrement);
        },
        [&](OpBuilder &, Location, ValueRange expected) {
          scf::YieldOp::create(b, loc, expected);
        });
    emit.emitAssembly(Type(), {}, atScope("fence.acquire", emit, ";"), "");
  }
  emit.syncLanes();
}

///   pallas.semaphore_wait %s, %count
/// -->
///   scf.if %elected {
///     scf.while (%expected = %count) {
///       %rest = arith.subi %expected, %count
///       %found = atom.relaxed.gpu.global.cas.b32 [%s], %expected, %rest
///       %repeats = arith.cmpi ne, %found, %expected
///       %next = arith.maxui %found, %count
///       scf.condition(%repeats) %next
///     }
///     fence.acquire.gpu
///   }
///   bar.sync
/// In the code of one warp, all this is code for lanes: compilers take loops
/// without a count only there.
static LogicalResult convertWait(SemaphoreWaitOp op, KernelEmitter &emit) {
  FailureOr<Value> address = getOwnAddress(op, op.getSemaphore(), emit);
  FailureOr<Value> count = emit.getValue(op.getCount());
  if (failed(address) || failed(count))
    return failure();
  if (!emit.isInWarp) {
    writeWait(emit, *address, *count, op.getDecrement());
    return success();
  }
  OpBuilder &b = emit.b;
  OpBuilder::InsertionGuard guard(b);
  ArrayAttr none = b.getArrayAttr({});
  auto code = mosaic_gpu::CustomPrimitiveOp::create(
      b, emit.loc, TypeRange(), ValueRange{*address, *count}, none, none, none);
  Block &body = code.getBody().emplaceBlock();
  body.addArguments(code->getOperandTypes(), {emit.loc, emit.loc});
  b.setInsertionPointToStart(&body);
  writeWait(emit, body.getArgument(0), body.getArgument(1), op.getDecrement());
  mosaic_gpu::ReturnOp::create(b, emit.loc, ValueRange());
  return success();
}

///   %n = pallas.semaphore_read %s
/// -->
///   %n = llvm.inline_asm "ld.acquire.gpu.u32 $0, [$1];", "=r,l" %address
static LogicalResult convertRead(SemaphoreReadOp op, KernelEmitter &emit) {
  FailureOr<Value> address = getOwnAddress(op, op.getSemaphore(), emit);
  if (failed(address))
    return failure();
  emit.values[op.getCount()] =
      emit.emitAssembly(emit.b.getI32Type(), {*address},
                        atScope("ld.acquire", emit, ".u32 $0, [$1];"), "=r,l");
  return success();
}

void mlir::pallas::addSemaphoreRules(RuleTable &rules) {
  rules.add<GetGlobalOp>(convertGlobal);
  rules.add<SemaphoreReadOp>(convertRead);
  rules.add<SemaphoreSignalOp>(convertSignal);
  rules.add<SemaphoreWaitOp>(convertWait);
}
