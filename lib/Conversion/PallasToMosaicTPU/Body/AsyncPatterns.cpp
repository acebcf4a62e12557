//===- AsyncPatterns.cpp - Semaphores, copies, cores and devices ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronization maps one to one. What differs is how a device or a core is
// named, and what a core is able to copy.
//
//===----------------------------------------------------------------------===//

#include "../Memory/MemRefView.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// The number of the device that the ids name; null for this device.
///
/// A copy to device 3 names it by one number, as the tpu dialect does:
///
///   %0 = arith.constant 3 : i32
///   tpu.enqueue_dma source(...) target(...) device_id(%0 : i32)
template <typename OpTy>
static FailureOr<Value> getDevice(OpTy op, ValueRange ids) {
  if (ids.empty())
    return Value();
  // One coordinate of a mesh with one axis is the number itself.
  if (ids.size() == 1)
    return ids.front();
  return op.emitOpError()
         << "names a device by " << ids.size()
         << " coordinates, but the shape of the device mesh isn't known here; "
            "give the function the attribute pallas.device_mesh, or use device "
            "logical(%id)";
}

/// The core and the subcore that a core index names. On vector subcores of
/// another kind of core it is the subcore, of the SparseCore that asks: so it
/// is for all axes that both have.
static std::pair<Value, Value> getCore(Operation *op, Value memref,
                                       Value index) {
  std::optional<tpu::CoreType> owner =
      tpu::getNamedCoreType(cast<MemRefType>(memref.getType()));
  if (!index || owner != tpu::CoreType::ScVectorSubcore)
    // Argument 0 of a kernel on a mesh is the index of its core.
    return {index, Value()};
  return {op->getParentOfType<FunctionOpInterface>().getArgument(0), index};
}

namespace {

/// A remote signal names device, core and subcore, each of them optional:
///
///   pallas.semaphore_signal %s, %n device logical(%d) core %c
///
/// becomes
///
///   tpu.sem_signal %s, %n device_id %d core_id %c
struct ConvertSignal : TPUPattern<SemaphoreSignalOp> {
  using TPUPattern::TPUPattern;
  Results convert(SemaphoreSignalOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    FailureOr<Value> device = getDevice(op, adaptor.getDeviceIds());
    if (failed(device))
      return failure();
    auto [core, subcore] =
        getCore(op, adaptor.getSemaphore(), adaptor.getCoreIndex());
    emit.create<tpu::SemSignalOp>(
        adaptor.getSemaphore(), adaptor.getIncrement(), *device, core, subcore);
    return none();
  }
};

/// A wait of the target takes the count away, so one that leaves it has no
/// form.
///
///   pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
/// -->
///   tpu.sem_wait %s, %n
///       : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
struct ConvertWait : TPUPattern<SemaphoreWaitOp> {
  using TPUPattern::TPUPattern;
  Results convert(SemaphoreWaitOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (!op.getDecrement())
      return op.emitOpError("doesn't decrement, but a wait always takes the "
                            "count away on TPUs; signal the semaphore again");
    emit.create<tpu::SemWaitOp>(adaptor.getSemaphore(), adaptor.getCount());
    return none();
  }
};

///   %0 = tpu.sem_read %s : memref<!tpu.semaphore, ...> -> i32
struct ConvertRead : TPUPattern<SemaphoreReadOp> {
  using TPUPattern::TPUPattern;
  Results convert(SemaphoreReadOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    return one(emit.create<tpu::SemReadOp>(emit.getBuilder().getI32Type(),
                                           adaptor.getSemaphore()));
  }
};

/// The semaphore is shared by all devices that run the kernel with one
/// collective id.
///
///   pallas.get_barrier_semaphore
///       : !pallas.ref<!pallas.barrier_semaphore, semaphore>
/// -->
///   tpu.sem_barrier
///       : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
struct ConvertBarrierSemaphore : TPUPattern<GetBarrierSemaphoreOp> {
  using TPUPattern::TPUPattern;
  Results convert(GetBarrierSemaphoreOp op, Adaptor,
                  Emitter &emit) const override {
    return one(emit.create<tpu::SemBarrierOp>(convertType(op.getType())));
  }
};

///   pallas.dma_start %a to %b signals %s
///
/// becomes
///
///   tpu.enqueue_dma source(%a) target(%b) target_semaphore(%s)
///
/// Both ends are checked first. The compiler moves whole tiles, and which parts
/// of a buffer are made of these depends on the kind of core.
struct ConvertDMAStart : TPUPattern<DMAStartOp> {
  using TPUPattern::TPUPattern;

