//===- Devices.cpp - Several simulated devices in one process -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has meshes of devices: their text form, and the coordinates of a
// device along their axes.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/Devices.h"
#include "World.h"
#include "pallas/Runtime/CheckedMeeting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>
#include <thread>

using namespace pallas_rt;

/// The product of the sizes.
int64_t DeviceMesh::getNumDevices() const {
  int64_t count = 1;
  for (const Axis &axis : axes)
    count *= axis.size;
  return count;
}

/// Accepts "4", "2x2" and "x=2,y=2".
llvm::Expected<DeviceMesh> DeviceMesh::parse(StringRef text) {
  auto fail = [&] {
    return llvm::createStringError(
        "'%s' is no mesh of devices; write a number, sizes as in 2x2, or named "
        "axes as in x=2,y=2, each with a name of its own, with at most 1024 "
        "devices in all",
        text.str().c_str());
  };
  DeviceMesh mesh;
  SmallVector<StringRef> parts;
  text.split(parts, text.contains('=') ? ',' : 'x');
  for (StringRef part : parts) {
    DeviceMesh::Axis axis;
    if (text.contains('=')) {
      auto [name, size] = part.split('=');
      axis.name = name.str();
      part = size;
      bool isTaken =
          llvm::any_of(mesh.axes, [&](const DeviceMesh::Axis &other) {
            return other.name == axis.name;
          });
      if (axis.name.empty() || isTaken)
        return fail();
    }
    if (part.getAsInteger(10, axis.size) || axis.size < 1 || axis.size > 1024)
      return fail();
    mesh.axes.push_back(std::move(axis));
    if (mesh.getNumDevices() > 1024)
      return fail();
  }
  return mesh;
}

/// The time without progress after which a deadlock is assumed, in seconds.
/// Tests of deadlocks set it low.
std::chrono::duration<double> pallas_rt::getPatience() {
  static const std::chrono::duration<double> patience = [] {
    double seconds = 30;
    if (const char *text = std::getenv("PALLAS_PATIENCE"))
      if (StringRef(text).getAsDouble(seconds) || seconds <= 0)
        seconds = 30;
    return std::chrono::duration<double>(seconds);
  }();
  return patience;
}

DeviceGroup::DeviceGroup(DeviceMesh mesh, ArrayRef<unsigned> elsewhere)
    : world(std::make_unique<World>(std::move(mesh), elsewhere)),
      checkedMeeting(std::make_unique<CheckedMeeting>()) {}
DeviceGroup::~DeviceGroup() = default;

const DeviceMesh &DeviceGroup::getMesh() const { return world->getMesh(); }
SmallVector<unsigned> DeviceGroup::getElsewhere() const {
  return world->getElsewhere();
}

/// Threads leave their errors as text: an llvm::Error ends the process unless
/// it is checked, and only the first of them is reported.
llvm::Error pallas_rt::runTogether(
    DeviceGroup &group, ArrayRef<unsigned> devices,
    llvm::function_ref<llvm::Error(DeviceContext, size_t)> run) {
  std::vector<std::string> errors(devices.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < devices.size(); ++i)
    threads.emplace_back(
        [&, i] { errors[i] = llvm::toString(run({&group, devices[i]}, i)); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    if (!error.empty())
      return llvm::createStringError("%s", error.c_str());
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Devices are numbered in row-major order.
int64_t World::getStride(unsigned axis) const {
  int64_t stride = 1;
  for (const DeviceMesh::Axis &inner : ArrayRef(mesh.axes).drop_front(axis + 1))
    stride *= inner.size;
  return stride;
}

/// A mesh of one unnamed axis answers to any name, so that a number of devices
/// is enough for kernels with one axis.
std::optional<unsigned> World::findAxis(StringRef name, const char *place) {
  if (mesh.axes.size() == 1 && mesh.axes.front().name.empty())
    return 0;
  std::string known;
  for (auto [i, axis] : llvm::enumerate(mesh.axes)) {
    if (axis.name == name)
      return i;
    known += (i ? ", " : "") + (axis.name.empty() ? "(unnamed)" : axis.name);
  }
  fail(
      llvm::formatv("{0}: there is no axis '{1}' in the grid, the mesh, or the "
                    "mesh of the devices, whose axes are {2}",
                    place, name, known));
  return std::nullopt;
}

/// The coordinate of this device; 0 after an error.
int32_t World::getAxisIndex(StringRef name, const char *place) {
  std::optional<unsigned> axis = findAxis(name, place);
  if (!axis)
    return 0;
  return getCurrentHost()->device / getStride(*axis) % mesh.axes[*axis].size;
}

/// 1 after an error, so that loops over the axis end.
int32_t World::getAxisSize(StringRef name, const char *place) {
  std::optional<unsigned> axis = findAxis(name, place);
  return axis ? mesh.axes[*axis].size : 1;
}

/// For "x,y", `index` counts row-major over both.
int32_t World::moveAlongAxis(int32_t device, StringRef names, int32_t index,
                             const char *place) {
  SmallVector<StringRef> parts;
  names.split(parts, ',');
  // The last axis is the fastest one.
  for (StringRef name : llvm::reverse(parts)) {
    std::optional<unsigned> axis = findAxis(name, place);
    if (!axis)
      return device;
    int64_t size = mesh.axes[*axis].size;
    bool isOutermost = name.data() == parts.front().data();
    device = moveAlongDim(device, *axis, mesh.axes.size(),
                          isOutermost ? index : index % size, place);
    index /= size;
  }
  return device;
}

/// Replaces one coordinate of the device.
int32_t World::moveAlongDim(int32_t device, int32_t dim, int32_t numDims,
                            int32_t index, const char *place) {
  if (numDims != int32_t(mesh.axes.size())) {
    fail(llvm::formatv("{0}: this names a device by {1} coordinates, but the "
                       "mesh of the devices has {2}",
                       place, numDims, mesh.axes.size()));
    return device;
  }
  int64_t size = mesh.axes[dim].size, stride = getStride(dim);
  if (index < 0 || index >= size) {
    fail(llvm::formatv("{0}: this names device {1} along axis {2}, which has "
                       "{3}",
                       place, index, dim, size));
    return device;
  }
  int64_t old = device / stride % size;
  return device + (index - old) * stride;
}
