//===- pallas-reduce.cpp - Make a module that shows a bug smaller ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built on MLIR's reducer: its tester asks a program about each candidate, and
// its passes take part. The program is this one, as `--judge`, in a process of
// its own, so a candidate may crash or hang whatever runs.
//
//===----------------------------------------------------------------------===//

#include "Predicates.h"
#include "Reducer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "pallas/Register.h"
#include "pallas/Support/CrashReport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <csignal>
#include <thread>

using namespace mlir;
using namespace mlir::pallas;
namespace cl = llvm::cl;

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE"));
static cl::opt<std::string> outputFile("o", cl::value_desc("FILE"),
                                       cl::desc("Where to put the module that "
                                                "is left (default: -)"),
                                       cl::init("-"));
static cl::opt<double> timeLimit(
    "time-limit", cl::value_desc("SECONDS"), cl::init(0),
    cl::desc("When to stop with what has been reached (default: when nothing "
             "makes the module smaller); an interrupt does so, too"));
static cl::opt<bool>
    ask("ask", cl::desc("Reduce nothing; tell by the status whether the "
                        "module shows it: 0 if it does"));
static cl::opt<bool> isJudge("judge", cl::Hidden,
                             cl::desc("The same, with the statuses that "
                                      "MLIR's tester expects"));

static volatile sig_atomic_t isInterrupted = 0;

/// An interrupt is for the search: MLIR's tester would not outlive a judge that
/// ends by it. Judges inherit what is blocked, so none is there without.
static void awaitInterrupt() {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  std::thread([interrupt] {
    int signal;
    sigwait(&interrupt, &signal);
    isInterrupted = 1;
  }).detach();
}

/// MLIR's tester takes another status than 0 for a yes.
static int judge(StringRef tools) {
  auto shows = showsIt(inputFile, tools, /*explain=*/ask);
  if (shows)
    return *shows == isJudge;
  // A candidate without a function to call is one that shows nothing.
  std::string message = llvm::toString(shows.takeError());
  if (ask)
    llvm::errs() << "pallas-reduce: " << message << "\n";
  return isJudge ? 0 : 2;
}

static llvm::Expected<OwningOpRef<ModuleOp>> parse(MLIRContext &context) {
  std::string message;
  auto file = openInputFile(inputFile, &message);
  if (!file)
    return llvm::createStringError("%s", message.c_str());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("%s is not a valid module",
                                   inputFile.c_str());
  return module;
}

/// Why the module that is given is not worth a search.
static llvm::Error explainDullness(ModuleOp module, StringRef tools) {
  SmallString<128> copy;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "pallas-reduce", "mlir", descriptor, copy))
    return llvm::createStringError(error, "no file for the module: %s",
                                   error.message().c_str());
  llvm::ToolOutputFile file(copy, descriptor);
  module.print(file.os());
  file.os().flush();
  auto shows = showsIt(copy, tools, /*explain=*/true);
  if (!shows)
    return shows.takeError();
  return llvm::createStringError(
      *shows ? "what is looked for comes and goes: the module shows it now, "
               "and did not before"
             : "the module does not show what is looked for");
}

static llvm::Error reduceFile(StringRef self, StringRef tools) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerReductionPatterns(registry);
  registerAllPasses();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = parse(context);
  if (!module)
    return module.takeError();
  std::string message;
  auto output = openOutputFile(outputFile, &message);
  if (!output)
    return llvm::createStringError("%s", message.c_str());

  // Candidates break rules all the time.
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  std::vector<std::string> arguments = getPredicateArguments();
  arguments.push_back("--judge");
  Reducer reducer(std::move(*module), self, arguments);
  awaitInterrupt();
  if (!reducer.isInteresting())
    return explainDullness(reducer.getModule(), tools);
  reducer.run(timeLimit, isInterrupted);
  if (reducer.isCut())
    llvm::errs() << "pallas-reduce: stopped; a longer search may go on from "
                    "what is left\n";
  reducer.getModule().print(output->os());
  output->keep();
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  installCrashReport(argc, argv);
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Make a module smaller that shows a bug\n\n"
                              "  pallas-reduce kernel.mlir "
                              "--wrong=pallas-discharge-state -o small.mlir\n");
  std::string self =
      llvm::sys::fs::getMainExecutable(argv[0], (void *)&reduceFile);
  StringRef tools = llvm::sys::path::parent_path(self);
  llvm::Error error = checkPredicateOptions();
  if (!error && (ask || isJudge))
    return judge(tools);
  if (!error)
    error = reduceFile(self, tools);
  if (error) {
    llvm::errs() << "pallas-reduce: " << llvm::toString(std::move(error))
                 << "\n";
    return ask ? 2 : 1;
  }
  return 0;
}
