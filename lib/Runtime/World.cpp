//===- World.cpp - Devices and tasks that run at the same time ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file schedules tasks. Each device has a thread, on which its tasks take
// turns: one runs until it has to wait, then the next runnable one goes on. If
// no task of any device can run, nothing is left to signal, and that is a
// deadlock which is reported with all that is waited for.
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "TimelineRecorder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <thread>

using namespace pallas_rt;
using llvm::formatv;
using Clock = std::chrono::steady_clock;

static thread_local Host *currentHost = nullptr;

/// Devices of other processes never come to this one, so no call waits for
/// them.
World::World(DeviceMesh mesh, ArrayRef<unsigned> elsewhere)
    : mesh(std::move(mesh)),
      numMissing(this->mesh.getNumDevices() - elsewhere.size()),
      lastProgress(Clock::now()), devices(this->mesh.getNumDevices()) {
  for (unsigned device : elsewhere)
    devices[device].isElsewhere = true;
}
World::~World() = default;

/// The numbers of devices that other processes run.
llvm::SmallVector<unsigned> World::getElsewhere() const {
  llvm::SmallVector<unsigned> elsewhere;
  for (auto [number, device] : llvm::enumerate(devices))
    if (device.isElsewhere)
      elsewhere.push_back(number);
  return elsewhere;
}

Host *World::getCurrentHost() { return currentHost; }

/// A device that has not come yet counts as one that may still signal.
void World::enter(Host &host) {
  Lock lock(mutex);
  currentHost = &host;
  --numMissing;
  ++numRunnable;
}

