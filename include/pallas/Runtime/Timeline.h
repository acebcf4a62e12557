//===- Timeline.h - When a checked call did what ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   pallas_rt::Timeline timeline;
//   {
//     pallas_rt::TimelineScope scope(timeline);
//     error = engine->invoke(...);  // of an engine with `checked`
//   }
//   timeline.writeTraceEvents(stream);
//
// Time is counted, not measured: an access or a copy takes as many microseconds
// as it touches bytes. Cores, devices and copies run at the same time, and a
// wait ends when what it waits for has happened. So a timeline is the same on
// each machine, and shows what the kernel orders, not how fast this CPU is.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_TIMELINE_H
#define PALLAS_RUNTIME_TIMELINE_H

#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace pallas_rt {

class TimelineRecorder;

class Timeline {
public:
  static constexpr size_t defaultLimit = size_t(1) << 20;

  /// Keeps as many events; what comes later is left out.
  explicit Timeline(size_t limit = defaultLimit);
  ~Timeline();

  /// Writes JSON in the Trace Event Format, which Perfetto reads. A process is
  /// a device; its threads are its cores.
  void writeTraceEvents(llvm::raw_ostream &stream) const;

  /// Whether all events are there.
  bool isComplete() const;

private:
  friend class TimelineScope;
  std::unique_ptr<TimelineRecorder> recorder;
};

/// While it lives, checked calls of all threads are recorded, one behind the
/// other; one at a time. A call that runs at its end goes on without records,
/// and the timeline has to outlive it.
class TimelineScope {
public:
  explicit TimelineScope(Timeline &timeline);
  ~TimelineScope();
  TimelineScope(const TimelineScope &) = delete;
  TimelineScope &operator=(const TimelineScope &) = delete;

private:
  TimelineRecorder &recorder;
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_TIMELINE_H
