//===- Timeline.cpp - Timeline of a checked call --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file records when each flow of control of a checked call did what. Time
// is not measured: a byte that is accessed takes one unit. So the timeline of a
// kernel is the same on every machine, and shows which copies overlap.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/Timeline.h"
#include "Site.h"
#include "TimelineRecorder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>

using namespace pallas_rt;

static std::atomic<TimelineRecorder *> currentRecorder = nullptr;

TimelineRecorder *pallas_rt::getCurrentRecorder() { return currentRecorder; }

/// The limit is in events.
Timeline::Timeline(size_t limit)
    : recorder(std::make_unique<TimelineRecorder>(limit)) {}
Timeline::~Timeline() = default;
bool Timeline::isComplete() const { return recorder->isComplete(); }
void Timeline::writeTraceEvents(llvm::raw_ostream &stream) const {
  recorder->write(stream);
}

/// One recorder for the process: tasks of a call run on threads of their own,
/// and all of them have to find it.
TimelineScope::TimelineScope(Timeline &timeline)
    : recorder(*timeline.recorder) {
  currentRecorder = &recorder;
}
TimelineScope::~TimelineScope() {
  currentRecorder = nullptr;
  recorder.stop();
}

//===----------------------------------------------------------------------===//
// Flows and slices
//===----------------------------------------------------------------------===//

/// Calls follow each other on one time axis, but those of several devices that
/// do not reach each other run beside each other, in whatever order they come.
void TimelineRecorder::beginCall(std::optional<unsigned> device) {
  caller = device;
  start = lastCommonEnd;
  for (auto [other, end] : lastEnds)
    if (!caller || other == *caller)
      start = std::max(start, end);
  latest = start;
  failed = false;
}

/// Slices that are open end with the call, such as after a deadlock. What waits
/// for ever does so for at least a quarter of the call, so that it is seen.
void TimelineRecorder::endCall() {
  uint64_t deadlocked = latest + 1 + (latest - start) / 3;
  for (auto &[task, flow] : flows) {
    if (flow.isStuck())
      flow.clock = deadlocked;
    close(flow, 0);
    while (!flow.buffers.empty())
      popBuffer(flow);
    latest = std::max(latest, flow.clock);
  }
  (caller ? lastEnds[*caller] : lastCommonEnd) = latest;
  flows.clear();
  semaphores.clear();
}

/// Open slices last until the latest event. Their call may go on for ever, and
/// is recorded no more.
void TimelineRecorder::stop() {
  std::lock_guard<std::mutex> guard(mutex);
  if (std::exchange(isStopped, true))
    return;
  for (auto &[task, flow] : flows)
    for (const OpenSlice &open : flow.open)
      if (open.number) {
        slices[*open.number].end = latest;
        slices[*open.number].isUnfinished = true;
      }
}

/// Equal names are one track, so that the cores of two meshes share theirs.
unsigned TimelineRecorder::getTrack(unsigned device, std::string name) {
  auto [place, isNew] =
      trackNumbers.try_emplace({device, name}, unsigned(tracks.size()));
  if (isNew)
    tracks.push_back({device, std::move(name)});
  return place->second;
}

/// A flow begins where the one that forked it waits.
TimelineRecorder::Flow &TimelineRecorder::getFlow(FlowPosition at) {
  auto [place, isNew] = flows.try_emplace(at.task);
  Flow &flow = place->second;
  if (!isNew)
    return flow;
  flow.clock = start;
  if (auto parent = flows.find(at.parent);
      at.task != at.parent && parent != flows.end()) {
    flow.clock = parent->second.clock;
    flow.path = parent->second.path;
  }
  flow.track = getTrack(at.device, flow.path);
  return flow;
}

/// Beyond the limit events are counted and dropped.
std::optional<size_t> TimelineRecorder::add(TimelineSlice slice) {
  latest = std::max(latest, slice.end);
  if (slices.size() >= limit) {
    ++numDropped;
    return std::nullopt;
  }
  slices.push_back(slice);
  return slices.size() - 1;
}

/// Opens a slice that others lie in.
std::optional<size_t> TimelineRecorder::open(Flow &flow,
                                             TimelineSlice::Kind kind,
                                             StringRef name, StringRef place) {
  StringRef kept = keep(place);
  auto number =
      add({kind, flow.track, flow.clock, flow.clock, keep(name), kept});
  flow.open.push_back({kind, kept, number});
  return number;
}

/// Ends slices until `numOpen` are left.
void TimelineRecorder::close(Flow &flow, size_t numOpen) {
  for (; flow.open.size() > numOpen; flow.open.pop_back())
    if (std::optional<size_t> number = flow.open.back().number)
      slices[*number].end = flow.clock;
}

