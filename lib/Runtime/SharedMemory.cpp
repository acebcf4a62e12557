//===- SharedMemory.cpp - Memory that others can name ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file finds the memory of other devices and tasks. A remote operation
// names memory of the device that runs it and means the same memory of another
// one: the allocation that the same place in the kernel made there at the same
// visit.
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>
#include <cstring>

using namespace pallas_rt;
using llvm::formatv;

/// The allocation of this device around an address, or null.
const SharedMemory *World::findShared(unsigned device,
                                      const void *address) const {
  auto *place = static_cast<const char *>(address);
  // The last allocation is the innermost one.
  for (const SharedMemory &memory : llvm::reverse(devices[device].shared))
    if (place >= memory.base &&
        place < memory.base + memory.bytes * memory.numInstances)
      return &memory;
  return nullptr;
}

/// The visit number tells apart the allocations of a scope in a loop.
void World::share(const SharedMemory &memory) {
  Lock lock(mutex);
  Task &task = *getCurrentHost()->current;
  SharedMemory added = memory;
  added.instance = visit(task, memory.site);
  added.point = memory.numInstances == 1 ? task.point : -1;
  shareLocked(added);
}

/// Tasks that wait for this memory go on.
void World::shareLocked(const SharedMemory &memory) {
  devices[getCurrentHost()->device].shared.push_back(memory);
  if (memory.kind == SharedMemory::Barriers)
    barriers.erase(
        barriers.lower_bound(memory.base),
        barriers.lower_bound(memory.base + memory.bytes * memory.numInstances));
  wakeIf([](const Wait &wait) { return wait.kind == Wait::Peer; });
}

/// The compiled code owns the memory.
void World::unshare(void *base) {
  Lock lock(mutex);
  unshareLocked(base);
}

/// Semaphores that are not zero are noted, unless the kernel has failed anyway.
void World::unshareLocked(void *base) {
  std::vector<SharedMemory> &shared = devices[getCurrentHost()->device].shared;
  for (size_t i = shared.size(); i > 0; --i) {
    SharedMemory memory = shared[i - 1];
    if (memory.base != base)
      continue;
    shared.erase(shared.begin() + (i - 1));
    if (memory.kind != SharedMemory::Semaphores || hasFailed)
      return;
    size_t count = memory.bytes * memory.numInstances / sizeof(int32_t);
    for (size_t k = 0; k < count; ++k)
      if (int32_t value = reinterpret_cast<int32_t *>(base)[k])
        leftovers += formatv("{0}: element {1} of this semaphore is {2} when "
                             "its scope ends{3}; every signal and every copy "
                             "needs a wait\n",
                             memory.place, k, value,
                             devices.size() > 1
                                 ? " on device " +
                                       std::to_string(getCurrentHost()->device)
                                 : std::string());
    return;
  }
}

//===----------------------------------------------------------------------===//
// Collective allocations
//===----------------------------------------------------------------------===//

/// The first member allocates for all. It is named by the group, so that the
/// same group of another device finds it. Counts of semaphores and barriers
/// start at 0, other memory has no value.
void *World::beginCollective(int64_t site, int64_t group, int64_t numMembers,
                             size_t bytes, SharedMemory::Kind kind,
                             const char *place) {
  Lock lock(mutex);
  Host &host = *getCurrentHost();
  uint64_t instance = visit(*host.current, site);
  CollectiveMemory &memory =
      devices[host.device]
          .collective[{uint64_t(site), uint64_t(group), instance}];
  if (!memory.base) {
    size_t rounded = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
    memory.base = std::aligned_alloc(64, rounded);
    memory.numMembers = numMembers;
    if (kind != SharedMemory::Data)
      std::memset(memory.base, 0, rounded);
    SharedMemory shared;
    shared.base = static_cast<char *>(memory.base);
    shared.bytes = bytes;
    shared.site = site;
    shared.kind = kind;
    shared.place = place;
    shared.instance = instance;
    shared.point = group;
    shareLocked(shared);
  }
  return memory.base;
}

/// The last member frees. Members may leave at different times, as memory of a
/// member is still read by others.
void World::endCollective(void *base) {
  Lock lock(mutex);
  auto &collective = devices[getCurrentHost()->device].collective;
  for (auto it = collective.begin(); it != collective.end(); ++it) {
    if (it->second.base != base)
      continue;
    if (++it->second.numLeft == it->second.numMembers) {
      unshareLocked(base);
      std::free(base);
      collective.erase(it);
    }
    return;
  }
}

bool World::hasOtherMembers(uintptr_t base) {
  Lock lock(mutex);
  const auto &collective = devices[getCurrentHost()->device].collective;
  return llvm::any_of(collective, [&](const auto &entry) {
    const CollectiveMemory &memory = entry.second;
    return reinterpret_cast<uintptr_t>(memory.base) == base &&
           memory.numLeft + 1 < memory.numMembers;
  });
}

//===----------------------------------------------------------------------===//
// Other devices and tasks
//===----------------------------------------------------------------------===//

/// Waits until the other side has allocated its memory. Devices run the same
/// code, so it will, unless it has left the kernel. The offset is the distance
/// between the two addresses, so the same view of memory works for every
/// device. For example, for the second of two devices:
///
///   offset = base on device 1 - base on device 0
int64_t World::getPeerOffset(const void *address, int64_t device, int64_t point,
                             const char *place) {
  Lock lock(mutex);
  Host &host = *getCurrentHost();
  if (device < 0 || device >= int64_t(devices.size())) {
    failLocked(formatv("{0}: this names device {1}, but there {2} {3}", place,
                       device, devices.size() == 1 ? "is only" : "are only",
                       devices.size()));
    return 0;
  }
  if (devices[device].isElsewhere) {
    failLocked(formatv("{0}: this reaches for device {1}, which is out of "
                       "reach: on CPUs devices reach others of the same "
                       "process",
                       place, device));
    return 0;
  }
  auto *at = static_cast<const char *>(address);
  // Barrier semaphores exist before any device comes.
  for (auto &[id, semaphore] : devices[host.device].barrierSemaphores)
    if (at == reinterpret_cast<const char *>(&semaphore))
      return reinterpret_cast<char *>(&devices[device].barrierSemaphores[id]) -
             at;
  if (device == host.device && point < 0)
    return 0;
  const SharedMemory *found = findShared(host.device, address);
  if (!found) {
    failLocked(
        formatv("{0}: this names memory that other devices don't have", place));
    return 0;
  }
  SharedMemory own = *found;
  int64_t offset = at - own.base;
  if (own.numInstances > 1 && point >= own.numInstances) {
    failLocked(formatv("{0}: this names core {1}, but the memory is that of "
                       "{2} cores",
                       place, point, own.numInstances));
    return 0;
  }
  // Memory of several cores is one allocation with an instance per core.
  if (own.numInstances > 1 && point >= 0)
    offset = offset % own.bytes + point * int64_t(own.bytes);
  int64_t owner = own.point >= 0 && point >= 0 ? point : own.point;
  while (!hasFailed) {
    for (const SharedMemory &memory : devices[device].shared)
      if (memory.site == own.site && memory.instance == own.instance &&
          memory.point == owner)
        return memory.base + offset - at;
    if (devices[device].hasLeft)
      failLocked(formatv("{0}: device {1} has left the kernel, but device {2} "
                         "still uses its memory; let it wait for what it gets",
                         place, device, host.device));
    else
      block(lock, {Wait::Peer, address, 0, place});
  }
  return 0;
}
