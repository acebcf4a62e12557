//===- Reducer.h - Looks for the smallest module that still shows it ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_REDUCE_REDUCER_H
#define PALLAS_TOOLS_PALLAS_REDUCE_REDUCER_H

#include "Reductions.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>
#include <csignal>
#include <tuple>

namespace mlir::pallas {

/// Applies reductions until none makes the module smaller. What is asked about
/// each candidate is MLIR's `Tester`.
class Reducer {
public:
  /// `program` with `arguments` and a file ends with another status than 0 for
  /// modules that show what is looked for, as in mlir-reduce.
  Reducer(OwningOpRef<ModuleOp> module, StringRef program,
          ArrayRef<std::string> arguments);

  bool isInteresting() { return test(*best); }
  /// Stops when nothing helps, after `seconds`, or when `stop` is set.
  void run(double seconds, const volatile sig_atomic_t &stop);

  ModuleOp getModule() { return *best; }
  unsigned getNumTests() const { return numTests; }
  /// Whether it ended before nothing was left to try.
  bool isCut() const { return isOver(); }

private:
  /// Operations that are no constants, sizes of values, and characters.
  using Cost = std::tuple<uint64_t, double, uint64_t>;
  static Cost measure(ModuleOp module);

  bool test(ModuleOp module);
  bool attempt(llvm::function_ref<bool(ModuleOp)> change);
  bool reduce(const Reduction &reduction);
  /// Passes of MLIR's reducer: the reduction tree, and passes of ours that make
  /// modules smaller.
  bool runTree();
  bool runPasses(StringRef passes);
  bool runPass(std::unique_ptr<Pass> pass);
  void report(StringRef what);
  bool isOver() const;

  OwningOpRef<ModuleOp> best;
  Cost bestCost;
  std::string program;
  std::vector<std::string> arguments;
  Tester tester;
  /// Texts of modules that don't show it.
  llvm::StringSet<> dull;
  unsigned numTests = 0;
  std::chrono::steady_clock::time_point start;
  double limit = 0;
  const volatile sig_atomic_t *stop = nullptr;
};

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_REDUCE_REDUCER_H
