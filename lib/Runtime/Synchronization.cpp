//===- Synchronization.cpp - Semaphores and barriers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has semaphores and barriers of tasks. All counts are guarded by the
// mutex of the world: tasks of one device never run at the same time, but those
// of two devices do.
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pallas_rt;

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

/// Wakes the waiters that the count is enough for.
void World::signal(int32_t *semaphore, int32_t amount) {
  Lock lock(mutex);
  *semaphore += amount;
  wakeIf([&](const Wait &wait) {
    return wait.kind == Wait::Semaphore && wait.address == semaphore &&
           *semaphore >= wait.needed;
  });
  checkProgress();
}

/// After an error a wait ends at once, so that all tasks can finish.
void World::wait(int32_t *semaphore, int32_t amount, bool decrement,
                 const char *place) {
  Lock lock(mutex);
  while (*semaphore < amount && !hasFailed)
    block(lock, {Wait::Semaphore, semaphore, amount, place});
  if (decrement)
    *semaphore -= amount;
}

/// A loop around this is the only way to wait that the runtime can't see, so
/// each read lets other tasks run.
int32_t World::read(int32_t *semaphore) {
  Lock lock(mutex);
  poll(lock);
  // Loops that ask for a count have to end after an error: some value will do.
  static constexpr int32_t values[] = {INT32_MAX, 0, 1, INT32_MIN};
  if (hasFailed)
    return values[numUselessReads++ % std::size(values)];
  return *semaphore;
}

/// Made when it is asked for first; a map keeps the address.
int32_t *World::getBarrierSemaphore(int32_t collectiveId) {
  Lock lock(mutex);
  Device &device = devices[getCurrentHost()->device];
  return &device.barrierSemaphores[collectiveId];
}

