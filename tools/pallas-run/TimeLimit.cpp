//===- TimeLimit.cpp - Runs that have to end ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the time is over, each thread of the process is asked for its stack by a
// signal. Its innermost frame of compiled code tells which operation runs or
// waits, and the module which loop that one is in.
//
//===----------------------------------------------------------------------===//

#include "TimeLimit.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// As `Engine::findPlace` spells it; empty if there is none.
static std::string spellPlace(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return llvm::formatv("{0}:{1}:{2}", place.getFilename().getValue(),
                       place.getLine(), place.getColumn());
}

/// The innermost loop around `op` whose end no number tells, or else the
/// outermost operation around it, such as the call with its grid.
static Operation *findRepetition(Operation *op) {
  if (auto loop = op->getParentOfType<scf::WhileOp>())
    return loop;
  Operation *outermost = op;
  while (Operation *parent = outermost->getParentOp()) {
    if (isa<FunctionOpInterface, ModuleOp>(parent))
      break;
    outermost = parent;
  }
  return outermost;
}

SourceOperations::SourceOperations(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FunctionOpInterface, ModuleOp>(op))
      return;
    std::string place = spellPlace(op);
    if (place.empty())
      return;
    Operation *around = isa<scf::WhileOp>(op) ? op : findRepetition(op);
    // Of several at one place the first one is that of the source.
    entries.try_emplace(place, Entry{op->getName().getStringRef().str(),
                                     {around->getName().getStringRef().str(),
                                      spellPlace(around)}});
  });
}

const SourceOperations::Entry *SourceOperations::find(StringRef place) const {
  auto it = entries.find(place);
  return it == entries.end() ? nullptr : &it->second;
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

namespace {
/// The frames of a thread, innermost first.
struct Stack {
  pid_t thread;
  bool sleeps = false;
  std::array<uintptr_t, 64> frames = {};
  size_t numFrames = 0;
};
} // namespace

/// The stack that is asked for, and whether the thread has answered.
static std::atomic<Stack *> wantedStack = nullptr;
static std::atomic<bool> isStackTaken = false;

static _Unwind_Reason_Code addFrame(_Unwind_Context *context, void *given) {
  auto &stack = *static_cast<Stack *>(given);
  int isBeforeInstruction = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &isBeforeInstruction);
  // A return address may belong to the next line already.
  stack.frames[stack.numFrames++] = address - !isBeforeInstruction;
  return stack.numFrames == stack.frames.size() ? _URC_END_OF_STACK
                                                : _URC_NO_REASON;
}

static pid_t getThreadId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// A signal that comes late must not answer for another thread.
static void takeStack(int) {
  Stack *stack = wantedStack.load();
  if (!stack || stack->thread != getThreadId() ||
      !wantedStack.compare_exchange_strong(stack, nullptr))
    return;
  _Unwind_Backtrace(addFrame, stack);
  isStackTaken = true;
}

/// The state follows the name, which may hold anything but ends with the
/// last parenthesis.
static bool isSleeping(pid_t thread) {
  auto text = llvm::MemoryBuffer::getFileAsStream(
      llvm::formatv("/proc/self/task/{0}/stat", thread).str());
  if (!text)
    return false;
  return (*text)->getBuffer().rsplit(')').second.ltrim().starts_with("S");
}

/// Returns whether the thread answers.
static bool readStack(Stack &stack) {
  stack.sleeps = isSleeping(stack.thread);
  isStackTaken = false;
  wantedStack = &stack;
  if (syscall(SYS_tgkill, getpid(), stack.thread, SIGURG) != 0) {
    wantedStack = nullptr;
    return false;
  }
  auto pause = std::chrono::milliseconds(1);
  for (int tries = 0; !isStackTaken; ++tries) {
    std::this_thread::sleep_for(pause);
    Stack *expected = &stack;
    // An answer that has begun is waited for.
    if (tries == 1000 && wantedStack.compare_exchange_strong(expected, nullptr))
      return false;
  }
  return true;
}

/// Those of all other threads of the process.
static std::vector<Stack> readStacks() {
  struct sigaction action = {};
  action.sa_handler = takeStack;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGURG, &action, nullptr);
  std::vector<Stack> stacks;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it("/proc/self/task", code), end;
       !code && it != end; it.increment(code)) {
    Stack stack;
    if (llvm::sys::path::filename(it->path()).getAsInteger(10, stack.thread) ||
        stack.thread == getThreadId())
      continue;
    if (readStack(stack))
      stacks.push_back(stack);
  }
  return stacks;
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

TimeLimit::TimeLimit(unsigned seconds, const Engine &engine,
                     const SourceOperations &operations,
                     std::function<void()> finish)
    : seconds(seconds), engine(engine), operations(operations),
      finish(std::move(finish)), watcher([this] { watch(); }) {}

TimeLimit::~TimeLimit() {
  {
    std::lock_guard<std::mutex> guard(mutex);
    hasEnded = true;
  }
  changed.notify_one();
  watcher.join();
}

void TimeLimit::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  if (changed.wait_for(lock, std::chrono::seconds(seconds),
                       [&] { return hasEnded; }))
    return;
  report();
  finish();
  // Code that still runs must not meet destructors.
  std::_Exit(1);
}

/// Threads that run come first: those that sleep may wait for them.
void TimeLimit::report() const {
  std::vector<Stack> stacks = readStacks();
  std::partition(stacks.begin(), stacks.end(),
                 [](const Stack &stack) { return !stack.sleeps; });
  std::string heading =
      llvm::formatv("the run has not ended within {0} second{1}", seconds,
                    seconds == 1 ? "" : "s");
  std::set<std::string> told;
  for (const Stack &stack : stacks) {
    std::string place;
    for (uintptr_t frame : ArrayRef(stack.frames).take_front(stack.numFrames))
      if (!(place = engine.findPlace(frame)).empty())
        break;
    if (place.empty())
      continue;
    const SourceOperations::Entry *entry = operations.find(place);
    std::string name = entry ? "'" + entry->name + "'" : "compiled code", text;
    llvm::raw_string_ostream os(text);
    if (stack.sleeps || !entry || entry->repeatedBy.place.empty() ||
        entry->repeatedBy.place == place)
      os << place << ": error: " << heading << "; " << name << " still "
         << (stack.sleeps ? "waits" : "runs") << " here\n";
    else
      os << entry->repeatedBy.place << ": error: " << heading << "; '"
         << entry->repeatedBy.name << "' still runs here\n"
         << place << ": note: it has come to " << name << "\n";
    if (told.insert(text).second)
      llvm::errs() << text;
  }
  llvm::errs() << "pallas-run: " << heading
               << "; a longer --time-limit lets it go on\n";
}
