//===- CheckedCall.h - Calls that look for mistakes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_CHECKEDCALL_H
#define PALLAS_RUNTIME_CHECKEDCALL_H

#include "pallas/Runtime/BufferView.h"
#include "pallas/Runtime/Mistakes.h"

namespace pallas_rt {

/// A broken rule, as it happened first.
struct Finding {
  std::string location;
  MistakeKind kind;
  std::string message, remedy;
  uint64_t count = 0;
  /// Whether it is about what is or is not waited for.
  bool isOfWaits = false;
};

/// The result of a checked call: all is well if both lists are empty.
struct CheckedReport {
  std::vector<std::string> errors;
  std::vector<Finding> findings;
  /// Tells this call from others.
  uint64_t call = 0;

  /// Everything as one error; each finding is a `Violation`.
  llvm::Error getError() const;
};

/// From now on, checked calls fail with this reason, also those that wait for
/// their turn, such as behind one that never ends; with none they run again.
void refuseCheckedCalls(std::string reason);

/// Runs checked code as often as it takes to find its mistakes, and leaves out
/// those that are allowed. `outputs` are written only if no other is left;
/// those of several devices follow each other. `device` is one that runs by
/// itself beside others.
CheckedReport
callChecked(llvm::function_ref<llvm::Error(ArrayRef<BufferView>)> run,
            ArrayRef<BufferView> outputs, ArrayRef<Allowance> allowances,
            unsigned numDevices = 1,
            std::optional<unsigned> device = std::nullopt);

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_CHECKEDCALL_H
