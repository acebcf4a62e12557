//===- pallas-run.cpp - Run a module natively -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module of any stage and calls one function of it with arrays from
// .npy files, or writes the object.
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"
#include "DiffPasses.h"
#include "TimeLimit.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "pallas/Pipelines/RaiseToPallas.h"
#include "pallas/Runner/Engine.h"
#include "pallas/Runner/Npy.h"
#include "pallas/Runner/Sanitizer.h"
#include "pallas/Runtime/Timeline.h"
#include "pallas/Runtime/Violation.h"
#include "pallas/Support/CrashReport.h"
#include "pallas/Support/GuardedRead.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::pallas;
using namespace pallas_rt;
namespace cl = llvm::cl;

static cl::OptionCategory category("pallas-run options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    entryName("entry",
              cl::desc("Function to call; only what it needs is compiled"),
              cl::value_desc("F"), cl::cat(category));
static cl::list<std::string>
    inPaths("in", cl::desc("Input array, in the order of the arguments"),
            cl::value_desc("A.npy"), cl::cat(category));
static cl::list<std::string>
    outPaths("out", cl::desc("Where to put a result, in the order of results"),
             cl::value_desc("B.npy"), cl::cat(category));
static cl::opt<std::string> devices(
    "devices",
    cl::desc("Run the function once per device of a simulated mesh, all at the "
             "same time: a number, sizes (2x2), or named axes (x=2,y=2). An "
             "array with {} in its name has a file per device; another --in is "
             "cut along its first dimension, and another --out joined along it "
             "(a whole --in that fits goes to every device)"),
    cl::value_desc("MESH"), cl::cat(category));
static cl::opt<bool> timeIt("time", cl::desc("Print how long things took"),
                            cl::cat(category));
static cl::opt<unsigned> optLevel("O", cl::Prefix, cl::init(2),
                                  cl::desc("Optimization level, 0 to 3"),
                                  cl::cat(category));
static cl::opt<std::string>
    cpuName("cpu", cl::value_desc("NAME"),
            cl::desc("CPU that code is made for, by LLVM's name: x86-64-v3, "
                     "znver4, ..., or native, that of this machine (default: "
                     "that of PALLAS_CPU, or native)"),
            cl::cat(category));
namespace {
enum class Emitted { Results, Object };
} // namespace
static cl::opt<Emitted> emitted(
    "emit", cl::desc("What to make instead of results:"),
    cl::values(clEnumValN(Emitted::Object, "obj",
                          "an object file, for any CPU, with a function "
                          "_pallas_packed_F per function F")),
    cl::init(Emitted::Results), cl::cat(category));
static cl::opt<std::string>
    objectFile("o", cl::value_desc("FILE"),
               cl::desc("Where to put what --emit makes"), cl::cat(category));
static cl::opt<bool> noCache("no-cache",
                             cl::desc("Neither read nor write cached objects"),
                             cl::cat(category));
static cl::opt<bool>
    checkIt("check",
            cl::desc("Look for mistakes: reads of what nothing has written, "
                     "accesses out of bounds, races, missing waits, ..."),
            cl::cat(category));
static cl::opt<std::string> allowed(
    "allow", cl::value_desc("KIND[@FILE[:LINE]],..."),
    cl::desc("Mistakes that --check passes over: kinds as docs/CheckedMode.md "
             "spells them, everywhere or at one place"),
    cl::cat(category));
static cl::opt<bool>
    ringIt("ring",
           cl::desc("Compute with integers mod 2^w instead of floats, so that "
                    "kernels which tile in other ways agree bit for bit"),
           cl::cat(category));
static cl::opt<std::string> perfettoFile(
    "perfetto", cl::value_desc("FILE"),
    cl::desc("Where to put a timeline of cores, copies, waits and semaphores, "
             "for Perfetto; time is counted in bytes that are touched"),
    cl::cat(category));
static cl::opt<unsigned>
    perfettoEvents("perfetto-events", cl::value_desc("N"),
                   cl::init(Timeline::defaultLimit),
                   cl::desc("How many events the timeline holds (default: a "
                            "million)"),
                   cl::cat(category));
static cl::opt<std::string>
    sanitizer("sanitize", cl::value_desc("address"),
              cl::desc("Check every access of compiled code with LLVM's "
                       "AddressSanitizer; PALLAS_SANITIZE does the same"),
              cl::cat(category));
static cl::opt<std::string>
    dumpLLVM("dump-llvm", cl::value_desc("FILE"),
             cl::desc("Where to put the LLVM module that code is made from; it "
                      "stays there if the run fails"),
             cl::cat(category));
