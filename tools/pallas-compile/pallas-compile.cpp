//===- pallas-compile.cpp - Compile many modules --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a process of pallas-opt or pallas-run for each module, as many at a
// time as there are cores, so that a module which crashes its compiler or never
// ends takes no other one with it.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/CrashReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>
#include <vector>

using llvm::ArrayRef;
using llvm::SmallString;
using llvm::StringRef;
namespace cl = llvm::cl;
namespace path = llvm::sys::path;
using Clock = std::chrono::steady_clock;

static cl::OptionCategory category("pallas-compile options");
static cl::list<std::string> files(cl::Positional, cl::OneOrMore,
                                   cl::desc("FILES..."), cl::cat(category));
static cl::opt<std::string>
    target("target", cl::init("cpu"), cl::value_desc("TARGET"),
           cl::desc("cpu or a CPU behind a colon (objects), tpu:v5e or "
                    "gpu:sm_90a (modules of the compiler for these); the "
                    "default is cpu"),
           cl::cat(category));
static cl::opt<std::string>
    pipeline("pipeline", cl::value_desc("PASSES"),
             cl::desc("Run these passes instead of those of a target"),
             cl::cat(category));
static cl::opt<std::string>
    folder("out-dir", cl::value_desc("DIR"),
           cl::desc("Where to put results; without it they are dropped"),
           cl::cat(category));
static cl::opt<std::string>
    reproducers("reproducers", cl::value_desc("DIR"), cl::init("."),
                cl::desc("Where to put a reproducer for each module that a "
                         "pass crashes on (default: here)"),
                cl::cat(category));
static cl::opt<std::string>
    stagesFolder("dump-stages", cl::value_desc("DIR"),
                 cl::desc("Where to put each module after each pass that "
                          "changes it: numbered files in a folder per module"),
                 cl::cat(category));
static cl::opt<unsigned> jobs("j", cl::Prefix, cl::init(0),
                              cl::desc("Modules at a time (default: one per "
                                       "core)"),
                              cl::cat(category));
static cl::opt<double>
    timeLimit("time-limit", cl::value_desc("SECONDS"), cl::init(600),
              cl::desc("How long a module may take (default: 600)"),
              cl::cat(category));
static cl::opt<std::string> jsonFile("json", cl::value_desc("FILE"),
                                     cl::desc("Where to put a report"),
                                     cl::cat(category));
static cl::opt<std::string>
    optTool("pallas-opt", cl::Hidden,
            cl::desc("Which pallas-opt runs passes; else the one beside this "
                     "tool"),
            cl::cat(category));

namespace {
enum class Outcome { Compiled, Refused, Crashed, TimedOut };

struct Module {
  std::string file, output, reproducer, stages, log;
  std::vector<std::string> command;
  llvm::sys::ProcessInfo process;
  Clock::time_point start;
  /// Whether the process runs the passes again, to write the reproducer.
  bool isReproducing = false;
  double seconds = 0;
  Outcome outcome = Outcome::Compiled;
  std::string message;
};
} // namespace

static StringRef spell(Outcome outcome) {
  switch (outcome) {
  case Outcome::Compiled:
    return "compiled";
  case Outcome::Refused:
    return "refused";
  case Outcome::Crashed:
    return "crashed";
  case Outcome::TimedOut:
    return "timed out";
  }
  llvm_unreachable("each outcome has a name");
}

static double getSeconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

static std::string join(StringRef directory, const llvm::Twine &name) {
  SmallString<128> joined(directory);
  path::append(joined, name);
  return std::string(joined);
}

/// The command for a module: its program, then its arguments.
static llvm::Expected<std::vector<std::string>> getCommand(Module &module,
                                                           StringRef tools) {
  std::string opt = optTool.empty() ? join(tools, "pallas-opt") : optTool;
  auto runPasses = [&](const llvm::Twine &passes) {
    return std::vector<std::string>{opt,          module.file,
                                    "-o",         module.output,
                                    passes.str(), "--mlir-disable-threading"};
  };
  constexpr StringRef anchor = "builtin.module(";
  if (StringRef(pipeline).starts_with(anchor))
    return runPasses("--pass-pipeline=" + pipeline);
  if (!pipeline.empty())
    return runPasses("--pass-pipeline=" + anchor + pipeline + ")");
  auto [kind, chip] = StringRef(target).split(':');
  if (kind == "tpu")
    return runPasses("--pallas-to-mosaic-tpu" +
                     (chip.empty() ? "" : "=chip=" + chip.str()));
  if (kind == "gpu")
    return runPasses("--pallas-to-mosaic-gpu" +
                     (chip.empty() ? "" : "=arch=" + chip.str()));
  if (kind != "cpu")
    return llvm::createStringError(
        "target '%s' is unknown; use cpu, tpu or gpu, with a chip behind a "
        "colon",
        target.c_str());
  std::vector<std::string> command{join(tools, "pallas-run"),
                                   module.file,
                                   "--emit=obj",
                                   "--no-cache",
                                   "-o",
                                   module.output};
  if (!chip.empty())
    command.push_back("--cpu=" + chip.str());
  return command;
}

