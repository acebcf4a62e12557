//===- Checker.cpp - One execution of checked code ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the part of the checker that knows memory and grids; see
// CheckedSynchronization.cpp for the rest.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Site.h"
#include "World.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace pallas_rt;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// ` at grid point (0, 1)`; a pipeline in a grid adds its own step.
std::string Checker::describeGridPoint() {
  std::string text;
  for (const Frame &frame : getThread().frames) {
    if (frame.ids.empty())
      continue;
    text += text.empty() ? " at grid point " : ", step ";
    text += describeList(frame.ids, '(', ')');
  }
  if (hasSeveralDevices())
    text += " on device " + std::to_string(getDevice());
  return text;
}

/// Findings of one kind at one place of the source are one, with a count.
Finding &Checker::report(const char *site, MistakeKind kind,
                         const Twine &message, StringRef remedy) {
  SiteParts parts(site);
  for (Finding &finding : findings)
    if (finding.location == parts.location && finding.kind == kind) {
      ++finding.count;
      return finding;
    }
  findings.push_back({parts.location.str(), kind,
                      ("'" + parts.operation + "' " + message).str(),
                      remedy.str(), 1});
  return findings.back();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A shared region is announced by each of its tasks, and only the first one
/// sets its state.
bool Checker::addRegion(MemoryRegion region, ByteState state, int64_t flags) {
  if ((flags & kSharedRegion) && memory.find(region.begin))
    return false;
  if (flags & kNewRegion)
    races.forgetSemaphores(region.begin, region.begin + region.getNumBytes());
  memory.add(std::move(region), state);
  return true;
}

/// Contents and signals of a member that leaves stay there for the others.
void Checker::removeRegion(uintptr_t begin) {
  Host *host = World::getCurrentHost();
  if (!host || !host->world.hasOtherMembers(begin))
    memory.remove(begin);
}

void Checker::sameContents(const MemoryView &source, const MemoryView &target) {
  memory.copyStates(source, target);
  const MemoryRegion *from = memory.find(source.address);
  if (MemoryRegion *to = memory.find(target.address); from && to)
    to->hasBuffers |= from->hasBuffers;
}

/// The kind of mistake that a doubtful read is if a result depends on it.
static MistakeKind getMistake(DoubtKind kind) {
  switch (kind) {
  case DoubtKind::Unwritten:
  case DoubtKind::Target:
  case DoubtKind::Elsewhere:
    return MistakeKind::UninitialisedRead;
  case DoubtKind::Padding:
    return MistakeKind::PaddingInResult;
  case DoubtKind::Output:
    return MistakeKind::OutputNotWritten;
  case DoubtKind::OutputElsewhere:
    return MistakeKind::OutputRevisited;
  case DoubtKind::Overwritten:
    return MistakeKind::AliasedInputOverwritten;
  }
  llvm_unreachable("each kind of doubt is about one kind of mistake");
}

/// Writes the filler of this run to the elements, so that compiled code reads
/// it. Only up to `variation.firstReads` reads of the operation get the varied
/// one.
void Checker::doubt(const char *site, DoubtKind kind, MemoryRegion &region,
                    ArrayRef<uintptr_t> elements,
                    ArrayRef<int64_t> blockShape) {
  if (variation.isPlain)
    return;
  // Allowed reads get the same filler in all runs, so that the runs differ by
  // other reads only.
  if (tolerance.allows(getMistake(kind), SiteParts(site).location)) {
    allowedDoubts = true;
    for (uintptr_t address : elements)
      region.fill(address, 0);
    return;
  }
  DoubtKey key{site, kind, getDevice()};
  auto [place, isNew] = doubts.try_emplace(key);
  Doubts &known = place->second;
  if (isNew)
    known.order = doubts.size() - 1;
  known.hasBuffers |= region.hasBuffers;
  uint64_t number = known.numReads++;
  bool isVaried = variation.variant != 0 &&
                  (!variation.key || *variation.key == key) &&
                  number < variation.firstReads;
  // Of the last read that is varied only some elements may be.
  uint64_t numVaried = isVaried ? elements.size() : 0;
  if (isVaried && number + 1 == variation.firstReads)
    numVaried = std::min<uint64_t>(numVaried, variation.firstElements);
  for (auto [i, address] : llvm::enumerate(elements))
    region.fill(address, i < numVaried ? variation.variant : 0);
  if (!isVaried || numVaried == 0)
    return;
  known.numElements = elements.size();
  known.gridPoint = describeGridPoint();
  uintptr_t last = elements[numVaried - 1];
  known.element = region.describeElement(last);
  if (blockShape.size() != region.shape.size())
    return;
  SmallVector<int64_t, 4> block =
      getIndex(region.getElement(last), region.shape);
  for (auto [position, size] : llvm::zip_equal(block, blockShape))
    position /= size;
  known.block = describeList(block, '(', ')');
}

/// Words the finding of a doubtful read that a result depends on.
Finding Checker::describeDoubt(const DoubtKey &key, const Doubts &doubts) {
  SiteParts parts(key.site);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << parts.operation << "' ";
  StringRef remedy;
  std::string returned = describePlace(doubts.element, parts.subject);
  if (!doubts.block.empty())
    returned += ", in block " + doubts.block;
  switch (key.kind) {
  case DoubtKind::Target:
    parts.subject = parts.target;
    [[fallthrough]];
  case DoubtKind::Unwritten:
    stream << "reads " << describePlace(doubts.element, parts.subject)
           << doubts.gridPoint << ", which nothing has written";
    remedy = "write every element before it is read, or mask the value away";
    break;
  case DoubtKind::Elsewhere:
    stream << "reads " << describePlace(doubts.element, parts.subject)
           << doubts.gridPoint
           << ", which only programs at other points of a parallel dimension "
              "have written";
    remedy = "write every element before it is read, or call the dimension "
             "\"arbitrary\"";
    break;
  case DoubtKind::Padding:
    stream << "reads " << describePlace(doubts.element, parts.subject)
           << doubts.gridPoint << ", which lies outside of the array";
    remedy = "mask away what lies outside, or choose a block size that divides "
             "the size of the array";
    break;
  case DoubtKind::Overwritten:
    stream << "reads " << describePlace(doubts.element, parts.subject)
           << doubts.gridPoint
           << ", which the output that is aliased to it has overwritten";
    remedy = "read it before the output is written there, or leave out the "
             "alias";
    break;
  case DoubtKind::OutputElsewhere:
    stream << "returns " << returned
           << ", whose window programs share that differ along a parallel "
              "dimension";
    remedy = "call the dimension \"arbitrary\", or let its index choose the "
             "window";
    break;
  case DoubtKind::Output:
    stream << "returns " << returned << ", which no program has written";
    // An alias keeps what lies in no window of a buffer.
    remedy =
        doubts.hasBuffers
            ? "let some program write to every element, or alias an input "
              "to the output; where a program writes a part of its window, "
              "it has to copy the rest from the window of that input"
            : "let some program write to every element, or alias an input "
              "to the output";
    break;
  }
  return {parts.location.str(), getMistake(key.kind), text, remedy.str(),
          doubts.numReads};
}

/// Groups elements of a view by their state.
static std::array<SmallVector<uintptr_t>, 5>
groupByState(const MemoryRegion &region, const MemoryView &view) {
  std::array<SmallVector<uintptr_t>, 5> elements;
  view.forEach([&](uintptr_t address) {
    ByteState state = region.getState(address, view.elementBytes);
    if (state != ByteState::Written)
      elements[static_cast<unsigned>(state)].push_back(address);
  });
  return elements;
}

/// Notes the elements of a read that have no meaning.
void Checker::read(const char *site, MemoryRegion &region,
                   const MemoryView &view, DoubtKind ifUnwritten) {
  const std::pair<ByteState, DoubtKind> kinds[] = {
      {ByteState::Unwritten, ifUnwritten},
      {ByteState::Padding, DoubtKind::Padding},
      {ByteState::Overwritten, DoubtKind::Overwritten},
      {ByteState::Elsewhere, DoubtKind::Elsewhere}};
  auto elements = groupByState(region, view);
  for (auto [state, kind] : kinds)
    if (auto &group = elements[static_cast<unsigned>(state)]; !group.empty())
      doubt(site, kind, region, group);
  if (view.packed && !variation.isPlain)
    memory.refreshUnwritten(*view.packed);
}

/// Notes the elements of a copy that no later read can tell from others; what
/// else has no meaning keeps its state where it is copied to.
void Checker::readOverwritten(const char *site, const MemoryView &view) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return;
  auto elements = groupByState(*region, view);
  auto &group = elements[static_cast<unsigned>(ByteState::Overwritten)];
  if (!group.empty())
    doubt(site, DoubtKind::Overwritten, *region, group);
}

