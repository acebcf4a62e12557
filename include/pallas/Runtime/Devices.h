//===- Devices.h - Several simulated devices in one process -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   pallas_rt::DeviceGroup group(pallas_rt::DeviceMesh{{{"x", 4}}});
//   // On a thread per device, each with buffers of its own:
//   llvm::Error error = engine->invoke("ring", in, out, {&group, device});
//
// Every device has to come to the group once. A kernel that waits for a device
// which has come and gone, or for one that never comes, fails with a message.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_DEVICES_H
#define PALLAS_RUNTIME_DEVICES_H

#include "pallas/Runtime/LLVM.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace pallas_rt {

/// How devices are arranged: the last axis is the fastest in their numbers.
struct DeviceMesh {
  struct Axis {
    /// Empty: an axis that any name means, if it is the only one.
    std::string name;
    int64_t size = 1;
  };
  std::vector<Axis> axes;

  int64_t getNumDevices() const;
  /// Reads `4`, `2x2` or `x=2,y=2`.
  static llvm::Expected<DeviceMesh> parse(StringRef text);
};

class CheckedMeeting;
class World;

/// How long a call waits for devices that don't come, and for counts that it
/// asks for again and again: 30 seconds, unless the environment variable
/// PALLAS_PATIENCE gives another number.
std::chrono::duration<double> getPatience();

/// Devices that can reach each other's memory and semaphores.
class DeviceGroup {
public:
  /// Devices that are `elsewhere`, as those of other processes, never come, and
  /// no device here can reach them.
  explicit DeviceGroup(DeviceMesh mesh, ArrayRef<unsigned> elsewhere = {});
  ~DeviceGroup();

  World &getWorld() const { return *world; }
  const DeviceMesh &getMesh() const;
  /// Devices of other processes.
  SmallVector<unsigned> getElsewhere() const;
  /// Where checked calls of the devices find each other.
  CheckedMeeting &getCheckedMeeting() const { return *checkedMeeting; }

private:
  std::unique_ptr<World> world;
  std::unique_ptr<CheckedMeeting> checkedMeeting;
};

/// The device that a call runs on.
struct DeviceContext {
  DeviceGroup *group = nullptr;
  unsigned device = 0;
};

/// Calls `run` for each of `devices` at the same time, on a thread each, with
/// the device and its position among them. Returns the first error by position.
llvm::Error
runTogether(DeviceGroup &group, ArrayRef<unsigned> devices,
            llvm::function_ref<llvm::Error(DeviceContext, size_t)> run);

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_DEVICES_H
