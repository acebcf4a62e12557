//===- CheckedRuntime.cpp - What checked code calls -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function takes a few arguments of fixed types and then integers of 64
// bits, as the conversion to CPUs appends them.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "pallas/Runtime/Runtime.h"
#include <cstdarg>

using namespace pallas_rt;

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
  Words(const Checker &checker, va_list &list) : checker(checker), list(list) {}

  int64_t next() { return va_arg(list, int64_t); }

  /// Elements, and the memory where they lie as compiled code sees it.
  MemoryView view() { return checker.resolve(memory()); }
  MemoryView viewAt(uintptr_t address) {
    return checker.resolve(memoryAt(address));
  }
  MemoryView memory() { return memoryAt(static_cast<uintptr_t>(next())); }

private:
  MemoryView memoryAt(uintptr_t address) {
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

  const Checker &checker;
  va_list &list;
};
} // namespace

static uint64_t getNumBytes(const MemoryView &view) {
  return view.getNumElements() * view.elementBytes;
}

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
    Words words(*currentChecker, list);                                        \
    name##Impl(*currentChecker, fixed, words);                                 \
    va_end(list);                                                              \
  }                                                                            \
  static void name##Impl(Checker &checker, fixedType fixed, Words &words)

PALLAS_CHECK(region, const char *) {
  auto state = static_cast<ByteState>(words.next());
  int64_t flags = words.next();
  MemoryRegion region;
  region.name = fixed;
  for (uint64_t &filler : region.fillers)
    filler = static_cast<uint64_t>(words.next());
  MemoryView view = words.memory();
  region.begin = view.address;
  region.elementBytes = view.elementBytes;
  region.shape = view.sizes;
  if (checker.timeline && (flags & kNewRegion))
    checker.timeline->forgetSemaphores(region.begin,
                                       region.begin + region.getNumBytes());
  checker.addRegion(std::move(region), state, flags);
}

PALLAS_CHECK(regionEnd, int64_t) {
  checker.removeRegion(static_cast<uintptr_t>(fixed));
}

PALLAS_CHECK(packedView, int64_t) {
  PackedView view;
  view.elementBits = fixed;
  MemoryView copy = words.memory();
  view.begin = copy.address;
  view.elementBytes = copy.elementBytes;
  view.shape = copy.sizes;
  view.originalBits = words.next();
  view.original = words.memory();
  checker.addPackedView(std::move(view));
}

PALLAS_CHECK(access, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  MemoryView view = words.view();
  checker.access(fixed, kind, view);
  if (checker.timeline)
    checker.timeline->access(checker.getPosition(), fixed, getNumBytes(view));
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

PALLAS_CHECK(tensorBounds, const char *) { checker.tensorBounds(fixed); }

PALLAS_CHECK(gridBegin, const char *) {
  checker.beginGrid(fixed);
  if (checker.timeline)
    checker.timeline->beginGrid(checker.getPosition(), fixed);
}

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
  if (checker.timeline)
    checker.timeline->beginProgram(checker.getPosition(), ids);
}

PALLAS_CHECK(window, const char *) {
  int64_t block = words.next(), flags = words.next(), delay = words.next();
  MemoryView view = words.view();
  SmallVector<WindowDim> dims(words.next());
  for (WindowDim &dim : dims) {
    dim.start = words.next();
    dim.size = words.next();
    dim.padLow = words.next();
    dim.arraySize = words.next();
  }
  checker.window(fixed, block, flags, delay, view, dims);
}

PALLAS_CHECK(gridEnd, int64_t) {
  checker.endGrid();
  if (checker.timeline)
    checker.timeline->endGrid(checker.getPosition());
}

PALLAS_CHECK(output, const char *) {
  MemoryView view = words.view();
  SmallVector<int64_t> blockShape(words.next());
  for (int64_t &size : blockShape)
    size = words.next();
  checker.output(fixed, view, blockShape);
}

PALLAS_CHECK(copyBegin, const char *) {
  checker.beginCopy(fixed);
  if (checker.timeline)
    checker.timeline->beginCopy(checker.getPosition(), fixed);
}

PALLAS_CHECK(copyIndices, const char *) {
  checker.readIndices(fixed, words.view());
}

PALLAS_CHECK(copyPart, const char *) {
  bool adds = words.next() != 0;
  MemoryView source = words.view();
  checker.copy(fixed, source, words.view(), adds);
  if (checker.timeline)
    checker.timeline->copyPart(checker.getPosition(), getNumBytes(source));
}

PALLAS_CHECK(copyEnd, int64_t) {
  CopyEnd end;
  end.semaphore = static_cast<uintptr_t>(fixed);
  end.sourceSemaphore = static_cast<uintptr_t>(words.next());
  end.amount = words.next();
  checker.endCopy(end);
  if (checker.timeline)
    checker.timeline->endCopy(checker.getPosition(), end);
}

PALLAS_CHECK(signalSemaphore, const char *) {
  auto semaphore = static_cast<uintptr_t>(words.next());
  int64_t amount = words.next();
  checker.signal(semaphore);
  if (checker.timeline)
    checker.timeline->signal(checker.getPosition(), fixed, semaphore, amount);
}

PALLAS_CHECK(waitForSemaphore, const char *) {
  auto semaphore = static_cast<uintptr_t>(words.next());
  int64_t amount = words.next();
  checker.wait(semaphore, amount);
  if (!checker.timeline)
    return;
  FlowPosition at = checker.getPosition();
  checker.timeline->nameSemaphore(semaphore, at,
                                  checker.describeSemaphore(semaphore));
  checker.timeline->wait(at, fixed, semaphore, amount);
}