static cl::opt<std::string> stagesFolder(
    "dump-stages", cl::value_desc("DIR"),
    cl::desc("Where to put the module after each pass that changes it, in "
             "numbered files"),
    cl::cat(category));
static cl::opt<std::string>
    pipelineOptions("pipeline-options",
                    cl::desc("Options of pallas-to-llvm, as in \"k=v ...\""),
                    cl::cat(category));

static cl::opt<bool>
    verifyEach("verify-each",
               cl::desc("Verify the module after each pass, not only once at "
                        "the end"),
               cl::init(EngineOptions().verifyEach), cl::cat(category));
static cl::opt<std::string> diffPipeline(
    "diff-passes", cl::ValueOptional, cl::value_desc("PIPELINE"),
    cl::desc("Execute the module after every pass, and name the first that "
             "changes the answer; without a pipeline, those to native code and "
             "to values"),
    cl::cat(category));
static cl::opt<double>
    tolerance("tolerance", cl::value_desc("T"),
              cl::desc("How far floats may be apart with --diff-passes, "
                       "relative to 1 + their size"),
              cl::cat(category));

static cl::opt<std::string> timeLimit(
    "time-limit", cl::value_desc("SECONDS"),
    cl::desc("How long the run may take (default: no limit). When it takes "
             "longer, it ends, and an error tells where it was. With "
             "--diff-passes: how long a pass may take, and a module to be "
             "compiled and executed"),
    cl::cat(category));

using Clock = std::chrono::steady_clock;
static double getMilliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

static llvm::Expected<OwningOpRef<ModuleOp>>
readModule(MLIRContext &context, const DialectRegistry &registry) {
  std::string message;
  auto file = openInputFile(inputFile, &message);
  if (!file)
    return llvm::createStringError("%s", message.c_str());
  file = makeReadable(std::move(file), registry, ReadOptions(), llvm::errs());
  if (!file)
    return llvm::createStringError("%s cannot be read", inputFile.c_str());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("%s is not a valid module",
                                   inputFile.c_str());
  return module;
}

static llvm::Expected<EngineOptions> getEngineOptions() {
  EngineOptions options;
  options.cpu = cpuName;
  options.optLevel = optLevel;
  options.useCache = !noCache;
  // Only checked code tells what it does.
  options.checked = checkIt || !perfettoFile.empty();
  auto allowances = parseAllowances(allowed);
  if (!allowances)
    return llvm::createStringError(
        "bad --allow: %s", llvm::toString(allowances.takeError()).c_str());
  options.allowed = checkIt ? std::move(*allowances) : allowAll();
  // JAX's own interpreter warns of them, too, and some of its kernels leave
  // counts on purpose. The check reports them, unless they are allowed.
  options.toleratesLeftovers = !checkIt;
  options.keepsLines = timeLimit.getNumOccurrences() > 0;
  options.llvmFile = dumpLLVM;
  options.stagesFolder = stagesFolder;
  options.ring = ringIt;
  options.sanitize = !sanitizer.empty();
  options.verifyEach = verifyEach;
  if (failed(options.pipeline.parseFromString(pipelineOptions)))
    return llvm::createStringError("bad --pipeline-options");
  return options;
}

/// The result of `make` for the module of the input file, which does not
/// outlive the call.
template <typename Make>
static std::invoke_result_t<Make, ModuleOp> makeFromModule(Make make) {
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  MLIRContext context(registry);
  auto module = readModule(context, registry);
  if (!module)
    return module.takeError();
  return make(**module);
}

/// Leaves out the functions that `entry` does not need, since compiling them is
/// most of the time of a run. Without such an entry the module stays whole, and
/// the error that follows lists its functions.
static llvm::Error keepOnly(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<FunctionOpInterface>(entry);
  // A kernel of a target gets its entry later.
  if (!function || !function.isPublic() || isTargetKernelModule(module))
    return llvm::Error::success();
  // That of a lowered module is called by its C interface.
  std::string interface = ("_mlir_ciface_" + entry).str();
  for (auto other : module.getOps<FunctionOpInterface>())
    if (other.getName() != entry && other.getName() != interface)
      other.setPrivate();
  PassManager passes(module.getContext());
  passes.addPass(createSymbolDCEPass());
  if (succeeded(passes.run(module)))
    return llvm::Error::success();
  return llvm::createStringError("'%s' cannot be taken out of its module",
                                 entry.str().c_str());
}