/// Nothing that is compiled may be written.
static llvm::Error checkIsNoInput(llvm::ArrayRef<Module> modules,
                                  StringRef file, StringRef option) {
  for (const Module &module : modules)
    if (llvm::sys::fs::equivalent(module.file, file))
      return llvm::createStringError(
          "%s would be overwritten, which is compiled here; choose another "
          "folder by %s",
          file.str().c_str(), option.str().c_str());
  return llvm::Error::success();
}

/// Names of files that belong to a module; those of two modules with one name
/// get numbers.
static llvm::Error nameFiles(std::vector<Module> &modules) {
  bool makesObjects = pipeline.empty() && StringRef(target).starts_with("cpu");
  llvm::StringSet<> taken;
  for (Module &module : modules) {
    std::string stem = path::stem(module.file).str(), name = stem;
    for (unsigned n = 2; !taken.insert(name).second; ++n)
      name = stem + "-" + std::to_string(n);
    module.output = folder.empty()
                        ? "/dev/null"
                        : join(folder, name + (makesObjects ? ".o" : ".mlir"));
    module.reproducer = join(reproducers, name + ".reproducer.mlir");
    if (!stagesFolder.empty())
      module.stages = join(stagesFolder, name);
    if (llvm::Error error = checkIsNoInput(modules, module.output, "--out-dir"))
      return error;
    if (llvm::Error error =
            checkIsNoInput(modules, module.reproducer, "--reproducers"))
      return error;
    int descriptor;
    SmallString<128> log;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile(
            "pallas-compile", "log", descriptor, log))
      return llvm::createStringError(error, "no file for messages: %s",
                                     error.message().c_str());
    close(descriptor);
    module.log = std::string(log);
  }
  for (StringRef directory : {StringRef(folder), StringRef(reproducers)})
    if (std::error_code error = llvm::sys::fs::create_directories(directory);
        error && !directory.empty())
      return llvm::createStringError(error, "%s: %s", directory.str().c_str(),
                                     error.message().c_str());
  return llvm::Error::success();
}

/// Starts the command of a module with more arguments.
static llvm::Error start(Module &module, ArrayRef<StringRef> more,
                         StringRef log) {
  llvm::SmallVector<StringRef> arguments(module.command.begin(),
                                         module.command.end());
  arguments.append(more.begin(), more.end());
  std::optional<StringRef> redirects[] = {StringRef(), log, log};
  std::string message;
  module.start = Clock::now();
  bool failed = false;
  module.process =
      llvm::sys::ExecuteNoWait(module.command.front(), arguments, std::nullopt,
                               redirects, 0, &message, &failed);
  if (failed)
    return llvm::createStringError("%s: %s", module.command.front().c_str(),
                                   message.c_str());
  return llvm::Error::success();
}

static llvm::Error startCompiling(Module &module, StringRef tools) {
  auto command = getCommand(module, tools);
  if (!command)
    return command.takeError();
  module.command = std::move(*command);
  if (!module.stages.empty())
    module.command.push_back("--dump-stages=" + module.stages);
  llvm::sys::fs::remove(module.reproducer);
  return start(module, {}, module.log);
}

/// Runs the passes again in a process that survives their crash and saves
/// the module that they crash on. The first one reports the crash better.
static bool startReproducing(Module &module) {
  if (module.command.front() != optTool &&
      !StringRef(module.command.front()).ends_with("pallas-opt"))
    return false;
  std::string option =
      "--mlir-pass-pipeline-crash-reproducer=" + module.reproducer;
  module.isReproducing =
      !llvm::errorToBool(start(module, StringRef(option), /*log=*/""));
  return module.isReproducing;
}

static void stop(Module &module) {
  kill(module.process.Pid, SIGKILL);
  llvm::sys::Wait(module.process, std::nullopt);
}

/// The first error among the messages, the pass that a crash report names, or
/// the first line.
static std::string readMessage(const Module &module) {
  auto buffer = llvm::MemoryBuffer::getFile(module.log);
  if (!buffer)
    return "";
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    if (line.contains("error: ") || line.contains("while it was running"))
      return line.trim().str();
  return lines.empty() ? "" : lines.front().str();
}

/// Whether nothing more is to be done for a module: its process has ended, of
/// its own or because of the limit, and the one that writes a reproducer, too.
static bool finish(Module &module) {
  std::string message;
  auto result = llvm::sys::Wait(module.process, /*SecondsToWait=*/0, &message);
  double seconds = getSeconds(module.start);
  bool isOver = result.Pid == 0 && seconds >= timeLimit;
  if (result.Pid == 0 && !isOver)
    return false;
  if (isOver)
    stop(module);
  if (module.isReproducing)
    return true;
  module.seconds = seconds;
  if (isOver) {
    module.outcome = Outcome::TimedOut;
    module.message =
        llvm::formatv("takes longer than the {0} seconds of --time-limit",
                      timeLimit.getValue());
    return true;
  }
  if (result.ReturnCode == 0)
    return true;
  // A crash report ends the process with a status of its own.
  bool hasCrashed = result.ReturnCode < 0 || result.ReturnCode > 2;
  module.outcome = hasCrashed ? Outcome::Crashed : Outcome::Refused;
  module.message = readMessage(module);
  return !hasCrashed || !startReproducing(module);
}

