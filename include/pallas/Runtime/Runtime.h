//===- Runtime.h - What compiled kernels call -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_RUNTIME_H
#define PALLAS_RUNTIME_RUNTIME_H

#include "pallas/Runtime/Devices.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

extern "C" {
/// Print a part of a line. The line is written when a part ends with a newline,
/// so lines of concurrent kernels do not mix.
void pallas_rt_print_text(const char *text);
void pallas_rt_print_integer(int64_t value);
/// A value of the type with these semantics of LLVM.
void pallas_rt_print_float(double value, int32_t semantics);
}

namespace pallas_rt {

struct Host;

/// Functions that compiled code may call, by their symbol names. Objects of
/// `pallas-run --emit=obj` link against the same names.
ArrayRef<std::pair<const char *, void *>> getRuntimeSymbols();
/// Those that checked code calls as well.
ArrayRef<std::pair<const char *, void *>> getCheckerSymbols();

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
  std::unique_ptr<World> ownWorld;
  std::unique_ptr<Host> host;
  World *world = nullptr;
  RuntimeScope *previous;
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_RUNTIME_H
