//===- Tolerance.h - Which mistakes a checked call passes over --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_TOLERANCE_H
#define PALLAS_LIB_RUNTIME_TOLERANCE_H

#include "pallas/Runtime/Mistakes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <set>

namespace pallas_rt {

/// Mistakes are allowed by the caller, or by a comment at the line of the
/// source where they are found:
///
///   o[i] = x[i]  # pallas: allow(output-not-written)
///
/// Comments on a line of their own count for the line below them.
class Tolerance {
public:
  explicit Tolerance(ArrayRef<Allowance> allowances) : allowances(allowances) {}

  /// `location` is `file:line:column`; elsewhere only what is allowed in every
  /// file is.
  bool allows(MistakeKind kind, StringRef location);

  /// Errors in the comments that have been read.
  const std::set<std::string> &getErrors() const { return errors; }

private:
  bool isAllowedByComment(MistakeKind kind, StringRef location);
  SmallVector<StringRef> readComments(StringRef file, unsigned line);

  ArrayRef<Allowance> allowances;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sources;
  std::map<std::pair<std::string, int>, bool> decisions;
  std::set<std::string> errors;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_TOLERANCE_H
