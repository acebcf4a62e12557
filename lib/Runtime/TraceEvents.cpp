//===- TraceEvents.cpp - Timelines for Perfetto ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file writes timelines for Perfetto, in the JSON of the Trace Event
// Format: processes are devices, threads are cores with their slices, copies
// are async slices beside them, semaphores and memory are counters, and arrows
// lead from a signal to the wait that it ends.
//
//===----------------------------------------------------------------------===//

#include "TimelineRecorder.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace pallas_rt;
using llvm::json::Object;

/// Perfetto filters slices by category.
static StringRef getCategory(TimelineSlice::Kind kind) {
  switch (kind) {
  case TimelineSlice::Grid:
    return "kernel";
  case TimelineSlice::Program:
    return "program";
  case TimelineSlice::Access:
    return "access";
  case TimelineSlice::Copy:
    return "copy";
  case TimelineSlice::Signal:
    return "signal";
  case TimelineSlice::Wait:
    return "wait";
  }
  llvm_unreachable("each kind has a category");
}

namespace {
/// An event per line, so that traces can be compared.
class EventWriter {
public:
  explicit EventWriter(llvm::raw_ostream &stream) : stream(stream) {}

  void write(Object event) {
    stream << (isFirst ? "\n" : ",\n") << llvm::json::Value(std::move(event));
    isFirst = false;
  }

private:
  llvm::raw_ostream &stream;
  bool isFirst = true;
};
} // namespace

/// Strings of kernels may hold any bytes; JSON is UTF-8.
static std::string toUTF8(StringRef text) { return llvm::json::fixUTF8(text); }

namespace {
/// Orders events by device, core and time: which device runs first is chance.
class TraceWriter {
public:
  TraceWriter(llvm::raw_ostream &stream, ArrayRef<TimelineTrack> tracks,
              ArrayRef<TimelineSlice> slices)
      : writer(stream), tracks(tracks), slices(slices),
        order(llvm::to_vector(llvm::seq<unsigned>(0, tracks.size()))),
        ranks(tracks.size()) {
    llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
      if (tracks[lhs].device != tracks[rhs].device)
        return tracks[lhs].device < tracks[rhs].device;
      return StringRef(tracks[lhs].name).compare_numeric(tracks[rhs].name) < 0;
    });
    for (auto [rank, number] : llvm::enumerate(order))
      ranks[number] = rank;
  }

  void writeTracks();
  void writeSlices();
  void writeCount(const TimelineCounter &counter, std::optional<unsigned> id,
                  uint64_t time, int64_t value);

private:
  Object create(StringRef phase, const TimelineSlice &slice, StringRef name,
                uint64_t time) const;
  void writeSlice(const TimelineSlice &slice, uint64_t id);
  void writeArrow(const TimelineSlice &from, const TimelineSlice &to,
                  uint64_t id);

  EventWriter writer;
  ArrayRef<TimelineTrack> tracks;
  ArrayRef<TimelineSlice> slices;
  SmallVector<unsigned> order, ranks;
};
} // namespace

/// The fields that all events have.
Object TraceWriter::create(StringRef phase, const TimelineSlice &slice,
                           StringRef name, uint64_t time) const {
  return Object{{"ph", phase},
                {"name", toUTF8(name)},
                {"cat", getCategory(slice.kind)},
                {"pid", tracks[slice.track].device},
                {"tid", ranks[slice.track] + 1},
                {"ts", time}};
}

/// Metadata events name processes and threads.
void TraceWriter::writeTracks() {
  std::set<unsigned> devices;
  for (auto [rank, number] : llvm::enumerate(order)) {
    const TimelineTrack &track = tracks[number];
    std::string device = "device " + std::to_string(track.device);
    if (devices.insert(track.device).second)
      writer.write(Object{{"ph", "M"},
                          {"name", "process_name"},
                          {"pid", track.device},
                          {"args", Object{{"name", device}}}});
    std::string name = track.name.empty() ? "core" : toUTF8(track.name);
    writer.write(Object{{"ph", "M"},
                        {"name", "thread_name"},
                        {"pid", track.device},
                        {"tid", static_cast<int64_t>(rank) + 1},
                        {"args", Object{{"name", name}}}});
  }
}

void TraceWriter::writeSlices() {
  auto sorted = llvm::to_vector(llvm::seq<size_t>(0, slices.size()));
  llvm::sort(sorted, [&](size_t lhs, size_t rhs) {
    const TimelineSlice &a = slices[lhs], &b = slices[rhs];
    // A slice comes before those that lie in it.
    return std::tuple(ranks[a.track], a.begin, ~a.end, lhs) <
           std::tuple(ranks[b.track], b.begin, ~b.end, rhs);
  });
  for (auto [id, number] : llvm::enumerate(sorted))
    writeSlice(slices[number], id);
}

/// Slices of a core nest; copies overlap, so they are async ones.
void TraceWriter::writeSlice(const TimelineSlice &slice, uint64_t id) {
  bool isCopy = slice.kind == TimelineSlice::Copy;
  Object args;
  if (!slice.place.empty())
    args["place"] = toUTF8(slice.place);
  if (slice.bytes)
    args["bytes"] = slice.bytes;
  if (slice.isUnfinished)
    args["unfinished"] = true;
  Object event = create(isCopy ? "b" : "X", slice, slice.name, slice.begin);
  event["args"] = std::move(args);
  // An id of the process, so that a copy is shown with its device.
  Object local{{"local", std::to_string(id)}};
  if (isCopy)
    event["id2"] = Object(local);
  else
    event["dur"] = slice.end - slice.begin;
  writer.write(std::move(event));
  if (isCopy) {
    Object end = create("e", slice, slice.name, slice.end);
    end["id2"] = std::move(local);
    writer.write(std::move(end));
  }
  // Copies lie on no thread, so no arrow can start there.
  if (slice.cause && slices[*slice.cause].kind != TimelineSlice::Copy)
    writeArrow(slices[*slice.cause], slice, id);
}