/// An output that is the memory of its input overwrites it at once.
void Checker::write(const MemoryView &view) {
  memory.setStates(view, ByteState::Written);
  MemoryRegion *region = memory.find(view.address);
  if (region && region->isInPlace)
    memory.overwriteInput(view);
}

/// Before anything runs beside the first thread, accesses need not be recorded:
/// nothing can race with them.
void Checker::access(const char *site, AccessKind kind,
                     const MemoryView &view) {
  if (kind == AccessKind::Padding)
    return memory.setStates(view, ByteState::Padding);
  bool reads = static_cast<int>(kind) & 1, writes = static_cast<int>(kind) & 2;
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return;
  if (reads)
    read(site, *region, view);
  if (writes)
    write(view);
  if (hasSeveralDevices())
    races.activate();
  if (!races.isActive()) {
    skippedStores |= writes;
    return;
  }
  AccessRecord now = record(site);
  now.isAtomic = kind == AccessKind::Atomic;
  now.isMulticast = kind == AccessKind::MulticastWrite;
  now.isStore = writes && kind != AccessKind::CopyWrite && !now.isMulticast;
  if (auto race = races.access(memory, view, std::move(now), reads, writes))
    reportRace(site, *race, reads && !writes ? "reads" : "writes");
}

/// The access that happens now, as messages describe it.
AccessRecord Checker::record(const char *site) {
  AccessRecord record;
  record.thread = getThread().number;
  record.site = site;
  record.gridPoint = describeGridPoint();
  for (const Frame &frame : getThread().frames)
    if (frame.number) {
      record.grid = frame.number;
      record.core = frame.core;
    }
  return record;
}

