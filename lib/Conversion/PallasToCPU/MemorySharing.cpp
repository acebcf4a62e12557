//===- MemorySharing.cpp - Memory of other tasks and devices --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file makes memory known to the runtime that other tasks and devices
// name. A remote operation names memory of the device that runs it. The
// runtime knows each shared allocation by the place in the code that made it,
// and so finds the allocation of another device or task that the same place
// made.
//
//===----------------------------------------------------------------------===//

#include "MemorySharing.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// 0: only the address matters. 1: a semaphore, which has to be zero at the end
/// of its scope. 2: a barrier, for which the runtime counts phases.
int64_t MemorySharing::getSharedKind(Type refType) const {
  auto ref = dyn_cast_or_null<RefType>(refType);
  if (!ref || !ref.isSynchronization())
    return 0;
  if (isa<BarrierType, ClusterBarrierType>(ref.getElementType()))
    return 2;
  return 1;
}

/// The checker reports leftover counts of the semaphores that it knows, so the
/// runtime must not. Semaphores that several cores allocate together are left
/// to the runtime (`getSharedKind`): only it knows which core leaves the scope
/// last.
int64_t MemorySharing::getOwnKind(Value ref) {
  int64_t kind = ref ? getSharedKind(ref.getType()) : 0;
  // Checks are gone when their scope ends.
  if (kind == 1 && llvm::any_of(ref.getUsers(), llvm::IsaPred<CheckMemoryOp>))
    reported.insert(ref);
  return reported.contains(ref) ? 0 : kind;
}

/// Registers memory that others name, or that the runtime looks after. If there
/// are several instances, they are contiguous along the first dimension.
void MemorySharing::share(Location loc, Value memory, Value ref,
                          int64_t numInstances) {
  int64_t kind = getOwnKind(ref);
  if (!concurrency.synchronizes || (!concurrency.namesOthers && kind == 0))
    return;
  int64_t bytes = getByteSize(cast<MemRefType>(memory.getType()));
  Value arguments[] = {b.getAddress(loc, memory),
                       b.createInteger(loc, bytes / numInstances, 64),
                       b.createInteger(loc, numInstances, 64),
                       b.createSiteNumber(loc),
                       b.createInteger(loc, kind, 32),
                       b.getPlace(loc)};
  b.callRuntime(loc, "pallas_rt_share", arguments);
  shared.insert(memory);
}

/// From here on no other task or device finds the memory. The runtime reports
/// semaphores in it that are not zero.
void MemorySharing::unshare(Location loc, Value memory) {
  if (shared.contains(memory))
    b.callRuntime(loc, "pallas_rt_unshare", {b.getAddress(loc, memory)});
}

/// The array behind an operand or result of a kernel.
void MemorySharing::shareArray(Location loc, Value memory) {
  share(loc, memory, {}, 1);
}

/// Emits the end of the scope of `ref`. Without other tasks nothing was shared,
/// but a semaphore that is not zero is still a mistake worth a message:
///
///   llvm.call @pallas_rt_check_semaphores(%address, %count, %place)
///       : (!llvm.ptr, i64, !llvm.ptr) -> ()
void MemorySharing::endScope(Location loc, Value ref) {
  Value place = getMemory(ref);
  if (concurrency.synchronizes)
    return unshare(loc, place);
  if (getOwnKind(ref) != 1)
    return;
  int64_t count = cast<MemRefType>(place.getType()).getNumElements();
  b.callRuntime(loc, "pallas_rt_check_semaphores",
                {b.getAddress(loc, place), b.createInteger(loc, count, 64),
                 b.getPlace(ref.getLoc())});
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Emits a query of the device at the start of the function: threads of a
/// parallel loop do not know which device they belong to. One call serves all
/// uses.
Value MemorySharing::getDeviceQuery(Operation *op, StringRef function,
                                    StringRef axis) {
  Value &value = deviceQueries[(function + "/" + axis).str()];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&func.front());
  Location loc = op->getLoc();
  SmallVector<Value> arguments;
  if (!axis.empty())
    arguments = {b.createString(loc, axis), b.getPlace(loc)};
  value = b.callRuntime(loc, function, arguments, b.getI32Type());
  return value;
}

/// The axes that one id counts along: several names are one axis, the last the
/// fastest. For example "x,y" for a device id along both.
static std::string getAxisNames(Attribute axes) {
  if (auto list = dyn_cast<ArrayAttr>(axes))
    return llvm::join(list.getAsValueRange<StringAttr>(), ",");
  return cast<StringAttr>(axes).str();
}

