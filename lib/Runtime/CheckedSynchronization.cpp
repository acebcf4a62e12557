//===- CheckedSynchronization.cpp - What orders accesses ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the part of the checker that orders accesses: async copies,
// matmuls, semaphores and barriers, and cores of meshes. Everything that may
// run beside the rest is a thread of the race detector, although compiled code
// runs it in order.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Site.h"
#include "World.h"

using namespace pallas_rt;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The key of a thread. Code that has not called the runtime yet has no task,
/// so the first task of the first device shares its key.
static const Task *getThreadKey(const Task *task) {
  return task && !task->parent && task->host.device == 0 ? nullptr : task;
}

/// For the timeline, which tells flows apart in the same way.
FlowPosition Checker::getPosition() {
  Host *host = World::getCurrentHost();
  const Task *task = host ? host->current : nullptr;
  if (!task)
    return {};
  const Task *parent = task->parent ? task->parent : task;
  return {getThreadKey(task), getThreadKey(parent), host->device};
}

std::string Checker::describeSemaphore(uintptr_t address) {
  MemoryRegion *region = memory.find(address);
  return region ? describePlace(region->describeElement(address), region->name)
                : "";
}

/// The thread of the task that calls. A task is first heard of when its point
/// begins, while the task that forked it waits.
Checker::Thread &Checker::getThread() {
  Host *host = World::getCurrentHost();
  const Task *task = getThreadKey(host ? host->current : nullptr);
  auto [place, isNew] = threads.try_emplace(task);
  Thread &thread = place->second;
  if (!isNew || !task)
    return thread;
  if (!task->parent) {
    thread.number = races.start();
    return thread;
  }
  const Task *parent = getThreadKey(task->parent);
  const Thread &from = threads[parent];
  thread.number = races.fork(from.number);
  for (const Frame &frame : from.frames)
    thread.frames.push_back({frame.site, frame.ids, {}});
  return thread;
}

/// The number of the simulated device.
unsigned Checker::getDevice() {
  Host *host = World::getCurrentHost();
  return host ? host->device : 0;
}

bool Checker::hasSeveralDevices() {
  Host *host = World::getCurrentHost();
  return host && host->world.getMesh().getNumDevices() > 1;
}

/// Remembers the thread that came to the mesh, which all cores start behind.
void Checker::beginPoints() {
  Thread &thread = getThread();
  thread.points.push_back({thread.number, {}});
}

/// A point is ordered behind what came before the mesh and not behind other
/// points, whether or not it runs at the same time as they do.
void Checker::beginPoint(ArrayRef<int64_t> ids) {
  Thread &thread = getThread();
  if (!thread.points.empty())
    thread.number = races.fork(thread.points.back().parent);
  races.activate();
  thread.frames.push_back({nullptr, {}, {}});
  thread.frames.back().ids.assign(ids.begin(), ids.end());
}

/// Nothing waits for copies that were not committed. A core that was a task
/// ends in the frame of the task that forked it.
void Checker::endPoint() {
  Thread &thread = getThread();
  commitCopies();
  thread.frames.pop_back();
  if (!thread.points.empty()) {
    thread.points.back().ended.push_back(thread.number);
    thread.number = thread.points.back().parent;
    return;
  }
  const Task *task = World::getCurrentHost()->current;
  threads[getThreadKey(task->parent)].points.back().ended.push_back(
      thread.number);
  threads.erase(task);
}

/// Operations behind the mesh are ordered behind all of its cores.
void Checker::endPoints() {
  Thread &thread = getThread();
  for (unsigned point : thread.points.back().ended)
    races.join(thread.number, point);
  thread.points.pop_back();
}

//===----------------------------------------------------------------------===//
// Copies and semaphores
//===----------------------------------------------------------------------===//

