//===- DeviceRules.cpp - Memory of other devices --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices map the memory of each other. The runtime gives a kernel the address
// of each of its arrays on every device, and one address per array that means
// all devices at once:
//
//   %there = pallas.remote_ref %x device logical(%d)
//   %v = pallas.get %there[...]
// becomes
//   %address = memref.load %table[%first + %d]
//   %array = builtin.unrealized_conversion_cast (a descriptor of %address)
//   %v = "mosaic_gpu.vector_load"(%array)
//
// Copies name the device themselves, and the host describes them before the
// kernel starts.
//
//===----------------------------------------------------------------------===//

#include "DeviceRules.h"
#include "KernelModule.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "pallas/Dialect/MosaicGPU/IR/KernelArrays.h"
#include "pallas/Dialect/MosaicGPU/IR/Reductions.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/Multicast.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// The table of addresses
//===----------------------------------------------------------------------===//

static bool asksForDevices(Operation *op) {
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op))
    return !signal.getDeviceIds().empty();
  return isa<DeviceIdOp, MulticastRefOp, MultimemLoadReduceOp, RemoteRefOp>(op);
}

FailureOr<ReachableDevices> mlir::pallas::planDevices(MpmdMapOp op,
                                                      int64_t numArrays) {
  ReachableDevices devices;
  Operation *first = nullptr;
  op.getKernels()[0].walk([&](Operation *nested) {
    if (!first && asksForDevices(nested))
      first = nested;
  });
  if (!first)
    return devices;
  if (auto function = op->getParentOfType<func::FuncOp>())
    devices.axes = getDeviceMesh(function);
  if (devices.axes.empty())
    return first->emitOpError(
        "asks for devices, which the function around the kernel does not "
        "describe; give it the attribute pallas.device_mesh, for example "
        "[[\"x\", 4]]");
  devices.table = {1, numArrays};
  for (const DeviceAxis &axis : devices.axes)
    devices.table.numDevices *= axis.size;
  return devices;
}

/// Marks an array that the kernel reaches on all devices at once, for which the
/// runtime has to make room. The attribute has a bit per array:
///   mosaic_gpu.multimem_args = dense<[false, true]> : tensor<2xi1>
static void markMultimem(KernelEmitter &emit, int64_t index) {
  auto module =
      emit.devices.memref.getDefiningOp()->getParentOfType<ModuleOp>();
  SmallVector<bool> marked(emit.devices.table.numArrays, false);
  if (auto before = module->getAttrOfType<DenseIntElementsAttr>(
          mosaic_gpu::kMultimemArgsAttrName))
    marked = llvm::to_vector(before.getValues<bool>());
  marked[index] = true;
  auto type =
      RankedTensorType::get(emit.devices.table.numArrays, emit.b.getI1Type());
  module->setAttr(mosaic_gpu::kMultimemUsedAttrName, emit.b.getUnitAttr());
  module->setAttr(mosaic_gpu::kMultimemArgsAttrName,
                  DenseElementsAttr::get(type, ArrayRef(marked)));
}

/// A number of the table.
static Value loadEntry(KernelEmitter &emit, Value index) {
  return memref::LoadOp::create(emit.b, emit.loc, emit.devices.memref, index);
}

Value mlir::pallas::getArrayAddress(KernelEmitter &emit, int64_t index,
                                    const DevicePlace &place) {
  OpBuilder &b = emit.b;
  const mosaic_gpu::DeviceTable &table = emit.devices.table;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, emit.loc, value);
  };
  Value entry;
  if (place.isAll) {
    markMultimem(emit, index);
    entry = constant(table.getCommon(index));
  } else {
    entry = arith::AddIOp::create(b, emit.loc, constant(table.getFirst(index)),
                                  emit.toIndex(place.peer));
  }
  return LLVM::IntToPtrOp::create(b, emit.loc,
                                  LLVM::LLVMPointerType::get(b.getContext()),
                                  loadEntry(emit, entry));
}

