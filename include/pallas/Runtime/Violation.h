//===- Violation.h - A mistake that checked execution found -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_VIOLATION_H
#define PALLAS_RUNTIME_VIOLATION_H

#include "pallas/Runtime/Mistakes.h"

namespace pallas_rt {

/// One rule that an operation of a kernel broke while it ran, however often.
/// A checked call yields one of these per operation and kind, joined.
class Violation : public llvm::ErrorInfo<Violation> {
public:
  static char ID;

  Violation(std::string location, MistakeKind kind, std::string message,
            std::string remedy, uint64_t call)
      : location(std::move(location)), kind(kind), message(std::move(message)),
        remedy(std::move(remedy)), call(call) {}

  /// `file:line:column` of the operation, or its location as MLIR prints it.
  StringRef getLocation() const { return location; }
  /// The rule that is violated.
  MistakeKind getKind() const { return kind; }
  /// Operation, indices and grid point of the violation.
  StringRef getMessage() const { return message; }
  /// The remedy, as a phrase.
  StringRef getRemedy() const { return remedy; }
  /// A number of the call that found it: devices that are checked together all
  /// fail with the same mistakes.
  uint64_t getCall() const { return call; }
  /// The comment that allows it at its place: `# pallas: allow(data-race)`.
  std::string getComment() const;

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string location;
  MistakeKind kind;
  std::string message, remedy;
  uint64_t call;
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_VIOLATION_H
