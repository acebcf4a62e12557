//===- LLVM.h - What the runtime takes from LLVM ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime knows nothing of IR: of LLVM it uses containers, text and errors
// (`llvm/ADT`, `llvm/Support`), and of MLIR nothing, so that compiled kernels
// can run where no compiler is.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_LLVM_H
#define PALLAS_RUNTIME_LLVM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace pallas_rt {
using llvm::ArrayRef;
using llvm::function_ref;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;
} // namespace pallas_rt

#endif // PALLAS_RUNTIME_LLVM_H
