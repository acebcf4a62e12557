//===- CheckedMeeting.cpp - Devices that are checked together -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lets devices of several threads be checked by one of them: the last
// one that comes runs the call for all, with the buffers of each.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/CheckedMeeting.h"
#include "pallas/Runtime/Devices.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pallas_rt;

/// All devices get the same report. While the call runs there is no time limit:
/// it may take longer than any device should wait for another one to come.
llvm::Error CheckedMeeting::join(
    unsigned device, size_t numDevices, DeviceBuffers buffers,
    function_ref<CheckedReport(const std::map<unsigned, DeviceBuffers> &)>
        check) {
  std::unique_lock<std::mutex> lock(mutex);
  devices[device] = buffers;
  changed.notify_all();
  if (devices.size() == numDevices && !report) {
    isRunning = true;
    lock.unlock();
    CheckedReport found = check(devices);
    lock.lock();
    report = std::move(found);
    changed.notify_all();
  }
  while (!report) {
    size_t numCome = devices.size();
    auto hasChanged = [&] {
      return report || isRunning || devices.size() != numCome;
    };
    if (isRunning)
      changed.wait(lock, [&] { return report.has_value(); });
    else if (!changed.wait_for(lock, getPatience(), hasChanged)) {
      report.emplace();
      report->errors.push_back(llvm::formatv(
          "a checked kernel that reaches other devices runs on all of them "
          "together, but {0} of {1} have come within {2} seconds; let every "
          "device call it",
          devices.size(), numDevices, getPatience().count()));
      changed.notify_all();
    }
  }
  return report->getError();
}