/// Reports each dimension on its own. A slice without elements accesses
/// nothing, wherever it starts: at run time a size may be 0 at the end of a
/// ref.
void Checker::bounds(const char *site, ArrayRef<IndexedDim> dims) {
  if (llvm::any_of(dims, [](const IndexedDim &dim) { return dim.length <= 0; }))
    return;
  StringRef subject = SiteParts(site).subject;
  for (const IndexedDim &dim : dims) {
    int64_t last = dim.start + (dim.length - 1) * dim.stride;
    if (dim.start >= 0 && last < dim.size)
      continue;
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (dim.length == 1)
      stream << "accesses index " << dim.start;
    else
      stream << "accesses indices " << dim.start << " to " << last;
    stream << " in dimension " << dim.dim << " of " << subject
           << describeGridPoint() << ", which has size " << dim.size;
    report(site, MistakeKind::AccessOutOfBounds, text,
           "keep the start between 0 and the size of the dimension minus what "
           "is accessed, or mask the access");
  }
}

/// Tensors are values, so no region tells the place; the site does.
void Checker::tensorBounds(const char *site) {
  report(site, MistakeKind::AccessOutOfBounds,
         "leaves " + SiteParts(site).subject + describeGridPoint(),
         "keep starts and lengths between 0 and what the tensor has");
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Pipelines are grids within grids, hence a stack.
void Checker::beginGrid(const char *site) {
  getThread().frames.push_back({site, {}, {}});
}

/// Cores have windows and scratch of their own, so only what has no window can
/// be accessed by two of them.
void Checker::shareArrays(ArrayRef<MemoryView> arrays) {
  getThread().frames.back().number = ++numGrids;
  races.activate();
  for (const MemoryView &view : arrays)
    if (MemoryRegion *region = memory.find(view.address))
      region->isOfSeveralCores = true;
}

/// A buffered output overwrites its input when its window is copied out.
void Checker::alias(const MemoryView &input, const MemoryView &output,
                    bool isBuffered) {
  MemoryRegion *region = memory.find(output.address);
  if (!region)
    return;
  region->input = input.address;
  region->isInPlace = !isBuffered;
}

/// The ids are for messages.
void Checker::beginProgram(ArrayRef<int64_t> ids) {
  getThread().frames.back().ids.assign(ids.begin(), ids.end());
}

/// Programs that differ along a parallel dimension may run on different cores,
/// each with scratch of its own. Here they run one behind the other in the same
/// memory. Whatever the last one left there counts as not written, so that a
/// program may use it only after it has written it. A kernel that fills its
/// scratch in the first step along another dimension does so.
void Checker::separate(ArrayRef<int64_t> ids, ArrayRef<MemoryView> scratch) {
  Frame &frame = getThread().frames.back();
  frame.isSeparate = frame.parallelIds && ArrayRef(*frame.parallelIds) != ids;
  frame.parallelIds.emplace(ids.begin(), ids.end());
  auto [core, isNew] = frame.cores.try_emplace(*frame.parallelIds);
  if (isNew)
    core->second = frame.cores.size();
  frame.core = core->second;
  if (frame.isSeparate)
    for (const MemoryView &view : scratch)
      memory.moveElsewhere(view);
}

/// The last windows of a pipeline are copied out at its end. Those of a call
/// stay: copies that it leaves behind are findings of their own.
void Checker::endGrid() {
  Frame &frame = getThread().frames.back();
  // Copies that a call leaves behind are named as such.
  // Inputs may be read until their memory is used again.
  if (getThread().frames.size() > 1)
    for (auto &[block, state] : frame.windows)
      if (state.isOutput)
        leaveWindow(state, 0);
  getThread().frames.pop_back();
}

/// Leaves a window for another one. The buffer of an output is copied out, that
/// of an input is filled again `delay` programs later.
void Checker::leaveWindow(WindowState &state, int64_t delay) {
  if (state.isOutput && state.isBuffered)
    memory.overwriteInput(state.view);
  if (state.isBuffered && races.isActive())
    state.left.push_back({state.view, delay});
  while (delay == 0 && !state.left.empty()) {
    reuseWindow(state, state.left.front().first);
    state.left.pop_front();
  }
}

/// An access that may still be under way would see the next window, or be
/// missing in the copy.
void Checker::reuseWindow(const WindowState &state, const MemoryView &view) {
  auto race = races.findUnderWay(memory, view, record(state.site),
                                 /*writes=*/!state.isOutput);
  if (race)
    reportRace(state.site, *race, state.isOutput ? "copies out" : "refills");
}

static SmallVector<int64_t, 4> getStarts(ArrayRef<WindowDim> dims) {
  SmallVector<int64_t, 4> starts;
  for (const WindowDim &dim : dims)
    starts.push_back(dim.start);
  return starts;
}

/// The window of a block in the current program. A block that stays where it
/// was keeps its contents; another one is unwritten if it is an output.
void Checker::window(const char *site, int64_t block, int64_t flags,
                     int64_t delay, const MemoryView &view,
                     ArrayRef<WindowDim> dims) {
  bool isOutput = flags & kOutputWindow;
  bool mayComeBack = flags & kReturningWindow;
  bool isBuffered = flags & kBufferedWindow;
  SiteParts parts(site);
  if (MemoryRegion *region = memory.find(view.address); region && isOutput)
    region->hasBuffers |= isBuffered;
  SmallVector<int64_t, 4> starts = getStarts(dims);
  std::string place = describeList(starts, '[', ']');
  for (auto [d, dim] : llvm::enumerate(dims)) {
    // At least one element lies in the array.
    if (dim.start >= 0 && dim.start + dim.size > dim.padLow &&
        dim.start < dim.padLow + dim.arraySize)
      continue;
    report(site, MistakeKind::WindowOutOfBounds,
           "puts the window of " + parts.subject + " at " + place +
               describeGridPoint() + ", outside of the array, which has size " +
               Twine(dim.arraySize) + " in dimension " + Twine(d),
           "let the index map yield blocks of which at least one element lies "
           "in the array");
    return;
  }
  Frame &frame = getThread().frames.back();
  WindowState &state = frame.windows[block];
  bool isFirst = !state.site;
  for (auto &[left, programs] : state.left)
    --programs;
  while (!state.left.empty() && state.left.front().second <= 0) {
    // The array itself needs no buffer, so a window may be here again.
    if (state.left.front().first.address != view.address)
      reuseWindow(state, state.left.front().first);
    state.left.pop_front();
  }
  // On another core the window would be a buffer of its own, so this program
  // doesn't find what others have written there. To share a window is no
  // mistake by itself: some kernels use an output that no caller reads as
  // scratch.
  if (!isFirst && state.current == starts) {
    if (isOutput && isBuffered && frame.isSeparate)
      memory.moveElsewhere(view);
    return;
  }
  if (!isFirst)
    leaveWindow(state, delay);
  if (!isFirst && isOutput)
    state.earlier.insert(state.current);
  state.site = site;
  state.current = starts;
  state.view = view;
  state.isOutput = isOutput;
  state.isBuffered = isBuffered;
  if (!isOutput)
    return;
  if (isBuffered)
    memory.setStates(view, ByteState::Unwritten);
  if (mayComeBack)
    return;
  if (isBuffered)
    compareWithEarlier(site, state, dims);
  if (state.earlier.count(starts))
    report(site, MistakeKind::OutputRevisited,
           "comes back to the window of " + parts.subject + " at " + place +
               describeGridPoint() + " after other windows of it",
           "order the grid so that programs which share an output window "
           "follow each other");
}

void Checker::compareWithEarlier(const char *site, WindowState &state,
                                 ArrayRef<WindowDim> dims) {
  ArrayRef<WindowDim> earlier = state.windows.add(dims);
  if (!earlier.empty())
    report(site, MistakeKind::OutputRevisited,
           "puts the window of " + SiteParts(site).subject + " at " +
               describeList(getStarts(dims), '[', ']') + describeGridPoint() +
               ", where it overlaps an earlier one at " +
               describeList(getStarts(earlier), '[', ']'),
           "let each element lie in one window of the output");
}

/// Elements that no program wrote are doubtful reads of the caller.
void Checker::output(const char *site, const MemoryView &view,
                     ArrayRef<int64_t> blockShape) {
  MemoryRegion *region = memory.find(view.address);
  if (!region)
    return;
  SmallVector<uintptr_t> unwritten, elsewhere;
  view.forEach([&](uintptr_t address) {
    ByteState state = region->getState(address, view.elementBytes);
    if (state == ByteState::Elsewhere)
      elsewhere.push_back(address);
    else if (state != ByteState::Written)
      unwritten.push_back(address);
  });
  if (!unwritten.empty())
    doubt(site, DoubtKind::Output, *region, unwritten, blockShape);
  if (!elsewhere.empty())
    doubt(site, DoubtKind::OutputElsewhere, *region, elsewhere, blockShape);
}
