//===- SanitizedCode.cpp - Compiled code under AddressSanitizer -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file runs compiled code under LLVM's AddressSanitizer. The runtime of
// the sanitizer has to be in the process from its start, so tools start again
// with it if it is missing; the JIT then loads instrumented code as any other.
//
//===----------------------------------------------------------------------===//

#include "SanitizedCode.h"
#include "pallas/Runner/Sanitizer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

using namespace mlir;
using namespace mlir::pallas;

/// Names of the constructors and destructors of instrumented code. The linker
/// of a process that runs on runs neither, so they are called by name.
static constexpr StringLiteral enterName = "_pallas_sanitizer_enter";
static constexpr StringLiteral leaveName = "_pallas_sanitizer_leave";

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

/// Asks the process, not the build: the runtime may be preloaded.
static bool hasRuntime() { return dlsym(RTLD_DEFAULT, "__asan_init"); }

/// The path of the build is that of the LLVM that instruments the code; a
/// runtime of another release may not know its calls.
static std::string getRuntimePath() {
  auto chosen = llvm::sys::Process::GetEnv("PALLAS_ASAN_RUNTIME");
  return chosen ? *chosen : PALLAS_ASAN_RUNTIME;
}

/// The environment asks for it where no option can be given, as under pytest.
llvm::Expected<bool> pallas::isSanitizeRequested() {
  auto word = llvm::sys::Process::GetEnv("PALLAS_SANITIZE");
  if (!word || word->empty())
    return false;
  if (*word == "address")
    return true;
  return llvm::createStringError(
      "PALLAS_SANITIZE is '%s'; the sanitizer that compiled code knows is "
      "'address'",
      word->c_str());
}

/// For callers that cannot restart their process, such as a Python interpreter.
llvm::Error pallas::checkAddressSanitizer() {
  if (hasRuntime())
    return llvm::Error::success();
  return llvm::createStringError(
      "code that is compiled with sanitize=address needs the runtime of LLVM's "
      "AddressSanitizer, which is not part of this process; start it with "
      "LD_PRELOAD=%s",
      getRuntimePath().c_str());
}

/// Returns only if the process has the runtime, or can't get it.
llvm::Error pallas::enterAddressSanitizer(char **argv) {
  if (hasRuntime())
    return llvm::Error::success();
  std::string runtime = getRuntimePath();
  static constexpr const char *entered = "PALLAS_SANITIZER_ENTERED";
  if (!llvm::sys::fs::exists(runtime) || getenv(entered))
    return llvm::createStringError(
        "--sanitize=address needs the runtime of LLVM's AddressSanitizer, but "
        "'%s' cannot be loaded; install it (Debian: libclang-rt-%d-dev), or "
        "name the file in PALLAS_ASAN_RUNTIME",
        runtime.c_str(), LLVM_VERSION_MAJOR);
  // LLVM's libraries are not instrumented, and contexts keep memory until the
  // end. Rows of kernels are long, so what lies around an allocation is, too.
  // Faults of compiled code get reports like other mistakes.
  std::string options =
      "detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1:"
      "redzone=256:handle_segv=2:handle_sigbus=2";
  if (const char *more = getenv("ASAN_OPTIONS"))
    options = options + ":" + more;
  if (const char *others = getenv("LD_PRELOAD"))
    runtime = runtime + ":" + others;
  setenv("ASAN_OPTIONS", options.c_str(), 1);
  setenv("LD_PRELOAD", runtime.c_str(), 1);
  setenv(entered, "1", 1);
  execv("/proc/self/exe", argv);
  return llvm::createStringError(llvm::errnoAsErrorCode(),
                                 "cannot start again with LD_PRELOAD=%s",
                                 runtime.c_str());
}

//===----------------------------------------------------------------------===//
// Instrumentation
//===----------------------------------------------------------------------===//

/// Turns a constructor or destructor of the module into a function to call.
static void exposeFunction(llvm::Module &module, StringRef internal,
                           StringRef name) {
  if (llvm::Function *function = module.getFunction(internal)) {
    function->setName(name);
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->setComdat(nullptr);
  }
}

