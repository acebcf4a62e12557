//===- RaceDetector.cpp - Accesses that nothing orders --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the vector clocks of the race detector; see the header for the
// idea. An access races with an earlier one if the clock of its thread does not
// know the step of the earlier one yet.
//
//===----------------------------------------------------------------------===//

#include "RaceDetector.h"

using namespace pallas_rt;

/// The maximum, element by element.
static void takeLater(std::vector<uint32_t> &steps,
                      const std::vector<uint32_t> &others) {
  if (others.size() > steps.size())
    steps.resize(others.size());
  for (size_t i = 0; i < others.size(); ++i)
    steps[i] = std::max(steps[i], others[i]);
}

void VectorClock::join(const VectorClock &other) {
  takeLater(steps, other.steps);
  takeLater(committed, other.committed);
}

/// Access 0 is none, and thread 0 is the first one.
RaceDetector::RaceDetector() : clocks(1), records(1) { clocks[0].advance(0); }

unsigned RaceDetector::start() {
  unsigned thread = clocks.size();
  clocks.emplace_back().advance(thread);
  return thread;
}

/// The parent advances as well: its later accesses are not ordered before the
/// child.
unsigned RaceDetector::fork(unsigned parent) {
  unsigned thread = clocks.size();
  clocks.push_back(clocks[parent]);
  clocks[thread].advance(thread);
  clocks[parent].advance(parent);
  return thread;
}

/// The parent takes over everything that the thread knows.
void RaceDetector::join(unsigned parent, unsigned thread) {
  clocks[parent].join(clocks[thread]);
  clocks[thread].advance(thread);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether an earlier access happened before one of the thread of `record`.
bool RaceDetector::happensBefore(uint32_t access,
                                 const AccessRecord &record) const {
  const AccessRecord &earlier = records[access];
  return access == 0 || earlier.step <= clocks[record.thread][earlier.thread];
}

/// The same, or that the order does not matter.
bool RaceDetector::isOrdered(uint32_t access,
                             const AccessRecord &record) const {
  const AccessRecord &earlier = records[access];
  return happensBefore(access, record) ||
         (earlier.isAtomic && record.isAtomic) ||
         (earlier.isMulticast && record.isMulticast);
}

/// Cores have no order, whatever the order of their programs is here.
bool RaceDetector::isOfOtherCore(uint32_t access,
                                 const AccessRecord &record) const {
  const AccessRecord &earlier = records[access];
  return record.grid && earlier.grid == record.grid &&
         earlier.core != record.core && !(earlier.isAtomic && record.isAtomic);
}

/// A later access that races with a read before this one races with this one
/// as well, so earlier reads are dropped. One of another core is kept: what
/// this core writes races with it only.
void RaceDetector::addRead(MemoryRegion &region, AccessCell &cell,
                           uint32_t number) {
  const AccessRecord &now = records[number];
  bool keepsOther = region.isOfSeveralCores;
  llvm::erase_if(cell.reads, [&](uint32_t read) {
    if (!happensBefore(read, now))
      return false;
    return !isOfOtherCore(read, now) || !std::exchange(keepsOther, false);
  });
  cell.reads.push_back(number);
}

/// Returns the number of the access.
uint32_t RaceDetector::note(AccessRecord record) {
  record.step = getStep(record.thread);
  records.push_back(std::move(record));
  return records.size() - 1;
}

/// A write has to be ordered behind all reads since the last write and behind
/// that write; a read behind the last write only.
std::optional<Race> RaceDetector::access(ShadowMemory &memory,
                                         const MemoryView &view,
                                         AccessRecord record, bool reads,
                                         bool writes) {
  MemoryRegion *region = memory.find(view.address);
  if (!region || view.getNumElements() == 0)
    return std::nullopt;
  uint32_t number = note(std::move(record));
  const AccessRecord &now = records[number];
  std::optional<Race> race;
  view.forEach([&](uintptr_t address) {
    AccessCell &cell = region->getCell(address);
    auto compare = [&](uint32_t earlier, bool earlierWrites) {
      bool isUnordered = !isOrdered(earlier, now);
      if (race || !(isUnordered ||
                    (region->isOfSeveralCores && isOfOtherCore(earlier, now))))
        return;
      race = Race{&records[earlier], address, earlierWrites};
      race->isOfCores = !isUnordered;
    };
    compare(cell.write, /*earlierWrites=*/true);
    if (writes) {
      for (uint32_t read : cell.reads)
        compare(read, records[read].isStore);
      // The same copy of another block has to be behind these accesses, too.
      if (!now.isMulticast)
        cell.reads.clear();
      else if (!records[cell.write].isMulticast)
        cell.reads.push_back(cell.write);
      cell.write = number;
    }
    if (reads)
      addRead(*region, cell, number);
  });
  return race;
}

/// See `VectorClock::commitStores`.
void RaceDetector::commitStores(unsigned thread) {
  clocks[thread].commitStores();
  clocks[thread].advance(thread);
}

/// A store that happened before the copy but was not committed in between.
std::optional<Race> RaceDetector::findUncommitted(ShadowMemory &memory,
                                                  const MemoryView &view,
                                                  const AccessRecord &record) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return std::nullopt;
  std::optional<Race> race;
  view.forEach([&](uintptr_t address) {
    uint32_t number = region->getCell(address).write;
    const AccessRecord &write = records[number];
    // An unordered store is a race, which is reported as such.
    if (!race && write.isStore && happensBefore(number, record) &&
        !clocks[record.thread].isCommitted(write.thread, write.step))
      race = Race{&write, address, /*earlierWrites=*/true};
  });
  return race;
}

