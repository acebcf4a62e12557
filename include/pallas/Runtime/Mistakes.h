//===- Mistakes.h - Kinds of mistakes, and which are allowed ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked execution finds mistakes of a few kinds. A caller who knows that one
// of them does no harm can allow it, everywhere or at one place:
//
//   auto allowed = pallas_rt::parseAllowances("output-not-written@rows.py:12");
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_MISTAKES_H
#define PALLAS_RUNTIME_MISTAKES_H

#include "pallas/Runtime/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace pallas_rt {

enum class MistakeKind {
  UninitialisedRead,
  PaddingInResult,
  WindowOutOfBounds,
  AccessOutOfBounds,
  OutputNotWritten,
  OutputRevisited,
  AliasedInputOverwritten,
  DataRace,
  StoreNotCommitted,
  CopyNeverWaitedFor,
  SemaphoreNotZero,
  PhaseNeverWaitedFor
};

/// Title of a kind in messages: `output not written`.
StringRef getMistakeTitle(MistakeKind kind);

/// The title with hyphens, as allowances spell it: `output-not-written`.
std::string getMistakeName(MistakeKind kind);

/// A kind of mistake that a caller allows.
struct Allowance {
  MistakeKind kind;
  /// A path, or the last components of one; empty for every file.
  std::string file;
  /// 0 for every line of the file.
  unsigned line = 0;
};

/// Allows every kind everywhere.
std::vector<Allowance> allowAll();

/// Reads a list with commas in between, of entries `KIND`, `KIND@FILE` and
/// `KIND@FILE:LINE`.
llvm::Expected<std::vector<Allowance>> parseAllowances(StringRef text);

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_MISTAKES_H
