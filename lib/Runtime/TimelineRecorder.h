//===- TimelineRecorder.h - Events of checked calls -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_TIMELINERECORDER_H
#define PALLAS_LIB_RUNTIME_TIMELINERECORDER_H

#include "RaceDetector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace pallas_rt {

/// One flow of control, as the checker tells them apart.
struct FlowPosition {
  /// The task that runs, and the one that forked it; null for the first one.
  const void *task = nullptr, *parent = nullptr;
  unsigned device = 0;
};

/// Something that takes time.
struct TimelineSlice {
  enum Kind { Grid, Program, Access, Copy, Signal, Wait };
  Kind kind;
  unsigned track;
  uint64_t begin, end;
  StringRef name, place;
  uint64_t bytes = 0;
  /// Of a wait: the slice whose end it waits for.
  std::optional<size_t> cause;
  /// It had not ended when the recording was stopped.
  bool isUnfinished = false;
};

/// A row of slices, that of a core.
struct TimelineTrack {
  unsigned device;
  std::string name;
};

/// The count of a semaphore, or the bytes that a core has in use.
struct TimelineCounter {
  enum Kind { Semaphore, Memory };
  unsigned device;
  std::string name;
  Kind kind = Semaphore;
};

/// Follows each flow of control with a clock of its own, which counts bytes.
/// The methods come in the order of an execution that runs one flow at a time.
class TimelineRecorder {
public:
  explicit TimelineRecorder(size_t limit) : limit(limit) {}

  /// A call starts when the ones before it have ended; one of a device by
  /// itself, when those of that device have.
  void beginCall(std::optional<unsigned> device);
  void endCall();
  /// Ends the recording, also while a call runs on another thread.
  void stop();
  /// The call has failed, such as by a deadlock. Other threads may call this.
  void fail() { failed = true; }
  bool hasFailed() const { return failed; }

  void beginGrid(FlowPosition at, const char *site);
  void beginProgram(FlowPosition at, ArrayRef<int64_t> ids);
  void endGrid(FlowPosition at);
  void beginPoints(FlowPosition at);
  void beginPoint(FlowPosition at, ArrayRef<int64_t> ids);
  void endPoint(FlowPosition at);
  void endPoints(FlowPosition at);

  /// Memory of the core, which is given back in the opposite order.
  void beginBuffer(FlowPosition at, StringRef space, uint64_t bytes);
  void endBuffers(FlowPosition at, int64_t number);

  void access(FlowPosition at, const char *site, uint64_t bytes);
  void beginCopy(FlowPosition at, const char *site);
  void copyPart(FlowPosition at, uint64_t bytes);
  void endCopy(FlowPosition at, const CopyEnd &end);
  void commitCopies(FlowPosition at);
  void waitForCopies(FlowPosition at, int64_t pending);
  void beginProduct(FlowPosition at);
  void productAccess(FlowPosition at, const char *site, uint64_t bytes);
  void endProduct(FlowPosition at, uintptr_t barrier);
  void followProducts(FlowPosition at, uintptr_t barrier);
  void commitProducts(FlowPosition at);
  void waitForProducts(FlowPosition at, int64_t pending);

  void signal(FlowPosition at, const char *place, uintptr_t semaphore,
              int64_t amount);
  void wait(FlowPosition at, const char *place, uintptr_t semaphore,
            int64_t amount);
  /// Semaphores here are new ones.
  void forgetSemaphores(uintptr_t begin, uintptr_t end);
  void nameSemaphore(uintptr_t semaphore, FlowPosition at, std::string name);