/// Runs after the optimizer, so that only accesses which remain are checked.
void pallas::instrumentAccesses(llvm::Module &module,
                                llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  llvm::AddressSanitizerOptions options;
  // Fibers have stacks of their own, which a fake stack would mix up.
  options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false,
                                            /*UseOdrIndicator=*/false));
  passes.run(module, mam);
  exposeFunction(module, "asan.module_ctor", enterName);
  exposeFunction(module, "asan.module_dtor", leaveName);
  for (StringRef list : {"llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *variable = module.getGlobalVariable(list))
      variable->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

namespace {
/// All code with checks in this process.
struct Registry {
  /// Leaked, since code may still run while the process ends.
  static Registry &get() {
    static auto *registry = new Registry();
    return *registry;
  }
  std::mutex mutex;
  std::vector<const SanitizedCode *> code;
};
} // namespace

/// Writes a stack's addresses of compiled code below the line that heads it.
static void explainReport(const char *report) {
  Registry &registry = Registry::get();
  std::unique_lock<std::mutex> lock(registry.mutex, std::try_to_lock);
  if (!lock.owns_lock())
    return;
  SmallVector<StringRef> lines;
  StringRef(report).split(lines, '\n');
  StringRef heading;
  std::string text;
  for (StringRef line : lines) {
    StringRef rest = line.ltrim();
    if (!rest.consume_front("#")) {
      heading = rest.empty() ? heading : line;
      continue;
    }
    StringRef number = rest.take_while(llvm::isDigit);
    uintptr_t address;
    rest = rest.drop_front(number.size()).ltrim();
    if (rest.take_until([](char c) { return c == ' '; })
            .getAsInteger(0, address))
      continue;
    for (const SanitizedCode *code : registry.code)
      if (const CodeLines::Line *line = code->lines.find(address)) {
        if (!heading.empty())
          text += heading.str() + "\n";
        heading = "";
        text += llvm::formatv("    #{0} {1:x} in {2} at {3}\n", number, address,
                              line->function, line->place)
                    .str();
      }
  }
  if (!text.empty())
    llvm::errs() << "In compiled code:\n" << text;
}

/// The constructor registers globals with the sanitizer, so it runs before any
/// entry does; the callback makes reports name lines of the kernel.
llvm::Expected<std::unique_ptr<SanitizedCode>>
SanitizedCode::create(const CodeLines &lines, Lookup lookup) {
  std::unique_ptr<SanitizedCode> code(new SanitizedCode(lines));
  auto enter = lookup(enterName);
  if (!enter)
    return enter.takeError();
  reinterpret_cast<void (*)()>(*enter)();
  // A module without globals has nothing to undo.
  if (auto leave = lookup(leaveName))
    code->leave = reinterpret_cast<void (*)()>(*leave);
  else
    llvm::consumeError(leave.takeError());
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.code.push_back(code.get());
  using Callback = void (*)(const char *);
  if (auto set = reinterpret_cast<void (*)(Callback)>(
          dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback")))
    set(&explainReport);
  return std::move(code);
}

/// Leaves the registry first: a report that comes while globals are
/// unregistered must not read lines that are gone.
SanitizedCode::~SanitizedCode() {
  Registry &registry = Registry::get();
  {
    std::lock_guard<std::mutex> lock(registry.mutex);
    llvm::erase(registry.code, this);
  }
  if (leave)
    leave();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Elements of less than a byte take one.
static size_t getNumBytes(const BufferView &view) {
  return ShapedType::getNumElements(view.shape) * getByteSize(view.dtype);
}

/// Each array gets an allocation, with zones around it that the sanitizer
/// watches.
WatchedArrays::WatchedArrays(ArrayRef<BufferView> givenInputs,
                             ArrayRef<BufferView> givenOutputs)
    : inputs(givenInputs), outputs(givenOutputs), callersOutputs(givenOutputs) {
  for (auto *views : {&inputs, &outputs})
    for (BufferView &view : *views) {
      size_t size = getNumBytes(view);
      memory.emplace_back(new char[size]);
      if (views == &inputs && size > 0)
        std::memcpy(memory.back().get(), view.data, size);
      view.data = memory.back().get();
    }
}

/// Only outputs: a kernel that writes to an input must not change the caller's.
void WatchedArrays::copyBack() const {
  for (auto [from, to] : llvm::zip_equal(outputs, callersOutputs))
    if (size_t size = getNumBytes(from))
      std::memcpy(to.data, from.data, size);
}