/// How to order an access behind an earlier one.
static StringRef getRemedy(const RaceDetector &races, const Race &race) {
  if (race.isOfCores)
    return "programs that differ along a parallel dimension may run at the "
           "same time: let each access elements of its own, use atomic "
           "updates, or on a TPU call the dimension \"arbitrary\"";
  if (races.isInDoubt(*race.earlier))
    return "copies of one semaphore may end in any order, and the wait in "
           "between may have been for another one: give each copy that is "
           "under way at the same time a semaphore of its own, or wait for "
           "all of them";
  return race.earlier->isCopy
             ? "wait for its end in between"
             : "let a semaphore or a barrier order them, or use atomic updates";
}

/// The message names both accesses; a race with a copy names its start.
void Checker::reportRace(const char *site, const Race &race, StringRef verb) {
  SiteParts parts(site), other(race.earlier->site);
  report(site, MistakeKind::DataRace,
         verb + " " +
             describePlace(describeElement(race.address),
                           race.isTarget ? parts.target : parts.subject) +
             describeGridPoint() + ", while '" + other.operation + "' at " +
             other.location +
             (race.earlier->isCopy && !race.earlier->gridPoint.empty()
                  ? ", started"
                  : "") +
             race.earlier->gridPoint + ", may still be " +
             (race.earlierWrites ? "writing" : "reading") + " it",
         getRemedy(races, race))
      .isOfWaits = true;
}

/// The copy has two threads, one that reads the source and one that writes the
/// target, since the source may be free before the target is complete.
void Checker::beginCopy(const char *site, bool isMulticast) {
  AccessRecord start = record(site);
  start.isMulticast = isMulticast;
  getThread().copy = races.beginCopy(std::move(start));
}

/// A part of the copy that has begun; copies through index arrays have one per
/// element.
void Checker::copy(const char *site, const MemoryView &source,
                   const MemoryView &target, bool adds) {
  if (auto race = races.copy(memory, getThread().copy, source, target, adds))
    reportRace(site, *race, race->isTarget ? "writes" : "reads");
  MemoryRegion *region = memory.find(target.address);
  // A plain copy moves unwritten elements without a finding: the target is
  // unwritten then, and reading it is the mistake.
  if (!adds) {
    readOverwritten(site, source);
    memory.copyStates(source, target);
    if (region && region->isInPlace)
      memory.overwriteInput(target);
    return;
  }
  if (MemoryRegion *origin = memory.find(source.address))
    read(site, *origin, source);
  if (region)
    read(site, *region, target, DoubtKind::Target);
  write(target);
}

/// The copy that has begun goes by these indices.
void Checker::readIndices(const char *site, const MemoryView &view) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return;
  read(site, *region, view);
  AccessRecord now = record(site);
  now.starter = now.thread;
  now.thread = getThread().copy.reader;
  now.isCopy = true;
  if (auto race = races.access(memory, view, std::move(now), /*reads=*/true,
                               /*writes=*/false))
    reportRace(site, *race, "reads");
}

void Checker::endCopy(const CopyEnd &end) {
  Thread &thread = getThread();
  races.endCopy(thread.copy, end, thread.copies);
}

/// Which of the copies writes which part is up to the hardware, so each of them
/// may write anywhere in the memory of all blocks. Two of them are known when
/// the later block has come.
void Checker::multicast(const char *site, uintptr_t barrier,
                        const GroupMember &member, const MemoryView &view) {
  const RaceDetector::Copy &copy = getThread().copy;
  Multicast now{member.member, view, copy.writer, races.forkMulticast(copy),
                record(site)};
  now.record.starter = now.record.thread;
  now.record.thread = now.remoteWriter;
  now.record.isCopy = now.record.isMulticast = true;
  MeetingPlace place = World::getCurrentHost()->world.getMeetingPlace(
      reinterpret_cast<const void *>(barrier), member);
  for (const Multicast &other : multicasts.come(place, member, now))
    if (other.member != now.member) {
      writeElsewhere(now, other);
      writeElsewhere(other, now);
    }
}

