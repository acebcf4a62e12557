//===- CheckedRuntime.cpp - Entry points of checked code ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the functions that checked code calls. Each takes a few
// arguments of fixed types and then integers of 64 bits, as
// convert-pallas-to-cpu appends them: see Checks.cpp there. They decode the
// arguments and forward them to the checker and the timeline.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "pallas/Runtime/CheckedCall.h"
#include "pallas/Runtime/Runtime.h"
#include <condition_variable>
#include <cstdarg>

using namespace pallas_rt;

static Checker *currentChecker = nullptr;

namespace {
/// Only one checked run goes on at a time, since its threads share the checker.
struct Turns {
  /// Leaked, since runs may go on while the process ends.
  static Turns &get() {
    static auto *turns = new Turns();
    return *turns;
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool isTaken = false;
  /// Why no run may begin; empty if it may.
  std::string refusal;
};
} // namespace

/// Runs of other threads wait here, until it is refused that any begins.
CheckerScope::CheckerScope(Checker &checker) {
  Turns &turns = Turns::get();
  std::unique_lock<std::mutex> lock(turns.mutex);
  turns.changed.wait(lock,
                     [&] { return !turns.isTaken || !turns.refusal.empty(); });
  refusal = turns.refusal;
  if (!refusal.empty())
    return;
  turns.isTaken = true;
  currentChecker = &checker;
}

CheckerScope::~CheckerScope() {
  if (!refusal.empty())
    return;
  Turns &turns = Turns::get();
  {
    std::lock_guard<std::mutex> guard(turns.mutex);
    currentChecker = nullptr;
    turns.isTaken = false;
  }
  turns.changed.notify_one();
}

void pallas_rt::refuseCheckedCalls(std::string reason) {
  Turns &turns = Turns::get();
  {
    std::lock_guard<std::mutex> guard(turns.mutex);
    turns.refusal = std::move(reason);
  }
  turns.changed.notify_all();
}

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

/// The duration of an access in a timeline.
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

/// In the comments below, a view is an address, the bytes of an element, the
/// rank, the sizes and the strides. A site is the text of a location, an
/// operation and the name of its memory, one per line. For example, a read of
/// the first four elements of `memref<8xf32>` is:
///
///   llvm.call @pallas_check_access(%site, %c1, %address, %c4, %c1, %c4, %c1)
///
/// Announces memory: name, state of the bytes, flags, four fillers, view.
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
  region.isOfCores = flags & kRegionOfCores;
  uintptr_t begin = region.begin, end = begin + region.getNumBytes();
  bool isNew = checker.addRegion(std::move(region), state, flags);
  if (RecorderAccess timeline = checker.getTimeline();
      timeline && isNew && (flags & kNewRegion))
    timeline->forgetSemaphores(begin, end);
}

/// Ends memory: address.
PALLAS_CHECK(regionEnd, int64_t) {
  checker.removeRegion(static_cast<uintptr_t>(fixed));
}

/// Announces a copy with elements of another width: bits of its elements, view
/// of the copy, bits of the original elements, view of the original.
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

/// Reports a read, a write or both: site, kind, view.
PALLAS_CHECK(access, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  MemoryView view = words.view();
  checker.access(fixed, kind, view);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->access(checker.getPosition(), fixed, getNumBytes(view));
}

/// Reports a copy that the kernel doesn't see, as that to a padded array: view
/// of the source, view of the target. What was written stays known as written.
PALLAS_CHECK(sameContents, int64_t) {
  MemoryView source = words.viewAt(static_cast<uintptr_t>(fixed));
  checker.sameContents(source, words.view());
}

/// Checks indices: site, number of dimensions, and for each its number, start,
/// length, stride and size.
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

/// Reports an index outside of a tensor, which the code has found: site.
PALLAS_CHECK(tensorBounds, const char *) { checker.tensorBounds(fixed); }

/// Begins a grid, possibly inside of another one: site.
PALLAS_CHECK(gridBegin, const char *) {
  checker.beginGrid(fixed);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->beginGrid(checker.getPosition(), fixed);
}

