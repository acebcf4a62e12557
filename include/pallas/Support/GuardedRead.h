//===- GuardedRead.h - Reading modules that may be hostile ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's readers trust what they read in a few places: they allocate as
// much memory as a number in the bytecode asks for, and some text makes them
// crash. Such input is read by a child process first, whose end costs nothing.
// Bytecode may corrupt memory silently, so the child returns the module as
// bytecode that it has written itself. All other text is read just once.
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
/// The error has the diagnostics of the child, or only that the bytes are
/// damaged if the child crashed. `read` may rely on its own thread and the
/// context that it is given only.
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
/// again, or the same text. Yields null, after a message for the user, if
/// reading, verifying or printing it would crash the process.
std::unique_ptr<llvm::MemoryBuffer>
makeReadable(std::unique_ptr<llvm::MemoryBuffer> buffer,
             const DialectRegistry &registry, const ReadOptions &options,
             raw_ostream &errors);

} // namespace pallas
} // namespace mlir

#endif // PALLAS_SUPPORT_GUARDEDREAD_H
