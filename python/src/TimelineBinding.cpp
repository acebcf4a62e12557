//===- TimelineBinding.cpp - Timelines for Python -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "pallas/Runtime/Mistakes.h"
#include "pallas/Runtime/Timeline.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::python;
using namespace pallas_rt;

namespace {
/// Records checked calls of all threads from its begin to its end. Calls may go
/// on behind it, as long as it lives.
class Recording {
public:
  explicit Recording(size_t limit)
      : timeline(limit), scope(std::in_place, timeline) {}

  /// The events as JSON, and whether all are there.
  std::pair<std::string, bool> end() {
    scope.reset();
    std::string text;
    llvm::raw_string_ostream stream(text);
    timeline.writeTraceEvents(stream);
    return {std::move(text), timeline.isComplete()};
  }

private:
  Timeline timeline;
  std::optional<TimelineScope> scope;
};
} // namespace

void mlir::pallas::python::bindTimeline(nb::module_ &m) {
  nb::class_<Recording>(m, "Recording")
      .def(nb::init<size_t>(), nb::arg("limit") = Timeline::defaultLimit)
      .def("end", &Recording::end);
  m.def("kinds_of_mistakes", [] {
    std::vector<std::string> names;
    for (const Allowance &each : allowAll())
      names.push_back(getMistakeName(each.kind));
    return names;
  });
}
