//===- Passes.h - Passes on the pallas dialect ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_PASSES_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;

namespace pallas {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"

/// Registers how the operations of this project and of scf and func discharge.
void registerDischargeModels(DialectRegistry &registry);

} // namespace pallas
} // namespace mlir

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_PASSES_H
