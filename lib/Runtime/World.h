//===- World.h - Devices and tasks that run at the same time ---*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A world is a set of devices that reach each other. A device is a thread; on
// it run tasks: the device's function and, while it is in a kernel for a mesh
// whose points wait for each other, one task per point. Tasks of a device take
// turns whenever one has to wait. Everything here is guarded by the mutex of
// the world, and all data that passes from one task to another passes through a
// semaphore or barrier, hence through that mutex.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_WORLD_H
#define PALLAS_LIB_RUNTIME_WORLD_H

#include "Fiber.h"
#include "Meetings.h"
#include "pallas/Runtime/Devices.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace pallas_rt {

class World;
struct Host;

/// The reason why a task is blocked.
struct Wait {
  enum Kind { Semaphore, Barrier, Tasks, Peer, Devices };
  Kind kind = Tasks;
  const void *address = nullptr;
  int64_t needed = 0;
  /// Where in the kernel.
  const char *place = nullptr;
};

/// One flow of control.
struct Task {
  Task(Host &host, Task *parent, int64_t point)
      : host(host), parent(parent), point(point) {}

  Host &host;
  Task *parent;
  /// Number among the tasks that were forked together; -1 for a device.
  int64_t point;
  /// Names and sizes of the axes that `point` runs over.
  const char *axes = nullptr;
  /// The same for tasks that correspond to each other on different devices.
  uint64_t lineage = 0;
  unsigned numForks = 0;
  unsigned numChildren = 0;
  bool isBlocked = false, isPolling = false;
  Wait wait;
  /// The same for the tasks of all forks at one point.
  uint64_t identity = 0;
  /// How often the task has come by each allocation of the kernel.
  llvm::DenseMap<int64_t, unsigned> visits;
  void (*function)(void *, int64_t) = nullptr;
  void *arguments = nullptr;
  Fiber fiber;
};

/// A device, which the thread that came for it runs.
struct Host {
  Host(World &world, unsigned device)
      : world(world), device(device), root(*this, nullptr, -1), current(&root) {
  }

  World &world;
  unsigned device;
  Task root;
  Task *current;
  std::deque<Task *> runnable;
  std::condition_variable wakeUp;
};

/// Memory that other tasks and devices may name.
struct SharedMemory {
  char *base = nullptr;
  /// Bytes of each of the instances, which lie one behind the other.
  size_t bytes = 0;
  int64_t numInstances = 1;
  int64_t site = 0;
  uint64_t instance = 0;
  /// The task that owns it, or -1 if all of the device do.
  int64_t point = -1;
  enum Kind { Data, Semaphores, Barriers };
  Kind kind = Data;
  /// Where the kernel defines it.
  const char *place = nullptr;
};

/// Arrivals so far, for how many phases each thread has waited, and how many
/// arrivals its last wait by parity was the first to see.
struct BarrierState {
  int64_t numArrivals = 0;
  std::map<uint64_t, int64_t> numWaits, numNewArrivals;
};

/// Memory that several tasks of a device allocate together.
struct CollectiveMemory {
  void *base = nullptr;
  int64_t numMembers = 0, numLeft = 0;
};

class World {
public:
  explicit World(DeviceMesh mesh, ArrayRef<unsigned> elsewhere = {});
  ~World();

  const DeviceMesh &getMesh() const { return mesh; }
  /// Devices of other processes.
  SmallVector<unsigned> getElsewhere() const;

  /// The device that runs on this thread; null outside kernels.
  static Host *getCurrentHost();

  /// Makes this thread a device, and stops being one.
  void enter(Host &host);
  void leave(Host &host);

  /// Errors, and leftovers that are only odd: semaphores that are not zero.
  std::string takeError();
  std::string takeLeftovers();

  /// Fails everything that waits now or later with this message.
  void fail(const std::string &message);
  void noteLeftover(const std::string &message);

  // Tasks.
  void runTasks(void (*function)(void *, int64_t), void *arguments,
                int64_t count, const char *axes);

