//===- Checker.h - One execution of checked code ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code tells the checker of everything that happens to refs. What
// breaks a rule at once is noted. A read of memory that nothing has written
// breaks none by itself, since its value may be masked away; such reads get
// made-up values, and CheckedCall finds out by running again with others
// whether a result depends on them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_CHECKER_H
#define PALLAS_LIB_RUNTIME_CHECKER_H

#include "Meetings.h"
#include "OutputWindows.h"
#include "RaceDetector.h"
#include "TimelineRecorder.h"
#include "Tolerance.h"
#include "pallas/Runtime/CheckedCall.h"
#include <mutex>
#include <set>
#include <tuple>

namespace pallas_rt {

/// Why a value that is read is undefined.
enum class DoubtKind {
  Unwritten = 1,
  Padding = 2,
  Output = 3,
  Target = 4,
  Overwritten = 5,
  Elsewhere = 6,
  OutputElsewhere = 7
};

/// An operation, the kind of memory that it should not depend on, and the
/// device, since each has an order of its own.
struct DoubtKey {
  const char *site;
  DoubtKind kind;
  unsigned device;

  bool operator<(const DoubtKey &other) const {
    return std::tie(site, kind, device) <
           std::tie(other.site, other.kind, other.device);
  }
  bool operator==(const DoubtKey &other) const {
    return site == other.site && kind == other.kind && device == other.device;
  }
};

/// Which elements get other made-up values than the first run gives them: those
/// of one operation or of all, up to one of its doubtful reads, and of that
/// read up to one of its elements.
struct Variation {
  unsigned variant = 0;
  std::optional<DoubtKey> key;
  uint64_t firstReads = UINT64_MAX;
  uint64_t firstElements = UINT64_MAX;
  /// Whether accesses count that happen before anything may race with them.
  bool recordsAll = false;
  /// Whether reads without a meaning get what lies in memory, as in plain code.
  bool isPlain = false;
};

/// The doubtful reads of one operation.
struct Doubts {
  /// How many operations came before it.
  size_t order = 0;
  uint64_t numReads = 0;
  /// Of the last read that was varied.
  uint64_t numElements = 0;
  std::string gridPoint;
  /// The last element that was varied.
  std::string element, block;
  /// Of an output: whether its windows are buffers.
  bool hasBuffers = false;
};

/// One dimension of an access.
struct IndexedDim {
  int64_t dim, start, length, stride, size;
};

class Checker {
public:
  Checker(Variation given, Tolerance &tolerance)
      : variation(std::move(given)), tolerance(tolerance) {
    if (variation.recordsAll)
      races.activate();
  }

  /// Returns whether it is new: shared memory comes once per member.
  bool addRegion(MemoryRegion region, ByteState state, int64_t flags);
  void removeRegion(uintptr_t begin);
  void addPackedView(PackedView view) { memory.addPacked(std::move(view)); }
  /// The elements that a view of compiled code means.
  MemoryView resolve(MemoryView view) const {
    return memory.resolve(std::move(view));
  }
  void access(const char *site, AccessKind kind, const MemoryView &view);
  void sameContents(const MemoryView &source, const MemoryView &target);
  void bounds(const char *site, ArrayRef<IndexedDim> dims);
  void tensorBounds(const char *site);

  void beginGrid(const char *site);
  /// Programs on different cores share these arrays.
  void shareArrays(ArrayRef<MemoryView> arrays);
  void alias(const MemoryView &input, const MemoryView &output,
             bool isBuffered);
  void beginProgram(ArrayRef<int64_t> ids);
  /// The program's ids along parallel dimensions, and its scratch.
  void separate(ArrayRef<int64_t> ids, ArrayRef<MemoryView> scratch);
  void window(const char *site, int64_t block, int64_t flags, int64_t delay,
              const MemoryView &view, ArrayRef<WindowDim> dims);
  void endGrid();
  void output(const char *site, const MemoryView &view,
              ArrayRef<int64_t> blockShape);

  void beginCopy(const char *site, bool isMulticast);
  void copy(const char *site, const MemoryView &source,
            const MemoryView &target, bool adds);
  void readIndices(const char *site, const MemoryView &view);
  void endCopy(const CopyEnd &end);
  /// The copy that has ended writes to the memory of all blocks of a group,
  /// which is at `view` in this one, and signals the barriers of all.
  void multicast(const char *site, uintptr_t barrier, const GroupMember &member,
                 const MemoryView &view);
  void signal(uintptr_t semaphore);
  void wait(uintptr_t semaphore, int64_t amount, bool isPhase);
  void arrive(const char *site, uintptr_t barrier, int64_t numArrivals);
  void commitCopies();
  void waitForCopies(int64_t pending, bool sourcesOnly);

  void beginProduct(const char *site, int64_t number);
  void accessByProduct(const char *site, AccessKind kind,
                       const MemoryView &view);
  void endProduct(uintptr_t barrier);
  void commitProducts();
  void readAccumulator(const char *site, int64_t number);
  void followProducts(uintptr_t barrier);
  void waitForProducts(int64_t pending);

  void commitStores();
  void committed(const char *site, const MemoryView &view);
  void accessTensorMemory(const char *site, AccessKind kind,
                          const MemoryView &view);
  void waitForTensorMemory(AccessKind kind);

  void beginPoints();
  void beginPoint(ArrayRef<int64_t> ids);
  void endPoint();
  void endPoints();

  void semaphoresEnd(const char *site, const MemoryView &view);

