//===- Rules.h - The rules behind diagnostics -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_LSP_SERVER_RULES_H
#define PALLAS_TOOLS_PALLAS_LSP_SERVER_RULES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::pallas {

/// A row of docs/Rules.md.
struct Rule {
  llvm::StringRef number, text;
};

/// The rules whose check has this message; none for messages of the parser, of
/// ODS and of other dialects.
llvm::SmallVector<Rule> findRules(llvm::StringRef message);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_LSP_SERVER_RULES_H
