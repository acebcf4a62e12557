//===- Violation.cpp - A mistake that checked execution found -------------===//

#include "pallas/Runner/Violation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::pallas;

char Violation::ID;

void Violation::log(llvm::raw_ostream &stream) const {
  stream << location << ": error: " << kind << ": " << message << "\n"
         << location << ": note: " << remedy;
}

std::error_code Violation::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}
