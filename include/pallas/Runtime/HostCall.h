//===- HostCall.h - Functions that kernels call back ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_HOSTCALL_H
#define PALLAS_RUNTIME_HOSTCALL_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace pallas_rt {

/// Calls the function that the process knows by `number`; `arrays` are its
/// operands and behind them its results, dense, an element of fewer than 8 bits
/// in a byte. Kernels call it from any thread. Returns what went wrong.
using HostCallHandler = std::string (*)(int64_t number,
                                        llvm::ArrayRef<void *> arrays);

/// Sends calls of functions of the process to `handler`; without one such a
/// call is an error.
void setHostCallHandler(HostCallHandler handler);
HostCallHandler getHostCallHandler();

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_HOSTCALL_H
