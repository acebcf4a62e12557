//===- Sharing.cpp - Memory of other tasks and devices --------------------===//

#include "Mesh.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The text of a location, for messages at run time.
Value Lowering::getPlace(Location loc) {
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return createString(loc, text);
}

int64_t Lowering::getByteSize(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// What the runtime does with this memory at the ends of its scope.
int64_t Lowering::getSharedKind(Type refType) const {
  auto ref = dyn_cast_or_null<RefType>(refType);
  if (!ref || !ref.isSynchronization())
    return 0;
  if (isa<BarrierType, ClusterBarrierType>(ref.getElementType()))
    return 2;
  // Checked code looks at what is left of semaphores itself.
  return checked ? 0 : 1;
}

/// The address of the first element of a view.
Value Lowering::getAddress(Location loc, Value view) {
  auto type = cast<MemRefType>(view.getType());
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view);
  if (!type.getLayout().isIdentity()) {
    Value offset =
        memref::ExtractStridedMetadataOp::create(b, loc, view).getOffset();
    Value bytes =
        index(loc, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    offset = arith::MulIOp::create(b, loc, offset, bytes);
    base = arith::AddIOp::create(b, loc, base, offset);
  }
  Value address = arith::IndexCastOp::create(b, loc, b.getI64Type(), base);
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// What a memref is in the LLVM dialect.
static LLVM::LLVMStructType getDescriptorType(MemRefType type) {
  MLIRContext *context = type.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type word = IntegerType::get(context, 64);
  SmallVector<Type> parts{pointer, pointer, word};
  if (type.getRank()) {
    parts.append(2, LLVM::LLVMArrayType::get(word, type.getRank()));
  }
  return LLVM::LLVMStructType::getLiteral(context, parts);
}

/// A memref of dense memory.
Value Lowering::wrapAddress(Location loc, Value address, MemRefType type) {
  Value descriptor = LLVM::UndefOp::create(b, loc, getDescriptorType(type));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  insert(address, 0);
  insert(address, 1);
  insert(integer(loc, 0, 64), 2);
  int64_t stride = 1;
  for (int64_t d = type.getRank(); d > 0; --d) {
    insert(integer(loc, type.getDimSize(d - 1), 64), {3, d - 1});
    insert(integer(loc, stride, 64), {4, d - 1});
    stride *= type.getDimSize(d - 1);
  }
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Lets the runtime know memory that others name, or that it sees to. Instances
/// lie along the first dimension if there are several.
void Lowering::share(Location loc, Value memory, Type refType,
                     int64_t numInstances) {
  if (!concurrency.synchronizes ||
      (!concurrency.namesOthers && getSharedKind(refType) == 0))
    return;
  int64_t bytes = getByteSize(cast<MemRefType>(memory.getType()));
  Value arguments[] = {getAddress(loc, memory),
                       integer(loc, bytes / numInstances, 64),
                       integer(loc, numInstances, 64),
                       integer(loc, numSites++, 64),
                       integer(loc, getSharedKind(refType), 32),
                       getPlace(loc)};
  callRuntime(loc, "pallas_rt_share", arguments);
  shared.insert(memory);
}

void Lowering::unshare(Location loc, Value memory) {
  if (shared.contains(memory))
    callRuntime(loc, "pallas_rt_unshare", {getAddress(loc, memory)});
}

/// The array behind an operand or result of a kernel.
void Lowering::shareArray(Location loc, Value memory) {
  share(loc, memory, {}, 1);
}

/// Emits what has to happen when the memory of `ref` ceases to be.
void Lowering::endScope(Location loc, Value ref) {
  Value place = getMemory(ref);
  if (concurrency.synchronizes)
    return unshare(loc, place);
  if (getSharedKind(ref.getType()) != 1)
    return;
  int64_t count = cast<MemRefType>(place.getType()).getNumElements();
  callRuntime(loc, "pallas_rt_check_semaphores",
              {getAddress(loc, place), integer(loc, count, 64),
               getPlace(ref.getLoc())});
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// What the device is asked at the start of the function, which is no part of a
/// loop that runs on other threads.
Value Lowering::getDeviceQuery(Operation *op, StringRef function,
                               StringRef axis) {
  Value &value = deviceQueries[(function + "/" + axis).str()];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&func.front());
  Location loc = op->getLoc();
  SmallVector<Value> arguments;
  if (!axis.empty())
    arguments = {createString(loc, axis), getPlace(loc)};
  value = callRuntime(loc, function, arguments, b.getI32Type());
  return value;
}

/// Where a remote operation on `ref` goes.
FailureOr<Lowering::Peer> Lowering::getPeer(Operation *op, ValueRange ids,
                                            ArrayAttr axes,
                                            std::optional<DeviceIdType> type,
                                            Value core, Value ref) {
  Location loc = op->getLoc();
  Peer peer;
  // Scratch may belong to the points of another kernel's mesh.
  Value root = getRootRef(ref);
  auto found = instanceOwners.find(root);
  MeshKernel *self = meshes.empty() ? nullptr : meshes.back();
  MeshKernel *owner = found == instanceOwners.end() ? self : found->second;
  SmallVector<std::pair<std::string, Value>> coreIds;
  if (!ids.empty())
    peer.device = getDeviceQuery(op, "pallas_rt_device", "");
  for (auto [i, id] : llvm::enumerate(ids)) {
    if (axes) {
      // Several names are one axis, the last the fastest.
      std::string names;
      if (auto list = dyn_cast<ArrayAttr>(axes[i]))
        names = llvm::join(list.getAsValueRange<StringAttr>(), ",");
      else
        names = cast<StringAttr>(axes[i]).str();
      if (self &&
          (self->mesh.getAxisSize(names) || owner->mesh.getAxisSize(names))) {
        coreIds.push_back({names, id});
        continue;
      }
      peer.device = callRuntime(
          loc, "pallas_rt_move_along_axis",
          {peer.device, createString(loc, names), id, getPlace(loc)},
          b.getI32Type());
    } else if (type == DeviceIdType::Logical) {
      peer.device = id;
    } else {
      peer.device =
          callRuntime(loc, "pallas_rt_move_along_dim",
                      {peer.device, integer(loc, i, 32),
                       integer(loc, ids.size(), 32), id, getPlace(loc)},
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
      getInstance(loc, *self, *owner, root.getType(), core, coreIds);
  peer.point = arith::IndexCastOp::create(b, loc, b.getI64Type(), instance);
  if (found == instanceOwners.end() && self->firstTask)
    peer.point = arith::AddIOp::create(b, loc, peer.point,
                                       integer(loc, self->firstTask, 64));
  return peer;
}

/// The same memory of another device or task.
Value Lowering::getAtPeer(Operation *op, Value view, const Peer &peer) {
  if (!peer.device)
    return view;
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(view.getType());
  Value point = peer.point ? peer.point : integer(loc, -1, 64);
  Value offset =
      callRuntime(loc, "pallas_rt_peer_offset",
                  {getAddress(loc, view), peer.device, point, getPlace(loc)},
                  b.getI64Type());
  Value descriptor =
      UnrealizedConversionCastOp::create(b, loc, getDescriptorType(type), view)
          .getResult(0);
  Value base = LLVM::ExtractValueOp::create(b, loc, descriptor, 1);
  Type pointer = base.getType();
  base = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), base);
  base = arith::AddIOp::create(b, loc, base, offset);
  base = LLVM::IntToPtrOp::create(b, loc, pointer, base);
  descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, base, 1);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}
