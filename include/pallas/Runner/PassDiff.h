//===- PassDiff.h - Which pass changes the answer ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto differ = pallas::PassDiffer::create(module, inputs);
//   if (!differ)
//     return differ.takeError();
//   auto diff = (*differ)->run(pm);
//
// Runs a pipeline, executes the module after each of its passes, and compares
// the results with those of the module as it was given. The modules in between
// are executed by `pallas-to-llvm` without what only makes code faster, so a
// pass that optimizes is found even if it is one of that pipeline.
//
// The pipeline runs in a process of its own; where that one finds anything, it
// runs again, and each module in a process as well: a pass that crashes, or
// whose code crashes or never ends, is a finding like others.
// A module that a pass left alone, or that comes to the same code as an earlier
// one, has the results of that one and is not executed again.
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
  /// far as their type makes it likely, and the types of the values that they
  /// are computed from. Integers must be the same.
  std::optional<double> tolerance;
  /// How long a pass may take, and a module to be compiled and executed.
  unsigned seconds = 60;
};

struct PassDiff {
  /// How many passes ran, counted per operation that they ran on, and after how
  /// many of them the results of the module are known.
  unsigned numPasses = 0, numExecuted = 0;
  /// The first pass that crashes or after which results differ, as its option
  /// or its C++ name and the operation that it ran on; empty if there is none.
  /// Passes behind it do not run.
  std::string pass;
  /// Its number among the passes, from 1.
  unsigned number = 0;
  /// The difference, or the crash.
  std::string change;
  /// The passes after which the module could not be executed, with reasons.
  std::vector<std::string> notExecuted;
};

class PassDiffer {
public:
  /// Executes `module`, a valid one, whose results are those to compare with.
  /// Fails if it does not run. The context does without threads as long as the
  /// differ lives, and `inputs` must live as long.
  static llvm::Expected<std::unique_ptr<PassDiffer>>
  create(ModuleOp module, ArrayRef<BufferView> inputs,
         const PassDiffOptions &options = {});
  ~PassDiffer();

  /// Results of the module as given, for as long as the differ lives.
  SmallVector<BufferView> getResults() const;

  /// Runs `pm` on a copy of the module. Fails if a pass fails before any pass
  /// changed the answer.
  llvm::Expected<PassDiff> run(PassManager &pm);

private:
  struct Impl;
  explicit PassDiffer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace pallas
} // namespace mlir

#endif // PALLAS_RUNNER_PASSDIFF_H
