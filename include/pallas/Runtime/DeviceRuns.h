//===- DeviceRuns.h - Calls that belong together ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the devices are threads of the caller, each calls a kernel on its own. The
// first calls of all devices in a run belong together, then the
// second ones, and so on:
//
//   DeviceRuns::Call call(runs, {runId, site}, mesh, device, {});
//   llvm::Error error = engine->invoke(entry, in, out, call.getContext());
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_DEVICERUNS_H
#define PALLAS_RUNTIME_DEVICERUNS_H

#include "pallas/Runtime/Devices.h"
#include <chrono>
#include <map>
#include <mutex>

namespace pallas_rt {

class DeviceRuns {
public:
  /// Which run of a program, and which call in the program.
  using Key = std::pair<int64_t, int64_t>;

  /// A call by one device, as long as it lasts.
  class Call {
  public:
    Call(DeviceRuns &runs, Key key, const DeviceMesh &mesh, unsigned device,
         ArrayRef<unsigned> elsewhere);
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    /// Null if this device is in a call of the same key already: it would be
    /// ambiguous which calls of the others belong to which.
    DeviceContext getContext() const { return {group.get(), device}; }

  private:
    DeviceRuns &runs;
    Key key;
    unsigned device;
    std::shared_ptr<DeviceGroup> group;
  };

private:
  struct Run {
    /// Per device: how many calls it has begun, and whether it is in one.
    std::vector<unsigned> numCalls;
    std::vector<bool> isInside;
    unsigned numLocal = 0, numInside = 0;
    /// Calls that not all devices have begun, by their number.
    std::map<unsigned, std::pair<std::shared_ptr<DeviceGroup>, unsigned>> open;
    std::chrono::steady_clock::time_point lastUse;
  };

  void dropOld();

  std::mutex mutex;
  std::map<Key, Run> runs;
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_DEVICERUNS_H
