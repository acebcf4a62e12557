//===- Fiber.cpp - Flows of control that share a thread -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file switches between fibers by ucontext, with stacks that are reused.
// Fibers, not threads: a kernel may have thousands of tasks, and one at a time
// is all that the semantics need.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <vector>

using namespace pallas_rt;

// As large as a main thread's; pages that are never touched cost nothing.
static constexpr size_t stackBytes = 8 << 20;
static constexpr size_t guardBytes = 64 << 10;

namespace {
/// Free stacks of this thread.
class StackPool {
public:
  ~StackPool() {
    for (void *stack : free)
      munmap(stack, stackBytes);
  }

  /// The lowest pages are protected, so that an overflow is a fault instead of
  /// a write to another stack.
  void *take() {
    if (!free.empty()) {
      void *stack = free.back();
      free.pop_back();
      return stack;
    }
    void *stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
      return nullptr;
    mprotect(stack, guardBytes, PROT_NONE);
    return stack;
  }

  /// Some are kept, since tasks come and go by the thousand; a kernel with many
  /// at once gives most of their memory back.
  void give(void *stack) {
    if (free.size() < 64)
      free.push_back(stack);
    else
      munmap(stack, stackBytes);
  }

private:
  std::vector<void *> free;
};
} // namespace

namespace {
/// Functions that sanitizers want to be called when the stack changes. Their
/// runtime may come with the program that holds this code or be loaded before
/// it.
struct SwitchNotes {
  static const SwitchNotes &get() {
    static const SwitchNotes notes;
    return notes;
  }

  void (*start)(void **fakeStack, const void *bottom, size_t size);
  void (*finish)(void *fakeStack, const void **oldBottom, size_t *oldSize);

private:
  SwitchNotes() {
    find(start, "__sanitizer_start_switch_fiber");
    find(finish, "__sanitizer_finish_switch_fiber");
  }
  template <typename Function>
  static void find(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
  }
};
} // namespace

static thread_local StackPool pool;
static thread_local Fiber *source = nullptr;
static thread_local Fiber *target = nullptr;

Fiber::~Fiber() {
  if (stack)
    pool.give(stack);
}

/// The entry never returns, so there is no context to continue with.
bool Fiber::prepare(void (*entry)()) {
  stack = pool.take();
  if (!stack)
    return false;
  bottom = static_cast<char *>(stack) + guardBytes;
  size = stackBytes - guardBytes;
  getcontext(&context);
  context.uc_stack.ss_sp = const_cast<void *>(bottom);
  context.uc_stack.ss_size = size;
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
  return true;
}

/// Tells the sanitizer that the switch is over, and keeps the bounds of the
/// stack that was left: the thread's own stack has none before.
void Fiber::arrive() {
  const SwitchNotes &notes = SwitchNotes::get();
  if (notes.finish)
    notes.finish(target->fakeStack, &source->bottom, &source->size);
}

/// Both fibers belong to this thread.
void Fiber::switchTo(Fiber &from, Fiber &to) {
  source = &from;
  target = &to;
  const SwitchNotes &notes = SwitchNotes::get();
  if (notes.start)
    notes.start(&from.fakeStack, to.bottom, to.size);
  swapcontext(&from.context, &to.context);
  arrive();
}
