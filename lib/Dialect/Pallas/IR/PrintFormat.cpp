//===- PrintFormat.cpp - Texts of prints ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PrintFormat.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;

SmallVector<std::string> pallas::splitPrintFormat(StringRef format) {
  SmallVector<std::string> texts(1);
  while (!format.empty()) {
    if (format.consume_front("{}")) {
      texts.emplace_back();
      continue;
    }
    texts.back() += format.front();
    bool isDoubled = format.starts_with("{{") || format.starts_with("}}");
    format = format.drop_front(isDoubled ? 2 : 1);
  }
  return texts;
}

std::string pallas::escapePrintText(StringRef text) {
  std::string format;
  for (char c : text)
    format.append(c == '{' || c == '}' ? 2 : 1, c);
  return format;
}