/// Only copies of the same thread: others have been ordered by the grid.
std::optional<Race> RaceDetector::findUnderWay(ShadowMemory &memory,
                                               const MemoryView &view,
                                               const AccessRecord &record,
                                               bool writes) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return std::nullopt;
  std::optional<Race> race;
  auto isUnderWay = [&](uint32_t access) {
    const AccessRecord &earlier = records[access];
    return earlier.isCopy && earlier.starter == record.thread &&
           !isOrdered(access, record);
  };
  view.forEach([&](uintptr_t address) {
    AccessCell &cell = region->getCell(address);
    if (!race && isUnderWay(cell.write))
      race = Race{&records[cell.write], address, /*earlierWrites=*/true};
    for (uint32_t read : cell.reads)
      if (!race && writes && isUnderWay(read))
        race = Race{&records[read], address, /*earlierWrites=*/false};
  });
  return race;
}

//===----------------------------------------------------------------------===//
// Copies and semaphores
//===----------------------------------------------------------------------===//

/// From the first copy on, accesses are recorded.
RaceDetector::Copy RaceDetector::beginCopy(AccessRecord record) {
  activate();
  record.isCopy = true;
  record.copy = copies.size() + 1;
  unsigned starter = record.starter = record.thread;
  Copy copy{fork(starter), fork(starter), copies.size()};
  copies.push_back({std::move(record), 0, false});
  copies.back().reader = copy.reader;
  return copy;
}

/// Whether two views have the same elements in the same order.
static bool isSame(const MemoryView &lhs, const MemoryView &rhs) {
  return lhs.address == rhs.address && lhs.sizes == rhs.sizes &&
         lhs.strides == rhs.strides;
}

/// Copies that add are atomic, so they may meet at the target. One to its own
/// source leaves it as it is, in whatever order elements are copied.
std::optional<Race> RaceDetector::copy(ShadowMemory &memory, const Copy &copy,
                                       const MemoryView &source,
                                       const MemoryView &target, bool adds) {
  AccessRecord reading = copies[copy.number].start, writing = reading;
  reading.isMulticast = false;
  reading.thread = copy.reader;
  writing.thread = copy.writer;
  writing.isAtomic = adds;
  std::optional<Race> race;
  bool isInPlace = isSame(source, target);
  if (!isInPlace)
    race = access(memory, source, reading, /*reads=*/true, /*writes=*/false);
  auto other = access(memory, target, writing, /*reads=*/adds || isInPlace,
                      /*writes=*/true);
  if (other)
    other->isTarget = true;
  return race ? race : other;
}

