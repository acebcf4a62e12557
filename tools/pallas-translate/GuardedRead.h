//===- GuardedRead.h - Reading bytes that may be hostile --------*- C++ -*-===//

#ifndef PALLAS_TOOLS_PALLASTRANSLATE_GUARDEDREAD_H
#define PALLAS_TOOLS_PALLASTRANSLATE_GUARDEDREAD_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::pallas {

/// Runs `read` in a child process with limits on time and memory, and says
/// whether it came to an end, be it with or without an error. Upstream's
/// bytecode reader trusts counts in the bytes: damaged ones can make it abort,
/// take all memory, or never end.
bool survivesReading(llvm::function_ref<void()> read);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLASTRANSLATE_GUARDEDREAD_H
