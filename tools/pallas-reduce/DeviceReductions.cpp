//===- DeviceReductions.cpp - Fewer devices and cores ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Makes a signal or a copy one of this device:
///
///   pallas.semaphore_signal %s, %one device mesh(%x) axes ["ring"] : !sem
/// -->
///   pallas.semaphore_signal %s, %one : !sem
template <typename OpTy> static void dropDevice(OpTy op) {
  op.getDeviceIdsMutable().clear();
  op.removeDeviceIdTypeAttr();
  op.removeDeviceAxesAttr();
}

static SmallVector<Operation *> getDistantOperations(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    bool isDistant = TypeSwitch<Operation *, bool>(op)
                         .Case<SemaphoreSignalOp, DMAStartOp, DMAWaitOp>(
                             [](auto op) { return !op.getDeviceIds().empty(); })
                         .Default(false);
    if (isDistant)
      found.push_back(op);
  });
  return found;
}

static unsigned countDevices(ModuleOp module) {
  return getDistantOperations(module).size();
}

static bool dropDevices(ModuleOp module, unsigned begin, unsigned end) {
  SmallVector<Operation *> distant = getDistantOperations(module);
  for (Operation *op : ArrayRef(distant).slice(begin, end - begin))
    TypeSwitch<Operation *>(op).Case<SemaphoreSignalOp, DMAStartOp, DMAWaitOp>(
        [](auto op) { dropDevice(op); });
  return begin < end;
}

//===----------------------------------------------------------------------===//
// Axes of meshes
//===----------------------------------------------------------------------===//

namespace {
/// An axis of one core, in mesh `mesh` of a map.
struct UnitAxis {
  MpmdMapOp map;
  unsigned mesh, axis;
};
} // namespace

static SmallVector<UnitAxis> getUnitAxes(ModuleOp module) {
  SmallVector<UnitAxis> found;
  module.walk([&](MpmdMapOp map) {
    for (auto [number, attr] : llvm::enumerate(map.getMeshes())) {
      auto axes = cast<MeshAttr>(attr).getAxes();
      for (auto [axis, each] : llvm::enumerate(axes))
        if (each.getSize() == 1 && axes.size() > 1)
          found.push_back({map, unsigned(number), unsigned(axis)});
    }
  });
  return found;
}

static unsigned countAxes(ModuleOp module) {
  return getUnitAxes(module).size();
}

/// Kernels have index 0 along the axis, and size 1.
static bool dropAxis(ModuleOp module, unsigned begin, unsigned) {
  UnitAxis unit = getUnitAxes(module)[begin];
  SmallVector<Attribute> meshes(unit.map.getMeshes().getValue());
  auto mesh = cast<MeshAttr>(meshes[unit.mesh]);
  SmallVector<MeshAxisAttr> axes(mesh.getAxes());
  StringRef name = axes[unit.axis].getName();
  OpBuilder builder(module.getContext());
  unit.map.getKernels()[unit.mesh].walk([&](Operation *op) {
    auto replace = [&](auto query, int32_t value) {
      if (!query || query.getAxisName() != name)
        return false;
      builder.setInsertionPoint(op);
      query.replaceAllUsesWith(
          arith::ConstantIntOp::create(builder, op->getLoc(), query.getType(),
                                       value)
              .getResult());
      op->erase();
      return true;
    };
    if (!replace(dyn_cast<AxisIndexOp>(op), 0))
      replace(dyn_cast<AxisSizeOp>(op), 1);
  });
  axes.erase(axes.begin() + unit.axis);
  meshes[unit.mesh] = MeshAttr::get(module.getContext(), mesh.getKind(), axes);
  unit.map.setMeshesAttr(builder.getArrayAttr(meshes));
  return true;
}

void pallas::addDeviceReductions(SmallVectorImpl<Reduction> &reductions) {
  reductions.append({
      {"fewer devices", countDevices, dropDevices},
      {"fewer axes of meshes", countAxes, dropAxis, /*inChunks=*/false},
  });
}
