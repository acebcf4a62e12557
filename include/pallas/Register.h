//===- Register.h - All dialects and passes of this project -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for tools that need everything. An embedding compiler that needs
// only the dialect links PallasIR and inserts `pallas::PallasDialect`.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_REGISTER_H
#define PALLAS_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::pallas {

/// The dialects of this project, those that kernels are written in beside
/// them, and what the pipelines need in a context.
void registerAllDialects(DialectRegistry &registry);

/// The passes and pipelines of this project, and upstream's general
/// transformations (canonicalize, cse, ...).
void registerAllPasses();

} // namespace mlir::pallas

#endif // PALLAS_REGISTER_H
