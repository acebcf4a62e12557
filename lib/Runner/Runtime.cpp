//===- Runtime.cpp - What compiled kernels call ---------------------------===//

#include "Runtime.h"

using namespace mlir::pallas;

static thread_local RuntimeErrorScope *currentScope = nullptr;

RuntimeErrorScope::RuntimeErrorScope() : previous(currentScope) {
  currentScope = this;
}
RuntimeErrorScope::~RuntimeErrorScope() { currentScope = previous; }

llvm::Error RuntimeErrorScope::takeError() {
  if (text.empty())
    return llvm::Error::success();
  return llvm::createStringError("%s", text.c_str());
}

namespace mlir::pallas {
/// Later errors are consequences of the first one.
void reportRuntimeError(const char *message) {
  if (currentScope && currentScope->text.empty())
    currentScope->text = message;
}
} // namespace mlir::pallas

llvm::ArrayRef<std::pair<const char *, void *>>
mlir::pallas::getRuntimeSymbols() {
  static const std::pair<const char *, void *> symbols[] = {
      {"pallas_rt_error", reinterpret_cast<void *>(&reportRuntimeError)},
      {"pallas_rt_print_text", reinterpret_cast<void *>(&printText)},
      {"pallas_rt_print_integer", reinterpret_cast<void *>(&printInteger)},
      {"pallas_rt_print_float", reinterpret_cast<void *>(&printFloat)},
  };
  return symbols;
}