/// With a limit of time, what is needed to tell where the run is then goes to
/// `operations`.
static llvm::Expected<std::unique_ptr<Engine>>
createEngine(const EngineOptions &options,
             std::optional<SourceOperations> &operations) {
  return makeFromModule([&](ModuleOp module) {
    if (options.keepsLines)
      operations.emplace(module);
    if (llvm::Error error = keepOnly(module, entryName))
      return llvm::Expected<std::unique_ptr<Engine>>(std::move(error));
    return Engine::create(module, options);
  });
}

/// The seconds of --time-limit, or `otherwise` without one.
static llvm::Expected<unsigned> getTimeLimit(unsigned otherwise) {
  if (timeLimit.getNumOccurrences() == 0)
    return otherwise;
  unsigned seconds = 0;
  if (StringRef(timeLimit).getAsInteger(10, seconds) || seconds == 0)
    return llvm::createStringError(
        "'%s' is no --time-limit; give whole seconds, from 1 to %u",
        timeLimit.c_str(), ~0u);
  return seconds;
}

/// The function that was asked for, or the only one.
static llvm::Expected<std::string> chooseEntry(ArrayRef<std::string> entries) {
  if (entryName.empty() && entries.size() != 1)
    return llvm::createStringError(
        "the module has %zu functions (%s); choose one with --entry",
        entries.size(), llvm::join(entries, ", ").c_str());
  std::string entry = entryName.empty() ? entries.front() : entryName;
  if (!llvm::is_contained(entries, entry))
    return llvm::createStringError("the module has no function '%s'; it has %s",
                                   entry.c_str(),
                                   llvm::join(entries, ", ").c_str());
  return entry;
}

static llvm::Error checkNumOutputs(StringRef entry,
                                   const EntrySignature &signature) {
  if (outPaths.size() <= signature.outputs.size())
    return llvm::Error::success();
  return llvm::createStringError(
      "'%s' has %zu results, but %zu --out were given", entry.str().c_str(),
      signature.outputs.size(), outPaths.size());
}

static llvm::Error writeOutputs(ArrayRef<BufferView> outputs) {
  SmallVector<NpyOutput> files;
  for (auto [path, output] : llvm::zip(outPaths, outputs))
    files.push_back({path, output});
  return writeNpyFiles(files);
}

static llvm::Error writeObject(const EngineOptions &options) {
  auto object = makeFromModule(
      [&](ModuleOp module) { return Engine::createObject(module, options); });
  if (!object)
    return object.takeError();
  return llvm::writeToOutput(objectFile, [&](llvm::raw_ostream &stream) {
    stream << (*object)->getBuffer();
    return llvm::Error::success();
  });
}

/// Reads the inputs and checks them against the signature.
static llvm::Error readInputs(StringRef entry, const EntrySignature &signature,
                              std::vector<NpyArray> &arrays,
                              SmallVectorImpl<BufferView> &views) {
  if (inPaths.size() != signature.inputs.size())
    return llvm::createStringError(
        "'%s' has %zu inputs, but %zu --in were given", entry.str().c_str(),
        signature.inputs.size(), inPaths.size());
  for (auto [path, type] : llvm::zip_equal(inPaths, signature.inputs)) {
    auto array = readNpy(path);
    if (!array)
      return array.takeError();
    if (!array->holds(type.dtype))
      return llvm::createStringError(
          "%s: holds elements of NumPy type '%s', but the function takes %s",
          path.c_str(), array->descr.c_str(),
          stringifyDType(type.dtype).str().c_str());
    arrays.push_back(std::move(*array));
  }
  for (auto [array, type] : llvm::zip_equal(arrays, signature.inputs))
    views.push_back(array.view(type.dtype));
  return llvm::Error::success();
}

/// The fastest of enough calls to fill a short while.
static llvm::Error measure(const Engine &engine, StringRef entry,
                           ArrayRef<BufferView> inputs,
                           ArrayRef<BufferView> outputs) {
  double best = 0, total = 0;
  unsigned calls = 0;
  do {
    auto start = Clock::now();
    if (llvm::Error error = engine.invoke(entry, inputs, outputs))
      return error;
    double elapsed = getMilliseconds(start, Clock::now());
    best = calls ? std::min(best, elapsed) : elapsed;
    total += elapsed;
    ++calls;
  } while (total < 500 && calls < 1000);
  llvm::errs() << llvm::formatv("run: {0:f4} ms (best of {1})\n", best, calls);
  return llvm::Error::success();
}