void RaceDetector::endCopy(const Copy &copy, const CopyEnd &end,
                           CopyGroups &groups) {
  // All elements that were written have been read, so a thread that waits for
  // the target may also write to the source.
  clocks[copy.writer].join(clocks[copy.reader]);
  copies[copy.number].semaphore = end.semaphore;
  // There is nothing to wait for.
  copies[copy.number].isWaitedFor = end.semaphore && end.amount == 0;
  if (end.semaphore)
    semaphores[end.semaphore].copies.push_back(
        {end.amount, copy.writer, copy.number});
  else
    groups.open.push_back({copy.reader, copy.writer, copy.number});
  if (end.sourceSemaphore)
    semaphores[end.sourceSemaphore].copies.push_back(
        {end.amount, copy.reader, copy.number});
}

void RaceDetector::forgetSemaphores(uintptr_t begin, uintptr_t end) {
  semaphores.erase(semaphores.lower_bound(begin), semaphores.lower_bound(end));
}

void RaceDetector::signal(unsigned thread, uintptr_t semaphore) {
  semaphores[semaphore].signals.join(clocks[thread]);
  clocks[thread].advance(thread);
}

std::optional<int64_t> RaceDetector::arrive(uintptr_t barrier,
                                            int64_t numArrivals) {
  SemaphoreState &state = semaphores[barrier];
  ++state.numArrived;
  int64_t before = state.numArrived - numArrivals;
  if (state.numArrived % numArrivals != 0 || before <= 0 ||
      state.numSeen >= before)
    return std::nullopt;
  return before / numArrivals;
}

/// Whether a copy had read all of its source when others started, so that those
/// follow it on their way.
bool RaceDetector::endsAhead(const CopyRecord &copy,
                             const std::deque<Announcement> &others) const {
  return llvm::all_of(others, [&](const Announcement &other) {
    return clocks[other.thread][copy.reader] != 0;
  });
}

/// A wait takes signals of all threads at once, as it can't tell which of them
/// raised the count. Fewer races are found that way, but none that is not one.
/// So it is with copies that end in any order: which of them a wait was for is
/// known only when all that have started have ended, but for those that follow
/// it.
void RaceDetector::wait(unsigned thread, uintptr_t semaphore, int64_t amount,
                        bool isPhase) {
  SemaphoreState &state = semaphores[semaphore];
  state.numSeen = state.numArrived;
  clocks[thread].join(state.signals);
  // One that has been waited for in part may still be under way.
  while (amount > 0 && !state.copies.empty()) {
    Announcement &first = state.copies.front();
    int64_t part = std::min(amount, first.amount);
    amount -= part;
    first.amount -= part;
    if (first.amount > 0)
      break;
    CopyRecord &copy = copies[first.copy];
    copy.isWaitedFor |= copy.semaphore == semaphore;
    copy.isInDoubt = true;
    state.inDoubt.push_back(first);
    state.copies.pop_front();
  }
  llvm::erase_if(state.inDoubt, [&](const Announcement &ended) {
    CopyRecord &copy = copies[ended.copy];
    if (!isPhase && !endsAhead(copy, state.copies))
      return false;
    // Others may wait for the same phase of a barrier.
    state.signals.join(std::exchange(clocks[ended.thread], VectorClock()));
    copy.isInDoubt = false;
    return true;
  });
  clocks[thread].join(state.signals);
}

void RaceDetector::waitForGroups(unsigned thread, CopyGroups &groups,
                                 int64_t pending, bool sourcesOnly) {
  int64_t numEnded = int64_t(groups.closed.size()) - pending;
  for (int64_t i = 0; i < numEnded; ++i)
    for (const CopyGroups::Member &member : groups.closed[i]) {
      clocks[thread].join(clocks[sourcesOnly ? member.reader : member.writer]);
      // The written target need not be visible before the kernel ends.
      copies[member.copy].isWaitedFor = true;
    }
  if (!sourcesOnly && numEnded > 0)
    groups.closed.erase(groups.closed.begin(),
                        groups.closed.begin() + numEnded);
}

/// In the order in which they started.
SmallVector<const CopyRecord *> RaceDetector::getPendingCopies() const {
  SmallVector<const CopyRecord *> pending;
  for (const CopyRecord &copy : copies)
    if (!copy.isWaitedFor)
      pending.push_back(&copy);
  return pending;
}

bool RaceDetector::hasPendingCopy(uintptr_t semaphore) const {
  auto found = semaphores.find(semaphore);
  return found != semaphores.end() &&
         llvm::any_of(found->second.copies, [&](const Announcement &end) {
           return copies[end.copy].semaphore == semaphore;
         });
}
