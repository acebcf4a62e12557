//===- Fiber.h - Flows of control that share a thread -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_FIBER_H
#define PALLAS_LIB_RUNTIME_FIBER_H

#include <cstddef>
#include <ucontext.h>

namespace pallas_rt {

/// A flow of control that runs until it switches to another one of its thread.
class Fiber {
public:
  /// Represents the flow that creates it.
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Gives it a stack, on which `entry` runs at the first switch to it.
  /// It must never return. False if there is no memory.
  bool prepare(void (*entry)());

  /// Goes on in `to`, and returns at the next switch back to `from`.
  static void switchTo(Fiber &from, Fiber &to);

  /// A fiber must call this first.
  static void arrive();

private:
  ucontext_t context;
  void *stack = nullptr;
  // The stack, as AddressSanitizer has to know it.
  void *fakeStack = nullptr;
  const void *bottom = nullptr;
  size_t size = 0;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_FIBER_H
