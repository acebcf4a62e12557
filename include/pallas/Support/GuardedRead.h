//===- GuardedRead.h - Reading modules that may be hostile ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's readers trust what they read in a few places: bytecode says how
// many things follow, and memory is taken for as many; some text can end a
// process as well. What may be harmful is therefore read by a child process
// first, whose end costs nothing. Bytecode may do its harm silently, so the
// child hands the module over as bytecode that it has written itself. All else
// is read just once.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_GUARDEDREAD_H
#define PALLAS_SUPPORT_GUARDEDREAD_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir {
class DialectRegistry;
class MLIRContext;

namespace pallas {

/// Runs `read` in a child process with limits on time and memory, larger for
/// more `bytes`, and yields the module as bytecode that this process can read.
/// The error says what the child complained about, or nothing but that the
/// bytes are damaged when it did not come to an end. `read` may rely on its own
/// thread and the context that it is given only.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInChild(size_t bytes, const DialectRegistry &registry,
            bool allowUnregisteredDialects,
            llvm::function_ref<OwningOpRef<ModuleOp>(MLIRContext &)> read);

/// How a module is going to be read.
struct ReadOptions {
  bool allowUnregisteredDialects = false;
  /// Where the text is split into modules; nothing when it is not.
  StringRef splitMarker;
};

/// Yields what to read instead of `buffer`: bytecode that a child has written
/// anew, or the same text. Nothing, after a message for the user, when reading,
/// verifying or printing it would bring the process down.
std::unique_ptr<llvm::MemoryBuffer>
makeReadable(std::unique_ptr<llvm::MemoryBuffer> buffer,
             const DialectRegistry &registry, const ReadOptions &options,
             raw_ostream &errors);

} // namespace pallas
} // namespace mlir

#endif // PALLAS_SUPPORT_GUARDEDREAD_H
