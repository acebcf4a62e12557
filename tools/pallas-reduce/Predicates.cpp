//===- Predicates.cpp - What a reduced module has to show -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Predicates.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "pallas/Register.h"
#include "pallas/Runner/DType.h"
#include "pallas/Runner/Npy.h"
#include "pallas/Support/FloatCodec.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::pallas;
namespace cl = llvm::cl;
namespace path = llvm::sys::path;

static cl::OptionCategory category("What the module has to show; one of these");
static cl::opt<std::string> script("test", cl::value_desc("COMMAND"),
                                   cl::desc("COMMAND FILE ends with status 0"),
                                   cl::cat(category));
static cl::opt<std::string>
    wrong("wrong", cl::value_desc("PASSES"), cl::ValueOptional,
          cl::desc("A pass of these changes the answer of a run on which "
                   "--check finds no mistake (default: those to native code "
                   "and to values)"),
          cl::cat(category));
static cl::opt<std::string> crashes("crashes", cl::value_desc("PASSES"),
                                    cl::desc("These passes crash"),
                                    cl::cat(category));
static cl::opt<std::string>
    refused("refused", cl::value_desc("PASSES"),
            cl::desc("These passes end with an error that has --message"),
            cl::cat(category));
static cl::opt<bool> checked("check",
                             cl::desc("pallas-run --check reports --message"),
                             cl::cat(category));
static cl::opt<std::string> rejected(
    "rejected-by", cl::value_desc("COMMAND"),
    cl::desc("The custom call for --chip is written, and COMMAND FILE fails"),
    cl::cat(category));
static cl::opt<double>
    slower("slower-than", cl::value_desc("MS"),
           cl::desc("A call takes longer than this many milliseconds"),
           cl::cat(category));

static cl::OptionCategory details("What belongs to it");
static cl::opt<std::string> wanted(
    "message", cl::value_desc("TEXT"),
    cl::desc("The output has to have this text, so that another bug of the "
             "same kind does not take the place of this one"),
    cl::cat(details));
static cl::opt<std::string>
    entryName("entry", cl::value_desc("F"),
              cl::desc("The function to call, where there are several"),
              cl::cat(details));
static cl::opt<std::string> chip("chip", cl::init("v5e"),
                                 cl::desc("Chip of --rejected-by (default: "
                                          "v5e)"),
                                 cl::cat(details));
static cl::opt<unsigned>
    timeout("test-time-limit", cl::value_desc("SECONDS"), cl::init(120),
            cl::desc("How long one program may run (default: 120)"),
            cl::cat(details));
static cl::opt<std::string>
    runTool("pallas-run", cl::Hidden,
            cl::desc("Which pallas-run runs; else the one beside this tool"),
            cl::cat(details));
static cl::opt<std::string>
    optTool("pallas-opt", cl::Hidden,
            cl::desc("Which pallas-opt runs; else the one beside this tool"),
            cl::cat(details));

static ArrayRef<cl::Option *> getPredicates() {
  static cl::Option *const predicates[] = {
      &script, &wrong, &crashes, &refused, &checked, &rejected, &slower};
  return predicates;
}

llvm::Error pallas::checkPredicateOptions() {
  auto isGiven = [](cl::Option *option) {
    return option->getNumOccurrences() > 0;
  };
  size_t number = llvm::count_if(getPredicates(), isGiven);
  if (number != 1) {
    auto spell = [](cl::Option *option) {
      return ("--" + option->ArgStr).str();
    };
    return llvm::createStringError(
        "%s for what the module has to show; give one of %s",
        number ? "more than one option" : "no option",
        llvm::join(llvm::map_range(getPredicates(), spell), ", ").c_str());
  }
  for (const cl::opt<std::string> *option : {&script, &rejected})
    if (option->getNumOccurrences() && StringRef(*option).trim().empty())
      return llvm::createStringError("--%s needs a command",
                                     option->ArgStr.str().c_str());
  if ((refused.getNumOccurrences() || checked) && wanted.empty())
    return llvm::createStringError(
        "--%s needs a --message: a smaller module has mistakes of its own",
        checked ? "check" : "refused");
  return llvm::Error::success();
}

