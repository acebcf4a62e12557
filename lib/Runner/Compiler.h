//===- Compiler.h - From the LLVM dialect to an object ----------*- C++ -*-===//

#ifndef PALLAS_LIB_RUNNER_COMPILER_H
#define PALLAS_LIB_RUNNER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "pallas/Runner/Engine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace mlir::pallas {

/// Makes LLVM know this machine; as often as one likes, from any thread.
void initializeNativeTarget();

/// Name of the function that calls `entry` with an array of pointers to memref
/// descriptors.
std::string getPackedName(StringRef entry);

/// Translates `module` to LLVM IR, adds a packed wrapper for each entry, and
/// compiles it for this machine. Of the options, those of the compiler count.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(ModuleOp module, ArrayRef<std::string> entries,
                ArrayRef<size_t> numArguments, const EngineOptions &options);

/// An error if a name in this list, with commas between, is no feature of this
/// machine; `host` means those that it has.
llvm::Error checkFeatures(StringRef features);

/// CPU and features of this machine, as a key of caches.
std::string describeHost();

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_COMPILER_H
