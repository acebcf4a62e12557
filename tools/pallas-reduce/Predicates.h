//===- Predicates.h - What a reduced module has to show ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_REDUCE_PREDICATES_H
#define PALLAS_TOOLS_PALLAS_REDUCE_PREDICATES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::pallas {

/// Whether the options name one predicate, and what belongs to it.
llvm::Error checkPredicateOptions();

/// The options of the predicate as they were given, for another process.
std::vector<std::string> getPredicateArguments();

/// Whether the module in a file shows what is looked for. `tools` is the folder
/// of the tools that are run on it. Tells with `explain` why it does not.
llvm::Expected<bool> showsIt(StringRef file, StringRef tools, bool explain);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_REDUCE_PREDICATES_H