std::vector<std::string> pallas::getPredicateArguments() {
  std::vector<std::string> arguments;
  for (cl::opt<std::string> *option :
       {&script, &wrong, &crashes, &refused, &rejected, &wanted, &entryName,
        &chip, &runTool, &optTool})
    if (option->getNumOccurrences())
      arguments.push_back(
          ("--" + option->ArgStr + "=" + option->getValue()).str());
  if (checked)
    arguments.push_back("--check");
  if (slower.getNumOccurrences())
    arguments.push_back("--slower-than=" + std::to_string(slower));
  arguments.push_back("--test-time-limit=" + std::to_string(timeout));
  return arguments;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// Output of a program, and how it ended: a status of its own, or negative
/// after a signal or when it took too long.
struct Outcome {
  int status;
  std::string text;
  bool tookTooLong;

  /// Crash reports end a process with a status of their own.
  bool hasCrashed() const { return status < -1 || status > 2; }
};

/// Files that go when this does.
class Folder {
public:
  static llvm::Expected<Folder> create() {
    SmallString<128> place;
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("pallas-reduce", place))
      return llvm::createStringError(error, "no folder for files: %s",
                                     error.message().c_str());
    return Folder(place);
  }
  Folder(Folder &&other) : place(std::exchange(other.place, "")) {}
  ~Folder() {
    if (!place.empty())
      llvm::sys::fs::remove_directories(place);
  }
  std::string operator/(const Twine &name) const {
    SmallString<128> joined = StringRef(place);
    path::append(joined, name);
    return std::string(joined);
  }

private:
  explicit Folder(StringRef place) : place(place) {}
  std::string place;
};
} // namespace

/// Words of a command, which a shell would separate alike.
static std::vector<std::string> split(StringRef command) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(command, saver, words);
  return std::vector<std::string>(words.begin(), words.end());
}

static llvm::Expected<Outcome> run(ArrayRef<std::string> command,
                                   const Folder &folder) {

  auto program = llvm::sys::findProgramByName(command.front());
  if (!program)
    return llvm::createStringError("%s: %s", command.front().c_str(),
                                   program.getError().message().c_str());
  std::string log = folder / "log", message;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  bool failed = false;
  SmallVector<StringRef> arguments(command.begin(), command.end());
  int status =
      llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects,
                                timeout, 0, &message, &failed);
  if (failed)
    return llvm::createStringError("%s: %s", command.front().c_str(),
                                   message.c_str());
  auto text = llvm::MemoryBuffer::getFile(log);
  // A signal has the same status, and another message.
  bool tookTooLong = status == -2 && StringRef(message).contains("timed out");
  return Outcome{status, text ? (*text)->getBuffer().str() : "", tookTooLong};
}

//===----------------------------------------------------------------------===//
// Inputs of runs
//===----------------------------------------------------------------------===//

/// The bits of a small value that depends on `index`: floats are multiples of
/// 1/8 around 0, and integers may be sizes and places.
static llvm::APInt getBits(Type type, unsigned index) {
  unsigned value = (index * 2654435761u) >> 16;
  auto floats = dyn_cast<FloatType>(type);
  if (!floats) {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return llvm::APInt(64, value % 8).trunc(width);
  }
  llvm::APFloat number((int(value % 33) - 16) / 8.0);
  return roundTo(floats.getFloatSemantics(), number).bitcastToAPInt();
}