  /// Only of a recording that was stopped, which nothing changes any more.
  void write(llvm::raw_ostream &stream) const;
  bool isComplete() const { return numDropped == 0; }

private:
  friend class RecorderAccess;
  /// An amount that comes to a semaphore, and the slice that brings it.
  struct Arrival {
    uint64_t time;
    int64_t amount;
    std::optional<size_t> slice;
    bool operator<(const Arrival &other) const { return time < other.time; }
  };
  struct Semaphore {
    /// Its counter; others may lie here later.
    unsigned number = 0;
    std::multiset<Arrival> arrivals;
    /// The last arrival that a wait has taken.
    Arrival taken{0, 0, std::nullopt};
  };
  /// Points that this flow runs one after another.
  struct Points {
    uint64_t begin, end;
    unsigned track;
    size_t numOpen;
  };
  struct Buffer {
    unsigned counter, track;
    int64_t bytes;
  };
  /// A slice that has not ended; one that is left out has no number.
  struct OpenSlice {
    TimelineSlice::Kind kind;
    StringRef place;
    std::optional<size_t> number;
  };
  struct Flow {
    uint64_t clock = 0;
    unsigned track = 0;
    std::string path;
    /// Grids and programs that have not ended, and a wait that never does.
    std::vector<OpenSlice> open;
    bool isStuck() const {
      return !open.empty() && open.back().kind == TimelineSlice::Wait;
    }
    std::vector<Points> points;
    std::vector<Buffer> buffers;
    /// The copy or product that is being started.
    uint64_t started = 0, bytes = 0;
    const char *site = "";
    /// When the last product ends, and those that are waited for in order.
    Arrival lastProduct{0, 0, std::nullopt};
    Arrival openProduct{0, 0, std::nullopt};
    std::deque<Arrival> products;
    std::vector<Arrival> openCopies;
    std::deque<std::vector<Arrival>> copyGroups;
  };

  Flow &getFlow(FlowPosition at);
  unsigned getTrack(unsigned device, std::string name);
  StringRef keep(StringRef text) { return texts.save(text); }
  std::optional<size_t> add(TimelineSlice slice);
  std::optional<size_t> addUnderWay(FlowPosition at, TimelineSlice::Kind kind,
                                    const char *site, uint64_t begin,
                                    uint64_t end, uint64_t bytes);
  std::optional<size_t> open(Flow &flow, TimelineSlice::Kind kind,
                             StringRef name, StringRef place);
  void close(Flow &flow, size_t numOpen);
  void popBuffer(Flow &flow);
  void finishWait(Flow &flow, const Twine &name, StringRef place,
                  const Arrival &cause);
  Semaphore &getSemaphore(uintptr_t address, FlowPosition at);
  void arrive(FlowPosition at, uintptr_t semaphore, Arrival arrival);
  void count(unsigned counter, uint64_t time, int64_t change);
  std::vector<TimelineSlice> titleGrids(llvm::StringSaver &titles) const;

  std::mutex mutex;
  std::atomic<bool> failed = false;
  bool isStopped = false;
  size_t limit, numDropped = 0;
  /// The begin of the call, and its last event so far.
  uint64_t start = 0, latest = 0;
  std::optional<unsigned> caller;
  /// The ends of the last calls of single devices, and of several.
  std::map<unsigned, uint64_t> lastEnds;
  uint64_t lastCommonEnd = 0;
  llvm::BumpPtrAllocator memory;
  llvm::UniqueStringSaver texts{memory};
  std::map<const void *, Flow> flows;
  std::map<uintptr_t, Semaphore> semaphores;
  std::vector<TimelineTrack> tracks;
  std::vector<TimelineCounter> counters;
  std::map<std::pair<unsigned, std::string>, unsigned> trackNumbers,
      memoryCounters;
  std::vector<TimelineSlice> slices;
  /// The slices of grids, and which call of the code each is of.
  struct Grid {
    size_t slice;
    const char *site;
  };
  std::vector<Grid> grids;
  struct Count {
    unsigned counter;
    uint64_t time;
    int64_t change;
  };
  std::vector<Count> counts;
};

/// A call records through this, as another thread may stop the recording; null
/// where nothing is recorded any more.
class RecorderAccess {
public:
  explicit RecorderAccess(TimelineRecorder *given) {
    if (!given)
      return;
    lock = std::unique_lock<std::mutex>(given->mutex);
    recorder = given->isStopped ? nullptr : given;
  }

  explicit operator bool() const { return recorder; }
  TimelineRecorder *operator->() const { return recorder; }

private:
  std::unique_lock<std::mutex> lock;
  TimelineRecorder *recorder = nullptr;
};

/// Where the calls of this process are recorded; null if nowhere.
TimelineRecorder *getCurrentRecorder();

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_TIMELINERECORDER_H
