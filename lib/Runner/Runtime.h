//===- Runtime.h - What compiled kernels call -------------------*- C++ -*-===//

#ifndef PALLAS_LIB_RUNNER_RUNTIME_H
#define PALLAS_LIB_RUNNER_RUNTIME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <utility>

namespace mlir::pallas {

/// Functions that compiled code may call, by their symbol names.
llvm::ArrayRef<std::pair<const char *, void *>> getRuntimeSymbols();

/// Pieces of what a kernel prints; the end of a line sends it off.
void printText(const char *text);
void printInteger(int64_t value);
void printFloat(double value);

/// Collects the errors that the kernel reports on this thread while it lives.
class RuntimeErrorScope {
public:
  RuntimeErrorScope();
  ~RuntimeErrorScope();
  RuntimeErrorScope(const RuntimeErrorScope &) = delete;
  RuntimeErrorScope &operator=(const RuntimeErrorScope &) = delete;

  /// The first error of the kernel.
  llvm::Error takeError();

private:
  friend void reportRuntimeError(const char *message);
  std::string text;
  RuntimeErrorScope *previous;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_RUNTIME_H
