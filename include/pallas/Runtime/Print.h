//===- Print.h - Where kernels print ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_PRINT_H
#define PALLAS_RUNTIME_PRINT_H

#include "llvm/ADT/StringRef.h"

namespace pallas_rt {

/// Receives one whole line, with its end. Kernels call it from any thread.
using PrintHandler = void (*)(llvm::StringRef line);

/// Sends what kernels print to `handler`; without one it goes to stdout.
void setPrintHandler(PrintHandler handler);

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_PRINT_H
