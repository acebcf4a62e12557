//===- CheckedMeeting.h - Devices that are checked together -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked call runs several times, with the devices that it reaches for
// taking part each time. If devices are threads of the caller, each comes with
// its own buffers; the last one to come runs the call for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_CHECKEDMEETING_H
#define PALLAS_RUNTIME_CHECKEDMEETING_H

#include "pallas/Runtime/CheckedCall.h"
#include <condition_variable>
#include <map>
#include <mutex>

namespace pallas_rt {

/// The buffers that a device comes with; these stay where they are until the
/// meeting is over.
struct DeviceBuffers {
  ArrayRef<BufferView> inputs, outputs;
};

class CheckedMeeting {
public:
  /// Comes to the meeting as `device`, and returns the report of the call of
  /// all `numDevices`. It fails if no other device comes for too long.
  llvm::Error
  join(unsigned device, size_t numDevices, DeviceBuffers buffers,
       function_ref<CheckedReport(const std::map<unsigned, DeviceBuffers> &)>
           check);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::map<unsigned, DeviceBuffers> devices;
  bool isRunning = false;
  std::optional<CheckedReport> report;
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_CHECKEDMEETING_H
