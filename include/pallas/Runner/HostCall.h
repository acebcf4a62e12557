//===- HostCall.h - Functions that kernels call back ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_HOSTCALL_H
#define PALLAS_RUNNER_HOSTCALL_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace mlir::pallas {

/// Calls the function that the process knows by `number`; `arrays` are its
/// operands and behind them its results, dense, an element of fewer than 8 bits
/// in a byte. Kernels call it from any thread. Returns what went wrong.
using HostCallHandler = std::string (*)(int64_t number,
                                        llvm::ArrayRef<void *> arrays);

/// Sends calls of functions of the process to `handler`; without one such a
/// call is an error.
void setHostCallHandler(HostCallHandler handler);
HostCallHandler getHostCallHandler();

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_HOSTCALL_H