/// The innermost kernel whose mesh has one of these axes. Meshes nest, and the
/// cores of an inner one reach others along the axes of the outer one, too.
PlacedKernel *MemorySharing::findKernelAlong(ArrayAttr axes) const {
  for (PlacedKernel *kernel : llvm::reverse(kernels))
    if (llvm::any_of(axes, [&](Attribute names) {
          return kernel->mesh.getAxisSize(getAxisNames(names)).has_value();
        }))
      return kernel;
  return nullptr;
}

PlacedKernel MemorySharing::getOwner(CoreScratchOp scratch) {
  return {scratch.getOwner(), {}, unsigned(scratch.getScope().getFirstAxis())};
}

/// Where a remote operation on `ref` goes.
///
/// Each id moves along one axis. An axis of a mesh selects a core of this
/// device, any other one selects a device. For example, `device mesh(%i, %j)
/// axes ["x", "core"]` becomes
///
///   %self = llvm.call @pallas_rt_device() : () -> i32
///   %device = llvm.call @pallas_rt_move_along_axis(%self, %x, %i, %place)
///       : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
///
/// for the device, and %j as the coordinate of the core.
FailureOr<MemorySharing::Peer>
MemorySharing::getPeer(Operation *op, ValueRange ids, ArrayAttr axes,
                       std::optional<DeviceIdType> type, Value core,
                       Value ref) {
  Location loc = op->getLoc();
  Peer peer;
  // Scratch may belong to the points of another kernel's mesh.
  Value root = getRootRef(ref);
  auto scratch = root.getDefiningOp<CoreScratchOp>();
  PlacedKernel *self = kernels.empty() ? nullptr : kernels.back();
  if (axes && !scratch)
    if (PlacedKernel *along = findKernelAlong(axes))
      self = along;
  PlacedKernel other;
  if (scratch)
    other = getOwner(scratch);
  const PlacedKernel *owner = scratch ? &other : self;
  SmallVector<std::pair<std::string, Value>> coreIds;
  if (!ids.empty())
    peer.device = getDeviceQuery(op, "pallas_rt_device", "");
  for (auto [i, id] : llvm::enumerate(ids)) {
    if (axes) {
      std::string names = getAxisNames(axes[i]);
      if (self &&
          (self->mesh.getAxisSize(names) || owner->mesh.getAxisSize(names))) {
        coreIds.push_back({names, id});
        continue;
      }
      peer.device = b.callRuntime(
          loc, "pallas_rt_move_along_axis",
          {peer.device, b.createString(loc, names), id, b.getPlace(loc)},
          b.getI32Type());
    } else if (type == DeviceIdType::Logical) {
      peer.device = id;
    } else {
      peer.device = b.callRuntime(loc, "pallas_rt_move_along_dim",
                                  {peer.device, b.createInteger(loc, i, 32),
                                   b.createInteger(loc, ids.size(), 32), id,
                                   b.getPlace(loc)},
                                  b.getI32Type());
    }
  }
  MeshAxisAttr open;
  // The ids count instances of the kernel that owns the memory. An axis that
  // neither the ids nor our own place determine would pick one at random.
  if (scratch)
    open = findOpenAxis(*self, *owner, root.getType(), core, coreIds);
  if (open)
    return emitErrorOf(op)
           << "names no coordinate along axis " << open.getName() << ", whose "
           << open.getSize()
           << " points have this memory each; name one in the device id";
  if (!core && coreIds.empty())
    return peer;
  if (!peer.device)
    peer.device = getDeviceQuery(op, "pallas_rt_device", "");
  if (!self) {
    peer.point = arith::ExtSIOp::create(b, loc, b.getI64Type(),
                                        core ? core : coreIds.front().second);
    return peer;
  }
  // An allocation of one kernel counts its cores from zero; arrays are known by
  // the number among all tasks of the map.
  Value instance =
      getInstance(b, loc, *self, *owner, root.getType(), core, coreIds);
  peer.point = arith::IndexCastOp::create(b, loc, b.getI64Type(), instance);
  if (!scratch && self->firstTask)
    peer.point = arith::AddIOp::create(
        b, loc, peer.point, b.createInteger(loc, self->firstTask, 64));
  return peer;
}

/// Returns the same memory of another device or task: the view, moved by a
/// number of bytes that the runtime knows.
///
///   %offset = llvm.call @pallas_rt_peer_offset(%address, %device, %core,
///       %place) : (!llvm.ptr, i32, i64, !llvm.ptr) -> i64
Value MemorySharing::getAtPeer(Operation *op, Value view, const Peer &peer) {
  if (!peer.device)
    return view;
  Location loc = op->getLoc();
  Value point = peer.point ? peer.point : b.createInteger(loc, -1, 64);
  Value offset = b.callRuntime(
      loc, "pallas_rt_peer_offset",
      {b.getAddress(loc, view), peer.device, point, b.getPlace(loc)},
      b.getI64Type());
  return b.moveView(loc, view, offset);
}
