//===- Runtime.cpp - Entry points of compiled kernels ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the functions that compiled kernels call, and the scope that a
// call sets up around them. Kernels without synchronization get no world, which
// would cost a mutex per call.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/Runtime.h"
#include "World.h"
#include "pallas/Runtime/HostCall.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdint>
#include <cstdio>

using namespace pallas_rt;

static thread_local RuntimeScope *currentScope = nullptr;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Scopes nest if a function that a kernel calls back runs another kernel.
RuntimeScope::RuntimeScope(DeviceContext context) : previous(currentScope) {
  currentScope = this;
  if (!context.group)
    return;
  world = &context.group->getWorld();
  host = std::make_unique<Host>(*world, context.device);
  world->enter(*host);
}

/// Without a call of `finish` there is nothing to report to.
RuntimeScope::~RuntimeScope() { llvm::consumeError(finish(true)); }

/// Made at the first use: a world of one device.
World &RuntimeScope::getWorld() {
  if (!world) {
    ownWorld = std::make_unique<World>(DeviceMesh{{{"", 1}}});
    world = ownWorld.get();
    host = std::make_unique<Host>(*world, 0);
    world->enter(*host);
  }
  return *world;
}

/// The first error stays.
void RuntimeScope::fail(const char *message) { getWorld().fail(message); }

