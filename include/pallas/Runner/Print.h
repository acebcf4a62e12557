//===- Print.h - Where kernels print ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_PRINT_H
#define PALLAS_RUNNER_PRINT_H

#include "llvm/ADT/StringRef.h"

namespace mlir::pallas {

/// Receives one whole line, with its end. Kernels call it from any thread.
using PrintHandler = void (*)(llvm::StringRef line);

/// Sends what kernels print to `handler`; without one it goes to stdout.
void setPrintHandler(PrintHandler handler);

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_PRINT_H
