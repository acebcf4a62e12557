//===- AsyncOps.cpp - Semaphores, barriers and async copies ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of operations that signal, wait and copy. Comments such as V24 name
// rules of docs/Rules.md. Checks of these operations keep the same rules.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Semaphores and barriers are used one at a time.
static LogicalResult verifySingle(Operation *op, Value ref, StringRef what) {
  auto type = cast<RefType>(ref.getType());
  // V15
  if (type.getRank() == 0)
    return success();
  return op->emitOpError() << what << " must be a single one, but has type "
                           << type << "; select one with pallas.slice_ref";
}

/// Checks how a device is named.
template <typename Op> static LogicalResult verifyDevice(Op op) {
  // V17
  if (op.getDeviceIdType().has_value() == op.getDeviceIds().empty())
    return op.emitOpError()
           << "names a device either by an id type and ids or not at all, but "
           << "has " << op.getDeviceIds().size() << " ids "
           << (op.getDeviceIdType() ? "with" : "without")
           << " an id type; write device <type>(<ids>) for another device";
  // V17
  if (op.getDeviceIdType() == DeviceIdType::Logical &&
      op.getDeviceIds().size() != 1)
    return op.emitOpError() << "a logical device id is one number, but "
                            << op.getDeviceIds().size()
                            << " are given; name one, or use a mesh id";
  std::optional<ArrayAttr> axes = op.getDeviceAxes();
  if (!axes)
    return success();
  // V17
  if (op.getDeviceIdType() != DeviceIdType::Mesh)
    return op.emitOpError()
           << "names mesh axes, which only a mesh device id has; write device "
              "mesh(...), or leave the axes out";
  // V17
  if (axes->size() != op.getDeviceIds().size())
    return op.emitOpError() << "names " << axes->size() << " mesh axes, but "
                            << op.getDeviceIds().size()
                            << " coordinates are given; give one per axis";
  return success();
}

template <typename Op> static LogicalResult verifySignal(Op op) {
  if (failed(verifySingle(op, op.getSemaphore(), "semaphore")))
    return failure();
  // V16
  if (isa<DMASemaphoreType>(op.getSemaphore().getType().getElementType()))
    return op.emitOpError() << "cannot signal a DMA semaphore; only async "
                               "copies count on it";
  return verifyDevice(op);
}

template <typename Op> static LogicalResult verifyWait(Op op) {
  if (failed(verifySingle(op, op.getSemaphore(), "semaphore")))
    return failure();
  // V16
  if (isa<DMASemaphoreType>(op.getSemaphore().getType().getElementType()))
    return op.emitOpError() << "cannot wait on a DMA semaphore; use "
                               "pallas.dma_wait";
  return success();
}

LogicalResult SemaphoreSignalOp::verify() { return verifySignal(*this); }
LogicalResult CheckSemaphoreSignalOp::verify() { return verifySignal(*this); }

LogicalResult SemaphoreWaitOp::verify() { return verifyWait(*this); }
LogicalResult CheckSemaphoreWaitOp::verify() { return verifyWait(*this); }

LogicalResult SemaphoreReadOp::verify() {
  return verifySingle(*this, getSemaphore(), "semaphore");
}

/// Checks what starting and waiting for a copy have in common.
template <typename Op> static LogicalResult verifyCopy(Op op) {
  RefType source = op.getSource().getType(), target = op.getTarget().getType();
  // V18
  if (source.getElementType() != target.getElementType())
    return op.emitOpError()
           << "copies between different element types, "
           << source.getElementType() << " and " << target.getElementType()
           << "; view one of them with pallas.bitcast_ref";
  // V18
  if (failed(verifyCompatibleShape(source.getShape(), target.getShape())))
    return op.emitOpError() << "copies between different shapes, "
                            << describeShape(source.getShape()) << " and "
                            << describeShape(target.getShape())
                            << "; slice the larger one with pallas.slice_ref";
  if (failed(verifySingle(op, op.getSemaphore(), "semaphore")))
    return failure();
  if (op.getSourceSemaphore() &&
      failed(verifySingle(op, op.getSourceSemaphore(), "source semaphore")))
    return failure();
  return verifyDevice(op);
}

