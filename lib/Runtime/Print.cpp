//===- Print.cpp - Where kernels print ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file prints for kernels. Code prints piece by piece; a thread keeps the
// pieces until its line is complete, so that lines of parallel programs do not
// mix.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/Print.h"
#include "pallas/Runtime/Runtime.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace pallas_rt;

static void writeToStdout(llvm::StringRef line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
}

static std::atomic<PrintHandler> currentHandler = &writeToStdout;
static thread_local std::string pending;

void pallas_rt::setPrintHandler(PrintHandler handler) {
  currentHandler = handler ? handler : &writeToStdout;
}

/// A text that ends a line flushes it.
extern "C" void pallas_rt_print_text(const char *text) {
  pending += text;
  if (pending.empty() || pending.back() != '\n')
    return;
  std::string line = std::move(pending);
  pending.clear();
  currentHandler.load()(line);
}

extern "C" void pallas_rt_print_integer(int64_t value) {
  pending += std::to_string(value);
}

/// With the fewest digits that read back as the same number of this type, in
/// the forms that Python has for them.
extern "C" void pallas_rt_print_float(double value, int32_t semantics) {
  if (!std::isfinite(value)) {
    pending += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return;
  }
  const llvm::fltSemantics &type = llvm::APFloatBase::EnumToSemantics(
      static_cast<llvm::APFloatBase::Semantics>(semantics));
  // Digits that make any f64.
  constexpr int most = std::numeric_limits<double>::max_digits10;
  char text[64];
  int digits = 1;
  // The type decides how few digits are enough: 0.1 as bf16 is 0.1, although
  // the f64 that it is widened to is 0.10009765625.
  for (; digits <= most; ++digits) {
    std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    llvm::APFloat back(type);
    llvm::consumeError(
        back.convertFromString(text, llvm::RoundingMode::NearestTiesToEven)
            .takeError());
    if (back.convertToDouble() == value)
      break;
  }
  int exponent = std::atoi(std::strchr(text, 'e') + 1);
  if (exponent >= -4 && exponent < 16)
    std::snprintf(text, sizeof(text), "%.*f",
                  std::max(0, digits - 1 - exponent), value);
  pending += text;
}
