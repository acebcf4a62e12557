//===- DiffPasses.cpp - Find the pass that changes the answer -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DiffPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Register.h"
#include "pallas/Support/CrashReport.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::registerForPassDiff(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllPasses();
}

static llvm::Expected<bool> reportOne(PassDiffer &differ, MLIRContext *context,
                                      StringRef pipeline) {
  PassManager pm(context);
  reportPassesInCrashes(pm);
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (failed(parsePassPipeline(pipeline, pm, errors)))
    return llvm::createStringError("bad --diff-passes: %s", message.c_str());
  auto diff = differ.run(pm);
  if (!diff)
    return diff.takeError();
  llvm::outs() << pipeline << ": " << diff->numPasses
               << " passes, executed after " << diff->numExecuted << "\n";
  if (!diff->notExecuted.empty())
    llvm::outs() << "  not executed after " << diff->notExecuted.size()
                 << " passes, first " << diff->notExecuted.front() << "\n";
  if (diff->pass.empty()) {
    llvm::outs() << "  no pass changes the answer\n";
    return true;
  }
  llvm::outs() << "  pass " << diff->number << ", " << diff->pass
               << ", changes the answer: " << diff->change << "\n";
  return false;
}

llvm::Expected<bool> pallas::reportPassDiff(PassDiffer &differ,
                                            MLIRContext *context,
                                            StringRef pipeline) {
  if (!pipeline.empty())
    return reportOne(differ, context, pipeline);
  bool isSame = true;
  for (StringRef each :
       {"pallas-to-llvm",
        "pallas-discharge-state,canonicalize,cse,pallas-to-llvm"}) {
    auto result = reportOne(differ, context, each);
    if (!result)
      return result.takeError();
    isSame &= *result;
  }
  return isSame;
}