/// From a signal to the wait that it ends.
void TraceWriter::writeArrow(const TimelineSlice &from, const TimelineSlice &to,
                             uint64_t id) {
  Object start = create("s", from, "signal", from.begin);
  // It ends in the slice at this time, not in the next one.
  Object finish = create("f", from, "signal", to.end - 1);
  finish["pid"] = tracks[to.track].device;
  finish["tid"] = ranks[to.track] + 1;
  finish["bp"] = "e";
  for (Object *event : {&start, &finish}) {
    (*event)["id"] = std::to_string(id);
    writer.write(std::move(*event));
  }
}

/// Counters of a process with one name are one unless an id tells them apart,
/// which is shown as a part of the name.
void TraceWriter::writeCount(const TimelineCounter &counter,
                             std::optional<unsigned> id, uint64_t time,
                             int64_t value) {
  StringRef unit = counter.kind == TimelineCounter::Memory ? "bytes" : "count";
  Object event{{"ph", "C"},
               {"name", toUTF8(counter.name)},
               {"pid", counter.device},
               {"ts", time},
               {"args", Object{{unit, value}}}};
  if (id)
    event["id"] = std::to_string(*id);
  writer.write(std::move(event));
}

/// All slices. Where calls have one name, their grids get numbers: `add (1 of
/// 2)`. The order is that of their places in the source, then that of their
/// begins.
std::vector<TimelineSlice>
TimelineRecorder::titleGrids(llvm::StringSaver &titles) const {
  std::vector<TimelineSlice> titled = slices;
  auto getKey = [&](const Grid &grid) {
    const TimelineSlice &slice = slices[grid.slice];
    return std::tuple(slice.begin, tracks[slice.track].device, grid.slice);
  };
  std::vector<Grid> inOrder = grids;
  llvm::sort(inOrder, [&](const Grid &lhs, const Grid &rhs) {
    StringRef a = slices[lhs.slice].place, b = slices[rhs.slice].place;
    int order = a.compare_numeric(b);
    return order != 0 ? order < 0 : getKey(lhs) < getKey(rhs);
  });
  std::map<StringRef, SmallVector<const char *>> calls;
  for (const Grid &grid : inOrder) {
    SmallVector<const char *> &sites = calls[slices[grid.slice].name];
    if (!llvm::is_contained(sites, grid.site))
      sites.push_back(grid.site);
  }
  for (const Grid &grid : grids) {
    StringRef name = slices[grid.slice].name;
    ArrayRef<const char *> sites = calls[name];
    if (sites.size() > 1)
      titled[grid.slice].name = titles.save(
          llvm::formatv("{0} ({1} of {2})", name,
                        llvm::find(sites, grid.site) - sites.begin() + 1,
                        sites.size())
              .str());
  }
  return titled;
}

/// Counters hold changes, which are summed up here in the order of time.
/// Signals come before the waits that they end at the same time, though they
/// may have been recorded later; memory changes in the order of its core.
void TimelineRecorder::write(llvm::raw_ostream &stream) const {
  stream << R"({"displayTimeUnit":"ms","otherData":{"clock":)"
         << R"("1 us is 1 byte that an access or a copy touches",)"
         << R"("events_left_out":)" << numDropped << R"(},"traceEvents":[)";
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver titles(memory);
  std::vector<TimelineSlice> titled = titleGrids(titles);
  TraceWriter writer(stream, tracks, titled);
  writer.writeTracks();
  writer.writeSlices();
  auto getKey = [&](size_t number) {
    const Count &count = counts[number];
    const TimelineCounter &counter = counters[count.counter];
    bool isMemory = counter.kind == TimelineCounter::Memory;
    return std::tuple(counter.device, StringRef(counter.name), count.counter,
                      count.time, isMemory ? 0 : -count.change, number);
  };
  auto inOrder = llvm::to_vector(llvm::seq<size_t>(0, counts.size()));
  llvm::sort(inOrder,
             [&](size_t lhs, size_t rhs) { return getKey(lhs) < getKey(rhs); });
  std::map<std::pair<unsigned, StringRef>, std::set<unsigned>> alike;
  for (const Count &count : counts) {
    const TimelineCounter &counter = counters[count.counter];
    alike[{counter.device, counter.name}].insert(count.counter);
  }
  int64_t value = 0;
  std::optional<unsigned> before;
  for (size_t number : inOrder) {
    const Count &count = counts[number];
    if (before != count.counter)
      value = 0;
    before = count.counter;
    value += count.change;
    const TimelineCounter &counter = counters[count.counter];
    const std::set<unsigned> &same = alike[{counter.device, counter.name}];
    std::optional<unsigned> id;
    if (same.size() > 1)
      id = std::distance(same.begin(), same.find(count.counter));
    writer.writeCount(counter, id, count.time, value);
  }
  stream << "\n]}\n";
}