/// Announces what programs of the grid access that may run on different cores:
/// number of arrays, a view of each.
PALLAS_CHECK(sharedArrays, int64_t) {
  SmallVector<MemoryView> arrays(fixed);
  for (MemoryView &array : arrays)
    array = words.view();
  checker.shareArrays(arrays);
}

/// Announces that an output shares the memory of an input: view of the input,
/// view of the output, and whether the output is buffered.
PALLAS_CHECK(alias, int64_t) {
  MemoryView input = words.viewAt(static_cast<uintptr_t>(fixed));
  MemoryView output = words.view();
  checker.alias(input, output, words.next() != 0);
}

/// Begins a program: number of ids, ids.
PALLAS_CHECK(program, int64_t) {
  SmallVector<int64_t> ids(fixed);
  for (int64_t &id : ids)
    id = words.next();
  checker.beginProgram(ids);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->beginProgram(checker.getPosition(), ids);
}

/// Where the program lies along parallel dimensions: their number, ids along
/// them, number of scratch memories, a view of each.
PALLAS_CHECK(parallel, int64_t) {
  SmallVector<int64_t> ids(fixed);
  for (int64_t &id : ids)
    id = words.next();
  SmallVector<MemoryView> scratch(words.next());
  for (MemoryView &view : scratch)
    view = words.view();
  checker.separate(ids, scratch);
}

/// Announces the window of the program: site, number of the block, flags,
/// delay, view, number of dimensions, and for each the start, the size, the
/// padding in front and the size of the array.
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

/// Ends the innermost grid; the word is not used.
PALLAS_CHECK(gridEnd, int64_t) {
  checker.endGrid();
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->endGrid(checker.getPosition());
}

/// Checks that an output is written: site, view, rank, sizes of the block.
PALLAS_CHECK(output, const char *) {
  MemoryView view = words.view();
  SmallVector<int64_t> blockShape(words.next());
  for (int64_t &size : blockShape)
    size = words.next();
  checker.output(fixed, view, blockShape);
}

/// Begins an asynchronous copy: site, whether it writes to memory of several
/// blocks. Parts and the end follow at once, the
/// wait later.
PALLAS_CHECK(copyBegin, const char *) {
  checker.beginCopy(fixed, words.next() != 0);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->beginCopy(checker.getPosition(), fixed);
}

/// Reports indices that the copy reads until its end: site, view.
PALLAS_CHECK(copyIndices, const char *) {
  checker.readIndices(fixed, words.view());
}

/// Reports memory of the copy: site, whether it adds, view of the source, view
/// of the target.
PALLAS_CHECK(copyPart, const char *) {
  bool adds = words.next() != 0;
  MemoryView source = words.view();
  checker.copy(fixed, source, words.view(), adds);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->copyPart(checker.getPosition(), getNumBytes(source));
}

/// Names what the copy signals: semaphore, semaphore of the source, amount. An
/// address of 0 is no semaphore.
PALLAS_CHECK(copyEnd, int64_t) {
  CopyEnd end;
  end.semaphore = static_cast<uintptr_t>(fixed);
  end.sourceSemaphore = static_cast<uintptr_t>(words.next());
  end.amount = words.next();
  checker.endCopy(end);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->endCopy(checker.getPosition(), end);
}

/// Reports a signal before it happens: location, semaphore, amount.
PALLAS_CHECK(signalSemaphore, const char *) {
  auto semaphore = static_cast<uintptr_t>(words.next());
  int64_t amount = words.next();
  checker.signal(semaphore);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->signal(checker.getPosition(), fixed, semaphore, amount);
}

/// Reports an arrival at a barrier: site, barrier, arrivals per phase.
PALLAS_CHECK(arriveAtBarrier, const char *) {
  auto barrier = static_cast<uintptr_t>(words.next());
  checker.arrive(fixed, barrier, words.next());
}

static void endWait(Checker &checker, const char *location, Words &words,
                    bool isPhase) {
  auto semaphore = static_cast<uintptr_t>(words.next());
  int64_t amount = words.next();
  checker.wait(semaphore, amount, isPhase);
  // Waits that a deadlock ends come here, too.
  RecorderAccess timeline(checker.timeline);
  if (!timeline)
    return;
  FlowPosition at = checker.getPosition();
  timeline->nameSemaphore(semaphore, at, checker.describeSemaphore(semaphore));
  timeline->wait(at, location, semaphore, amount);
}

