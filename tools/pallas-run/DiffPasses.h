//===- DiffPasses.h - Find the pass that changes the answer -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLASRUN_DIFFPASSES_H
#define PALLAS_TOOLS_PALLASRUN_DIFFPASSES_H

#include "pallas/Runner/PassDiff.h"

namespace mlir::pallas {

/// Makes dialects and passes known.
void registerForPassDiff(DialectRegistry &registry);

/// Reports which pass changes the answer. An empty pipeline means those of this
/// project: the one to native code and the one to values. Yields whether no
/// pass does.
llvm::Expected<bool> reportPassDiff(PassDiffer &differ, MLIRContext *context,
                                    StringRef pipeline);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLASRUN_DIFFPASSES_H
