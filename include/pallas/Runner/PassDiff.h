//===- PassDiff.h - Which pass changes the answer ---------------*- C++ -*-===//
//
// Runs a pipeline, executes the module after each of its passes, and compares
// the results with those of the module as it was given. The modules in between
// are executed by `pallas-to-llvm` without what only makes code faster, so a
// pass that optimizes is found even if it is one of that pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_PASSDIFF_H
#define PALLAS_RUNNER_PASSDIFF_H

#include "pallas/Runner/Engine.h"

namespace mlir {
class PassManager;

namespace pallas {

struct PassDiffOptions {
  /// Function to call; may be empty if there is one only.
  std::string entry;
  /// How far floats may be apart, relative to 1 + their size. Without it, as
  /// far as their type makes it likely. Integers must be the same.
  std::optional<double> tolerance;
};

struct PassDiff {
  /// How many passes ran, counted per operation that they ran on, and after how
  /// many of them the module could be executed.
  unsigned numPasses = 0, numExecuted = 0;
  /// The first pass after which results differ, as its option or its C++ name
  /// and the operation that it ran on; empty if there is none.
  std::string pass;
  /// Its number among the passes, from 1.
  unsigned number = 0;
  /// What differs.
  std::string change;
  /// The passes after which the module could not be executed, with reasons.
  std::vector<std::string> notExecuted;
};

/// Runs `pm` on a copy of `module`. Fails if the module as given does not run
/// or if a pass fails before any pass changed the answer.
llvm::Expected<PassDiff> diffPasses(ModuleOp module, PassManager &pm,
                                    ArrayRef<BufferView> inputs,
                                    const PassDiffOptions &options = {});

} // namespace pallas
} // namespace mlir

#endif // PALLAS_RUNNER_PASSDIFF_H
