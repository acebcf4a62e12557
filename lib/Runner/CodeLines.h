//===- CodeLines.h - Places that compiled code comes from -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_CODELINES_H
#define PALLAS_LIB_RUNNER_CODELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::pallas {

/// Gives functions and operations of the LLVM dialect the debug scopes by which
/// their locations become lines of the object.
void addDebugLines(ModuleOp module);

/// The lines of code that was loaded.
class CodeLines {
public:
  /// Where code begins that comes from one place, `FILE:LINE:COLUMN`; empty if
  /// it has none.
  struct Line {
    uint64_t offset;
    std::string function, place;
  };

  /// `object` is what was loaded, whose function `name` is at `address`.
  static llvm::Expected<std::unique_ptr<CodeLines>>
  create(llvm::MemoryBufferRef object, StringRef name, uintptr_t address);

  /// The line that the code at `address` comes from; null if it is other code.
  const Line *find(uintptr_t address) const;

private:
  /// The code, and its lines in order.
  uintptr_t begin = 0, end = 0;
  std::vector<Line> lines;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_CODELINES_H