LogicalResult DMAStartOp::verify() {
  if (failed(verifyCopy(*this)))
    return failure();
  // V18
  if (!getSourceSemaphore() && !getDeviceIds().empty())
    return emitOpError()
           << "a remote copy needs a source semaphore, but only the device is "
              "given; give the semaphore that counts what has left";
  // V18
  if (int32_t(getPriority()) < 0)
    return emitOpError() << "priority must not be negative, but is "
                         << int32_t(getPriority());
  return success();
}

LogicalResult CheckDMAStartOp::verify() {
  if (getIndexNames().size() != getIndexRefs().size())
    return emitOpError() << "has " << getIndexNames().size() << " names for "
                         << getIndexRefs().size()
                         << " refs of indices; name each of them";
  return verifyCopy(*this);
}

LogicalResult DMAWaitOp::verify() { return verifyCopy(*this); }
LogicalResult CheckDMAWaitOp::verify() {
  return verifySingle(*this, getSemaphore(), "semaphore");
}

LogicalResult BarrierArriveOp::verify() {
  return verifySingle(*this, getBarrier(), "barrier");
}
LogicalResult BarrierWaitOp::verify() {
  return verifySingle(*this, getBarrier(), "barrier");
}
LogicalResult BarrierWaitParityOp::verify() {
  return verifySingle(*this, getBarrier(), "barrier");
}
LogicalResult BarrierTestOp::verify() {
  return verifySingle(*this, getBarrier(), "barrier");
}
LogicalResult CheckPhaseOp::verify() {
  return verifySingle(*this, getBarrier(), "barrier");
}
LogicalResult CoreBarrierOp::verify() {
  return verifyAxisName(*this, "waits along", getAxisName());
}
LogicalResult CheckCoreBarrierOp::verify() {
  return verifyAxisName(*this, "waits along", getAxisName());
}

//===----------------------------------------------------------------------===//
// Work of other blocks
//===----------------------------------------------------------------------===//

/// Hardware writes an answer of 128 bits.
static LogicalResult verifyAnswer(Operation *op, RefType answer) {
  // V22
  if (answer.getShape() == ArrayRef<int64_t>(16) &&
      answer.getElementType().isInteger(8) &&
      answer.getSpace() == MemorySpace::Smem)
    return success();
  return op->emitOpError()
         << "has an answer of type " << answer
         << "; it takes 16 bytes of shared memory, !pallas.ref<16xi8, smem>";
}

SmallVector<StringRef> TryClusterCancelOp::getAskingAxes(MeshAttr mesh,
                                                         MeshAxisRole role) {
  std::optional<ArrayAttr> asking = getCollectiveAxes();
  SmallVector<StringRef> names;
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getRole() == role && axis.getSize() != 1 &&
        (!asking || llvm::is_contained(asking->getAsValueRange<StringAttr>(),
                                       axis.getName())))
      names.push_back(axis.getName());
  return names;
}

LogicalResult TryClusterCancelOp::verify() {
  if (std::optional<ArrayAttr> axes = getCollectiveAxes())
    for (StringRef name : axes->getAsValueRange<StringAttr>())
      if (failed(verifyAxisName(*this, "asks along", name)))
        return failure();
  if (failed(verifyAnswer(*this, getAnswer().getType())))
    return failure();
  return verifySingle(*this, getBarrier(), "barrier");
}

LogicalResult QueryClusterCancelOp::verify() {
  for (StringRef name : getAxisNames().getAsValueRange<StringAttr>())
    if (failed(verifyAxisName(*this, "asks for work along", name)))
      return failure();
  return verifyAnswer(*this, getAnswer().getType());
}

LogicalResult QueryClusterCancelOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location>, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  types.assign(adaptor.getAxisNames() ? adaptor.getAxisNames().size() : 0,
               IntegerType::get(context, 32));
  types.push_back(IntegerType::get(context, 1));
  return success();
}

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasLaunchControlOps.cpp.inc"
