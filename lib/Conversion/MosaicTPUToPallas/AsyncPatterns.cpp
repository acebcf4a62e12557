//===- AsyncPatterns.cpp - Semaphores, copies, cores and devices ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A core or a device has one number in pallas, and several ids in tpu.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// The ids of a device as operands, and their kind, which is always a number.
static std::pair<SmallVector<Value, 1>, DeviceIdTypeAttr>
getDevice(OpBuilder &builder, Value id) {
  if (!id)
    return {{}, {}};
  return {{id},
          DeviceIdTypeAttr::get(builder.getContext(), DeviceIdType::Logical)};
}

/// The number of the core that two ids name. One core is one number here: of
/// vector subcores it is the subcore, in the SparseCore that asks.
///
///   tpu.sem_signal %s, %n core_id %c subcore_id %t
///
/// becomes, when %c is the core that runs it,
///
///   pallas.semaphore_signal %s, %n core %t
static FailureOr<Value> getCore(Operation *op, Value core, Value subcore) {
  if (!subcore)
    return core;
  // Without a core, or with the own one, the subcore is in the same SparseCore.
  auto own = core ? core.getDefiningOp<AxisIndexOp>() : AxisIndexOp();
  if (!core ||
      (own && own.getAxisName() == stringifyMeshAxisRole(MeshAxisRole::Core)))
    return subcore;
  return op->emitOpError("names a vector subcore of another SparseCore, which "
                         "has no number of its own here; address one of the "
                         "same SparseCore");
}

/// Copies of pallas count bytes, which only DMA semaphores do.
static bool holdsDMASemaphores(Value semaphore) {
  auto ref = dyn_cast<RefType>(semaphore.getType());
  return ref && isa<DMASemaphoreType>(ref.getElementType());
}

namespace {

///   tpu.sem_signal %s, %n device_id %d
///
/// becomes
///
///   pallas.semaphore_signal %s, %n device logical(%d)
struct RaiseSignal : RaisePattern<tpu::SemSignalOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::SemSignalOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    FailureOr<Value> core =
        getCore(op, adaptor.getCoreId(), adaptor.getSubcoreId());
    if (failed(core))
      return failure();
    auto [ids, kind] = getDevice(builder, adaptor.getDeviceId());
    SemaphoreSignalOp::create(builder, op.getLoc(), adaptor.getSemaphore(),
                              adaptor.getAmount(), ids, *core, kind,
                              /*deviceAxes=*/ArrayAttr());
    return none();
  }
};

/// Both waits take the count away.
///
///   tpu.sem_wait %s, %n
///       : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
/// -->
///   pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
struct RaiseWait : RaisePattern<tpu::SemWaitOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::SemWaitOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    SemaphoreWaitOp::create(builder, op.getLoc(), adaptor.getSemaphore(),
                            adaptor.getAmount());
    return none();
  }
};

///   %0 = pallas.semaphore_read %s
struct RaiseRead : RaisePattern<tpu::SemReadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::SemReadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(SemaphoreReadOp::create(
        builder, op.getLoc(), builder.getI32Type(), adaptor.getSemaphore()));
  }
};

///   %0 = pallas.get_barrier_semaphore
struct RaiseBarrierSemaphore : RaisePattern<tpu::SemBarrierOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::SemBarrierOp op, Adaptor,
                         OpBuilder &builder) const override {
    RefType ref = convertMemRef(cast<MemRefType>(op.getType()));
    if (!ref)
      return failure();
    return Value(GetBarrierSemaphoreOp::create(builder, op.getLoc(), ref));
  }
};

