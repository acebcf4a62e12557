//===- Passes.h - Native code for CPUs --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CPU_TRANSFORMS_PASSES_H
#define PALLAS_CPU_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::pallas {
/// The attribute with the type that a function that takes buffers had on
/// tensors. Callers need its shapes and element types.
inline constexpr llvm::StringLiteral getEntryTypeAttrName() {
  return "pallas.entry_type";
}

#define GEN_PASS_DECL
#include "pallas/CPU/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pallas/CPU/Transforms/Passes.h.inc"

} // namespace mlir::pallas

#endif // PALLAS_CPU_TRANSFORMS_PASSES_H
