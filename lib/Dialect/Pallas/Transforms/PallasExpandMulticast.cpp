//===- PallasExpandMulticast.cpp - One device after the other -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware stores to, and loads from, all devices at once. Where memory of
// another device can be named, as on CPUs, a loop visits them one by one:
//
//   %all = pallas.multicast_ref %r axes ["x"]
//   pallas.swap %all[...], %v
// becomes
//   %count = pallas.axis_size "x"
//   scf.for %device = 0 to %count {
//     %there = pallas.remote_ref %r device mesh(%device) axes [["x"]]
//     pallas.swap %there[...], %v
//   }
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Multicast.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASEXPANDMULTICAST
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The devices along some axes. One number names each: the axes count jointly.
class Devices {
public:
  Devices(Operation *op, ArrayAttr names)
      : b(op), loc(op->getLoc()), names(names) {}

  Value createIndex(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  ///   %x = pallas.axis_size "x"
  ///   %y = pallas.axis_size "y"
  ///   %count = arith.muli %x, %y
  Value createCount() {
    Value count;
    for (auto name : names.getAsRange<StringAttr>()) {
      Value size = AxisSizeOp::create(b, loc, b.getI32Type(), name);
      count = count ? arith::MulIOp::create(b, loc, count, size) : size;
    }
    return count ? count : createIndex(1);
  }

  Value getMemoryOf(Value device, Value ref) {
    return RemoteRefOp::create(b, loc, ref.getType(), ref, DeviceIdType::Mesh,
                               device, b.getArrayAttr(names));
  }

  OpBuilder b;
  Location loc;
  ArrayAttr names;
};
} // namespace

/// The view that `ref` is of all devices, of the memory `base` instead:
///
///   %all = pallas.multicast_ref %r axes ["x"]
///   %row = pallas.slice_ref %all[%i, :]
///
/// becomes, for memory %there of one device
///
///   %row = pallas.slice_ref %there[%i, :]
static Value rebuildView(OpBuilder &b, Value ref, MulticastRefOp all,
                         Value base) {
  if (ref == all.getView())
    return base;
  Operation *view = ref.getDefiningOp();
  IRMapping mapping;
  mapping.map(view->getOperand(0),
              rebuildView(b, view->getOperand(0), all, base));
  return b.clone(*view, mapping)->getResult(0);
}

/// The store, copy or signal of one device. Signals name it themselves, so
/// their semaphore stays the one of this device:
///
///   pallas.semaphore_signal %s, %n device mesh(%device) axes [["x"]]
static void createUse(Devices &devices, OpOperand &use, MulticastRefOp all,
                      Value device) {
  OpBuilder &b = devices.b;
  Operation *user = use.getOwner();
  if (isa<SemaphoreSignalOp>(user)) {
    auto one = cast<SemaphoreSignalOp>(b.clone(*user));
    b.setInsertionPoint(one);
    one.getSemaphoreMutable().assign(
        rebuildView(b, use.get(), all, all.getRef()));
    one.getDeviceIdsMutable().assign(device);
    one.setDeviceIdType(DeviceIdType::Mesh);
    one.setDeviceAxesAttr(b.getArrayAttr(devices.names));
    return;
  }
  Value there =
      rebuildView(b, use.get(), all, devices.getMemoryOf(device, all.getRef()));
  Operation *one = b.clone(*user);
  one->setOperand(use.getOperandNumber(), there);
  // The copies to all devices are one group.
  if (auto copy = dyn_cast<CopySmemToGmemOp>(one))
    copy.setCommitGroup(false);
}

static void expandUse(OpOperand &use, MulticastRefOp all) {
  Operation *user = use.getOwner();
  Devices devices(user, all.getDeviceAxes());
  OpBuilder &b = devices.b;
  auto loop = scf::ForOp::create(b, user->getLoc(), devices.createIndex(0),
                                 devices.createCount(), devices.createIndex(1));
  if (auto copy = dyn_cast<CopySmemToGmemOp>(user))
    if (copy.getCommitGroup())
      CommitSmemToGmemGroupOp::create(b, user->getLoc());
  b.setInsertionPointToStart(loop.getBody());
  createUse(devices, use, all, loop.getInductionVar());
}

static LogicalResult expand(MulticastRefOp all) {
  FailureOr<SmallVector<OpOperand *>> uses = findMulticastUses(all);
  if (failed(uses))
    return failure();
  SmallVector<Operation *> views;
  for (OpOperand *use : *uses) {
    Value ref = use->get();
    expandUse(*use, all);
    use->getOwner()->erase();
    while (ref != all.getView() && ref.use_empty()) {
      Operation *view = ref.getDefiningOp();
      ref = view->getOperand(0);
      view->erase();
    }
  }
  all.erase();
  return success();
}

///   %sum = pallas.multimem_load_reduce <add> %r axes ["x"]
/// -->
///   %first = pallas.get %r0[...]      of device 0
///   %sum = scf.for %device = 1 to %count iter_args(%before = %first) {
///     %v = pallas.get %there[...]
///     %next = arith.addf %before, %v
///     scf.yield %next
///   }
static void expand(MultimemLoadReduceOp op) {
  Devices devices(op, op.getDeviceAxes());
  OpBuilder &b = devices.b;
  Location loc = op.getLoc();
  auto load = [&](Value device) -> Value {
    return GetOp::create(b, loc, devices.getMemoryOf(device, op.getRef()));
  };
  Value first = load(devices.createIndex(0));
  auto loop =
      scf::ForOp::create(b, loc, devices.createIndex(1), devices.createCount(),
                         devices.createIndex(1), first);
  b.setInsertionPointToStart(loop.getBody());
  Value next = createCombined(b, loc, op.getKind(), loop.getRegionIterArg(0),
                              load(loop.getInductionVar()));
  scf::YieldOp::create(b, loc, next);
  op.replaceAllUsesWith(loop.getResult(0));
  op.erase();
}

namespace {
struct ExpandMulticastPass
    : public pallas::impl::PallasExpandMulticastBase<ExpandMulticastPass> {
  using PallasExpandMulticastBase::PallasExpandMulticastBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<MulticastRefOp, MultimemLoadReduceOp>(op))
        ops.push_back(op);
    });
    bool failed = false;
    for (Operation *op : ops) {
      ++numExpanded;
      if (auto all = dyn_cast<MulticastRefOp>(op))
        failed |= mlir::failed(expand(all));
      else
        expand(cast<MultimemLoadReduceOp>(op));
    }
    if (failed)
      signalPassFailure();
  }
};
} // namespace
