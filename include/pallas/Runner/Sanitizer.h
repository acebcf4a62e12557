//===- Sanitizer.h - Compiled code under AddressSanitizer -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_SANITIZER_H
#define PALLAS_RUNNER_SANITIZER_H

#include "llvm/Support/Error.h"

namespace mlir::pallas {

/// Whether the environment asks for it: `PALLAS_SANITIZE=address`. Other words
/// are errors.
llvm::Expected<bool> isSanitizeRequested();

/// Starts this program again with the runtime of LLVM's AddressSanitizer in
/// front of the C library; returns where it is there already, or cannot be had.
/// To be called before anything that must not happen twice.
llvm::Error enterAddressSanitizer(char **argv);

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_SANITIZER_H
