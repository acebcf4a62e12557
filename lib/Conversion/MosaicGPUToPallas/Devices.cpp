//===- Devices.cpp - Addresses on other devices as refs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime passes a table with the address of each array on each device, so
// a load from the table names an array and a device:
//   %address = memref.load %table[%first + %d]
//   %there = builtin.unrealized_conversion_cast (a descriptor of %address)
// becomes
//   %there = pallas.remote_ref %array device logical(%d)
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

using namespace mlir;
using namespace mlir::pallas;

Value mlir::pallas::getCaptured(Value value) {
  while (auto argument = dyn_cast_if_present<BlockArgument>(value)) {
    auto warps =
        dyn_cast<mosaic_gpu::WarpMapOp>(argument.getOwner()->getParentOp());
    if (!warps)
      break;
    value = warps->getOperand(argument.getArgNumber());
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Entries of the table
//===----------------------------------------------------------------------===//

/// An index as a value, which may be null, and a constant:
///   %i = arith.addi %d, %c4 -> %d, 4
static std::pair<Value, int64_t> splitIndex(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {Value(), *constant};
  auto add = index.getDefiningOp<arith::AddIOp>();
  if (!add)
    return {index, 0};
  for (auto [value, other] : {std::pair(add.getLhs(), add.getRhs()),
                              std::pair(add.getRhs(), add.getLhs())})
    if (std::optional<int64_t> constant = getConstantIntValue(other))
      return {value, *constant};
  return {index, 0};
}

std::optional<RemoteArray>
mlir::pallas::getRemoteArray(memref::LoadOp load,
                             const mosaic_gpu::DeviceTable &table) {
  if (load.getIndices().size() != 1)
    return std::nullopt;
  auto [device, place] = splitIndex(load.getIndices()[0]);
  if (!device && place >= table.getCommon(0))
    return RemoteArray{place - table.getCommon(0), Value(), 0, /*isAll=*/true};
  place -= mosaic_gpu::DeviceTable::kHeader;
  if (place < 0)
    return std::nullopt;
  return RemoteArray{place / table.numDevices, device,
                     place % table.numDevices};
}

SmallVector<UnrealizedConversionCastOp>
mlir::pallas::getMemRefsOf(Value address) {
  SmallVector<UnrealizedConversionCastOp> memrefs;
  SmallVector<Value> values{address};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      auto cast = dyn_cast<UnrealizedConversionCastOp>(user);
      if (cast && isa<MemRefType>(cast.getType(0)))
        memrefs.push_back(cast);
      else if (isa<LLVM::InsertValueOp, LLVM::IntToPtrOp>(user))
        values.push_back(user->getResult(0));
    }
  // Both pointers of a descriptor are the address.
  llvm::sort(memrefs, [](auto a, auto b) { return a->isBeforeInBlock(b); });
  memrefs.erase(llvm::unique(memrefs), memrefs.end());
  return memrefs;
}

//===----------------------------------------------------------------------===//
// Raising
//===----------------------------------------------------------------------===//

/// Whether a memref of all devices is only loaded from: such loads name the
/// memory of this device, and stores that of all.
static bool isLoadedFrom(Value memref) {
  bool isLoaded = false;
  forEachAccess(memref, [&](OpOperand &use) {
    isLoaded |= isa<mosaic_gpu::MultimemLoadReduceOp>(use.getOwner());
  });
  return isLoaded;
}

/// The ref that a load of the table names, made in front of it. Of four devices
/// and one array:
///   %entry = memref.load %table[%d + 4] -> pallas.remote_ref %x logical(%d)
///   %entry = memref.load %table[8]      -> pallas.multicast_ref %x
static Value createRef(KernelRaiser &raiser, memref::LoadOp load,
                       const RemoteArray &array, Value ref) {
  OpBuilder &b = raiser.b;
  Location loc = load.getLoc();
  if (array.isAll)
    return MulticastRefOp::create(b, loc, ref.getType(), ref,
                                  b.getStrArrayAttr(kDeviceAxis));
  Value device =
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(array.offset));
  if (array.device) {
    Value number =
        arith::IndexCastOp::create(b, loc, b.getI32Type(), array.device);
    device = arith::AddIOp::create(b, loc, number, device);
  }
  return RemoteRefOp::create(b, loc, ref.getType(), ref, DeviceIdType::Logical,
                             device, ArrayAttr());
}

