//===- Compiler.h - From the LLVM dialect to an object ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_COMPILER_H
#define PALLAS_LIB_RUNNER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "pallas/CPU/Target/Target.h"
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

/// The use of an object: loaded into this process, or written to a file.
enum class ObjectUse { Process, File };

/// Whether `module` is one that passes have lowered, as far as the LLVM
/// dialect.
bool isLowered(ModuleOp module);

/// The CPU that `module` is compiled for. A lowered module names the one that
/// passes chose instructions for; other options are an error then.
llvm::Expected<cpu::Target> chooseTarget(ModuleOp module,
                                         const EngineOptions &options);

/// Translates `module` to LLVM IR, adds a packed wrapper for each entry, and
/// compiles it for `target`. Of the options, those of the compiler count.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(ModuleOp module, ArrayRef<std::string> entries,
                ArrayRef<size_t> numArguments, const cpu::Target &target,
                ObjectUse use, const EngineOptions &options);

/// The CPU of these options with its features, as a key of caches.
std::string describeTarget(const EngineOptions &options);

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_COMPILER_H
