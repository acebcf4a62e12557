//===- AsyncPatterns.cpp - Semaphores, copies, cores and devices ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// The ids of a device as operands, and what they are.
static std::pair<SmallVector<Value, 1>, DeviceIdTypeAttr>
getDevice(OpBuilder &builder, Value id) {
  if (!id)
    return {{}, {}};
  return {{id},
          DeviceIdTypeAttr::get(builder.getContext(), DeviceIdType::Logical)};
}

/// The number of the core that two ids name. One core is one number here: of
/// vector subcores it is the subcore, in the SparseCore that asks.
static FailureOr<Value> getCore(Operation *op, Value core, Value subcore) {
  if (!subcore)
    return core;
  auto own = core ? core.getDefiningOp<AxisIndexOp>() : AxisIndexOp();
  if (!core ||
      (own && own.getAxisName() == stringifyMeshAxisRole(MeshAxisRole::Core)))
    return subcore;
  return op->emitOpError("names a vector subcore of another SparseCore, which "
                         "has no number of its own here; address one of the "
                         "same SparseCore");
}

static bool holdsDMASemaphores(Value semaphore) {
  auto ref = dyn_cast<RefType>(semaphore.getType());
  return ref && isa<DMASemaphoreType>(ref.getElementType());
}

namespace {

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

struct RaiseWait : RaisePattern<tpu::SemWaitOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::SemWaitOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    SemaphoreWaitOp::create(builder, op.getLoc(), adaptor.getSemaphore(),
                            adaptor.getAmount());
    return none();
  }
};

struct RaiseRead : RaisePattern<tpu::SemReadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::SemReadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(SemaphoreReadOp::create(
        builder, op.getLoc(), builder.getI32Type(), adaptor.getSemaphore()));
  }
};

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

struct RaiseEnqueue : RaisePattern<tpu::EnqueueDMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::EnqueueDMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value semaphore = adaptor.getTargetSemaphore();
    Value sourceSemaphore = adaptor.getSourceSemaphore();
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
static void createWait(OpBuilder &builder, Location loc, Value other,
                       Value counted, Value semaphore) {
  DMAWaitOp::create(builder, loc, other, counted, semaphore,
                    /*sourceSemaphore=*/Value(), /*deviceIds=*/ValueRange(),
                    /*coreIndex=*/Value(), /*deviceIdType=*/DeviceIdTypeAttr(),
                    /*deviceAxes=*/ArrayAttr());
}

namespace {

/// Also the wait for the source of a remote copy: it has the operands swapped.
struct RaiseWaitDMA2 : RaisePattern<tpu::WaitDMA2Op> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::WaitDMA2Op op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    createWait(builder, op.getLoc(), adaptor.getSrc(), adaptor.getDst(),
               adaptor.getSemaphore());
    return none();
  }
};

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

struct RaiseDeviceId : RaisePattern<tpu::DeviceIdOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::DeviceIdOp op, Adaptor,
                         OpBuilder &builder) const override {
    return Value(DeviceIdOp::create(builder, op.getLoc()));
  }
};

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