/// Replaces the memrefs and pointers of a loaded address with `there`. Loads
/// that combine the values of all devices take `here`. Semaphores need no
/// memref:
///   %pointer = llvm.inttoptr %address
///   %word = llvm.getelementptr %pointer[1]
///   llvm.inline_asm "@$2 red.release.sys.global.add.u32 [$0], $1;" %word, ...
static LogicalResult replaceAddress(KernelRaiser &raiser, memref::LoadOp load,
                                    Value there, Value here) {
  OpBuilder &b = raiser.b;
  auto castTo = [&](Type type, Value ref) {
    return UnrealizedConversionCastOp::create(b, load.getLoc(), type, ref)
        .getResult(0);
  };
  for (UnrealizedConversionCastOp memref : getMemRefsOf(load.getResult())) {
    Value ref = isLoadedFrom(memref.getResult(0)) ? here : there;
    memref.getResult(0).replaceAllUsesWith(castTo(memref.getType(0), ref));
    memref.erase();
  }
  // The other users are descriptors without uses, and pointers to semaphores.
  for (Operation *user : llvm::to_vector(load->getUsers())) {
    auto pointer = dyn_cast<LLVM::IntToPtrOp>(user);
    if (!pointer)
      return load.emitOpError(
          "reads an address of another device for arithmetic, which has no "
          "form in the pallas dialect; make a pointer to the array of it");
    pointer.getRes().replaceAllUsesExcept(
        castTo(pointer.getType(), there),
        SmallPtrSet<Operation *, 2>(
            llvm::from_range,
            llvm::make_filter_range(pointer->getUsers(),
                                    llvm::IsaPred<LLVM::InsertValueOp>)));
  }
  return success();
}

/// The number of a device is the first entry of the table.
///   %0 = memref.load %table[%c0]
///   %1 = arith.trunci %0 : i64 to i32
/// -->
///   %1 = pallas.device_id
static LogicalResult raiseDeviceId(KernelRaiser &raiser, memref::LoadOp load) {
  OpBuilder &b = raiser.b;
  bool isFirst = load.getIndices().size() == 1 &&
                 getConstantIntValue(load.getIndices()[0]) == 0;
  for (Operation *user : llvm::to_vector(load->getUsers())) {
    auto number = dyn_cast<arith::TruncIOp>(user);
    if (!isFirst || !number || !number.getType().isInteger(32))
      return load.emitOpError("reads the table of devices in a way that has no "
                              "form in the pallas dialect; the number of this "
                              "device is entry 0, as an i32, and addresses "
                              "follow behind four numbers");
    number.replaceAllUsesWith(DeviceIdOp::create(b, load.getLoc()).getResult());
    number.erase();
  }
  return success();
}

LogicalResult mlir::pallas::checkReachesDevices(Operation *op) {
  if (!getDeviceMesh(op->getParentOfType<func::FuncOp>()).empty())
    return success();
  return op->emitOpError("reaches other devices, but the kernel takes no table "
                         "of their addresses, so their number is not known");
}

LogicalResult KernelRaiser::raiseDevices() {
  if (!deviceTable)
    return success();
  SmallVector<memref::LoadOp> loads;
  block->walk([&](memref::LoadOp load) {
    if (getCaptured(load.getMemref()) == deviceTable)
      loads.push_back(load);
  });
  for (memref::LoadOp load : loads) {
    b.setInsertionPoint(load);
    std::optional<RemoteArray> array =
        getRemoteArray(load, kernel.devices.table);
    if (!array) {
      if (failed(raiseDeviceId(*this, load)))
        return failure();
      continue;
    }
    Value ref = refs.lookup(array->position);
    if (!ref)
      return load.emitOpError("reads the address of array ")
             << array->position << " on other devices, which the kernel does "
             << "not take";
    if (failed(replaceAddress(*this, load, createRef(*this, load, *array, ref),
                              ref)))
      return failure();
  }
  return success();
}