/// Notes the writes of `copy` in the block of `other`, which waits for both.
void Checker::writeElsewhere(const Multicast &copy, const Multicast &other) {
  auto race = races.access(memory, other.view, copy.record, /*reads=*/false,
                           /*writes=*/true);
  races.join(other.writer, copy.remoteWriter);
  if (!race)
    return;
  SiteParts parts(copy.record.site), earlier(race->earlier->site);
  report(
      copy.record.site, MistakeKind::DataRace,
      "writes " + describePlace(describeElement(race->address), parts.target) +
          copy.record.gridPoint + " in the memory of the block" +
          other.record.gridPoint + ", while '" + earlier.operation + "' at " +
          earlier.location + race->earlier->gridPoint + " may still be " +
          (race->earlierWrites ? "writing" : "reading") + " it",
      "signal a barrier of every block of the cluster when the memory is "
      "free, and wait for the signals of all blocks before the next copy")
      .isOfWaits = true;
}

void Checker::signal(uintptr_t semaphore) {
  races.signal(getThread().number, semaphore);
}

void Checker::wait(uintptr_t semaphore, int64_t amount, bool isPhase) {
  races.wait(getThread().number, semaphore, amount, isPhase);
}

/// Hardware knows of a phase only whether its number is even, so a wait for one
/// that the next one has followed may not end.
void Checker::arrive(const char *site, uintptr_t barrier, int64_t numArrivals) {
  std::optional<int64_t> unseen = races.arrive(barrier, numArrivals);
  if (!unseen)
    return;
  report(site, MistakeKind::PhaseNeverWaitedFor,
         "completes phase " + Twine(*unseen + 1) + " of " +
             describePlace(describeElement(barrier), SiteParts(site).subject) +
             ", but nothing has waited for phase " + Twine(*unseen),
         "wait for each phase before the next one completes")
      .isOfWaits = true;
}

std::string Checker::describeElement(uintptr_t address) {
  MemoryRegion *region = memory.find(address);
  return region ? region->describeElement(address) : "[]";
}

/// Reports each element that is not zero, with its index.
void Checker::semaphoresEnd(const char *site, const MemoryView &view) {
  view.forEach([&](uintptr_t address) {
    int32_t count = *reinterpret_cast<int32_t *>(address);
    // A copy that is never waited for is reported on its own.
    if (count == 0 || races.hasPendingCopy(address))
      return;
    report(
        site, MistakeKind::SemaphoreNotZero,
        "ends with " +
            describePlace(describeElement(address), SiteParts(site).subject) +
            " at " + Twine(count),
        "wait for as much as is signalled")
        .isOfWaits = true;
  });
}

/// Copies without a semaphore are waited for in groups, of which those without
/// a copy count as well.
void Checker::commitCopies() {
  CopyGroups &copies = getThread().copies;
  copies.closed.push_back(std::move(copies.open));
  copies.open.clear();
}

void Checker::waitForCopies(int64_t pending, bool sourcesOnly) {
  Thread &thread = getThread();
  races.waitForGroups(thread.number, thread.copies, pending, sourcesOnly);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Matmuls of a thread run in their order, beside the thread itself. Those that
/// make values have numbers, since values have no memory.
void Checker::beginProduct(const char *site, int64_t number) {
  Thread &thread = getThread();
  races.activate();
  unsigned product = races.fork(thread.number);
  if (thread.lastProduct)
    races.join(product, thread.lastProduct);
  thread.lastProduct = product;
  if (number) {
    auto &runs = thread.namedProducts[number];
    runs[1] = std::move(runs[0]);
    runs[0] = {product, site, describeGridPoint()};
  }
}

/// An operand of a matmul that may still be under way.
void Checker::accessByProduct(const char *site, AccessKind kind,
                              const MemoryView &view) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return;
  bool reads = static_cast<int>(kind) & 1, writes = static_cast<int>(kind) & 2;
  if (reads)
    read(site, *region, view);
  if (writes)
    write(view);
  AccessRecord now = record(site);
  now.starter = now.thread;
  now.thread = getThread().lastProduct;
  now.isCopy = true;
  if (auto race = races.access(memory, view, std::move(now), reads, writes))
    reportRace(site, *race, writes ? "writes" : "reads");
}

