//===- GuardedRead.cpp - Reading bytes that may be hostile ----------------===//

#include "GuardedRead.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

static constexpr rlim_t kMaxSeconds = 5;
static constexpr rlim_t kMaxBytes = rlim_t(2) << 30;

static void limit(int resource, rlim_t value) {
  rlimit limits{value, value};
  setrlimit(resource, &limits);
}

[[noreturn]] static void runLimited(llvm::function_ref<void()> read) {
  // The parent reports; no stack trace and no core of the child.
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP})
    std::signal(signal, SIG_DFL);
  if (!std::freopen("/dev/null", "w", stderr))
    _exit(1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, kMaxSeconds);
  limit(RLIMIT_DATA, kMaxBytes);
  read();
  _exit(0);
}

bool pallas::survivesReading(llvm::function_ref<void()> read) {
  pid_t child = fork();
  if (child == 0)
    runLimited(read);
  if (child < 0)
    return true; // No process to be had: read without the guard.
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status);
}
