//===- ChildProcess.h - Work that may end its process -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that came out of a wrong pass may write anywhere, wait forever or fault.
// Here it does so in a copy of the process, which reports its findings through
// a pipe. The copy ends at once, without handlers: these may allocate from a
// damaged heap.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_CHILDPROCESS_H
#define PALLAS_LIB_RUNNER_CHILDPROCESS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::pallas {

/// The writing end of the pipe. A message arrives whole or not at all.
class Reporter {
public:
  explicit Reporter(int descriptor) : descriptor(descriptor) {}
  void report(char kind, llvm::StringRef text = "") const;

private:
  int descriptor;
};

struct Report {
  char kind;
  std::string text;
};

struct ChildProcess {
  /// The reports of the child until its end, in order.
  std::vector<Report> reports;
  /// How it ended, such as "ends with signal 11 (Segmentation fault)"; empty if
  /// its work was done.
  std::string failure;
};

/// Lets the process that calls it, a child, end by SIGALRM after this time;
/// nothing counts with 0 seconds.
void limitTime(unsigned seconds);

/// Does `work` in a child process. Only the thread that calls exists there, so
/// the others of this process must not hold locks that the work takes.
llvm::Expected<ChildProcess>
runInChild(llvm::function_ref<void(const Reporter &)> work);

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_CHILDPROCESS_H
