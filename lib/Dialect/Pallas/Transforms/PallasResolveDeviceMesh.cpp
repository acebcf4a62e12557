//===- PallasResolveDeviceMesh.cpp - Devices by number instead of axes ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers of kernels know devices by number only. Where the function around a
// call describes how the devices are arranged, coordinates become numbers:
//
//   %i = pallas.axis_index "y" : i32      func attribute: [x = 4, y = 2]
// becomes
//   %d = pallas.device_id
//   %i = arith.remsi %d, 2
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASRESOLVEDEVICEMESH
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// The axes of a mesh of devices; the last one is the fastest in their numbers.
class DeviceMeshResolver {
public:
  explicit DeviceMeshResolver(ArrayRef<DeviceAxis> mesh);

  /// Both return whether the axis is one of the mesh.
  bool resolve(AxisIndexOp op);
  bool resolve(AxisSizeOp op);
  /// For operations that name a device; returns whether it was by coordinates.
  template <typename OpTy> FailureOr<bool> resolveDevice(OpTy op);

private:
  struct Axis {
    StringRef name;
    int64_t size;
    /// How many devices further the next index of this axis is.
    int64_t stride;
  };

  const Axis *find(Attribute name) const {
    auto string = dyn_cast<StringAttr>(name);
    const auto *axis = llvm::find_if(axes, [&](const Axis &candidate) {
      return string && candidate.name == string.getValue();
    });
    return axis == axes.end() ? nullptr : axis;
  }
  /// The index of this device along an axis.
  Value getIndex(OpBuilder &builder, Location loc, const Axis &axis);
  /// Index `value` of `size * stride` things of which `stride` lie together.
  Value getDigit(OpBuilder &builder, Location loc, Value value, int64_t stride,
                 int64_t size, bool isFirst);

  SmallVector<Axis> axes;
};

} // namespace

static Value i32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

/// Strides are computed from the last axis, which is the fastest.
DeviceMeshResolver::DeviceMeshResolver(ArrayRef<DeviceAxis> mesh) {
  int64_t stride = 1;
  for (const DeviceAxis &axis : llvm::reverse(mesh)) {
    axes.insert(axes.begin(), {axis.name, axis.size, stride});
    stride *= axis.size;
  }
}

Value DeviceMeshResolver::getDigit(OpBuilder &builder, Location loc,
                                   Value value, int64_t stride, int64_t size,
                                   bool isFirst) {
  //   %0 = arith.divsi %d, %stride
  if (stride != 1)
    value =
        arith::DivSIOp::create(builder, loc, value, i32(builder, loc, stride));
  if (isFirst)
    return value;
  //   %1 = arith.remsi %0, %size
  return arith::RemSIOp::create(builder, loc, value, i32(builder, loc, size));
}

Value DeviceMeshResolver::getIndex(OpBuilder &builder, Location loc,
                                   const Axis &axis) {
  Value device = DeviceIdOp::create(builder, loc);
  return getDigit(builder, loc, device, axis.stride, axis.size,
                  &axis == axes.begin());
}

///   %d = pallas.device_id
///   %0 = arith.divsi %d, %c2 : i32
bool DeviceMeshResolver::resolve(AxisIndexOp op) {
  const Axis *axis = find(op.getAxisNameAttr());
  if (!axis)
    return false;
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(getIndex(builder, op.getLoc(), *axis));
  op.erase();
  return true;
}

/// A constant.
bool DeviceMeshResolver::resolve(AxisSizeOp op) {
  const Axis *axis = find(op.getAxisNameAttr());
  if (!axis)
    return false;
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(i32(builder, op.getLoc(), axis->size));
  op.erase();
  return true;
}

///   pallas.semaphore_signal %s, %n device mesh(%i) axes ["y"]
///
/// becomes
///
///   %0 = arith.muli %x, %c2 : i32
///   %1 = arith.addi %0, %i : i32
///   pallas.semaphore_signal %s, %n device logical(%1)
///
/// Axes that are not named keep the index of this device.
template <typename OpTy>
FailureOr<bool> DeviceMeshResolver::resolveDevice(OpTy op) {
  std::optional<DeviceIdType> idType = op.getDeviceIdType();
  if (op.getDeviceIds().empty() || idType != DeviceIdType::Mesh)
    return false;
  Location loc = op.getLoc();
  OpBuilder builder(op);
  llvm::SmallDenseMap<const Axis *, Value> given;
  if (std::optional<ArrayAttr> names = op.getDeviceAxes()) {
    for (auto [entry, id] : llvm::zip_equal(*names, op.getDeviceIds())) {
      // Several axes may be given as one joint index.
      auto joint = dyn_cast<ArrayAttr>(entry);
      SmallVector<Attribute> parts =
          joint ? llvm::to_vector(joint.getValue()) : SmallVector{entry};
      int64_t stride = 1;
      for (size_t i = parts.size(); i-- > 0;) {
        const Axis *axis = find(parts[i]);
        // Axes of cores are not those of devices.
        if (!axis)
          return false;
        given[axis] = getDigit(builder, loc, id, stride, axis->size, i == 0);
        stride *= axis->size;
      }
    }
  } else {
    if (op.getDeviceIds().size() != axes.size())
      return op.emitOpError()
             << "names a device by " << op.getDeviceIds().size()
             << " coordinates, but the mesh of devices has " << axes.size()
             << " axes; give one for each";
    for (auto [axis, id] : llvm::zip_equal(axes, op.getDeviceIds()))
      given[&axis] = id;
  }
  Value number;
  for (const Axis &axis : axes) {
    auto it = given.find(&axis);
    Value index = it == given.end() ? getIndex(builder, loc, axis) : it->second;
    if (axis.stride != 1)
      index = arith::MulIOp::create(builder, loc, index,
                                    i32(builder, loc, axis.stride));
    number =
        number ? arith::AddIOp::create(builder, loc, number, index) : index;
  }
  op.getDeviceIdsMutable().assign(number);
  op.setDeviceIdType(DeviceIdType::Logical);
  op.removeDeviceAxesAttr();
  return true;
}

namespace {
/// Resolves within outermost calls only; code around them runs on the host.
struct ResolveDeviceMeshPass
    : public pallas::impl::PallasResolveDeviceMeshBase<ResolveDeviceMeshPass> {
  using PallasResolveDeviceMeshBase::PallasResolveDeviceMeshBase;

  void runOnOperation() override {
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](func::FuncOp function) {
          SmallVector<DeviceAxis> mesh = getDeviceMesh(function);
          if (mesh.empty())
            return WalkResult::skip();
          DeviceMeshResolver resolver(mesh);
          return function->walk<WalkOrder::PreOrder>([&](Operation *op) {
            if (!isa<PallasCallOp, MpmdMapOp>(op))
              return WalkResult::advance();
            if (failed(resolveInCall(op, resolver)))
              return WalkResult::interrupt();
            return WalkResult::skip();
          });
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult resolveInCall(Operation *call, DeviceMeshResolver &resolver) {
    WalkResult result = call->walk([&](Operation *op) {
      return llvm::TypeSwitch<Operation *, WalkResult>(op)
          .Case<AxisIndexOp, AxisSizeOp>([&](auto query) {
            numQueries += resolver.resolve(query);
            return WalkResult::advance();
          })
          .Case<DMAStartOp, DMAWaitOp, RemoteRefOp, SemaphoreSignalOp>(
              [&](auto remote) {
                FailureOr<bool> isResolved = resolver.resolveDevice(remote);
                numDevices += succeeded(isResolved) && *isResolved;
                return WalkResult(isResolved);
              })
          .Default(WalkResult::advance());
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