/// Reports a wait that has ended: location, semaphore, amount.
PALLAS_CHECK(waitForSemaphore, const char *) {
  endWait(checker, fixed, words, /*isPhase=*/false);
}

/// The same, for phases of a barrier: location, barrier, arrivals.
PALLAS_CHECK(waitForPhase, const char *) {
  endWait(checker, fixed, words, /*isPhase=*/true);
}

/// Reports that the copy that has ended writes to memory of several blocks:
/// site, barrier, axes along which the blocks differ, number of the group of
/// blocks, position of the block, number of blocks, view of the target in this
/// block.
PALLAS_CHECK(multicast, const char *) {
  auto barrier = static_cast<uintptr_t>(words.next());
  int64_t axes = words.next(), group = words.next();
  int64_t member = words.next(), numMembers = words.next();
  checker.multicast(fixed, barrier, {axes, group, member, numMembers},
                    words.view());
}

/// Makes a group of the copies since the last one; the word is not used.
PALLAS_CHECK(commitCopies, int64_t) {
  checker.commitCopies();
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->commitCopies(checker.getPosition());
}

/// Reports a wait for groups: number of groups that may be left, and whether it
/// waits only until the sources are read.
PALLAS_CHECK(waitForCopies, int64_t) {
  checker.waitForCopies(fixed, words.next() != 0);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->waitForCopies(checker.getPosition(), fixed);
}

/// Begins an asynchronous product: site, and the number by which the reads of
/// its value name it.
PALLAS_CHECK(productBegin, const char *) {
  checker.beginProduct(fixed, words.next());
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->beginProduct(checker.getPosition());
}

/// Reports memory of the product: site, kind, view.
PALLAS_CHECK(productAccess, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  MemoryView view = words.view();
  checker.accessByProduct(fixed, kind, view);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->productAccess(checker.getPosition(), fixed, getNumBytes(view));
}

/// Ends the list of accesses: barrier that the product signals, or 0.
PALLAS_CHECK(productEnd, int64_t) {
  checker.endProduct(static_cast<uintptr_t>(fixed));
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->endProduct(checker.getPosition(), static_cast<uintptr_t>(fixed));
}

/// Closes a group of products; the word is not used.
PALLAS_CHECK(commitProducts, int64_t) {
  checker.commitProducts();
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->commitProducts(checker.getPosition());
}

/// Reports a read of the value of a product: site, and its number.
PALLAS_CHECK(accumulator, const char *) {
  checker.readAccumulator(fixed, words.next());
}

/// Makes a barrier wait for the products so far: barrier.
PALLAS_CHECK(followProducts, int64_t) {
  checker.followProducts(static_cast<uintptr_t>(fixed));
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->followProducts(checker.getPosition(),
                             static_cast<uintptr_t>(fixed));
}

/// Reports a wait: number of products that may be left.
PALLAS_CHECK(waitForProducts, int64_t) {
  checker.waitForProducts(fixed);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->waitForProducts(checker.getPosition(), fixed);
}

/// Makes stores to shared memory visible to copies and products; the word is
/// not used.
PALLAS_CHECK(commitStores, int64_t) { checker.commitStores(); }

/// Checks that stores were made visible: site, view.
PALLAS_CHECK(committed, const char *) {
  checker.committed(fixed, words.view());
}

/// Reports an asynchronous access of tensor memory: site, kind, view.
PALLAS_CHECK(tensorMemory, const char *) {
  auto kind = static_cast<AccessKind>(words.next());
  MemoryView view = words.view();
  checker.accessTensorMemory(fixed, kind, view);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->access(checker.getPosition(), fixed, getNumBytes(view));
}

/// Reports a wait for the accesses of this kind.
PALLAS_CHECK(waitForTensorMemory, int64_t) {
  checker.waitForTensorMemory(static_cast<AccessKind>(fixed));
}