/// Which pass of a pipeline changes the answer, in place of a run. Passes that
/// crash do so in another process, so none of them runs in this one.
static llvm::Error runPassDiff() {
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  registerForPassDiff(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = readModule(context, registry);
  if (!module)
    return module.takeError();
  auto signatures = readEntries(**module);
  if (!signatures)
    return signatures.takeError();
  auto entry =
      chooseEntry(llvm::to_vector(llvm::make_first_range(*signatures)));
  if (!entry)
    return entry.takeError();
  const EntrySignature &signature = llvm::find_if(*signatures, [&](auto &each) {
                                      return each.first == *entry;
                                    })->second;
  if (llvm::Error error = checkNumOutputs(*entry, signature))
    return error;
  std::vector<NpyArray> arrays;
  SmallVector<BufferView> inputs;
  if (llvm::Error error = readInputs(*entry, signature, arrays, inputs))
    return error;
  PassDiffOptions options;
  options.entry = *entry;
  if (tolerance.getNumOccurrences())
    options.tolerance = tolerance;
  auto seconds = getTimeLimit(options.seconds);
  if (!seconds)
    return seconds.takeError();
  options.seconds = *seconds;
  auto differ = PassDiffer::create(**module, inputs, options);
  if (!differ)
    return differ.takeError();
  if (llvm::Error error = writeOutputs((*differ)->getResults()))
    return error;
  auto isSame = reportPassDiff(**differ, &context, diffPipeline);
  if (!isSame)
    return isSame.takeError();
  return *isSame ? llvm::Error::success()
                 : llvm::createStringError("a pass changes the answer");
}

/// An object is made without a run.
static llvm::Error checkEmission() {
  bool emits = emitted != Emitted::Results;
  if (emits && objectFile.empty())
    return llvm::createStringError(
        "--emit=obj needs a file for the object; name it with -o");
  if (!emits && !objectFile.empty())
    return llvm::createStringError(
        "-o is for what --emit makes; results go to files with --out");
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           std::addressof(inPaths), std::addressof(outPaths), &entryName,
           &devices, &timeIt, &diffPipeline, &perfettoFile, &timeLimit})
    if (emits && option->getNumOccurrences() > 0)
      return llvm::createStringError(
          "--emit=obj makes an object of the whole module and runs nothing; "
          "leave out --%s",
          option->ArgStr.str().c_str());
  return llvm::Error::success();
}

/// Refuses options that parse, but have no meaning together.
static llvm::Error checkOptions() {
  if (llvm::Error error = checkEmission())
    return error;
  if (optLevel > 3)
    return llvm::createStringError(
        "there is no optimization level %u; use one from -O0 to -O3",
        optLevel.getValue());
  if (!sanitizer.empty() && sanitizer != "address")
    return llvm::createStringError(
        "there is no sanitizer '%s'; the one that compiled code knows is "
        "'address'",
        sanitizer.c_str());
  bool diffsPasses = diffPipeline.getNumOccurrences() > 0;
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &devices, &checkIt, &ringIt, &timeIt, &perfettoFile})
    if (diffsPasses && option->getNumOccurrences() > 0)
      return llvm::createStringError(
          "--diff-passes compares plain runs on one device; leave out --%s",
          option->ArgStr.str().c_str());
  if (timeIt && !perfettoFile.empty())
    return llvm::createStringError(
        "--perfetto runs code that reports what it does, which takes much "
        "longer; leave out --time");
  if (!checkIt && allowed.getNumOccurrences() > 0)
    return llvm::createStringError(
        "--allow names findings that --check ignores; give --check, too");
  if (!diffsPasses && tolerance.getNumOccurrences() > 0)
    return llvm::createStringError(
        "--tolerance belongs to --diff-passes; name that, too");
  if (!(tolerance >= 0))
    return llvm::createStringError(
        "a --tolerance of %g lets nothing be equal; use one of at least 0",
        tolerance.getValue());
  return llvm::Error::success();
}

/// Calls the entry with arrays from files, and writes the results.
static llvm::Error call(const Engine &engine) {
  auto entry = chooseEntry(engine.getEntries());
  if (!entry)
    return entry.takeError();
  const EntrySignature *signature = engine.getSignature(*entry);
  if (llvm::Error error = checkNumOutputs(*entry, *signature))
    return error;

  if (!devices.empty()) {
    auto mesh = DeviceMesh::parse(devices);
    if (!mesh)
      return mesh.takeError();
    return runOnDevices(engine, *entry, *mesh, inPaths, outPaths);
  }

  std::vector<NpyArray> arrays;
  SmallVector<BufferView> inputs, outputs;
  if (llvm::Error error = readInputs(*entry, *signature, arrays, inputs))
    return error;
  std::vector<std::unique_ptr<llvm::WritableMemoryBuffer>> memory;
  for (const BufferType &type : signature->outputs) {
    auto result = allocateArrays(type);
    if (!result)
      return result.takeError();
    memory.push_back(std::move(*result));
    outputs.push_back(
        {memory.back()->getBufferStart(), type.dtype, type.shape});
  }
  if (llvm::Error error = engine.invoke(*entry, inputs, outputs))
    return error;
  if (timeIt)
    if (llvm::Error error = measure(engine, *entry, inputs, outputs))
      return error;
  return writeOutputs(outputs);
}

