//===- Passes.h - Passes on the tpu dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_TRANSFORMS_PASSES_H
#define PALLAS_DIALECT_MOSAICTPU_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_TRANSFORMS_PASSES_H