/// A matmul signals a barrier or is waited for by number.
void Checker::endProduct(uintptr_t barrier) {
  Thread &thread = getThread();
  if (barrier)
    races.announce(barrier, thread.lastProduct);
  else
    thread.openProduct = thread.lastProduct;
}

/// Waits are for groups of matmuls, of which empty ones count as well.
void Checker::commitProducts() {
  Thread &thread = getThread();
  thread.products.push_back(thread.openProduct);
  thread.openProduct = 0;
}

/// A read of the value of a product: of its last run, or if the number is
/// negative, of the run before.
void Checker::readAccumulator(const char *site, int64_t number) {
  Thread &thread = getThread();
  const NamedProduct &product =
      thread.namedProducts[std::abs(number)][number < 0];
  // Products of a thread end in their order.
  if (product.thread <= thread.endedProduct)
    return;
  SiteParts other(product.site);
  report(site, MistakeKind::DataRace,
         "reads an accumulator" + describeGridPoint() + ", while '" +
             other.operation + "' at " + other.location + ", started" +
             product.gridPoint + ", may still be writing it",
         "commit the product, and wait for its group in between")
      .isOfWaits = true;
}

/// Without a matmul so far this is a plain arrival.
void Checker::followProducts(uintptr_t barrier) {
  if (unsigned product = getThread().lastProduct)
    races.announce(barrier, product);
  else
    signal(barrier);
}

/// The oldest matmuls end first.
void Checker::waitForProducts(int64_t pending) {
  Thread &thread = getThread();
  while (int64_t(thread.products.size()) > pending) {
    if (unsigned product = thread.products.front()) {
      races.join(thread.number, product);
      thread.endedProduct = product;
    }
    thread.products.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// Shared and tensor memory
//===----------------------------------------------------------------------===//

void Checker::commitStores() { races.commitStores(getThread().number); }

/// Checks the shared memory that an async copy or a matmul is about to read:
/// each store to it must have been committed.
void Checker::committed(const char *site, const MemoryView &view) {
  missedStores |= skippedStores;
  auto store = races.findUncommitted(memory, view, record(site));
  if (!store)
    return;
  SiteParts parts(site), other(store->earlier->site);
  report(site, MistakeKind::StoreNotCommitted,
         "reads " +
             describePlace(describeElement(store->address), parts.subject) +
             describeGridPoint() + ", which '" + other.operation + "' at " +
             other.location + " has written" + store->earlier->gridPoint +
             " without a 'pallas.commit_smem' in between",
         "commit the stores to shared memory before a copy or a product reads "
         "them")
      .isOfWaits = true;
}

/// Loads are in registers at once, and may read the memory until they are
/// waited for; stores of a thread happen in their order.
void Checker::accessTensorMemory(const char *site, AccessKind kind,
                                 const MemoryView &view) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return;
  bool reads = kind == AccessKind::Read;
  if (reads)
    read(site, *region, view);
  else
    write(view);
  Thread &thread = getThread();
  races.activate();
  AccessRecord now = record(site);
  now.starter = now.thread;
  now.thread = races.fork(thread.number);
  now.isCopy = true;
  auto &pending = reads ? thread.tensorLoads : thread.tensorStores;
  if (!reads && !pending.empty())
    races.join(now.thread, pending.back());
  pending.push_back(now.thread);
  if (auto race = races.access(memory, view, std::move(now), reads, !reads))
    reportRace(site, *race, reads ? "reads" : "writes");
}

void Checker::waitForTensorMemory(AccessKind kind) {
  Thread &thread = getThread();
  auto &pending =
      kind == AccessKind::Read ? thread.tensorLoads : thread.tensorStores;
  for (unsigned access : pending)
    races.join(thread.number, access);
  pending.clear();
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// Called behind the last program.
void Checker::finish() {
  for (const CopyRecord *copy : races.getPendingCopies())
    report(copy->start.site, MistakeKind::CopyNeverWaitedFor,
           "copies " + describeCopy(copy->start.site) + copy->start.gridPoint +
               ", but nothing waits for its end",
           "wait for it before the kernel ends")
        .isOfWaits = true;
}
