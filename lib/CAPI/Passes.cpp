//===- Passes.cpp - C API of the passes -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the passes for users of the C API.
//
//===----------------------------------------------------------------------===//

#include "pallas-c/Passes.h"
#include "pallas/Register.h"

void pallasRegisterAllPasses() { mlir::pallas::registerAllPasses(); }