/// A line for a module that has ended.
static void report(const Module &module, size_t numDone, size_t numModules,
                   Clock::time_point begin) {
  double left = getSeconds(begin) / numDone * (numModules - numDone);
  llvm::outs() << llvm::formatv("[{0}/{1}] {2,-9} {3,8:f1} ms  {4}", numDone,
                                numModules, spell(module.outcome),
                                module.seconds * 1e3, module.file);
  if (!module.message.empty())
    llvm::outs() << ": " << module.message;
  if (module.outcome != Outcome::Compiled &&
      llvm::sys::fs::exists(module.reproducer))
    llvm::outs() << " (reproducer: " << module.reproducer << ")";
  if (numDone < numModules)
    llvm::outs() << llvm::formatv("  [{0:f0} s left]", left);
  llvm::outs() << "\n";
  llvm::outs().flush();
}

static llvm::Error compileAll(std::vector<Module> &modules, StringRef tools) {
  unsigned numJobs =
      jobs ? jobs : llvm::hardware_concurrency().compute_thread_count();
  Clock::time_point begin = Clock::now();
  std::vector<Module *> running;
  size_t next = 0, numDone = 0;
  while (numDone < modules.size()) {
    for (; running.size() < numJobs && next < modules.size(); ++next) {
      if (llvm::Error error = startCompiling(modules[next], tools)) {
        for (Module *module : running)
          stop(*module);
        return error;
      }
      running.push_back(&modules[next]);
    }
    size_t numBefore = numDone;
    llvm::erase_if(running, [&](Module *module) {
      if (!finish(*module))
        return false;
      report(*module, ++numDone, modules.size(), begin);
      return true;
    });
    if (numDone == numBefore)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return llvm::Error::success();
}

static void summarize(ArrayRef<Module> modules, double seconds) {
  llvm::outs() << "\n";
  for (Outcome outcome : {Outcome::Compiled, Outcome::Refused, Outcome::Crashed,
                          Outcome::TimedOut}) {
    size_t count = llvm::count_if(modules, [&](const Module &module) {
      return module.outcome == outcome;
    });
    llvm::outs() << llvm::formatv("{0,-9} | {1}\n", spell(outcome), count);
  }
  auto slowest = std::max_element(
      modules.begin(), modules.end(),
      [](const Module &a, const Module &b) { return a.seconds < b.seconds; });
  llvm::outs() << llvm::formatv("seconds   | {0:f2}, the longest {1:f2} for "
                                "{2}\n",
                                seconds, slowest->seconds, slowest->file);
}

static llvm::Error writeJSON(ArrayRef<Module> modules) {
  llvm::json::Array list;
  for (const Module &module : modules) {
    llvm::json::Object object{{"file", module.file},
                              {"outcome", spell(module.outcome)},
                              {"seconds", module.seconds}};
    if (module.outcome == Outcome::Compiled) {
      if (!folder.empty())
        object["output"] = module.output;
    } else {
      object["message"] = llvm::json::fixUTF8(module.message);
      if (llvm::sys::fs::exists(module.reproducer))
        object["reproducer"] = module.reproducer;
    }
    if (llvm::sys::fs::exists(module.stages))
      object["stages"] = module.stages;
    list.push_back(std::move(object));
  }
  llvm::json::Object report{{"modules", std::move(list)}};
  if (pipeline.empty())
    report["target"] = target.getValue();
  else
    report["pipeline"] = pipeline.getValue();
  return llvm::writeToOutput(jsonFile, [&](llvm::raw_ostream &stream) {
    stream << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report)));
    return llvm::Error::success();
  });
}

int main(int argc, char **argv) {
  mlir::pallas::installCrashReport(argc, argv);
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compile many modules at a time\n");
  std::string self =
      llvm::sys::fs::getMainExecutable(argv[0], (void *)&getCommand);
  if (!pipeline.empty() && target.getNumOccurrences()) {
    llvm::errs() << "pallas-compile: --pipeline runs its passes and no others; "
                    "leave out --target\n";
    return 1;
  }
  if (llvm::is_contained(files, "-")) {
    llvm::errs() << "pallas-compile: takes files, whose names are those of "
                    "results and reports; write the module of the standard "
                    "input to one\n";
    return 1;
  }
  Clock::time_point begin = Clock::now();
  std::vector<Module> modules(files.size());
  for (auto [module, file] : llvm::zip_equal(modules, files))
    module.file = file;
  llvm::Error error = nameFiles(modules);
  if (!error)
    error = compileAll(modules, path::parent_path(self));
  for (const Module &module : modules)
    llvm::sys::fs::remove(module.log);
  if (!error)
    summarize(modules, getSeconds(begin));
  if (!error && !jsonFile.empty())
    error = writeJSON(modules);
  if (error) {
    llvm::errs() << "pallas-compile: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  return !llvm::all_of(modules, [](const Module &module) {
    return module.outcome == Outcome::Compiled;
  });
}