/// The visit number makes each meeting of a loop one of its own.
void World::meet(int64_t site, const char *place) {
  Lock lock(mutex);
  int64_t &numCome = meetings[visit(*getCurrentHost()->current, site)];
  int64_t numDevices = llvm::count_if(
      devices, [](const Device &device) { return !device.isElsewhere; });
  ++numCome;
  wakeIf([&](const Wait &wait) {
    return wait.kind == Wait::Devices && wait.address == &numCome &&
           numCome >= wait.needed;
  });
  checkProgress();
  while (numCome < numDevices && !hasFailed)
    block(lock, {Wait::Devices, &numCome, numDevices, place});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Arrivals are only counted up; a phase is complete at a multiple of what it
/// needs.
void World::arrive(const void *barrier) {
  Lock lock(mutex);
  arriveLocked(barrier);
  checkProgress();
}

void World::arriveLocked(const void *barrier) {
  int64_t count = ++barriers[barrier].numArrivals;
  wakeIf([&](const Wait &wait) {
    return wait.kind == Wait::Barrier && wait.address == barrier &&
           count >= wait.needed;
  });
}

/// Members may come from different operations, but all signal the barrier of
/// the same allocation.
MeetingPlace World::getMeetingPlaceLocked(const void *barrier,
                                          const GroupMember &member) const {
  unsigned device = getCurrentHost()->device;
  MeetingPlace place{device, 0, 0, 0, member.axes, member.group};
  if (const SharedMemory *memory = findShared(device, barrier)) {
    place.site = memory->site;
    place.instance = memory->instance;
    place.offset =
        (static_cast<const char *>(barrier) - memory->base) % memory->bytes;
  }
  return place;
}

MeetingPlace World::getMeetingPlace(const void *barrier,
                                    const GroupMember &member) {
  Lock lock(mutex);
  return getMeetingPlaceLocked(barrier, member);
}

void World::arriveTogether(const void *barrier, const GroupMember &member) {
  Lock lock(mutex);
  auto known = commonArrivals.come(getMeetingPlaceLocked(barrier, member),
                                   member, barrier);
  if (int64_t(known.size()) == member.numMembers)
    for (const void *each : known)
      arriveLocked(each);
  checkProgress();
}

/// The phases that a task has waited for. One that never has starts from the
/// count of the task that forked it.
static int64_t getNumWaits(const BarrierState &state, const Task *task) {
  for (; task; task = task->parent)
    if (auto found = state.numWaits.find(task->identity);
        found != state.numWaits.end())
      return found->second;
  return 0;
}

/// Waits for the phase behind the last one that this task has waited for.
void World::waitForBarrier(const void *barrier, int64_t numArrivals,
                           const char *place) {
  Lock lock(mutex);
  BarrierState &state = barriers[barrier];
  Task &task = *getCurrentHost()->current;
  int64_t phase = getNumWaits(state, &task) + 1;
  // Hardware knows only whether the number of phases is even.
  if (state.numArrivals / numArrivals > phase && !hasFailed)
    failLocked(llvm::formatv(
        "{0}: {1} waits for phase {2} of a barrier, which is in "
        "phase {3} already; hardware would take it for the phase "
        "after; let the arriving task wait for this one first",
        place, describe(task), phase, state.numArrivals / numArrivals));
  while (state.numArrivals < phase * numArrivals && !hasFailed)
    block(lock, {Wait::Barrier, barrier, phase * numArrivals, place});
  state.numWaits[task.identity] = phase;
}

/// The number of phases of which the last has this parity. A barrier in an odd
/// phase has completed one with even parity.
static int64_t getPhases(const BarrierState &state, int64_t numArrivals,
                         bool parity) {
  int64_t phase = state.numArrivals / numArrivals;
  return (phase & 1) == int64_t(parity) ? phase + 1 : phase;
}

/// Notes that the task has seen these phases; yields the arrivals of those that
/// it had not seen before.
static int64_t takePhases(BarrierState &state, const Task &task, int64_t phases,
                          int64_t numArrivals) {
  int64_t numNew = phases - getNumWaits(state, &task);
  state.numWaits[task.identity] = phases;
  return state.numNewArrivals[task.identity] = numNew * numArrivals;
}

int64_t World::getNewArrivals(const void *barrier) {
  Lock lock(mutex);
  return barriers[barrier].numNewArrivals[getCurrentHost()->current->identity];
}

int64_t World::waitForParity(const void *barrier, int64_t numArrivals,
                             bool parity, const char *place) {
  Lock lock(mutex);
  BarrierState &state = barriers[barrier];
  int64_t phase = getPhases(state, numArrivals, parity);
  while (state.numArrivals < phase * numArrivals && !hasFailed)
    block(lock, {Wait::Barrier, barrier, phase * numArrivals, place});
  return takePhases(state, *getCurrentHost()->current, phase, numArrivals);
}

int64_t World::testParity(const void *barrier, int64_t numArrivals,
                          bool parity) {
  Lock lock(mutex);
  poll(lock);
  BarrierState &state = barriers[barrier];
  int64_t phase = getPhases(state, numArrivals, parity);
  if (state.numArrivals < phase * numArrivals && !hasFailed)
    return -1;
  return takePhases(state, *getCurrentHost()->current, phase, numArrivals);
}

/// A test that finds its phase complete is a wait for it.
bool World::testBarrier(const void *barrier, int64_t numArrivals) {
  Lock lock(mutex);
  poll(lock);
  BarrierState &state = barriers[barrier];
  Task &task = *getCurrentHost()->current;
  int64_t phase = getNumWaits(state, &task) + 1;
  bool isDone = state.numArrivals >= phase * numArrivals;
  if (isDone)
    state.numWaits[task.identity] = phase;
  return isDone || hasFailed;
}

/// The address of the map's entry is the barrier.
const void *World::getCoreBarrier(int64_t site, int64_t group) {
  Lock lock(mutex);
  Device &device = devices[getCurrentHost()->device];
  return &device.coreBarriers[{site, group}];
}
