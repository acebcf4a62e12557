//===- Violation.cpp - A mistake that checked execution found -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file prints findings of checked mode as a compiler prints errors.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/Violation.h"
#include "llvm/Support/raw_ostream.h"

using namespace pallas_rt;

char Violation::ID;

/// The comment that allows the finding, in the language of the source.
std::string Violation::getComment() const {
  StringRef file = StringRef(location).rsplit(':').first.rsplit(':').first;
  return (file.ends_with(".mlir") ? "// " : "# ") +
         ("pallas: allow(" + getMistakeName(kind) + ")");
}

void Violation::log(llvm::raw_ostream &stream) const {
  stream << location << ": error: " << getMistakeTitle(kind) << ": " << message
         << "\n"
         << location << ": note: " << remedy << "\n"
         << location << ": note: to allow it here, write '" << getComment()
         << "'";
}

std::error_code Violation::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}