///   tpu.enqueue_dma source(%a) target(%b) target_semaphore(%s)
///
/// becomes
///
///   pallas.dma_start %a to %b signals %s
struct RaiseEnqueue : RaisePattern<tpu::EnqueueDMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::EnqueueDMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value semaphore = adaptor.getTargetSemaphore();
    Value sourceSemaphore = adaptor.getSourceSemaphore();
    // A copy without a semaphore can't be waited for, and pallas has none.
    if (!semaphore || !holdsDMASemaphores(semaphore) ||
        (sourceSemaphore && !holdsDMASemaphores(sourceSemaphore)))
      return op.emitOpError("must signal DMA semaphores; give "
                            "target_semaphore a memref of !tpu.dma_semaphore");
    FailureOr<Value> core =
        getCore(op, adaptor.getCoreId(), adaptor.getSubcoreId());
    if (failed(core))
      return failure();
    auto [ids, kind] = getDevice(builder, adaptor.getDeviceId());
    DMAStartOp::create(builder, op.getLoc(), adaptor.getSource(),
                       adaptor.getTarget(), semaphore, sourceSemaphore, ids,
                       *core, kind, /*deviceAxes=*/ArrayAttr(),
                       op.getPriority(), /*add=*/false);
    return none();
  }
};

} // namespace

/// Waits until `semaphore` has counted the bytes of `counted`.
/// A wait needs no device: the semaphore is here, and only the size matters.
static void createWait(OpBuilder &builder, Location loc, Value other,
                       Value counted, Value semaphore) {
  DMAWaitOp::create(builder, loc, other, counted, semaphore,
                    /*sourceSemaphore=*/Value(), /*deviceIds=*/ValueRange(),
                    /*coreIndex=*/Value(), /*deviceIdType=*/DeviceIdTypeAttr(),
                    /*deviceAxes=*/ArrayAttr());
}

namespace {

/// Also the wait for the source of a remote copy: it has the operands swapped.
///
///   tpu.wait_dma2 semaphore(%d : ...) src(%x : ...) dst(%o : ...)
/// -->
///   pallas.dma_wait %x to %o signals %d
struct RaiseWaitDMA2 : RaisePattern<tpu::WaitDMA2Op> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::WaitDMA2Op op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    createWait(builder, op.getLoc(), adaptor.getSrc(), adaptor.getDst(),
               adaptor.getSemaphore());
    return none();
  }
};

/// The wait of old modules has a flag for its side; the other side is not
/// counted.
///
///   tpu.wait_dma source(%x : ...) target(%o : ...)
///       target_semaphore(%d : ...) {wait_target = true}
/// -->
///   pallas.dma_wait %x to %o signals %d
struct RaiseWaitDMA : RaisePattern<tpu::WaitDMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::WaitDMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    bool isTarget = op.getWaitTarget();
    Value semaphore =
        isTarget ? adaptor.getTargetSemaphore() : adaptor.getSourceSemaphore();
    if (!semaphore || !holdsDMASemaphores(semaphore))
      return op.emitOpError()
             << "waits for the " << (isTarget ? "target" : "source")
             << " of a copy, but names no DMA semaphore there";
    Value source = adaptor.getSource(), target = adaptor.getTarget();
    createWait(builder, op.getLoc(), isTarget ? source : target,
               isTarget ? target : source, semaphore);
    return none();
  }
};

///   %0 = pallas.device_id
struct RaiseDeviceId : RaisePattern<tpu::DeviceIdOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::DeviceIdOp op, Adaptor,
                         OpBuilder &builder) const override {
    return Value(DeviceIdOp::create(builder, op.getLoc()));
  }
};

///   %0 = pallas.core_id
struct RaiseCoreId : RaisePattern<tpu::CoreIdOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::CoreIdOp op, Adaptor,
                         OpBuilder &builder) const override {
    return Value(CoreIdOp::create(builder, op.getLoc()));
  }
};

} // namespace

void mlir::pallas::populateAsyncPatterns(const TypeConverter &types,
                                         RewritePatternSet &patterns) {
  patterns.add<RaiseSignal, RaiseWait, RaiseRead, RaiseBarrierSemaphore,
               RaiseEnqueue, RaiseWaitDMA2, RaiseWaitDMA, RaiseDeviceId,
               RaiseCoreId>(types, patterns.getContext());
}