PALLAS_CHECK(commitCopies, int64_t) {
  checker.commitCopies();
  if (checker.timeline)
    checker.timeline->commitCopies(checker.getPosition());
}

PALLAS_CHECK(waitForCopies, int64_t) {
  checker.waitForCopies(fixed, words.next() != 0);
  if (checker.timeline)
    checker.timeline->waitForCopies(checker.getPosition(), fixed);
}

PALLAS_CHECK(productBegin, int64_t) {
  checker.beginProduct();
  if (checker.timeline)
    checker.timeline->beginProduct(checker.getPosition());
}

PALLAS_CHECK(productAccess, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  MemoryView view = words.view();
  checker.accessByProduct(fixed, kind, view);
  if (checker.timeline)
    checker.timeline->productAccess(checker.getPosition(), fixed,
                                    getNumBytes(view));
}

PALLAS_CHECK(productEnd, int64_t) {
  checker.endProduct(static_cast<uintptr_t>(fixed));
  if (checker.timeline)
    checker.timeline->endProduct(checker.getPosition(),
                                 static_cast<uintptr_t>(fixed));
}

PALLAS_CHECK(followProducts, int64_t) {
  checker.followProducts(static_cast<uintptr_t>(fixed));
  if (checker.timeline)
    checker.timeline->followProducts(checker.getPosition(),
                                     static_cast<uintptr_t>(fixed));
}

PALLAS_CHECK(waitForProducts, int64_t) {
  checker.waitForProducts(fixed);
  if (checker.timeline)
    checker.timeline->waitForProducts(checker.getPosition(), fixed);
}

PALLAS_CHECK(commitStores, int64_t) { checker.commitStores(); }

PALLAS_CHECK(committed, const char *) {
  checker.committed(fixed, words.view());
}

PALLAS_CHECK(tensorMemory, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  MemoryView view = words.view();
  checker.accessTensorMemory(fixed, kind, view);
  if (checker.timeline)
    checker.timeline->access(checker.getPosition(), fixed, getNumBytes(view));
}

PALLAS_CHECK(waitForTensorMemory, int64_t) {
  checker.waitForTensorMemory(static_cast<AccessKind>(fixed));
}

PALLAS_CHECK(pointsBegin, int64_t) {
  checker.beginPoints();
  if (checker.timeline)
    checker.timeline->beginPoints(checker.getPosition());
}

PALLAS_CHECK(pointBegin, int64_t) {
  SmallVector<int64_t> ids(fixed);
  for (int64_t &id : ids)
    id = words.next();
  checker.beginPoint(ids);
  if (checker.timeline)
    checker.timeline->beginPoint(checker.getPosition(), ids);
}

PALLAS_CHECK(pointEnd, int64_t) {
  checker.endPoint();
  if (checker.timeline)
    checker.timeline->endPoint(checker.getPosition());
}

PALLAS_CHECK(pointsEnd, int64_t) {
  checker.endPoints();
  if (checker.timeline)
    checker.timeline->endPoints(checker.getPosition());
}

PALLAS_CHECK(semaphoresEnd, const char *) {
  checker.semaphoresEnd(fixed, words.view());
}

ArrayRef<std::pair<const char *, void *>> pallas_rt::getCheckerSymbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  static const std::pair<const char *, void *> symbols[] = {
      {"pallas_check_region", at(&region)},
      {"pallas_check_region_end", at(&regionEnd)},
      {"pallas_check_packed_view", at(&packedView)},
      {"pallas_check_access", at(&access)},
      {"pallas_check_same_contents", at(&sameContents)},
      {"pallas_check_bounds", at(&bounds)},
      {"pallas_check_tensor_bounds", at(&tensorBounds)},
      {"pallas_check_grid_begin", at(&gridBegin)},
      {"pallas_check_alias", at(&alias)},
      {"pallas_check_program", at(&program)},
      {"pallas_check_window", at(&window)},
      {"pallas_check_grid_end", at(&gridEnd)},
      {"pallas_check_output", at(&output)},
      {"pallas_check_points_begin", at(&pointsBegin)},
      {"pallas_check_point_begin", at(&pointBegin)},
      {"pallas_check_point_end", at(&pointEnd)},
      {"pallas_check_points_end", at(&pointsEnd)},
      {"pallas_check_copy_begin", at(&copyBegin)},
      {"pallas_check_copy_indices", at(&copyIndices)},
      {"pallas_check_copy_part", at(&copyPart)},
      {"pallas_check_copy_end", at(&copyEnd)},
      {"pallas_check_commit_copies", at(&commitCopies)},
      {"pallas_check_wait_for_copies", at(&waitForCopies)},
      {"pallas_check_product_begin", at(&productBegin)},
      {"pallas_check_product_access", at(&productAccess)},
      {"pallas_check_product_end", at(&productEnd)},
      {"pallas_check_follow_products", at(&followProducts)},
      {"pallas_check_wait_for_products", at(&waitForProducts)},
      {"pallas_check_commit_stores", at(&commitStores)},
      {"pallas_check_committed", at(&committed)},
      {"pallas_check_tensor_memory", at(&tensorMemory)},
      {"pallas_check_wait_for_tensor_memory", at(&waitForTensorMemory)},
      {"pallas_check_signal", at(&signalSemaphore)},
      {"pallas_check_wait", at(&waitForSemaphore)},
      {"pallas_check_semaphores_end", at(&semaphoresEnd)},
  };
  return symbols;
}
