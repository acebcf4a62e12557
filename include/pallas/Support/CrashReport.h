//===- CrashReport.h - Report of a crash -----------------------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's crash handler allocates memory and runs another program, so it waits
// forever where the heap is damaged or a lock is held. Tools install a report
// that runs ahead of it, needs neither, and ends the process in any case.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_CRASHREPORT_H
#define PALLAS_SUPPORT_CRASHREPORT_H

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mlir::pallas {

/// Makes a crash of this program report what it was doing, and end within a
/// second. To be called by `main` before `llvm::InitLLVM` is constructed.
void installCrashReport(int argc, char **argv);

/// Names what a thread does in crash reports, while the object lives. Costs
/// nothing in programs that have no report.
class CrashContext {
public:
  explicit CrashContext(llvm::function_ref<void(raw_ostream &)> describe);
  ~CrashContext();
  CrashContext(const CrashContext &) = delete;
  CrashContext &operator=(const CrashContext &) = delete;

private:
  int slot = -1;
};

/// Makes crash reports name the passes that run.
void reportPassesInCrashes(PassManager &pm);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_CRASHREPORT_H