/// Semaphores of the device must be zero by now.
void World::leave(Host &host) {
  Lock lock(mutex);
  currentHost = nullptr;
  --numRunnable;
  devices[host.device].hasLeft = true;
  for (auto &[id, count] : devices[host.device].barrierSemaphores)
    if (count != 0 && !hasFailed)
      leftovers += formatv("the barrier semaphore of collective {0} is {1} at "
                           "the end of device {2}; every signal needs a wait\n",
                           id, count, host.device);
  // Tasks that wait for memory of this device would wait for ever.
  wakeIf([](const Wait &wait) { return wait.kind == Wait::Peer; });
  checkProgress();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Only the first error is kept, so this is the cause of all others.
std::string World::takeError() {
  Lock lock(mutex);
  return error;
}

std::string World::takeLeftovers() {
  Lock lock(mutex);
  return std::exchange(leftovers, "");
}

/// Semaphores that are not zero after an error are consequences of it.
void World::noteLeftover(const std::string &message) {
  Lock lock(mutex);
  if (!hasFailed)
    leftovers += message + "\n";
}

void World::fail(const std::string &message) {
  Lock lock(mutex);
  failLocked(message);
}

/// All waits end, so that every task runs to its end and no stack is left
/// behind.
void World::failLocked(const std::string &message) {
  // Later errors are consequences of the first one.
  if (!hasFailed)
    error = message;
  hasFailed = true;
  if (TimelineRecorder *timeline = getCurrentRecorder())
    timeline->fail();
  wakeIf([](const Wait &wait) { return wait.kind != Wait::Tasks; });
}

/// "device 1, core=0 subcore=3", as far as there is a choice.
std::string World::describe(const Task &task) const {
  SmallVector<std::string> parts;
  for (const Task *level = &task; level; level = level->parent) {
    if (level->point < 0 || !level->axes)
      continue;
    // Kernels of one map follow each other: "a:x=2;b:x=2,y=16".
    int64_t point = level->point;
    SmallVector<StringRef> kernels, axes;
    StringRef(level->axes).split(kernels, ';');
    for (StringRef kernel : kernels) {
      auto [name, list] = kernel.rsplit(':');
      axes.clear();
      (list.empty() ? name : list).split(axes, ',');
      int64_t size = 1;
      SmallVector<int64_t> sizes(axes.size(), 1);
      for (auto [i, axis] : llvm::enumerate(axes)) {
        (void)axis.split('=').second.getAsInteger(10, sizes[i]);
        size *= sizes[i];
      }
      if (point >= size) {
        point -= size;
        continue;
      }
      std::string text = list.empty() ? "" : (name + " ").str();
      for (auto [i, axis] : llvm::enumerate(axes)) {
        size /= sizes[i];
        text += formatv("{0}{1}={2}", i ? " " : "", axis.split('=').first,
                        point / size);
        point %= size;
      }
      parts.insert(parts.begin(), text);
      break;
    }
  }
  if (devices.size() > 1 || parts.empty())
    parts.insert(parts.begin(), "device " + std::to_string(task.host.device));
  return llvm::join(parts, ", ");
}

/// Lists up to eight tasks with the semaphore or barrier that each waits for.
std::string World::describeDeadlock() const {
  std::string text;
  StringRef place;
  unsigned shown = 0, count = 0;
  bool waitsAtBarrier = false;
  for (const Task *task : blocked) {
    if (task->wait.kind == Wait::Tasks)
      continue;
    if (place.empty())
      place = task->wait.place;
    ++count;
    if (shown == 8)
      continue;
    ++shown;
    const Wait &wait = task->wait;
    text += formatv("\n  {0} at {1}: waits for ", describe(*task), wait.place);
    if (wait.kind == Wait::Peer) {
      text += "memory that the other side has not allocated";
      continue;
    }
    if (wait.kind == Wait::Devices) {
      text += formatv("all {0} devices at the end of the call, of which {1} "
                      "have come",
                      wait.needed, *static_cast<const int64_t *>(wait.address));
      continue;
    }
    if (wait.kind == Wait::Barrier) {
      waitsAtBarrier = true;
      auto state = barriers.find(wait.address);
      int64_t arrived = state == barriers.end() ? 0 : state->second.numArrivals;
      text += formatv("arrival {0} at a barrier, which has seen {1}",
                      wait.needed, arrived);
    } else {
      text += formatv("{0} on a semaphore, which is {1}", wait.needed,
                      *static_cast<const int32_t *>(wait.address));
    }
    if (const SharedMemory *memory =
            findShared(task->host.device, wait.address)) {
      int64_t index =
          ((static_cast<const char *>(wait.address) - memory->base) %
           memory->bytes) /
          sizeof(int32_t);
      text += formatv(" (element {0} of {1})", index, memory->place);
    }
  }
  if (count > shown)
    text += formatv("\n  and {0} more", count - shown);
  if (waitsAtBarrier)
    text += "\n  let as many arrive as the barrier counts, or wait for the "
            "parity of the phase that is under way";
  return formatv("{0}: deadlock: nothing is left to signal what is waited for",
                 place)
             .str() +
         text;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Fails if all tasks wait and no device can still come to change that.
void World::checkProgress() {
  lastProgress = Clock::now();
  numIdlePolls = 0;
  if (numRunnable == 0 && numMissing == 0 && !blocked.empty() && !hasFailed)
    failLocked(describeDeadlock());
}

/// Appends the task to the queue of its device.
void World::wake(Task &task) {
  if (!task.isBlocked)
    return;
  task.isBlocked = false;
  llvm::erase(blocked, &task);
  ++numRunnable;
  task.host.runnable.push_back(&task);
  task.host.wakeUp.notify_one();
}

void World::wakeIf(llvm::function_ref<bool(const Wait &)> condition) {
  // Waking removes the task from the list.
  for (size_t i = 0; i < blocked.size();) {
    if (condition(blocked[i]->wait))
      wake(*blocked[i]);
    else
      ++i;
  }
}

/// Waits until another task or device wakes the current task.
void World::block(Lock &lock, const Wait &wait) {
  Task &task = *currentHost->current;
  task.wait = wait;
  task.isBlocked = true;
  blocked.push_back(&task);
  --numRunnable;
  checkProgress();
  switchAway(lock);
}

/// Runs another task until the current one has its turn again.
void World::switchAway(Lock &lock) {
  Host &host = *currentHost;
  Task *self = host.current;
  auto hasTurn = [&] { return !host.runnable.empty(); };
  // Other devices may still wake a task. It is a deadlock only if no task can
  // run, some device has not come, and nothing has happened for long.
  while (!host.wakeUp.wait_for(lock, getPatience(), hasTurn)) {
    if (numRunnable != 0 || numMissing == 0 ||
        Clock::now() - lastProgress < getPatience())
      continue;
    failLocked(describeDeadlock() +
               formatv("\n  {0} of the {1} devices have not come to this call",
                       numMissing, devices.size())
                   .str());
  }
  Task *next = host.runnable.front();
  host.runnable.pop_front();
  if (next == self)
    return;
  host.current = next;
  lock.unlock();
  Fiber::switchTo(self->fiber, next->fiber);
  lock.lock();
}

/// Lets other tasks run, and reports a loop that reads a count for ever. A
/// count that a device of another thread changes needs time, so this thread
/// yields if it has no other task.
void World::poll(Lock &lock) {
  Host &host = *currentHost;
  Task &task = *host.current;
  task.isPolling = true;
  if (++numIdlePolls > (1 << 12) && Clock::now() - lastProgress > getPatience())
    failLocked(formatv("deadlock: {0} asks for a count again and again, which "
                       "nothing has changed for {1} seconds",
                       describe(task), getPatience().count()));
  if (!host.runnable.empty()) {
    host.runnable.push_back(&task);
    switchAway(lock);
  } else if (devices.size() > 1) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  task.isPolling = false;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// The entry of each fiber. The stack of a task ends here; the arguments come
/// from the task, as a new stack has none.
void World::runFiber() {
  Fiber::arrive();
  Task &task = *currentHost->current;
  task.function(task.arguments, task.point);
  task.host.world.finishTask();
}

/// Ends the current task; does not return.
void World::finishTask() {
  Lock lock(mutex);
  Task &task = *currentHost->current;
  if (--task.parent->numChildren == 0)
    wake(*task.parent);
  --numRunnable;
  checkProgress();
  switchAway(lock);
}

/// A hash that tells apart the positions in a tree of forks.
static uint64_t mix(uint64_t a, uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) *
         0xff51afd7ed558ccd;
}

/// Forks the tasks, all of them runnable, and waits for their end. All stacks
/// exist before the first task runs: if there is no memory for one, none of
/// them has started.
void World::runTasks(void (*function)(void *, int64_t), void *arguments,
                     int64_t count, const char *axes) {
  Host &host = *currentHost;
  Task &parent = *host.current;
  std::deque<Task> tasks;
  for (int64_t point = 0; point < count; ++point) {
    Task &task = tasks.emplace_back(host, &parent, point);
    task.axes = axes;
    task.lineage = mix(parent.lineage, parent.numForks + 1);
    task.identity = mix(parent.identity, point + 1);
    task.function = function;
    task.arguments = arguments;
    if (!task.fiber.prepare(runFiber))
      return fail(formatv("there is no memory for the stacks of {0} tasks "
                          "that run at the same time",
                          count));
  }
  Lock lock(mutex);
  ++parent.numForks;
  parent.numChildren = count;
  numRunnable += count;
  for (Task &task : tasks)
    host.runnable.push_back(&task);
  while (parent.numChildren)
    block(lock, {});
}

/// Equal on all devices for the same place and the same iteration, so it names
/// an allocation across devices.
uint64_t World::visit(Task &task, int64_t site) {
  return mix(task.lineage, task.visits[site]++);
}
