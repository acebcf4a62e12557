//===- Violation.h - A mistake that checked execution found -----*- C++ -*-===//

#ifndef PALLAS_RUNNER_VIOLATION_H
#define PALLAS_RUNNER_VIOLATION_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::pallas {

/// One rule that an operation of a kernel broke while it ran, however often.
/// A checked call yields one of these per operation and kind, joined.
class Violation : public llvm::ErrorInfo<Violation> {
public:
  static char ID;

  Violation(std::string location, std::string kind, std::string message,
            std::string remedy)
      : location(std::move(location)), kind(std::move(kind)),
        message(std::move(message)), remedy(std::move(remedy)) {}

  /// `file:line:column` of the operation, or its location as MLIR prints it.
  StringRef getLocation() const { return location; }
  /// What rule it is about, in a few words: `uninitialised read`.
  StringRef getKind() const { return kind; }
  /// What happened: operation, indices, grid point.
  StringRef getMessage() const { return message; }
  /// What would make it right, as a phrase.
  StringRef getRemedy() const { return remedy; }

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string location, kind, message, remedy;
};

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_VIOLATION_H