/// Semaphores that are not zero are an error, or a warning if the caller
/// tolerates them.
llvm::Error RuntimeScope::finish(bool toleratesLeftovers) {
  if (currentScope != this)
    return llvm::Error::success();
  currentScope = previous;
  std::string error, leftovers;
  if (host) {
    world->leave(*host);
    error = world->takeError();
    leftovers = world->takeLeftovers();
  }
  if (error.empty() && !leftovers.empty()) {
    leftovers.pop_back();
    if (toleratesLeftovers)
      std::fprintf(stderr, "warning: %s\n", leftovers.c_str());
    else
      error = leftovers;
  }
  if (error.empty())
    return llvm::Error::success();
  return llvm::createStringError("%s", error.c_str());
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

extern "C" {

/// Called by code, which goes on.
void pallas_rt_error(const char *message) {
  if (currentScope)
    currentScope->fail(message);
}

/// Adds to the message what a wait is for and what there is. Signals and copies
/// have bytes, elements or arrivals as their amount.
void pallas_rt_short_count(const char *message, int32_t count, int32_t amount) {
  pallas_rt_error(llvm::formatv("{0}: it is {1}, and the wait is for {2}; "
                                "signal as much as is waited for",
                                message, count, amount)
                      .str()
                      .c_str());
}

/// An object may outlive the process that compiled it; then there is no
/// handler.
void pallas_rt_call_host(int64_t number, void *const *arrays, int64_t count,
                         const char *place) {
  HostCallHandler handler = getHostCallHandler();
  std::string error =
      handler ? handler(number, llvm::ArrayRef(arrays, count))
              : llvm::formatv("function {0} belongs to the process that made "
                              "this kernel; run the kernel there",
                              number)
                    .str();
  if (!error.empty())
    pallas_rt_error((llvm::Twine(place) + ": " + error).str().c_str());
}

//===----------------------------------------------------------------------===//
// Tasks and synchronization
//===----------------------------------------------------------------------===//

/// Only compiled code calls this, within a scope.
static World &world() { return currentScope->getWorld(); }

/// Returns when all tasks have ended.
void pallas_rt_run_tasks(void (*function)(void *, int64_t), void *arguments,
                         int64_t count, const char *axes) {
  world().runTasks(function, arguments, count, axes);
}
void pallas_rt_signal(int32_t *semaphore, int32_t amount) {
  world().signal(semaphore, amount);
}
void pallas_rt_wait(int32_t *semaphore, int32_t amount, int32_t decrement,
                    const char *place) {
  world().wait(semaphore, amount, decrement != 0, place);
}
int32_t pallas_rt_read(int32_t *semaphore) { return world().read(semaphore); }
void pallas_rt_arrive(const void *barrier) { world().arrive(barrier); }
void pallas_rt_arrive_together(const void *barrier, int64_t axes, int64_t group,
                               int64_t member, int64_t numMembers) {
  world().arriveTogether(barrier, {axes, group, member, numMembers});
}
void pallas_rt_wait_barrier(const void *barrier, int64_t numArrivals,
                            const char *place) {
  world().waitForBarrier(barrier, numArrivals, place);
}
int64_t pallas_rt_wait_parity(const void *barrier, int64_t numArrivals,
                              int32_t parity, const char *place) {
  return world().waitForParity(barrier, numArrivals, parity != 0, place);
}
int32_t pallas_rt_test_barrier(const void *barrier, int64_t numArrivals) {
  return world().testBarrier(barrier, numArrivals);
}
int64_t pallas_rt_test_parity(const void *barrier, int64_t numArrivals,
                              int32_t parity) {
  return world().testParity(barrier, numArrivals, parity != 0);
}
int64_t pallas_rt_new_arrivals(const void *barrier) {
  return world().getNewArrivals(barrier);
}
const void *pallas_rt_core_barrier(int64_t site, int64_t group) {
  return world().getCoreBarrier(site, group);
}
void pallas_rt_meet(int64_t site, const char *place) {
  world().meet(site, place);
}
int32_t *pallas_rt_barrier_semaphore(int32_t collectiveId) {
  return world().getBarrierSemaphore(collectiveId);
}

/// Where semaphores are plain counts of one flow of control.
void pallas_rt_check_semaphores(const int32_t *semaphores, int64_t count,
                                const char *place) {
  for (int64_t i = 0; i < count; ++i)
    if (semaphores[i] != 0)
      world().noteLeftover(llvm::formatv(
          "{0}: element {1} of this semaphore is {2} when its scope ends; "
          "every signal and every copy needs a wait",
          place, i, semaphores[i]));
}

//===----------------------------------------------------------------------===//
// Memory and devices
//===----------------------------------------------------------------------===//

/// Compiled code passes the fields one by one: a struct would have a layout
/// that the lowering has to know.
void pallas_rt_share(void *base, int64_t bytes, int64_t numInstances,
                     int64_t site, int32_t kind, const char *place) {
  SharedMemory memory;
  memory.base = static_cast<char *>(base);
  memory.bytes = bytes;
  memory.numInstances = numInstances;
  memory.site = site;
  memory.kind = static_cast<SharedMemory::Kind>(kind);
  memory.place = place;
  world().share(memory);
}
void pallas_rt_unshare(void *base) { world().unshare(base); }
void *pallas_rt_begin_collective(int64_t site, int64_t group,
                                 int64_t numMembers, int64_t bytes,
                                 int32_t kind, const char *place) {
  return world().beginCollective(site, group, numMembers, bytes,
                                 static_cast<SharedMemory::Kind>(kind), place);
}
void pallas_rt_end_collective(void *base) { world().endCollective(base); }
/// The distance, not the address: code adds it to pointers into the memory.
int64_t pallas_rt_peer_offset(const void *address, int32_t device,
                              int64_t point, const char *place) {
  return world().getPeerOffset(address, device, point, place);
}

/// The world has to exist first.
int32_t pallas_rt_device() {
  world();
  return World::getCurrentHost()->device;
}
int32_t pallas_rt_axis_index(const char *axis, const char *place) {
  return world().getAxisIndex(axis, place);
}
int32_t pallas_rt_axis_size(const char *axis, const char *place) {
  return world().getAxisSize(axis, place);
}
int32_t pallas_rt_move_along_axis(int32_t device, const char *axes,
                                  int32_t index, const char *place) {
  return world().moveAlongAxis(device, axes, index, place);
}
int32_t pallas_rt_move_along_dim(int32_t device, int32_t dim, int32_t numDims,
                                 int32_t index, const char *place) {
  return world().moveAlongDim(device, dim, numDims, index, place);
}

} // extern "C"

#define PALLAS_SYMBOL(name) {#name, reinterpret_cast<void *>(&name)}
/// The engine defines these symbols for the code that it loads.
ArrayRef<std::pair<const char *, void *>> pallas_rt::getRuntimeSymbols() {
  static const std::pair<const char *, void *> symbols[] = {
      PALLAS_SYMBOL(pallas_rt_error),
      PALLAS_SYMBOL(pallas_rt_short_count),
      PALLAS_SYMBOL(pallas_rt_call_host),
      PALLAS_SYMBOL(pallas_rt_print_text),
      PALLAS_SYMBOL(pallas_rt_print_integer),
      PALLAS_SYMBOL(pallas_rt_print_float),
      PALLAS_SYMBOL(pallas_rt_run_tasks),
      PALLAS_SYMBOL(pallas_rt_signal),
      PALLAS_SYMBOL(pallas_rt_wait),
      PALLAS_SYMBOL(pallas_rt_read),
      PALLAS_SYMBOL(pallas_rt_arrive),
      PALLAS_SYMBOL(pallas_rt_arrive_together),
      PALLAS_SYMBOL(pallas_rt_wait_barrier),
      PALLAS_SYMBOL(pallas_rt_wait_parity),
      PALLAS_SYMBOL(pallas_rt_test_barrier),
      PALLAS_SYMBOL(pallas_rt_test_parity),
      PALLAS_SYMBOL(pallas_rt_new_arrivals),
      PALLAS_SYMBOL(pallas_rt_core_barrier),
      PALLAS_SYMBOL(pallas_rt_meet),
      PALLAS_SYMBOL(pallas_rt_barrier_semaphore),
      PALLAS_SYMBOL(pallas_rt_check_semaphores),
      PALLAS_SYMBOL(pallas_rt_share),
      PALLAS_SYMBOL(pallas_rt_unshare),
      PALLAS_SYMBOL(pallas_rt_begin_collective),
      PALLAS_SYMBOL(pallas_rt_end_collective),
      PALLAS_SYMBOL(pallas_rt_peer_offset),
      PALLAS_SYMBOL(pallas_rt_device),
      PALLAS_SYMBOL(pallas_rt_axis_index),
      PALLAS_SYMBOL(pallas_rt_axis_size),
      PALLAS_SYMBOL(pallas_rt_move_along_axis),
      PALLAS_SYMBOL(pallas_rt_move_along_dim),
  };
  return symbols;
}
