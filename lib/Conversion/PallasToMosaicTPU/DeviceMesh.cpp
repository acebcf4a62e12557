//===- DeviceMesh.cpp - Devices by the axes of their mesh -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler knows devices by number only. Where the function around a call
// says how the devices are arranged, coordinates become numbers.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// The axes of a mesh of devices; the last one is the fastest in their numbers.
class DeviceMeshResolver {
public:
  explicit DeviceMeshResolver(ArrayRef<DeviceAxis> mesh);

  void resolve(AxisIndexOp op);
  void resolve(AxisSizeOp op);
  /// For operations that name a device by its coordinates.
  template <typename OpTy> LogicalResult resolveDevice(OpTy op);

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
  if (stride != 1)
    value =
        arith::DivSIOp::create(builder, loc, value, i32(builder, loc, stride));
  if (isFirst)
    return value;
  return arith::RemSIOp::create(builder, loc, value, i32(builder, loc, size));
}

Value DeviceMeshResolver::getIndex(OpBuilder &builder, Location loc,
                                   const Axis &axis) {
  Value device = DeviceIdOp::create(builder, loc);
  return getDigit(builder, loc, device, axis.stride, axis.size,
                  &axis == axes.begin());
}

void DeviceMeshResolver::resolve(AxisIndexOp op) {
  const Axis *axis = find(op.getAxisNameAttr());
  if (!axis)
    return;
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(getIndex(builder, op.getLoc(), *axis));
  op.erase();
}

void DeviceMeshResolver::resolve(AxisSizeOp op) {
  const Axis *axis = find(op.getAxisNameAttr());
  if (!axis)
    return;
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(i32(builder, op.getLoc(), axis->size));
  op.erase();
}

template <typename OpTy>
LogicalResult DeviceMeshResolver::resolveDevice(OpTy op) {
  if (op.getDeviceIds().empty() ||
      op.getDeviceIdType().value_or(DeviceIdType::Logical) !=
          DeviceIdType::Mesh)
    return success();
  Location loc = op.getLoc();
  OpBuilder builder(op);
  llvm::SmallDenseMap<const Axis *, Value> given;
  if (std::optional<ArrayAttr> names = op.getDeviceAxes()) {
    for (auto [entry, id] : llvm::zip_equal(*names, op.getDeviceIds())) {
      auto joint = dyn_cast<ArrayAttr>(entry);
      SmallVector<Attribute> parts =
          joint ? llvm::to_vector(joint.getValue()) : SmallVector{entry};
      int64_t stride = 1;
      for (size_t i = parts.size(); i-- > 0;) {
        const Axis *axis = find(parts[i]);
        // Axes of cores are not those of devices.
        if (!axis)
          return success();
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
  return success();
}

LogicalResult mlir::pallas::resolveDeviceMesh(Operation *call) {
  Operation *function = call->getParentOfType<func::FuncOp>();
  SmallVector<DeviceAxis> mesh =
      function ? getDeviceMesh(function) : SmallVector<DeviceAxis>();
  if (mesh.empty())
    return success();
  DeviceMeshResolver resolver(mesh);
  WalkResult result = call->walk([&](Operation *op) {
    return llvm::TypeSwitch<Operation *, WalkResult>(op)
        .Case<AxisIndexOp, AxisSizeOp>([&](auto query) {
          resolver.resolve(query);
          return WalkResult::advance();
        })
        .Case<SemaphoreSignalOp, DMAStartOp, DMAWaitOp>([&](auto remote) {
          return WalkResult(resolver.resolveDevice(remote));
        })
        .Default(WalkResult::advance());
  });
  return failure(result.wasInterrupted());
}