  // Synchronization. Releases: signal, arrive. Acquires: wait, waitForBarrier.
  void signal(int32_t *semaphore, int32_t amount);
  void wait(int32_t *semaphore, int32_t amount, bool decrement,
            const char *place);
  int32_t read(int32_t *semaphore);
  void arrive(const void *barrier);
  /// Arrives at the barriers of all members once all of them have come.
  void arriveTogether(const void *barrier, const GroupMember &member);
  /// Where members of a group meet that name a barrier of their own each.
  MeetingPlace getMeetingPlace(const void *barrier, const GroupMember &member);
  void waitForBarrier(const void *barrier, int64_t numArrivals,
                      const char *place);
  /// Waits until the phase under way does not have this parity. Yields the
  /// arrivals in phases that the task has not waited for before.
  int64_t waitForParity(const void *barrier, int64_t numArrivals, bool parity,
                        const char *place);
  bool testBarrier(const void *barrier, int64_t numArrivals);
  /// As `waitForParity` without a wait; -1 where the phase is under way.
  int64_t testParity(const void *barrier, int64_t numArrivals, bool parity);
  /// The number that the last of both has yielded to this task.
  int64_t getNewArrivals(const void *barrier);
  /// A barrier of this device for each place in the kernel and group of tasks.
  const void *getCoreBarrier(int64_t site, int64_t group);
  int32_t *getBarrierSemaphore(int32_t collectiveId);
  /// Goes on when all devices of this process have come here.
  void meet(int64_t site, const char *place);

  // Devices. An axis may be a list of names, the last the fastest.
  int32_t getAxisIndex(StringRef axis, const char *place);
  int32_t getAxisSize(StringRef axis, const char *place);
  /// The device that differs from `device` by its coordinate along an axis.
  int32_t moveAlongAxis(int32_t device, StringRef axes, int32_t index,
                        const char *place);
  int32_t moveAlongDim(int32_t device, int32_t dim, int32_t numDims,
                       int32_t index, const char *place);

  // Memory.
  void share(const SharedMemory &memory);
  void unshare(void *base);
  void *beginCollective(int64_t site, int64_t group, int64_t numMembers,
                        size_t bytes, SharedMemory::Kind kind,
                        const char *place);
  void endCollective(void *base);
  /// Whether members besides the one that asks have not left the memory yet, or
  /// not come to it.
  bool hasOtherMembers(uintptr_t base);
  /// How far from `address` the same place of another device or task is.
  int64_t getPeerOffset(const void *address, int64_t device, int64_t point,
                        const char *place);

private:
  using Lock = std::unique_lock<std::mutex>;

  void block(Lock &lock, const Wait &wait);
  void arriveLocked(const void *barrier);
  MeetingPlace getMeetingPlaceLocked(const void *barrier,
                                     const GroupMember &member) const;
  void switchAway(Lock &lock);
  void wake(Task &task);
  void wakeIf(llvm::function_ref<bool(const Wait &)> condition);
  void poll(Lock &lock);
  void checkProgress();
  void failLocked(const std::string &message);
  void finishTask();
  static void runFiber();
  const SharedMemory *findShared(unsigned device, const void *address) const;
  void shareLocked(const SharedMemory &memory);
  void unshareLocked(void *base);
  std::optional<unsigned> findAxis(StringRef name, const char *place);
  int64_t getStride(unsigned axis) const;
  uint64_t visit(Task &task, int64_t site);
  std::string describe(const Task &task) const;
  std::string describeDeadlock() const;

  DeviceMesh mesh;
  std::mutex mutex;
  std::string error, leftovers;
  bool hasFailed = false;

  std::vector<Task *> blocked;
  /// Tasks that are not blocked, and devices that have not come yet.
  unsigned numRunnable = 0, numMissing;
  uint64_t numIdlePolls = 0, numUselessReads = 0;
  std::chrono::steady_clock::time_point lastProgress;

  struct Device {
    bool hasLeft = false, isElsewhere = false;
    std::vector<SharedMemory> shared;
    std::map<std::array<uint64_t, 3>, CollectiveMemory> collective;
    std::map<int32_t, int32_t> barrierSemaphores;
    std::map<std::pair<int64_t, int64_t>, char> coreBarriers;
  };
  std::vector<Device> devices;
  std::map<const void *, BarrierState> barriers;
  Meetings<const void *> commonArrivals;
  /// How many devices have come to each meeting.
  std::map<uint64_t, int64_t> meetings;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_WORLD_H
