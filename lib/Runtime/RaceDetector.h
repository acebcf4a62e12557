//===- RaceDetector.h - Accesses that nothing orders ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks: each thread of execution counts its steps and knows up to
// which step of every other thread it is ordered behind. The cores of a mesh
// are threads, whether or not they run at the same time; so is each async copy,
// once for reading its source and once for writing its target. Signals publish
// a clock, waits take it over.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_RACEDETECTOR_H
#define PALLAS_LIB_RUNTIME_RACEDETECTOR_H

#include "ShadowMemory.h"
#include <deque>

namespace pallas_rt {

/// Steps by thread; threads beyond the end are at step 0. Beside it, up to
/// which step of each thread stores to shared memory are committed.
class VectorClock {
public:
  uint32_t operator[](unsigned thread) const {
    return thread < steps.size() ? steps[thread] : 0;
  }
  void advance(unsigned thread) { at(thread) += 1; }
  void join(const VectorClock &other);
  /// Commits the stores that this clock is ordered behind.
  void commitStores() { committed = steps; }
  bool isCommitted(unsigned thread, uint32_t step) const {
    return thread < committed.size() && step <= committed[thread];
  }

private:
  uint32_t &at(unsigned thread) {
    if (thread >= steps.size())
      steps.resize(thread + 1);
    return steps[thread];
  }
  std::vector<uint32_t> steps, committed;
};

/// An access, or a copy, as messages describe it.
struct AccessRecord {
  unsigned thread = 0;
  /// The thread that a copy or a product was started by.
  unsigned starter = 0;
  uint32_t step = 0;
  /// Numbers of the grid whose programs may run on different cores, and of the
  /// core; 0 outside of such grids.
  uint32_t grid = 0, core = 0;
  /// One more than the number of the copy, or 0 if it is none.
  size_t copy = 0;
  const char *site = nullptr;
  std::string gridPoint;
  bool isAtomic = false;
  bool isCopy = false;
  /// Whether async copies and products see it only after it is committed.
  bool isStore = false;
  /// Whether it is that of a copy which blocks of a cluster share: each block
  /// writes a part of the memory of all, so such writes don't meet.
  bool isMulticast = false;
};

struct CopyRecord {
  AccessRecord start;
  uintptr_t semaphore = 0;
  bool isWaitedFor = false;
  /// Whether a wait may have been for another copy of the same semaphore.
  bool isInDoubt = false;
  /// The thread that reads the source.
  unsigned reader = 0;
};

/// Two accesses that nothing orders.
struct Race {
  const AccessRecord *earlier;
  uintptr_t address;
  bool earlierWrites;
  /// Whether the later one is a copy that writes there.
  bool isTarget = false;
  /// Whether it is only their cores that nothing orders.
  bool isOfCores = false;
};

/// How the end of a copy is signaled: amounts on semaphores, of which null ones
/// are left out.
struct CopyEnd {
  uintptr_t semaphore = 0, sourceSemaphore = 0;
  int64_t amount = 0;
};

/// Copies without a semaphore, which a thread waits for in groups.
struct CopyGroups {
  struct Member {
    unsigned reader, writer;
    size_t copy;
  };
  std::vector<Member> open;
  std::deque<std::vector<Member>> closed;
};

class RaceDetector {
public:
  RaceDetector();

  /// Whether anything has happened yet that other accesses may race with.
  bool isActive() const { return active; }
  void activate() { active = true; }

  /// A thread that starts behind nothing.
  unsigned start();
  /// A thread that starts behind everything that `parent` has done.
  unsigned fork(unsigned parent);
  /// `parent` goes on behind everything that `thread` has done.
  void join(unsigned parent, unsigned thread);

  /// Notes an access to every element of a view, and returns the first race.
  std::optional<Race> access(ShadowMemory &memory, const MemoryView &view,
                             AccessRecord record, bool reads, bool writes);

