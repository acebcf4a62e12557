//===- Runtime.h - What compiled kernels call -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_RUNTIME_H
#define PALLAS_LIB_RUNNER_RUNTIME_H

#include "World.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mlir::pallas {

/// Functions that compiled code may call, by their symbol names.
llvm::ArrayRef<std::pair<const char *, void *>> getRuntimeSymbols();

/// Pieces of what a kernel prints; the end of a line sends it off.
void printText(const char *text);
void printInteger(int64_t value);
/// A value of the type with these semantics of LLVM.
void printFloat(double value, int32_t semantics);

/// A call of an entry on this thread, on a device of a group or else on the
/// only one there is. Collects what the kernel reports while it lives.
class RuntimeScope {
public:
  explicit RuntimeScope(DeviceContext context);
  ~RuntimeScope();
  RuntimeScope(const RuntimeScope &) = delete;
  RuntimeScope &operator=(const RuntimeScope &) = delete;

  /// The world that the call runs in, made when the kernel first needs it.
  World &getWorld();

  void fail(const char *message);

  /// Ends the call and returns the first error of the kernel. Semaphores that
  /// are not zero at the end of their scope are errors, too, or else printed.
  llvm::Error finish(bool toleratesLeftovers);

private:
  std::optional<World> ownWorld;
  std::optional<Host> host;
  World *world = nullptr;
  RuntimeScope *previous;
  std::string error;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_RUNTIME_H