Value mlir::pallas::getArrayAt(KernelEmitter &emit, Value memref,
                               const DevicePlace &place) {
  if (place.isHere())
    return memref;
  auto index = memref.getDefiningOp()->getAttrOfType<IntegerAttr>(
      mosaic_gpu::kArrayIndexAttrName);
  return createArray(emit.b, emit.loc,
                     getArrayAddress(emit, index.getInt(), place),
                     cast<MemRefType>(memref.getType()))
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The number comes first in the table. Compilers look for the attribute to
/// find out how the host computes devices that depend on it.
///   pallas.device_id
/// -->
///   %0 = memref.load %table[%c0] : memref<20xi64>
///   %1 = arith.trunci %0 {mosaic_gpu.device_id_load} : i64 to i32
static LogicalResult convertDeviceId(DeviceIdOp op, KernelEmitter &emit) {
  Value entry = loadEntry(
      emit, arith::ConstantIndexOp::create(emit.b, emit.loc, /*value=*/0));
  auto number =
      arith::TruncIOp::create(emit.b, emit.loc, emit.b.getI32Type(), entry);
  number->setAttr(mosaic_gpu::kDeviceIdAttrName, emit.b.getUnitAttr());
  emit.values[op.getResult()] = number;
  return success();
}

/// Compilers go back this many operations from the device of a copy, and write
/// them once more in the host's code:
///   %device = arith.trunci %entry {mosaic_gpu.device_id_load}
///   %next = arith.addi %device, %c1
///   "mosaic_gpu.async_store"(%s, %x, %c0, %c0, %next)
static constexpr unsigned kPeerDepth = 16;

static bool isOfHost(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (op->hasAttr(mosaic_gpu::kDeviceIdAttrName))
    return true;
  return isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isOfHost(operand, depth - 1);
         });
}