  /// Where this execution is recorded; null if nowhere.
  TimelineRecorder *timeline = nullptr;
  /// The same, and null behind a failure: the code runs to its end, but nothing
  /// of that would happen.
  RecorderAccess getTimeline() const {
    return RecorderAccess(timeline && !timeline->hasFailed() ? timeline
                                                             : nullptr);
  }
  static FlowPosition getPosition();
  /// `element [1] of scratch 2`, or nothing where it belongs to no ref.
  std::string describeSemaphore(uintptr_t address);

  /// Reports findings that are only known when everything has run.
  void finish();

  std::mutex &getMutex() { return mutex; }
  const std::vector<Finding> &getFindings() const { return findings; }
  /// Whether something read shared memory after stores that did not count.
  bool hasMissedStores() const { return missedStores; }
  const std::map<DoubtKey, Doubts> &getDoubts() const { return doubts; }
  /// Whether there were doubtful reads that are allowed.
  bool hasAllowedDoubts() const { return allowedDoubts; }
  static Finding describeDoubt(const DoubtKey &key, const Doubts &doubts);

private:
  struct WindowState {
    /// Null before the first program.
    const char *site = nullptr;
    MemoryView view;
    bool isOutput = false, isBuffered = false;
    SmallVector<int64_t, 4> current;
    /// Windows that are left, and in how many programs their memory is reused.
    std::deque<std::pair<MemoryView, int64_t>> left;
    std::set<SmallVector<int64_t, 4>> earlier;
    OutputWindows windows;
  };
  /// One grid that is being run.
  struct Frame {
    const char *site;
    SmallVector<int64_t, 4> ids;
    std::map<int64_t, WindowState> windows;
    /// The ids along parallel dimensions, once a program has come.
    std::optional<SmallVector<int64_t, 4>> parallelIds = std::nullopt;
    /// Whether they differ from those of the program before.
    bool isSeparate = false;
    /// Of a grid whose programs on different cores share arrays: its number,
    /// and that of the core, one for each value of the parallel ids.
    uint32_t number = 0, core = 0;
    std::map<SmallVector<int64_t, 4>, uint32_t> cores = {};
  };
  /// One run of a product whose value is read later.
  struct NamedProduct {
    unsigned thread = 0;
    const char *site = nullptr;
    std::string gridPoint;
  };
  /// A mesh that is being run: the thread that came to it, and those of its
  /// points that have ended.
  struct Points {
    unsigned parent;
    std::vector<unsigned> ended;
  };
  /// One block's part of a copy that several blocks share: what it writes in
  /// this block, the thread that waits for the copy are behind, and the one
  /// that writes in other blocks.
  struct Multicast {
    int64_t member;
    MemoryView view;
    unsigned writer, remoteWriter;
    AccessRecord record;
  };
  /// A thread of execution: a stack of grids and meshes.
  struct Thread {
    unsigned number = 0;
    std::vector<Frame> frames;
    std::vector<Points> points;
    /// The copy that is being started.
    RaceDetector::Copy copy{0, 0, 0};
    /// Copies and products that are waited for in their order.
    CopyGroups copies;
    /// The last product of each group; zero for an empty one.
    std::deque<unsigned> products;
    /// The last product that no group has yet, if it is waited for by groups.
    unsigned openProduct = 0;
    unsigned lastProduct = 0;
    /// The last product that has been waited for.
    unsigned endedProduct = 0;
    /// The last two runs of the products that make values, by number.
    std::map<int64_t, std::array<NamedProduct, 2>> namedProducts;
    /// Reads and writes of tensor memory that may be under way.
    std::vector<unsigned> tensorLoads, tensorStores;
  };

  Thread &getThread();
  static unsigned getDevice();
  static bool hasSeveralDevices();
  std::string describeGridPoint();
  Finding &report(const char *site, MistakeKind kind, const Twine &message,
                  StringRef remedy);
  void writeElsewhere(const Multicast &copy, const Multicast &other);
  void reportRace(const char *site, const Race &race, StringRef verb);
  std::string describeElement(uintptr_t address);
  AccessRecord record(const char *site);
  void read(const char *site, MemoryRegion &region, const MemoryView &view,
            DoubtKind ifUnwritten = DoubtKind::Unwritten);
  void readOverwritten(const char *site, const MemoryView &view);
  void write(const MemoryView &view);
  void leaveWindow(WindowState &state, int64_t delay);
  void compareWithEarlier(const char *site, WindowState &state,
                          ArrayRef<WindowDim> dims);
  void reuseWindow(const WindowState &state, const MemoryView &view);
  /// Notes the elements of a read that have no meaning, and gives them a value.
  void doubt(const char *site, DoubtKind kind, MemoryRegion &region,
             ArrayRef<uintptr_t> elements, ArrayRef<int64_t> blockShape = {});

  std::mutex mutex;
  Variation variation;
  Tolerance &tolerance;
  ShadowMemory memory;
  RaceDetector races;
  uint32_t numGrids = 0;
  bool skippedStores = false, missedStores = false, allowedDoubts = false;
  /// By task of the runtime; null for the one that came first.
  std::map<const void *, Thread> threads;
  Meetings<Multicast> multicasts;
  std::vector<Finding> findings;
  std::map<DoubtKey, Doubts> doubts;
};

/// The checker that compiled code talks to while it lives; one at a time.
class CheckerScope {
public:
  explicit CheckerScope(Checker &checker);
  ~CheckerScope();
  CheckerScope(const CheckerScope &) = delete;
  CheckerScope &operator=(const CheckerScope &) = delete;

  /// Why the run may not begin; empty if it may.
  const std::string &getRefusal() const { return refusal; }

private:
  std::string refusal;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_CHECKER_H
