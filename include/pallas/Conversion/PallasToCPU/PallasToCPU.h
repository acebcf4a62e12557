//===- PallasToCPU.h - From pallas to loops and memory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PALLASTOCPU_PALLASTOCPU_H
#define PALLAS_CONVERSION_PALLASTOCPU_PALLASTOCPU_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::pallas {

#define GEN_PASS_DECL_CONVERTPALLASTOCPU
#include "pallas/Conversion/Passes.h.inc"

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_PALLASTOCPU_PALLASTOCPU_H