LogicalResult mlir::pallas::checkPeerOfCopy(Operation *op,
                                            const DevicePlace &place) {
  if (!place.peer || isOfHost(place.peer, kPeerDepth))
    return success();
  return op->emitOpError(
      "copies to a device that depends on more than the number of this one; "
      "copies are described before the kernel starts, so compute the device "
      "from constants and the index along an axis of devices, or store by "
      "pallas.swap");
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

/// Atomic updates are those of this device.
static LogicalResult checkRemoteUses(Value ref) {
  for (Operation *user : ref.getUsers()) {
    if (isRefView(user)) {
      if (failed(checkRemoteUses(user->getResult(0))))
        return failure();
    } else if (isa<AtomicCASOp, AtomicRMWOp>(user)) {
      return user->emitOpError(
          "updates memory of another device atomically; kernels load from "
          "there, store and copy to it, and signal semaphores");
    } else if (isa<AsyncPrefetchOp, CopyGmemToSmemOp>(user)) {
      return user->emitOpError(
          "copies from another device; load by pallas.get from there, or let "
          "the other device copy here");
    }
  }
  return success();
}

/// The operand or result of the kernel that a ref is a view of, or null.
static Value findArray(Value ref, KernelEmitter &emit) {
  while (isRefView(ref.getDefiningOp()))
    ref = ref.getDefiningOp()->getOperand(0);
  auto box = emit.boxes.find(ref);
  bool isHere = box != emit.boxes.end() && box->second.place.isHere();
  return isHere && isa<BlockArgument>(ref) ? ref : Value();
}

/// Records that the result is the memory of the operand at `place`. Boxes and
/// semaphores keep the device until an access needs the address. A view of
/// another shape is a memref, which is created for that device at once:
///   %r = pallas.reshape_ref %x -> 1x256x128
///   %there = pallas.remote_ref %r device logical(%d)
/// -->
///   %array = (%x on device %d)
///   %there = memref.expand_shape %array [[0, 1], [2]]
template <typename OpT>
static LogicalResult placeRef(OpT op, const DevicePlace &place,
                              KernelEmitter &emit) {
  Value ref = op.getRef();
  auto slots = emit.semaphores.find(ref);
  if (slots != emit.semaphores.end() && slots->second.place.isHere()) {
    SyncSlots there = slots->second;
    there.place = place;
    emit.semaphores[op.getView()] = std::move(there);
    return success();
  }
  if (!findArray(ref, emit))
    return op.emitOpError("names memory of type ")
           << ref.getType()
           << " on other devices; operands and results of a kernel, and its "
              "semaphores, have an address there, which is named once";
  auto box = emit.boxes.find(ref);
  if (box != emit.boxes.end()) {
    GlobalBox there = box->second;
    there.place = place;
    emit.boxes[op.getView()] = std::move(there);
    return success();
  }
  FailureOr<Value> memref = getMemRefAt(emit, ref, place);
  if (failed(memref))
    return failure();
  emit.values[op.getView()] = *memref;
  return success();
}

static LogicalResult convertRemoteRef(RemoteRefOp op, KernelEmitter &emit) {
  if (op.getDeviceIdType() != DeviceIdType::Logical)
    return op.emitOpError(
        "names a device by coordinates along axes that the attribute "
        "pallas.device_mesh of the function around the kernel lacks");
  FailureOr<Value> device = emit.getValue(op.getDeviceIds()[0]);
  if (failed(device) || failed(checkRemoteUses(op.getView())))
    return failure();
  return placeRef(op, {emit.toI32(*device), /*isAll=*/false}, emit);
}

/// There is one address for all devices, none for those along some axes.
static LogicalResult checkAxes(Operation *op, ArrayAttr names,
                               KernelEmitter &emit) {
  for (const DeviceAxis &axis : emit.devices.axes)
    if (axis.size != 1 &&
        llvm::none_of(names.getAsRange<StringAttr>(), [&](StringAttr name) {
          return name.getValue() == axis.name;
        }))
      return op->emitOpError("reaches the devices along ")
             << names << " but not those along \"" << axis.name
             << "\"; on GPUs it reaches all devices, so name all axes of "
                "pallas.device_mesh, or loop over remote_ref";
  return success();
}

static LogicalResult convertMulticastRef(MulticastRefOp op,
                                         KernelEmitter &emit) {
  if (failed(checkAxes(op, op.getDeviceAxes(), emit)) ||
      failed(findMulticastUses(op)))
    return failure();
  return placeRef(op, {Value(), /*isAll=*/true}, emit);
}

//===----------------------------------------------------------------------===//
// Loads of all devices
//===----------------------------------------------------------------------===//

/// Nothing for products, which the hardware lacks.
static std::optional<mosaic_gpu::MultimemLoadReductionType>
getReduction(CombiningKind kind, bool isFloat) {
  using Type = mosaic_gpu::MultimemLoadReductionType;
  switch (kind) {
  case CombiningKind::Add:
    return Type::Add;
  case CombiningKind::Mul:
    return std::nullopt;
  case CombiningKind::Max:
    return isFloat ? Type::Max : Type::Smax;
  case CombiningKind::Min:
    return isFloat ? Type::Min : Type::Smin;
  case CombiningKind::UMax:
    return Type::Umax;
  case CombiningKind::UMin:
    return Type::Umin;
  case CombiningKind::And:
    return Type::And;
  case CombiningKind::Or:
    return Type::Or;
  case CombiningKind::Xor:
    return Type::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

///   %v = pallas.multimem_load_reduce <add> %x axes ["x"]
/// -->
///   %array = (the address of %x on all devices)
///   %v = "mosaic_gpu.multimem_load_reduce"(%array) <{reduction_type = 0}>
static LogicalResult convertLoadReduce(MultimemLoadReduceOp op,
                                       KernelEmitter &emit) {
  Type element = op.getRef().getType().getElementType();
  std::optional<mosaic_gpu::MultimemLoadReductionType> type =
      getReduction(op.getKind(), isa<FloatType>(element));
  StringRef error =
      type ? mosaic_gpu::getMultimemReductionError(*type, element)
           : "loads of all devices add, combine bits, and take the min or max";
  if (!error.empty())
    return op.emitOpError("combines elements of type ")
           << element << " by " << stringifyCombiningKind(op.getKind()) << "; "
           << error;
  if (!findArray(op.getRef(), emit))
    return op.emitOpError("loads ")
           << op.getRef().getType()
           << " of all devices; give an operand or result of the kernel on "
              "this device, or a view of one";
  if (failed(checkAxes(op, op.getDeviceAxes(), emit)))
    return failure();
  FailureOr<Value> memref =
      getMemRefAt(emit, op.getRef(), {Value(), /*isAll=*/true});
  if (failed(memref))
    return failure();
  Value array = dropUnitDims(emit, *memref);
  if (cast<MemRefType>(array.getType()).getRank() == 0)
    return op.emitOpError("loads a single element of all devices; load a "
                          "vector");
  emit.values[op.getResult()] =
      mosaic_gpu::MultimemLoadReduceOp::create(emit.b, emit.loc, array, *type);
  return success();
}

void mlir::pallas::addDeviceRules(RuleTable &rules) {
  rules.add<DeviceIdOp>(convertDeviceId);
  rules.add<MulticastRefOp>(convertMulticastRef);
  rules.add<MultimemLoadReduceOp>(convertLoadReduce);
  rules.add<RemoteRefOp>(convertRemoteRef);
}