static llvm::Error writeInput(Type type, unsigned number,
                              const std::string &file) {
  Type element = getElementTypeOrSelf(type);
  auto shaped = dyn_cast<ShapedType>(type);
  auto dtype = getDType(element);
  if (!dtype || (shaped && !shaped.hasStaticShape())) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return llvm::createStringError(
        "there is no input of type %s; arguments are arrays of static shape",
        text.c_str());
  }
  SmallVector<int64_t> shape;
  if (shaped)
    shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  int64_t numElements = shaped ? shaped.getNumElements() : 1;
  unsigned numBytes = pallas_rt::getByteSize(*dtype);
  std::vector<char> data(numElements * numBytes);
  for (int64_t i = 0; i < numElements; ++i) {
    llvm::APInt bits = getBits(element, i + 1000 * number).zextOrTrunc(64);
    uint64_t word = bits.getZExtValue();
    std::memcpy(data.data() + i * numBytes, &word, numBytes);
  }
  return writeNpyFiles({{file, {data.data(), *dtype, shape}}});
}

/// `pallas-run` on the module with inputs for its arguments.
static llvm::Expected<std::vector<std::string>>
getRunCommand(StringRef file, StringRef tools, const Folder &folder) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  auto module = parseSourceFile<ModuleOp>(file, &context);
  if (!module)
    return llvm::createStringError("%s is not a valid module",
                                   file.str().c_str());
  SmallString<128> program(runTool.empty() ? tools : StringRef(runTool));
  if (runTool.empty())
    path::append(program, "pallas-run");
  std::vector<std::string> command{std::string(program), file.str(),
                                   "--no-cache"};
  func::FuncOp entry;
  for (auto function : module->getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        (entryName.empty() || function.getName() == entryName))
      entry = function;
  if (!entry)
    return llvm::createStringError(
        "%s has no function%s to call", file.str().c_str(),
        entryName.empty() ? "" : (" '" + entryName + "'").c_str());
  command.push_back("--entry=" + entry.getName().str());
  for (auto [number, type] : llvm::enumerate(entry.getArgumentTypes())) {
    std::string input = folder / ("in" + Twine(number) + ".npy");
    if (llvm::Error error = writeInput(type, number, input))
      return error;
    command.push_back("--in=" + input);
  }
  return command;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// Whether the outcome is what is looked for and has the message.
static bool accept(bool isWanted, const Outcome &outcome, bool explain) {
  bool hasText = StringRef(outcome.text).contains(wanted);
  if (explain && !isWanted && outcome.tookTooLong)
    llvm::errs() << "the program was stopped after " << timeout
                 << " seconds; --test-time-limit lets it run longer\n";
  else if (explain && !isWanted)
    llvm::errs() << "the program ended with status " << outcome.status << ": "
                 << StringRef(outcome.text).take_front(2000) << "\n";
  else if (explain && !hasText)
    llvm::errs() << "the output does not have '" << wanted
                 << "': " << StringRef(outcome.text).take_front(2000) << "\n";
  return isWanted && hasText;
}

/// Runs pallas-run with more arguments.
static llvm::Expected<Outcome> runModule(StringRef file, StringRef tools,
                                         const Folder &folder,
                                         ArrayRef<std::string> more) {
  auto command = getRunCommand(file, tools, folder);
  if (!command)
    return command.takeError();
  command->insert(command->end(), more.begin(), more.end());
  return run(*command, folder);
}

/// Undefined values would give any answer, so the checks have to be silent.
/// Most candidates are right, which is asked first.
static llvm::Expected<bool> isWrong(StringRef file, StringRef tools,
                                    const Folder &folder, bool explain) {
  std::string option = "--diff-passes";
  if (!wrong.empty())
    option += "=" + wrong;
  auto diff = runModule(file, tools, folder, {option});
  if (!diff)
    return diff.takeError();
  // A misspelt pipeline shows nothing either, but no other module would.
  StringRef refusal = "bad --diff-passes: ";
  if (size_t at = StringRef(diff->text).find(refusal); at != StringRef::npos)
    return llvm::createStringError("bad --wrong: %s",
                                   StringRef(diff->text)
                                       .drop_front(at + refusal.size())
                                       .split('\n')
                                       .first.str()
                                       .c_str());
  bool changes = StringRef(diff->text).contains("changes the answer:");
  if (!accept(changes, *diff, explain))
    return false;
  auto checks = runModule(file, tools, folder, {"--check"});
  if (!checks)
    return checks.takeError();
  if (checks->status != 0 && explain)
    llvm::errs() << "a run with --check finds mistakes of the kernel: "
                 << StringRef(checks->text).take_front(2000) << "\n";
  return checks->status == 0;
}

