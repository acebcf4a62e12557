//===- MemorySharing.cpp - Memory of other tasks and devices --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

int64_t MemorySharing::getSharedKind(Type refType) const {
  auto ref = dyn_cast_or_null<RefType>(refType);
  if (!ref || !ref.isSynchronization())
    return 0;
  if (isa<BarrierType, ClusterBarrierType>(ref.getElementType()))
    return 2;
  // Checked code looks at what is left of semaphores itself.
  return checked ? 0 : 1;
}

/// Lets the runtime know memory that others name, or that it sees to. Instances
/// lie along the first dimension if there are several.
void MemorySharing::share(Location loc, Value memory, Type refType,
                          int64_t numInstances) {
  if (!concurrency.synchronizes ||
      (!concurrency.namesOthers && getSharedKind(refType) == 0))
    return;
  int64_t bytes = getByteSize(cast<MemRefType>(memory.getType()));
  Value arguments[] = {b.getAddress(loc, memory),
                       b.createInteger(loc, bytes / numInstances, 64),
                       b.createInteger(loc, numInstances, 64),
                       b.createSiteNumber(loc),
                       b.createInteger(loc, getSharedKind(refType), 32),
                       b.getPlace(loc)};
  b.callRuntime(loc, "pallas_rt_share", arguments);
  shared.insert(memory);
}

void MemorySharing::unshare(Location loc, Value memory) {
  if (shared.contains(memory))
    b.callRuntime(loc, "pallas_rt_unshare", {b.getAddress(loc, memory)});
}

/// The array behind an operand or result of a kernel.
void MemorySharing::shareArray(Location loc, Value memory) {
  share(loc, memory, {}, 1);
}

/// Emits what has to happen when the memory of `ref` ceases to be.
void MemorySharing::endScope(Location loc, Value ref) {
  Value place = getMemory(ref);
  if (concurrency.synchronizes)
    return unshare(loc, place);
  if (getSharedKind(ref.getType()) != 1)
    return;
  int64_t count = cast<MemRefType>(place.getType()).getNumElements();
  b.callRuntime(loc, "pallas_rt_check_semaphores",
                {b.getAddress(loc, place), b.createInteger(loc, count, 64),
                 b.getPlace(ref.getLoc())});
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// What the device is asked at the start of the function, which is no part of a
/// loop that runs on other threads.
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
/// fastest.
static std::string getAxisNames(Attribute axes) {
  if (auto list = dyn_cast<ArrayAttr>(axes))
    return llvm::join(list.getAsValueRange<StringAttr>(), ",");
  return cast<StringAttr>(axes).str();
}

/// The innermost kernel whose mesh has one of these axes. Points of a mesh
/// within a kernel reach others along the axes of that kernel, too.
PlacedKernel *MemorySharing::findKernelAlong(ArrayAttr axes) const {
  for (PlacedKernel *kernel : llvm::reverse(kernels))
    if (llvm::any_of(axes, [&](Attribute names) {
          return kernel->mesh.getAxisSize(getAxisNames(names)).has_value();
        }))
      return kernel;
  return nullptr;
}

/// Where a remote operation on `ref` goes.
FailureOr<MemorySharing::Peer>
MemorySharing::getPeer(Operation *op, ValueRange ids, ArrayAttr axes,
                       std::optional<DeviceIdType> type, Value core,
                       Value ref) {
  Location loc = op->getLoc();
  Peer peer;
  // Scratch may belong to the points of another kernel's mesh.
  Value root = getRootRef(ref);
  auto found = instanceOwners.find(root);
  PlacedKernel *self = kernels.empty() ? nullptr : kernels.back();
  if (axes && found == instanceOwners.end())
    if (PlacedKernel *along = findKernelAlong(axes))
      self = along;
  PlacedKernel *owner = found == instanceOwners.end() ? self : found->second;
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
  if (owner != self)
    open = findOpenAxis(*self, *owner, root.getType(), core, coreIds);
  if (open)
    return op->emitOpError()
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
  Value instance =
      getInstance(b, loc, *self, *owner, root.getType(), core, coreIds);
  peer.point = arith::IndexCastOp::create(b, loc, b.getI64Type(), instance);
  if (found == instanceOwners.end() && self->firstTask)
    peer.point = arith::AddIOp::create(
        b, loc, peer.point, b.createInteger(loc, self->firstTask, 64));
  return peer;
}

/// The same memory of another device or task.
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
