//===- CrashReport.cpp - Report of a crash --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file reports a crash: the command, and what each thread was doing.
// Passes and runs of kernels are recorded while they last, in memory that
// exists from the start, so that the handler of the signal only reads.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/CrashReport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <atomic>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Records of running work
//===----------------------------------------------------------------------===//

namespace {
/// The work of one thread. There is a fixed number of slots, because a handler
/// of a signal must not allocate; threads claim them without a lock.
struct Slot {
  enum State { Free, Written, Shown };
  std::atomic<State> state{Free};
  pid_t thread;
  /// Later ones are inside of earlier ones of the same thread.
  unsigned order;
  char text[240];
};
} // namespace

static Slot slots[64];
static std::atomic<unsigned> nextOrder{0};
static std::atomic<bool> isInstalled{false};

static pid_t getThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// Work that finds no free slot is not reported. The text is complete before
/// the slot is marked `Shown`, so that a handler on another thread never reads
/// half of one.
CrashContext::CrashContext(llvm::function_ref<void(raw_ostream &)> describe) {
  if (!isInstalled.load(std::memory_order_relaxed))
    return;
  SmallString<sizeof(Slot::text)> text;
  llvm::raw_svector_ostream os(text);
  describe(os);
  for (auto [index, candidate] : llvm::enumerate(slots)) {
    Slot::State expected = Slot::Free;
    if (!candidate.state.compare_exchange_strong(expected, Slot::Written))
      continue;
    candidate.thread = getThread();
    candidate.order = nextOrder++;
    size_t length = std::min(text.size(), sizeof(candidate.text) - 1);
    std::memcpy(candidate.text, text.data(), length);
    candidate.text[length] = '\0';
    candidate.state.store(Slot::Shown, std::memory_order_release);
    slot = static_cast<int>(index);
    return;
  }
}

CrashContext::~CrashContext() {
  if (slot >= 0)
    slots[slot].state.store(Slot::Free, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// Records each pass while it runs.
class CrashInstrumentation : public PassInstrumentation {
  void runBeforePass(Pass *pass, Operation *op) override {
    // Without an argument it only holds other passes.
    StringRef argument = pass->getArgument();
    auto describe = [&](raw_ostream &os) {
      os << "running --" << argument << " on " << op->getName();
      if (auto name = op->getAttrOfType<StringAttr>("sym_name"))
        os << " @" << name.getValue();
    };
    running().push_back(
        argument.empty() ? nullptr : std::make_unique<CrashContext>(describe));
  }
  void runAfterPass(Pass *, Operation *) override { running().pop_back(); }
  void runAfterPassFailed(Pass *, Operation *) override {
    running().pop_back();
  }

  /// Passes of this thread; the end of one is told on the thread that began it.
  static std::vector<std::unique_ptr<CrashContext>> &running() {
    static thread_local std::vector<std::unique_ptr<CrashContext>> contexts;
    return contexts;
  }
};
} // namespace

void pallas::reportPassesInCrashes(PassManager &pm) {
  if (isInstalled)
    pm.addInstrumentation(std::make_unique<CrashInstrumentation>());
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

// All of what follows runs in a process that is broken: no memory, no locks, no
// buffers, only functions that are safe in handlers of signals.

static int numArguments;
static char **arguments;
static std::atomic<pid_t> crashed{0};
/// LLVM's handler sets the alarm of the process for itself.
static timer_t patience;
static bool hasPatience = false;

/// Writes to the standard error stream without a buffer.
static void say(const char *text) {
  size_t left = std::strlen(text);
  while (left > 0) {
    ssize_t written = write(STDERR_FILENO, text, left);
    if (written <= 0)
      return;
    text += written;
    left -= written;
  }
}

/// The contexts of one thread, outermost first.
static void sayContexts(pid_t thread, const char *heading) {
  unsigned least = 0;
  while (true) {
    const Slot *next = nullptr;
    for (const Slot &slot : slots)
      if (slot.state.load(std::memory_order_acquire) == Slot::Shown &&
          slot.thread == thread && slot.order >= least &&
          (!next || slot.order < next->order))
        next = &slot;
    if (!next)
      return;
    say(heading);
    say(next->text);
    say("\n");
    least = next->order + 1;
  }
}

/// Ends the programs that the handler started and waits for, which would keep
/// this one's output open.
static void killChildren(pid_t thread) {
  char path[64] = "/proc/self/task/", digits[16];
  char *end = digits + sizeof(digits) - 1;
  *end = '\0';
  for (; thread > 0; thread /= 10)
    *--end = static_cast<char>('0' + thread % 10);
  std::strcat(path, end);
  std::strcat(path, "/children");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  char text[256];
  ssize_t size = read(file, text, sizeof(text));
  close(file);
  pid_t child = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = child * 10 + (text[i] - '0');
      continue;
    }
    if (child > 1)
      kill(child, SIGKILL);
    child = 0;
  }
}

/// The stack trace has taken too long.
static void endProcess(int /*signal*/) {
  killChildren(crashed);
  say("(the rest of the report takes too long)\n");
  signal(SIGABRT, SIG_DFL);
  kill(getpid(), SIGABRT);
  _exit(128 + SIGABRT);
}

/// The handler of the signal. LLVM's own handler runs next and prints a stack
/// trace, for which it starts another program; the timer ends the process if
/// that hangs.
static void reportCrash(void *) {
  crashed = getThread();
  struct sigaction action = {};
  action.sa_handler = endProcess;
  sigaction(SIGALRM, &action, nullptr);
  itimerspec limit = {};
  limit.it_value.tv_nsec = 800'000'000;
  bool isTimed = hasPatience && !timer_settime(patience, 0, &limit, nullptr);
  say("\n");
  say(arguments[0]);
  say(" crashed, which must not happen whatever it is given. Please report it "
      "with the\nmodule, this command and all that follows:\n ");
  for (int i = 0; i < numArguments; ++i) {
    say(" ");
    say(arguments[i]);
  }
  say("\n");
  sayContexts(crashed, "  while it was ");
  for (const Slot &slot : slots)
    if (slot.state.load(std::memory_order_acquire) == Slot::Shown &&
        slot.thread != crashed) {
      say("  another thread was ");
      say(slot.text);
      say("\n");
    }
  if (!isTimed)
    endProcess(SIGALRM);
}

/// The timer exists beforehand: creating one may allocate.
void pallas::installCrashReport(int argc, char **argv) {
  numArguments = argc;
  arguments = argv;
  isInstalled = true;
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  hasPatience = !timer_create(CLOCK_MONOTONIC, &event, &patience);
  llvm::setBugReportMsg("");
  // Handlers run in the order in which they come; LLVM's own one is next.
  llvm::sys::AddSignalHandler(reportCrash, nullptr);
}
