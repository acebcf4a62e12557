//===- CheckedRuntime.cpp - What checked code calls -----------------------===//
//
// Each function takes a few arguments of fixed types and then integers of 64
// bits, as the conversion to CPUs appends them.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include <cstdarg>

using namespace mlir;
using namespace mlir::pallas;

static Checker *currentChecker = nullptr;

/// Only one checked call runs at a time, since its threads share the checker.
static std::mutex &getCallMutex() {
  static std::mutex mutex;
  return mutex;
}

CheckerScope::CheckerScope(Checker &checker) : lock(getCallMutex()) {
  currentChecker = &checker;
}
CheckerScope::~CheckerScope() { currentChecker = nullptr; }

namespace {
/// The integers behind the fixed arguments of a call.
class Words {
public:
  explicit Words(va_list &list) : list(list) {}

  int64_t next() { return va_arg(list, int64_t); }

  MemoryView view() { return viewAt(static_cast<uintptr_t>(next())); }
  MemoryView viewAt(uintptr_t address) {
    MemoryView view;
    view.address = address;
    view.elementBytes = next();
    int64_t rank = next();
    for (int64_t d = 0; d < rank; ++d)
      view.sizes.push_back(next());
    for (int64_t d = 0; d < rank; ++d)
      view.strides.push_back(next());
    return view;
  }

private:
  va_list &list;
};
} // namespace

/// Defines `name` with one fixed argument; the body sees it, the words behind
/// it, and the checker, which no other thread talks to meanwhile.
#define PALLAS_CHECK(name, fixedType)                                          \
  static void name##Impl(Checker &checker, fixedType fixed, Words &words);     \
  static void name(fixedType fixed, ...) {                                     \
    if (!currentChecker)                                                       \
      return;                                                                  \
    std::lock_guard<std::mutex> guard(currentChecker->getMutex());             \
    va_list list;                                                              \
    va_start(list, fixed);                                                     \
    Words words(list);                                                         \
    name##Impl(*currentChecker, fixed, words);                                 \
    va_end(list);                                                              \
  }                                                                            \
  static void name##Impl(Checker &checker, fixedType fixed, Words &words)

PALLAS_CHECK(region, const char *) {
  auto state = static_cast<ByteState>(words.next());
  MemoryRegion region;
  region.name = fixed;
  for (uint64_t &filler : region.fillers)
    filler = static_cast<uint64_t>(words.next());
  MemoryView view = words.view();
  region.begin = view.address;
  region.elementBytes = view.elementBytes;
  region.shape = view.sizes;
  checker.addRegion(std::move(region), state);
}

PALLAS_CHECK(access, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  checker.access(fixed, kind, words.view());
}

PALLAS_CHECK(sameContents, int64_t) {
  MemoryView source = words.viewAt(static_cast<uintptr_t>(fixed));
  checker.sameContents(source, words.view());
}

PALLAS_CHECK(bounds, const char *) {
  SmallVector<IndexedDim> dims(words.next());
  for (IndexedDim &dim : dims) {
    dim.dim = words.next();
    dim.start = words.next();
    dim.length = words.next();
    dim.stride = words.next();
    dim.size = words.next();
  }
  checker.bounds(fixed, dims);
}

PALLAS_CHECK(gridBegin, const char *) { checker.beginGrid(fixed); }

PALLAS_CHECK(alias, int64_t) {
  MemoryView input = words.viewAt(static_cast<uintptr_t>(fixed));
  MemoryView output = words.view();
  checker.alias(input, output, words.next() != 0);
}

PALLAS_CHECK(program, int64_t) {
  SmallVector<int64_t> ids(fixed);
  for (int64_t &id : ids)
    id = words.next();
  checker.beginProgram(ids);
}

PALLAS_CHECK(window, const char *) {
  int64_t block = words.next(), flags = words.next();
  MemoryView view = words.view();
  SmallVector<WindowDim> dims(words.next());
  for (WindowDim &dim : dims) {
    dim.start = words.next();
    dim.size = words.next();
    dim.padLow = words.next();
    dim.arraySize = words.next();
  }
  checker.window(fixed, block, flags, view, dims);
}

PALLAS_CHECK(gridEnd, int64_t) { checker.endGrid(); }

PALLAS_CHECK(output, const char *) {
  MemoryView view = words.view();
  SmallVector<int64_t> blockShape(view.sizes.size());
  for (int64_t &size : blockShape)
    size = words.next();
  checker.output(fixed, view, blockShape);
}

PALLAS_CHECK(copyStart, const char *) {
  auto semaphore = static_cast<uintptr_t>(words.next());
  auto sourceSemaphore = static_cast<uintptr_t>(words.next());
  int64_t amount = words.next();
  bool adds = words.next() != 0;
  MemoryView source = words.view();
  checker.startCopy(fixed, source, words.view(), semaphore, sourceSemaphore,
                    amount, adds);
}

PALLAS_CHECK(signalSemaphore, int64_t) {
  checker.signal(static_cast<uintptr_t>(fixed));
}

PALLAS_CHECK(waitForSemaphore, int64_t) {
  checker.wait(static_cast<uintptr_t>(fixed), words.next());
}

PALLAS_CHECK(semaphoresEnd, const char *) {
  checker.semaphoresEnd(fixed, words.view());
}

ArrayRef<std::pair<const char *, void *>> mlir::pallas::getCheckerSymbols() {
  static const std::pair<const char *, void *> symbols[] = {
      {"pallas_check_region", reinterpret_cast<void *>(&region)},
      {"pallas_check_access", reinterpret_cast<void *>(&access)},
      {"pallas_check_same_contents", reinterpret_cast<void *>(&sameContents)},
      {"pallas_check_bounds", reinterpret_cast<void *>(&bounds)},
      {"pallas_check_grid_begin", reinterpret_cast<void *>(&gridBegin)},
      {"pallas_check_alias", reinterpret_cast<void *>(&alias)},
      {"pallas_check_program", reinterpret_cast<void *>(&program)},
      {"pallas_check_window", reinterpret_cast<void *>(&window)},
      {"pallas_check_grid_end", reinterpret_cast<void *>(&gridEnd)},
      {"pallas_check_output", reinterpret_cast<void *>(&output)},
      {"pallas_check_copy_start", reinterpret_cast<void *>(&copyStart)},
      {"pallas_check_signal", reinterpret_cast<void *>(&signalSemaphore)},
      {"pallas_check_wait", reinterpret_cast<void *>(&waitForSemaphore)},
      {"pallas_check_semaphores_end", reinterpret_cast<void *>(&semaphoresEnd)},
  };
  return symbols;
}
