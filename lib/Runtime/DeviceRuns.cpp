//===- DeviceRuns.cpp - Calls of several devices that belong together -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file groups the calls that several threads make, one per device, into
// runs of the same kernel: the n-th calls of all devices are one run.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/DeviceRuns.h"

using namespace pallas_rt;
using Clock = std::chrono::steady_clock;

/// A device that is in a call of the same kernel already gets no group.
DeviceRuns::Call::Call(DeviceRuns &runs, Key key, const DeviceMesh &mesh,
                       unsigned device, ArrayRef<unsigned> elsewhere)
    : runs(runs), key(key), device(device) {
  std::lock_guard<std::mutex> lock(runs.mutex);
  Run &run = runs.runs[key];
  if (run.numCalls.empty()) {
    run.numCalls.resize(mesh.getNumDevices());
    run.isInside.resize(mesh.getNumDevices());
    run.numLocal = mesh.getNumDevices() - elsewhere.size();
  }
  if (run.isInside[device])
    return;
  unsigned number = run.numCalls[device]++;
  auto &[shared, numCome] = run.open[number];
  if (!shared)
    shared = std::make_shared<DeviceGroup>(mesh, elsewhere);
  group = shared;
  if (++numCome == run.numLocal)
    run.open.erase(number);
  run.isInside[device] = true;
  ++run.numInside;
}

DeviceRuns::Call::~Call() {
  if (!group)
    return;
  std::lock_guard<std::mutex> lock(runs.mutex);
  Run &run = runs.runs[key];
  run.isInside[device] = false;
  run.lastUse = Clock::now();
  // If all devices are out after equally many calls, counts start from zero
  // again.
  if (--run.numInside == 0 && run.open.empty())
    runs.runs.erase(key);
  runs.dropOld();
}

/// Forgets runs that some devices never came to.
void DeviceRuns::dropOld() {
  constexpr size_t manyRuns = 256;
  if (runs.size() <= manyRuns)
    return;
  Clock::time_point limit = Clock::now() - std::chrono::minutes(10);
  for (auto it = runs.begin(); it != runs.end();)
    it = it->second.numInside == 0 && it->second.lastUse < limit
             ? runs.erase(it)
             : std::next(it);
}