//===----------------------------------------------------------------------===//
// Grids and meshes
//===----------------------------------------------------------------------===//

/// `(0, 1)`.
static std::string spell(ArrayRef<int64_t> ids) {
  return "(" +
         llvm::join(
             llvm::map_range(ids, [](int64_t id) { return llvm::itostr(id); }),
             ", ") +
         ")";
}

/// The slice lasts until `endGrid`.
void TimelineRecorder::beginGrid(FlowPosition at, const char *site) {
  SiteParts parts(site);
  StringRef name = parts.subject.empty() ? parts.operation : parts.subject;
  if (std::optional<size_t> number =
          open(getFlow(at), TimelineSlice::Grid, name, parts.location))
    grids.push_back({*number, site});
}

/// Ends the program before it in the same grid.
void TimelineRecorder::beginProgram(FlowPosition at, ArrayRef<int64_t> ids) {
  Flow &flow = getFlow(at);
  if (!flow.open.empty() && flow.open.back().kind == TimelineSlice::Program)
    close(flow, flow.open.size() - 1);
  StringRef place;
  if (!flow.open.empty())
    place = flow.open.back().place;
  open(flow, TimelineSlice::Program, "program " + spell(ids), place);
  ++flow.clock;
}

/// Ends the last program as well.
void TimelineRecorder::endGrid(FlowPosition at) {
  Flow &flow = getFlow(at);
  size_t numOpen = flow.open.size();
  while (numOpen > 0 && flow.open[numOpen - 1].kind == TimelineSlice::Program)
    --numOpen;
  close(flow, numOpen ? numOpen - 1 : 0);
}

/// Cores of a mesh run one after the other here, but beside each other on a
/// chip. The clock of the owner is kept, so that each core starts from it.
void TimelineRecorder::beginPoints(FlowPosition at) {
  Flow &flow = getFlow(at);
  flow.points.push_back({flow.clock, flow.clock, flow.track, flow.open.size()});
}

/// A point starts when its mesh does, also where points run one after another.
void TimelineRecorder::beginPoint(FlowPosition at, ArrayRef<int64_t> ids) {
  Flow &flow = getFlow(at);
  const Flow &owner =
      flow.points.empty() ? getFlow({at.parent, nullptr, at.device}) : flow;
  if (!owner.points.empty())
    flow.clock = owner.points.back().begin;
  std::string name = "point " + spell(ids);
  flow.track =
      getTrack(at.device, flow.path.empty() ? name : flow.path + ", " + name);
}

/// A core that was a task disappears; one of a loop gives the flow back.
void TimelineRecorder::endPoint(FlowPosition at) {
  Flow &flow = getFlow(at);
  bool isOwner = !flow.points.empty();
  Flow &owner = isOwner ? flow : getFlow({at.parent, nullptr, at.device});
  close(flow, isOwner ? flow.points.back().numOpen : 0);
  if (!owner.points.empty())
    owner.points.back().end = std::max(owner.points.back().end, flow.clock);
  if (!isOwner)
    flows.erase(at.task);
}

