//===- SanitizedCode.h - Compiled code under AddressSanitizer ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_SANITIZEDCODE_H
#define PALLAS_LIB_RUNNER_SANITIZEDCODE_H

#include "CodeLines.h"
#include "pallas/Runner/Engine.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::pallas {

/// An error if the runtime of AddressSanitizer is not part of this process.
llvm::Error checkAddressSanitizer();

/// Adds checks to all accesses of functions that have the attribute
/// `sanitize_address`.
void instrumentAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// Code with checks in memory. While it lives, reports of the runtime are
/// followed by the lines of the module that its addresses come from.
class SanitizedCode {
public:
  using Lookup = llvm::function_ref<llvm::Expected<void *>(StringRef)>;

  /// `lines` are those of what was loaded, and outlive this; `lookup` finds
  /// symbols of it.
  static llvm::Expected<std::unique_ptr<SanitizedCode>>
  create(const CodeLines &lines, Lookup lookup);
  ~SanitizedCode();
  SanitizedCode(const SanitizedCode &) = delete;
  SanitizedCode &operator=(const SanitizedCode &) = delete;

  const CodeLines &lines;

private:
  explicit SanitizedCode(const CodeLines &lines) : lines(lines) {}

  /// Undoes what was done when the code was loaded.
  void (*leave)() = nullptr;
};

/// Arrays of a call in allocations of their own, so that what lies around them
/// is watched: callers cut theirs from files and from larger blocks.
class WatchedArrays {
public:
  WatchedArrays(ArrayRef<BufferView> inputs, ArrayRef<BufferView> outputs);

  ArrayRef<BufferView> getInputs() const { return inputs; }
  ArrayRef<BufferView> getOutputs() const { return outputs; }

  /// Gives the caller what the call has written.
  void copyBack() const;

private:
  SmallVector<BufferView> inputs, outputs;
  ArrayRef<BufferView> callersOutputs;
  std::vector<std::unique_ptr<char[]>> memory;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_SANITIZEDCODE_H
