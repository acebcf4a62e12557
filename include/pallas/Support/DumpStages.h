//===- DumpStages.h - The module after each pass, in files ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own `--mlir-print-ir-tree-dir` has a folder per operation, and files
// of two folders do not follow each other. Here each file is a whole module,
// and two neighbours show what one pass has done:
//
//   diff DIR/003-canonicalize.mlir DIR/004-cse.mlir
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_DUMPSTAGES_H
#define PALLAS_SUPPORT_DUMPSTAGES_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::pallas {

/// Writes the module to `folder` before the first pass and after each pass that
/// changes it; without a folder it does nothing. The folder is created; stages
/// of an earlier run in it are removed. The context runs one thread from here
/// on, since a module is printed while passes on its functions would run.
llvm::Error dumpStages(PassManager &pm, llvm::StringRef folder);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_DUMPSTAGES_H
