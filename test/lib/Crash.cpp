//===- Crash.cpp - Brings a program down in ways that are hard to report --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that preload it: the program crashes when it opens a file whose
// name ends with `crash-KIND.mlir`.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

extern "C" void *__libc_malloc(size_t bytes);

static std::atomic<bool> isStuck{false};

/// As if the lock of the heap were held by somebody who never gives it back.
extern "C" void *malloc(size_t bytes) {
  while (isStuck)
    pause();
  return __libc_malloc(bytes);
}

/// Writes behind an allocation, where the heap keeps its books, so that it
/// finds out while it holds its lock.
static void damageHeap() {
  void *volatile block = malloc(5000);
  void *volatile next = malloc(5000);
  std::memset(block, 0xff,
              static_cast<char *>(next) - static_cast<char *>(block));
  free(block);
}

static int recurse(volatile int *depth) {
  volatile int frame[1024];
  frame[0] = *depth + 1;
  return recurse(frame) + frame[0];
}

static void crash(std::string_view kind) {
  if (kind == "heap")
    damageHeap();
  if (kind == "stack") {
    volatile int depth = 0;
    recurse(&depth);
  }
  if (kind == "abort")
    std::abort();
  isStuck = kind == "stuck";
  *reinterpret_cast<volatile int *>(8) = 1;
}

using Open = int (*)(const char *, int, ...);

static int openOrCrash(const char *name, const char *path, int flags,
                       mode_t mode) {
  std::string_view kind = path;
  constexpr std::string_view before = "crash-", after = ".mlir";
  size_t start = kind.rfind(before);
  if (start != kind.npos && kind.size() > after.size() &&
      kind.substr(kind.size() - after.size()) == after) {
    kind.remove_suffix(after.size());
    crash(kind.substr(start + before.size()));
  }
  return reinterpret_cast<Open>(dlsym(RTLD_NEXT, name))(path, flags, mode);
}

extern "C" int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return openOrCrash("open", path, flags, mode);
}

extern "C" int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return openOrCrash("open64", path, flags, mode);
}