/// The flow goes on when its last core has ended.
void TimelineRecorder::endPoints(FlowPosition at) {
  Flow &flow = getFlow(at);
  flow.clock = flow.points.back().end;
  flow.track = flow.points.back().track;
  flow.points.pop_back();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Each core has a counter for each space of its memory.
void TimelineRecorder::beginBuffer(FlowPosition at, StringRef space,
                                   uint64_t bytes) {
  Flow &flow = getFlow(at);
  const TimelineTrack &track = tracks[flow.track];
  std::string name =
      (space + " of " + (track.name.empty() ? "core" : track.name)).str();
  auto [place, isNew] = memoryCounters.try_emplace({track.device, name},
                                                   unsigned(counters.size()));
  if (isNew)
    counters.push_back({track.device, name, TimelineCounter::Memory});
  flow.buffers.push_back({place->second, flow.track, int64_t(bytes)});
  count(place->second, flow.clock, bytes);
}

void TimelineRecorder::endBuffers(FlowPosition at, int64_t number) {
  Flow &flow = getFlow(at);
  for (; number > 0 && !flow.buffers.empty(); --number)
    popBuffer(flow);
}

/// Memory that cores of a mesh share lasts until the last of them has ended.
void TimelineRecorder::popBuffer(Flow &flow) {
  const Buffer &buffer = flow.buffers.back();
  uint64_t end = flow.clock;
  if (!flow.points.empty() && flow.points.back().track == buffer.track)
    end = std::max(end, flow.points.back().end);
  count(buffer.counter, end, -buffer.bytes);
  flow.buffers.pop_back();
}

//===----------------------------------------------------------------------===//
// Accesses, copies and products
//===----------------------------------------------------------------------===//

/// An access takes as long as it has bytes, and at least one unit.
void TimelineRecorder::access(FlowPosition at, const char *site,
                              uint64_t bytes) {
  Flow &flow = getFlow(at);
  SiteParts parts(site);
  uint64_t begin = flow.clock;
  flow.clock += std::max<uint64_t>(bytes, 1);
  add({TimelineSlice::Access, flow.track, begin, flow.clock,
       keep((parts.operation + " " + parts.subject).str()),
       keep(parts.location), bytes});
}

/// Copies and products run beside the flow that has started them.
std::optional<size_t>
TimelineRecorder::addUnderWay(FlowPosition at, TimelineSlice::Kind kind,
                              const char *site, uint64_t begin, uint64_t end,
                              uint64_t bytes) {
  SiteParts parts(site);
  std::string name = parts.target.empty()
                         ? (parts.operation + " " + parts.subject).str()
                         : describeCopy(site);
  return add({kind, getFlow(at).track, begin, end, keep(name),
              keep(parts.location), bytes});
}

/// Starting a copy takes one unit of the flow itself.
void TimelineRecorder::beginCopy(FlowPosition at, const char *site) {
  Flow &flow = getFlow(at);
  flow.started = flow.clock++;
  flow.bytes = 0;
  flow.site = site;
}

/// A strided copy reports its parts; together they are one slice.
void TimelineRecorder::copyPart(FlowPosition at, uint64_t bytes) {
  getFlow(at).bytes += bytes;
}

/// The copy ends after its bytes, however many parts it had.
void TimelineRecorder::endCopy(FlowPosition at, const CopyEnd &end) {
  Flow &flow = getFlow(at);
  uint64_t ended = flow.started + std::max<uint64_t>(flow.bytes, 1);
  auto slice = addUnderWay(at, TimelineSlice::Copy, flow.site, flow.started,
                           ended, flow.bytes);
  for (uintptr_t semaphore : {end.semaphore, end.sourceSemaphore})
    if (semaphore)
      arrive(at, semaphore, {ended, end.amount, slice});
  if (!end.semaphore)
    flow.openCopies.push_back({ended, 0, slice});
}

/// Copies without a semaphore are waited for in groups, as on GPUs; an empty
/// group counts.
void TimelineRecorder::commitCopies(FlowPosition at) {
  Flow &flow = getFlow(at);
  flow.copyGroups.push_back(std::move(flow.openCopies));
  flow.openCopies.clear();
}

/// Waits for the last copy of the groups that have to end.
void TimelineRecorder::waitForCopies(FlowPosition at, int64_t pending) {
  Flow &flow = getFlow(at);
  Arrival last{flow.clock, 0, std::nullopt};
  for (; int64_t(flow.copyGroups.size()) > pending; flow.copyGroups.pop_front())
    for (const Arrival &copy : flow.copyGroups.front())
      last = std::max(last, copy);
  finishWait(flow, "wait for copies", "", last);
}

/// Matmuls of a flow run in their order.
void TimelineRecorder::beginProduct(FlowPosition at) {
  Flow &flow = getFlow(at);
  flow.started = std::max(flow.clock++, flow.lastProduct.time);
  flow.bytes = 0;
  flow.site = "";
}

/// The operands of a matmul stay in use until it ends, so they belong to its
/// slice and not to that of the flow.
void TimelineRecorder::productAccess(FlowPosition at, const char *site,
                                     uint64_t bytes) {
  Flow &flow = getFlow(at);
  flow.bytes += bytes;
  flow.site = site;
}

/// Without a barrier the flow waits for it by the number of matmuls under way.
void TimelineRecorder::endProduct(FlowPosition at, uintptr_t barrier) {
  Flow &flow = getFlow(at);
  uint64_t ended = flow.started + std::max<uint64_t>(flow.bytes, 1);
  auto slice = addUnderWay(at, TimelineSlice::Copy, flow.site, flow.started,
                           ended, flow.bytes);
  flow.lastProduct = {ended, 1, slice};
  if (barrier)
    arrive(at, barrier, flow.lastProduct);
  else
    flow.openProduct = flow.lastProduct;
}

/// The last product of a group ends last.
void TimelineRecorder::commitProducts(FlowPosition at) {
  Flow &flow = getFlow(at);
  flow.products.push_back(flow.openProduct);
  flow.openProduct = {0, 0, std::nullopt};
}

/// The arrival comes when the last matmul has ended.
void TimelineRecorder::followProducts(FlowPosition at, uintptr_t barrier) {
  Flow &flow = getFlow(at);
  Arrival last = std::max(flow.lastProduct, {flow.clock, 1, std::nullopt});
  last.amount = 1;
  arrive(at, barrier, last);
}

void TimelineRecorder::waitForProducts(FlowPosition at, int64_t pending) {
  Flow &flow = getFlow(at);
  Arrival last{flow.clock, 0, std::nullopt};
  for (; int64_t(flow.products.size()) > pending; flow.products.pop_front())
    last = std::max(last, flow.products.front());
  finishWait(flow, "wait for products", "", last);
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

/// Semaphores are known by address. One that is freed must be forgotten, or the
/// next one at its place would inherit its arrivals.
TimelineRecorder::Semaphore &TimelineRecorder::getSemaphore(uintptr_t address,
                                                            FlowPosition at) {
  auto [place, isNew] = semaphores.try_emplace(address);
  if (isNew) {
    place->second.number = counters.size();
    counters.push_back({at.device, "semaphore"});
  }
  return place->second;
}

void TimelineRecorder::forgetSemaphores(uintptr_t begin, uintptr_t end) {
  semaphores.erase(semaphores.lower_bound(begin), semaphores.lower_bound(end));
}

/// Names the semaphore by a task that waits for it: its device is the owner,
/// while signals may come from elsewhere.
void TimelineRecorder::nameSemaphore(uintptr_t address, FlowPosition at,
                                     std::string name) {
  counters[getSemaphore(address, at).number] = {
      at.device, name.empty() ? "barrier" : std::move(name)};
}

/// Counts have the same limit as slices: a loop that signals makes both.
void TimelineRecorder::count(unsigned counter, uint64_t time, int64_t change) {
  if (counts.size() < limit)
    counts.push_back({counter, time, change});
  else
    ++numDropped;
}

/// Arrivals are sorted by time, not by the order of calls: a copy that was
/// started first may end last.
void TimelineRecorder::arrive(FlowPosition at, uintptr_t address,
                              Arrival arrival) {
  Semaphore &semaphore = getSemaphore(address, at);
  semaphore.arrivals.insert(arrival);
  count(semaphore.number, arrival.time, arrival.amount);
}

/// The arrival is at the end of the slice.
void TimelineRecorder::signal(FlowPosition at, const char *place,
                              uintptr_t address, int64_t amount) {
  Flow &flow = getFlow(at);
  auto slice = add({TimelineSlice::Signal, flow.track, flow.clock,
                    flow.clock + 1, "signal", keep(place)});
  ++flow.clock;
  arrive(at, address, {flow.clock, amount, slice});
}

/// The wait ends with the first arrivals that are enough. Several flows may
/// wait for the same arrivals of a barrier: the later ones find them taken.
/// After a failure the first wait of each flow is the one that it was in.
void TimelineRecorder::wait(FlowPosition at, const char *place,
                            uintptr_t address, int64_t amount) {
  Flow &flow = getFlow(at);
  Semaphore &semaphore = getSemaphore(address, at);
  std::string name = "wait for " + counters[semaphore.number].name;
  if (failed) {
    if (!flow.isStuck())
      open(flow, TimelineSlice::Wait, name + ", which never ends", place);
    return;
  }
  int64_t numTaken = 0;
  while (numTaken < amount && !semaphore.arrivals.empty()) {
    auto first = semaphore.arrivals.begin();
    int64_t part = std::min(first->amount, amount - numTaken);
    numTaken += part;
    semaphore.taken = std::max(semaphore.taken, *first);
    Arrival rest = *first;
    rest.amount -= part;
    semaphore.arrivals.erase(first);
    if (rest.amount > 0)
      semaphore.arrivals.insert(rest);
  }
  finishWait(flow, name, place, semaphore.taken);
  if (numTaken)
    count(semaphore.number, flow.clock, -numTaken);
}

/// The flow continues at the time of its cause, but at least one unit later.
void TimelineRecorder::finishWait(Flow &flow, const Twine &name,
                                  StringRef place, const Arrival &cause) {
  uint64_t begin = flow.clock;
  flow.clock = std::max(flow.clock + 1, cause.time);
  llvm::SmallString<32> text;
  TimelineSlice slice{
      TimelineSlice::Wait,          flow.track, begin, flow.clock,
      keep(name.toStringRef(text)), keep(place)};
  slice.cause = cause.slice;
  add(slice);
}