/// Begins tasks that nothing orders; the word is not used.
PALLAS_CHECK(pointsBegin, int64_t) {
  checker.beginPoints();
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->beginPoints(checker.getPosition());
}

/// Begins a task: number of indices, indices.
PALLAS_CHECK(pointBegin, int64_t) {
  SmallVector<int64_t> ids(fixed);
  for (int64_t &id : ids)
    id = words.next();
  checker.beginPoint(ids);
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->beginPoint(checker.getPosition(), ids);
}

/// Ends the task of this thread; the word is not used.
PALLAS_CHECK(pointEnd, int64_t) {
  checker.endPoint();
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->endPoint(checker.getPosition());
}

/// Ends the tasks. Whatever follows is ordered behind all of them.
PALLAS_CHECK(pointsEnd, int64_t) {
  checker.endPoints();
  if (RecorderAccess timeline = checker.getTimeline())
    timeline->endPoints(checker.getPosition());
}

/// Checks that semaphores are zero at the end of their scope: site, view.
PALLAS_CHECK(semaphoresEnd, const char *) {
  checker.semaphoresEnd(fixed, words.view());
}

/// Reports memory that the core has from now on, only to timelines.
static void beginBuffer(const char *space, int64_t bytes) {
  if (!currentChecker)
    return;
  std::lock_guard<std::mutex> guard(currentChecker->getMutex());
  if (RecorderAccess timeline = currentChecker->getTimeline())
    timeline->beginBuffer(Checker::getPosition(), space, bytes);
}

/// The core gives the last ones back that it got.
static void endBuffers(int64_t number) {
  if (!currentChecker)
    return;
  std::lock_guard<std::mutex> guard(currentChecker->getMutex());
  if (RecorderAccess timeline = currentChecker->getTimeline())
    timeline->endBuffers(Checker::getPosition(), number);
}

/// The engine defines these symbols for the code that it loads.
ArrayRef<std::pair<const char *, void *>> pallas_rt::getCheckerSymbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  static const std::pair<const char *, void *> symbols[] = {
      {"pallas_check_region", at(&region)},
      {"pallas_check_region_end", at(&regionEnd)},
      {"pallas_check_buffer", at(&beginBuffer)},
      {"pallas_check_buffers_end", at(&endBuffers)},
      {"pallas_check_packed_view", at(&packedView)},
      {"pallas_check_access", at(&access)},
      {"pallas_check_same_contents", at(&sameContents)},
      {"pallas_check_bounds", at(&bounds)},
      {"pallas_check_tensor_bounds", at(&tensorBounds)},
      {"pallas_check_grid_begin", at(&gridBegin)},
      {"pallas_check_alias", at(&alias)},
      {"pallas_check_program", at(&program)},
      {"pallas_check_parallel", at(&parallel)},
      {"pallas_check_shared_arrays", at(&sharedArrays)},
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
      {"pallas_check_multicast", at(&multicast)},
      {"pallas_check_commit_copies", at(&commitCopies)},
      {"pallas_check_wait_for_copies", at(&waitForCopies)},
      {"pallas_check_product_begin", at(&productBegin)},
      {"pallas_check_product_access", at(&productAccess)},
      {"pallas_check_product_end", at(&productEnd)},
      {"pallas_check_commit_products", at(&commitProducts)},
      {"pallas_check_accumulator", at(&accumulator)},
      {"pallas_check_follow_products", at(&followProducts)},
      {"pallas_check_wait_for_products", at(&waitForProducts)},
      {"pallas_check_commit_stores", at(&commitStores)},
      {"pallas_check_committed", at(&committed)},
      {"pallas_check_tensor_memory", at(&tensorMemory)},
      {"pallas_check_wait_for_tensor_memory", at(&waitForTensorMemory)},
      {"pallas_check_signal", at(&signalSemaphore)},
      {"pallas_check_wait", at(&waitForSemaphore)},
      {"pallas_check_wait_for_phase", at(&waitForPhase)},
      {"pallas_check_arrival", at(&arriveAtBarrier)},
      {"pallas_check_semaphores_end", at(&semaphoresEnd)},
  };
  return symbols;
}
