//===- Print.cpp - Where kernels print ------------------------------------===//
//
// Code prints piece by piece; a thread keeps the pieces until its line is
// complete, so that lines of parallel programs do not mix.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runner/Print.h"
#include "Runtime.h"
#include <atomic>
#include <cstdio>
#include <string>

using namespace mlir::pallas;

static void writeToStdout(llvm::StringRef line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
}

static std::atomic<PrintHandler> currentHandler = &writeToStdout;
static thread_local std::string pending;

void mlir::pallas::setPrintHandler(PrintHandler handler) {
  currentHandler = handler ? handler : &writeToStdout;
}

void mlir::pallas::printText(const char *text) {
  pending += text;
  if (pending.empty() || pending.back() != '\n')
    return;
  std::string line = std::move(pending);
  pending.clear();
  currentHandler.load()(line);
}

void mlir::pallas::printInteger(int64_t value) {
  pending += std::to_string(value);
}

void mlir::pallas::printFloat(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  pending += text;
}