  LogicalResult rejectAdd(DMAStartOp op) const {
    if (types.getCore() == tpu::CoreType::TensorCore)
      return op.emitOpError("adds to its target, which TensorCores can't; copy "
                            "to a buffer and add from there");
    return op.emitOpError("adds to its target, which SparseCores do for rows "
                          "that an index array selects; select the rows by a "
                          "list of their numbers in vmem");
  }

  Results convert(DMAStartOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    if (op.getAdd())
      return rejectAdd(op);
    if (types.getCore() != tpu::CoreType::TensorCore) {
      if (failed(checkSparseCoreCopy(op, emit, types.getCore(),
                                     adaptor.getSource(), adaptor.getTarget())))
        return failure();
    } else if (failed(checkCopiedPart(emit, op, adaptor.getSource())) ||
               failed(checkCopiedPart(emit, op, adaptor.getTarget()))) {
      return failure();
    }
    FailureOr<Value> device = getDevice(op, adaptor.getDeviceIds());
    if (failed(device))
      return failure();
    auto [core, subcore] =
        getCore(op, adaptor.getTarget(), adaptor.getCoreIndex());
    if (op.getSourceSemaphore() && !*device && !core)
      return op.emitOpError("signals its source, which TPUs do for copies to "
                            "another device or core only; wait for the target");
    emit.create<tpu::EnqueueDMAOp>(
        adaptor.getSource(), adaptor.getSourceSemaphore(), adaptor.getTarget(),
        adaptor.getSemaphore(), *device, core, subcore, op.getPriority(),
        /*strict_ordering=*/false);
    return none();
  }
};

/// A wait for the source of a remote copy has the operands swapped and dummy
/// ids: that is how the compiler tells it from one for the target.
///
///   pallas.dma_wait %src to %dst signals %sem
/// -->
///   tpu.wait_dma2 semaphore(%sem : ...) src(%src : ...) dst(%dst : ...)
struct ConvertDMAWait : TPUPattern<DMAWaitOp> {
  using TPUPattern::TPUPattern;
  Results convert(DMAWaitOp op, Adaptor adaptor, Emitter &emit) const override {
    FailureOr<Value> device = getDevice(op, adaptor.getDeviceIds());
    if (failed(device))
      return failure();
    if (Value semaphore = adaptor.getSourceSemaphore()) {
      Value zero = emit.i32(0);
      emit.create<tpu::WaitDMA2Op>(semaphore, adaptor.getTarget(),
                                   adaptor.getSource(), zero, zero,
                                   /*strict_ordering=*/false);
      return none();
    }
    emit.create<tpu::WaitDMA2Op>(adaptor.getSemaphore(), adaptor.getSource(),
                                 adaptor.getTarget(), *device,
                                 adaptor.getCoreIndex(),
                                 /*strict_ordering=*/false);
    return none();
  }
};

/// The barrier in hardware that all subcores of a SparseCore share.
///
///   pallas.core_barrier "subcore"
/// -->
///   %c0 = arith.constant 0 : index
///   tpu.barrier barrier_id(%c0)
struct ConvertCoreBarrier : TPUPattern<CoreBarrierOp> {
  using TPUPattern::TPUPattern;
  Results convert(CoreBarrierOp op, Adaptor, Emitter &emit) const override {
    if (types.getCore() != tpu::CoreType::ScVectorSubcore)
      return op.emitOpError("exists on SparseCore vector subcores only; use "
                            "semaphores between other cores");
    emit.create<tpu::BarrierOp>(emit.index(0));
    return none();
  }
};

///   %0 = tpu.device_id : i32
struct ConvertDeviceId : TPUPattern<DeviceIdOp> {
  using TPUPattern::TPUPattern;
  Results convert(DeviceIdOp, Adaptor, Emitter &emit) const override {
    return one(emit.create<tpu::DeviceIdOp>(emit.getBuilder().getI32Type()));
  }
};

/// Axes of the grid and of meshes have been replaced before: what is left names
/// an axis of the devices, of which the compiler knows the number only.
struct ConvertAxisIndex : TPUPattern<AxisIndexOp> {
  using TPUPattern::TPUPattern;
  Results convert(AxisIndexOp, Adaptor, Emitter &emit) const override {
    return one(emit.create<tpu::DeviceIdOp>(emit.getBuilder().getI32Type()));
  }
};

} // namespace

void mlir::pallas::populateAsyncPatterns(const TPUTypeConverter &types,
                                         TPUPatternSet &patterns) {
  addTPUPatterns<ConvertSignal, ConvertWait, ConvertRead,
                 ConvertBarrierSemaphore, ConvertDMAStart, ConvertDMAWait,
                 ConvertCoreBarrier, ConvertDeviceId, ConvertAxisIndex>(
      types, patterns);
}
