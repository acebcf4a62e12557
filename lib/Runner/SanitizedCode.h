//===- SanitizedCode.h - Compiled code under AddressSanitizer ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_SANITIZEDCODE_H
#define PALLAS_LIB_RUNNER_SANITIZEDCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "pallas/Runner/Engine.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::pallas {

/// An error if the runtime of AddressSanitizer is not part of this process.
llvm::Error checkAddressSanitizer();

/// Gives functions and operations of the LLVM dialect the debug scopes by which
/// their locations become lines of the object.
void addDebugLines(ModuleOp module);

/// Adds checks to all accesses of functions that have the attribute
/// `sanitize_address`.
void instrumentAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// Code with checks in memory. While it lives, reports of the runtime are
/// followed by the lines of the module that its addresses come from.
class SanitizedCode {
public:
  /// Where code begins that comes from one place; empty if it has none.
  struct Line {
    uint64_t offset;
    std::string place;
  };
  using Lookup = llvm::function_ref<llvm::Expected<void *>(StringRef)>;

  /// `object` is what was loaded, whose function `name` is at `address`;
  /// `lookup` finds other symbols of it.
  static llvm::Expected<std::unique_ptr<SanitizedCode>>
  create(llvm::MemoryBufferRef object, StringRef name, void *address,
         Lookup lookup);
  ~SanitizedCode();
  SanitizedCode(const SanitizedCode &) = delete;
  SanitizedCode &operator=(const SanitizedCode &) = delete;

  /// The function and line that the code at `address` comes from; empty if it
  /// is other code.
  std::string describe(uintptr_t address) const;

private:
  SanitizedCode() = default;
  llvm::Error readLines(llvm::MemoryBufferRef object, StringRef name,
                        uintptr_t address);

  /// The code, and its lines in order.
  uintptr_t begin = 0, end = 0;
  std::vector<Line> lines;
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
