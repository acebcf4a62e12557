//===- ChildProcess.cpp - Work that may end its process -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file runs work in a child process and reads its reports from a pipe.
// Each report is a kind, a size and as many bytes, so that a child that ends in
// the middle of one is noticed.
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// The child's side
//===----------------------------------------------------------------------===//

/// A pipe takes a part of a large text at a time.
static void writeAll(int descriptor, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    // Without a reader reports are lost.
    if (written <= 0)
      _exit(1);
    data += written;
    size -= written;
  }
}

/// The size comes before the text, so that the reader notices a report which a
/// crash has cut short.
void Reporter::report(char kind, llvm::StringRef text) const {
  uint64_t size = text.size();
  writeAll(descriptor, &kind, 1);
  writeAll(descriptor, reinterpret_cast<const char *>(&size), sizeof(size));
  writeAll(descriptor, text.data(), text.size());
}

void mlir::pallas::limitTime(unsigned seconds) { alarm(seconds); }

/// Signals end the process as they would if no handler had been installed, and
/// leave no core.
static void resetSignals() {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
                     SIGALRM, SIGTERM, SIGINT})
    ::signal(signal, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

//===----------------------------------------------------------------------===//
// The parent's side
//===----------------------------------------------------------------------===//

/// Reads until the child closes its end, at the latest when it ends.
static std::string readAll(int descriptor) {
  std::string text;
  char buffer[1 << 14];
  while (true) {
    ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(buffer, count);
  }
}

/// The reports in what came through the pipe; one cut short is left out.
static std::vector<Report> split(llvm::StringRef text) {
  std::vector<Report> reports;
  constexpr size_t header = 1 + sizeof(uint64_t);
  while (text.size() >= header) {
    uint64_t size;
    std::memcpy(&size, text.data() + 1, sizeof(size));
    if (text.size() - header < size)
      break;
    reports.push_back({text[0], text.substr(header, size).str()});
    text = text.drop_front(header + size);
  }
  return reports;
}

/// Empty if the child ended by itself with status 0.
static std::string describeEnd(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "does not end in time";
  if (WIFSIGNALED(status))
    return llvm::formatv("ends with signal {0} ({1})", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    return llvm::formatv("exits with status {0}", WEXITSTATUS(status));
  return "";
}

/// The child is a copy of this process, so that the work can use everything
/// that has been loaded, without starting over.
llvm::Expected<ChildProcess>
mlir::pallas::runInChild(llvm::function_ref<void(const Reporter &)> work) {
  int ends[2];
  if (pipe(ends) != 0)
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()),
        "a pipe can't be opened: %s", strerror(errno));
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    resetSignals();
    work(Reporter(ends[1]));
    // Destructors belong to the parent.
    _exit(0);
  }
  // The pipe ends for the reader when all of its write ends are closed, that of
  // this process included.
  int error = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return llvm::createStringError(
        std::error_code(error, std::generic_category()),
        "a process can't be started: %s", strerror(error));
  }
  ChildProcess result;
  result.reports = split(readAll(ends[0]));
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  result.failure = describeEnd(status);
  return result;
}