/// The same within `seconds`, if these are not 0. A run that takes longer ends
/// the process after `finish`.
static llvm::Error callLimited(const Engine &engine, unsigned seconds,
                               const std::optional<SourceOperations> &places,
                               std::function<void()> finish) {
  std::optional<TimeLimit> limit;
  if (seconds)
    limit.emplace(seconds, engine, *places, std::move(finish));
  return call(engine);
}

/// Results are written by the call, and the file behind it: one that can't be
/// created is found before there are results.
static llvm::Error checkPerfettoFile() {
  namespace fs = llvm::sys::fs;
  if (perfettoFile == "-")
    return llvm::Error::success();
  StringRef folder = llvm::sys::path::parent_path(perfettoFile);
  StringRef written = fs::exists(perfettoFile) ? StringRef(perfettoFile)
                      : folder.empty()         ? StringRef(".")
                                               : folder;
  if (std::error_code code = fs::access(written, fs::AccessMode::Write))
    return llvm::createStringError(code, "'%s': %s", perfettoFile.c_str(),
                                   code.message().c_str());
  return llvm::Error::success();
}

/// The same, and what happened goes to a file, whether or not the call fails.
static llvm::Error callRecorded(const Engine &engine, unsigned seconds,
                                const std::optional<SourceOperations> &places) {
  if (llvm::Error error = checkPerfettoFile())
    return error;
  Timeline timeline(perfettoEvents);
  std::optional<TimelineScope> scope(std::in_place, timeline);
  auto finish = [&] {
    scope.reset();
    if (!timeline.isComplete())
      llvm::errs() << "warning: the timeline has more than " << perfettoEvents
                   << " events, and its end is left out; --perfetto-events "
                      "takes more\n";
    return llvm::writeToOutput(perfettoFile, [&](llvm::raw_ostream &stream) {
      timeline.writeTraceEvents(stream);
      return llvm::Error::success();
    });
  };
  llvm::Error error = callLimited(engine, seconds, places, [&] {
    llvm::logAllUnhandledErrors(finish(), llvm::errs(), "pallas-run: ");
  });
  return llvm::joinErrors(std::move(error), finish());
}

static llvm::Error runTool(char **argv) {
  if (llvm::Error error = checkOptions())
    return error;
  auto sanitize = isSanitizeRequested();
  if (!sanitize)
    return sanitize.takeError();
  if (*sanitize || !sanitizer.empty())
    if (llvm::Error error = enterAddressSanitizer(argv))
      return error;
  if (diffPipeline.getNumOccurrences())
    return runPassDiff();
  auto options = getEngineOptions();
  if (!options)
    return options.takeError();
  if (emitted == Emitted::Object)
    return writeObject(*options);
  auto seconds = getTimeLimit(0);
  if (!seconds)
    return seconds.takeError();
  auto start = Clock::now();
  std::optional<SourceOperations> places;
  auto engine = createEngine(*options, places);
  if (!engine)
    return engine.takeError();
  if (timeIt)
    llvm::errs() << llvm::formatv("compile: {0:f2} ms{1}\n",
                                  getMilliseconds(start, Clock::now()),
                                  (*engine)->isFromCache() ? " (cached)" : "");
  return perfettoFile.empty() ? callLimited(**engine, *seconds, places, [] {})
                              : callRecorded(**engine, *seconds, places);
}

int main(int argc, char **argv) {
  installCrashReport(argc, argv);
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Run a pallas module natively\n");
  llvm::Error error = runTool(argv);
  if (!error)
    return 0;
  unsigned numViolations = 0;
  llvm::handleAllErrors(
      std::move(error),
      [&](const Violation &violation) {
        violation.log(llvm::errs());
        llvm::errs() << "\n";
        ++numViolations;
      },
      [](const llvm::ErrorInfoBase &other) {
        llvm::errs() << "pallas-run: " << other.message() << "\n";
      });
  if (numViolations)
    llvm::errs() << "pallas-run: the check found " << numViolations
                 << (numViolations == 1 ? " mistake\n" : " mistakes\n");
  return 1;
}
