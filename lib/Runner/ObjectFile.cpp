//===- ObjectFile.cpp - Objects for any CPU -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file makes objects that are written to files, so they may be for another
// architecture than this machine's. It alone names the code generators of all
// architectures: linkers take a member of an archive where it is called, so a
// program that only runs code, such as the extension of Python, carries one of
// them and is a twelfth smaller.
//
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "llvm/Config/Targets.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir;
using namespace mlir::pallas;

static void initializeCodeGenerators() {
  static std::once_flag flag;
  std::call_once(flag, [] {
#if LLVM_HAS_X86_TARGET
    LLVMInitializeX86Target();
    LLVMInitializeX86AsmPrinter();
#endif
#if LLVM_HAS_AARCH64_TARGET
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64AsmPrinter();
#endif
  });
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
Engine::createObject(ModuleOp module, const EngineOptions &given) {
  initializeCodeGenerators();
  EngineOptions options = given;
  // Code in a file has other relocations.
  options.useCache = false;
  return Impl().build(module, std::move(options), ObjectUse::File);
}