static llvm::Expected<Outcome> runPasses(StringRef file, StringRef tools,
                                         const Folder &folder,
                                         StringRef passes) {
  SmallString<128> program(optTool.empty() ? tools : StringRef(optTool));
  if (optTool.empty())
    path::append(program, "pallas-opt");
  constexpr StringRef anchor = "builtin.module(";
  std::string pipeline = passes.str();
  if (!passes.starts_with(anchor))
    pipeline = (anchor + passes + ")").str();
  auto outcome = run({std::string(program), file.str(), "-o", "/dev/null",
                      "--pass-pipeline=" + pipeline},
                     folder);
  // Each module shows this, and the smallest one would be left.
  if (outcome &&
      StringRef(outcome->text).contains("does not refer to a registered pass"))
    return llvm::createStringError("there is no such pass in '%s'; "
                                   "pallas-opt --help lists all",
                                   passes.str().c_str());
  return outcome;
}

static llvm::Expected<bool> isRejected(StringRef file, StringRef tools,
                                       const Folder &folder, bool explain) {
  SmallString<128> program(tools);
  path::append(program, "pallas-translate");
  std::string lowered = folder / "call.mlir";
  auto translated = run({std::string(program), "--to-tpu-custom-call",
                         "--chip=" + chip, file.str(), "-o", lowered},
                        folder);
  if (!translated)
    return translated.takeError();
  if (translated->status != 0) {
    if (explain)
      llvm::errs() << "pallas-translate refuses the module: "
                   << StringRef(translated->text).take_front(2000) << "\n";
    return false;
  }
  std::vector<std::string> command = split(rejected);
  command.push_back(lowered);
  auto judged = run(command, folder);
  if (!judged)
    return judged.takeError();
  return accept(judged->status != 0, *judged, explain);
}

static llvm::Expected<bool> isSlow(StringRef file, StringRef tools,
                                   const Folder &folder, bool explain) {
  auto timed = runModule(file, tools, folder, {"--time"});
  if (!timed)
    return timed.takeError();
  StringRef after = StringRef(timed->text).split("run: ").second;
  double milliseconds = 0;
  bool hasTime = !after.split(" ms").first.trim().getAsDouble(milliseconds);
  return accept(timed->status == 0 && hasTime && milliseconds > slower, *timed,
                explain);
}

llvm::Expected<bool> pallas::showsIt(StringRef file, StringRef tools,
                                     bool explain) {
  auto folder = Folder::create();
  if (!folder)
    return folder.takeError();
  if (wrong.getNumOccurrences())
    return isWrong(file, tools, *folder, explain);
  if (rejected.getNumOccurrences())
    return isRejected(file, tools, *folder, explain);
  if (slower.getNumOccurrences())
    return isSlow(file, tools, *folder, explain);
  auto outcome = [&]() -> llvm::Expected<Outcome> {
    if (script.getNumOccurrences()) {
      std::vector<std::string> command = split(script);
      command.push_back(file.str());
      return run(command, *folder);
    }
    if (checked)
      return runModule(file, tools, *folder, {"--check"});
    return runPasses(file, tools, *folder,
                     crashes.getNumOccurrences() ? crashes : refused);
  }();
  if (!outcome)
    return outcome.takeError();
  bool isWanted = script.getNumOccurrences() ? outcome->status == 0
                  : crashes.getNumOccurrences()
                      ? outcome->hasCrashed()
                      : outcome->status > 0 && !outcome->hasCrashed();
  return accept(isWanted, *outcome, explain);
}