  /// Commits the stores that the thread is ordered behind.
  void commitStores(unsigned thread);
  /// The first store to a view that precedes `record` and is not committed.
  std::optional<Race> findUncommitted(ShadowMemory &memory,
                                      const MemoryView &view,
                                      const AccessRecord &record);

  /// The first copy or product of the thread of `record` that may still use
  /// a view whose memory is about to serve for something else.
  std::optional<Race> findUnderWay(ShadowMemory &memory, const MemoryView &view,
                                   const AccessRecord &record, bool writes);

  /// A copy that has started: the threads that read and write, and its number.
  struct Copy {
    unsigned reader, writer;
    size_t number;
  };
  Copy beginCopy(AccessRecord record);
  /// Copies one view to another; returns the first race.
  std::optional<Race> copy(ShadowMemory &memory, const Copy &copy,
                           const MemoryView &source, const MemoryView &target,
                           bool adds);
  /// A thread that writes to memory of other blocks for a copy. Those that wait
  /// for the copy don't know when it ends there.
  unsigned forkMulticast(const Copy &copy) {
    return fork(copies[copy.number].start.starter);
  }
  /// Sets how the end of a copy is known; without a semaphore it joins the open
  /// group.
  void endCopy(const Copy &copy, const CopyEnd &end, CopyGroups &groups);
  /// Waits until at most `pending` groups are under way, or only until their
  /// sources have been read.
  void waitForGroups(unsigned thread, CopyGroups &groups, int64_t pending,
                     bool sourcesOnly);
  /// Waiters of the semaphore are ordered behind this thread.
  void announce(uintptr_t semaphore, unsigned thread) {
    semaphores[semaphore].signals.join(clocks[thread]);
  }
  /// Semaphores that lie here from now on are new ones: what was signalled to
  /// others in the same memory orders nothing.
  void forgetSemaphores(uintptr_t begin, uintptr_t end);
  void signal(unsigned thread, uintptr_t semaphore);
  /// The copies of one phase of a barrier end before those of the next one;
  /// those of a semaphore may end in any order.
  void wait(unsigned thread, uintptr_t semaphore, int64_t amount, bool isPhase);
  /// Counts an arrival at a barrier. If it completes a phase while nothing has
  /// waited since the phase before, returns the number of the latter.
  std::optional<int64_t> arrive(uintptr_t barrier, int64_t numArrivals);

  /// Copies without a wait.
  SmallVector<const CopyRecord *> getPendingCopies() const;
  /// Whether a copy that signals this semaphore is not waited for.
  bool hasPendingCopy(uintptr_t semaphore) const;
  /// Whether an access is that of a copy which has been waited for, by a wait
  /// that may have been for another one.
  bool isInDoubt(const AccessRecord &access) const {
    return access.copy && copies[access.copy - 1].isInDoubt;
  }

  uint32_t getStep(unsigned thread) const { return clocks[thread][thread]; }

private:
  /// A copy whose end a semaphore will signal.
  struct Announcement {
    int64_t amount;
    unsigned thread;
    size_t copy;
  };
  struct SemaphoreState {
    VectorClock signals;
    std::deque<Announcement> copies;
    /// Copies whose amount has been waited for while others were under way.
    std::vector<Announcement> inDoubt;
    /// Of a barrier: the arrivals so far, and those before the last wait.
    int64_t numArrived = 0, numSeen = 0;
  };
  bool happensBefore(uint32_t access, const AccessRecord &record) const;
  bool isOrdered(uint32_t access, const AccessRecord &record) const;
  bool isOfOtherCore(uint32_t access, const AccessRecord &record) const;
  void addRead(MemoryRegion &region, AccessCell &cell, uint32_t number);
  bool endsAhead(const CopyRecord &copy,
                 const std::deque<Announcement> &others) const;
  uint32_t note(AccessRecord record);

  bool active = false;
  std::vector<VectorClock> clocks;
  std::deque<AccessRecord> records;
  std::deque<CopyRecord> copies;
  std::map<uintptr_t, SemaphoreState> semaphores;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_RACEDETECTOR_H
