//===- CheckedCall.cpp - Calls that look for mistakes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file runs a checked call. A read of memory that nothing has written is a
// mistake if a result depends on it. The first run gives such reads one value,
// further runs others. If the results differ, bisection finds the first read,
// and of that read the first element, that makes them differ: no rule for every
// operation in between is needed, and values that a mask takes away again cause
// no report. Reads that are allowed change no result: they are not varied, and
// if there are any, the results are those of a last run that reads memory as
// plain code does.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/CheckedCall.h"
#include "Checker.h"
#include "pallas/Runtime/Violation.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstring>

using namespace pallas_rt;

namespace {
/// The results of one run, and all that the checker found in it.
struct Outcome {
  std::vector<std::vector<char>> outputs;
  std::string error;
  std::vector<Finding> findings;
  std::map<DoubtKey, Doubts> doubts;
  bool hasMissedStores = false, hasAllowedDoubts = false;

  bool hasResultsOf(const Outcome &other) const {
    return outputs == other.outputs && error == other.error;
  }
};

/// The runs of one call.
class CheckedCall {
public:
  CheckedCall(llvm::function_ref<llvm::Error(ArrayRef<BufferView>)> run,
              ArrayRef<BufferView> outputs, ArrayRef<Allowance> allowances,
              unsigned numDevices, std::optional<unsigned> device)
      : run(run), outputs(outputs), tolerance(allowances),
        numDevices(numDevices), device(device) {}

  CheckedReport call();

private:
  Outcome runWith(Variation variation);
  bool differs(const Variation &variation) {
    return !runWith(variation).hasResultsOf(base);
  }
  void resolveDoubts();
  bool resolve(const DoubtKey &key, unsigned variant);
  CheckedReport createReport();
  std::string describeDifference(const Outcome &outcome) const;

  llvm::function_ref<llvm::Error(ArrayRef<BufferView>)> run;
  ArrayRef<BufferView> outputs;
  Tolerance tolerance;
  unsigned numDevices;
  std::optional<unsigned> device;
  /// The first run is recorded; others are there for what they find.
  TimelineRecorder *timeline = getCurrentRecorder();
  Outcome base;
  /// Why a run could not begin.
  std::string refusal;
};
} // namespace

/// Outputs go to fresh buffers, so that each run starts from the same inputs
/// and the caller sees nothing before the last one.
Outcome CheckedCall::runWith(Variation variation) {
  Outcome outcome;
  SmallVector<BufferView> views(outputs);
  for (BufferView &view : views) {
    outcome.outputs.emplace_back(
        llvm::product_of(view.shape, int64_t(getByteSize(view.dtype))));
    view.data = outcome.outputs.back().data();
  }
  Checker checker(std::move(variation), tolerance);
  {
    CheckerScope scope(checker);
    if (!scope.getRefusal().empty()) {
      refusal = scope.getRefusal();
      // It tells nothing about the results.
      return base;
    }
    checker.timeline = std::exchange(timeline, nullptr);
    if (RecorderAccess access{checker.timeline})
      access->beginCall(device);
    if (llvm::Error error = run(views))
      outcome.error = llvm::toString(std::move(error));
    if (RecorderAccess access{checker.timeline})
      access->endCall();
  }
  checker.finish();
  outcome.findings = checker.getFindings();
  outcome.doubts = checker.getDoubts();
  outcome.hasMissedStores = checker.hasMissedStores();
  outcome.hasAllowedDoubts = checker.hasAllowedDoubts();
  return outcome;
}

/// `result 0 depends on it at [1, 2]`, or what else is different.
std::string CheckedCall::describeDifference(const Outcome &outcome) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto [i, view] : llvm::enumerate(outputs)) {
    const std::vector<char> &ours = base.outputs[i],
                            &others = outcome.outputs[i];
    auto place = std::mismatch(ours.begin(), ours.end(), others.begin()).first;
    if (place == ours.end())
      continue;
    size_t element = (place - ours.begin()) / getByteSize(view.dtype);
    size_t numResults = outputs.size() / numDevices;
    stream << "; result " << i % numResults;
    if (numDevices > 1)
      stream << " of device " << i / numResults;
    stream << " depends on it";
    if (!view.shape.empty())
      stream << " at " << describeList(getIndex(element, view.shape), '[', ']');
    return text;
  }
  return "; whether the kernel fails depends on it";
}

/// The smallest number in [1, `last`] for which `holds`, which does for `last`.
/// A binary search, which assumes that `holds` stays true from there on.
static uint64_t findFirst(uint64_t last, function_ref<bool(uint64_t)> holds) {
  uint64_t below = 0;
  while (last - below > 1) {
    uint64_t middle = below + (last - below) / 2;
    (holds(middle) ? last : below) = middle;
  }
  return last;
}

/// Adds a finding if results depend on the reads of `key`. First bisects the
/// number of reads that are varied, then the elements of the last one of them.
/// A run may make more of these reads than the first one.
bool CheckedCall::resolve(const DoubtKey &key, unsigned variant) {
  Variation variation;
  variation.variant = variant;
  variation.key = key;
  Outcome varied = runWith(variation);
  if (varied.hasResultsOf(base))
    return false;
  uint64_t numReads = varied.doubts[key].numReads;
  variation.firstReads = findFirst(numReads, [&](uint64_t count) {
    Variation part = variation;
    part.firstReads = count;
    return differs(part);
  });
  uint64_t numElements = runWith(variation).doubts[key].numElements;
  variation.firstElements = findFirst(numElements, [&](uint64_t count) {
    Variation part = variation;
    part.firstElements = count;
    return differs(part);
  });
  Outcome outcome = runWith(variation);
  Finding finding = Checker::describeDoubt(key, outcome.doubts[key]);
  finding.message += describeDifference(outcome);
  base.findings.push_back(std::move(finding));
  return true;
}

/// Another variant is only needed where those before leave the results as they
/// are by chance, such as a filler that a maximum ignores.
void CheckedCall::resolveDoubts() {
  constexpr unsigned variants[] = {1, 2, 3};
  for (unsigned variant : variants) {
    Variation all;
    all.variant = variant;
    Outcome outcome = runWith(all);
    if (outcome.hasResultsOf(base))
      continue;
    bool isResolved = false;
    std::vector<std::pair<DoubtKey, Doubts>> inOrder(base.doubts.begin(),
                                                     base.doubts.end());
    llvm::sort(inOrder, [](const auto &lhs, const auto &rhs) {
      return lhs.second.order < rhs.second.order;
    });
    for (const auto &[key, doubts] : inOrder)
      isResolved |= resolve(key, variant);
    if (isResolved)
      return;
    // Only several reads together make a difference.
    for (const auto &[key, doubts] : outcome.doubts) {
      Finding finding = Checker::describeDoubt(key, doubts);
      finding.message += describeDifference(outcome);
      base.findings.push_back(std::move(finding));
    }
    return;
  }
}

/// Returns the findings and errors, without those that are allowed.
CheckedReport CheckedCall::createReport() {
  static std::atomic<uint64_t> numCalls = 0;
  CheckedReport report;
  report.call = ++numCalls;
  if (!base.error.empty())
    report.errors.push_back(base.error);
  for (Finding &finding : base.findings) {
    // After a failure nothing waits any more.
    if ((!base.error.empty() && finding.isOfWaits) ||
        tolerance.allows(finding.kind, finding.location))
      continue;
    if (finding.count > 1)
      finding.message += " (" + std::to_string(finding.count) + " times)";
    report.findings.push_back(std::move(finding));
  }
  llvm::append_range(report.errors, tolerance.getErrors());
  return report;
}

/// Results are only written to the buffers of the caller if nothing was found.
CheckedReport CheckedCall::call() {
  base = runWith({});
  // Accesses before the first copy are not recorded at first, which keeps most
  // kernels fast. If a copy then reads stores of that time, the call is
  // repeated.
  if (base.hasMissedStores) {
    Variation all;
    all.recordsAll = true;
    base = runWith(all);
  }
  // Runs that race are not alike, so nothing follows from their differences.
  bool isRacing =
      numDevices > 1 && llvm::any_of(base.findings, [](const Finding &finding) {
        return finding.kind == MistakeKind::DataRace;
      });
  if (base.error.empty() && !base.doubts.empty() && !isRacing)
    resolveDoubts();
  CheckedReport report = createReport();
  if (!refusal.empty())
    return {{refusal}, {}, report.call};
  if (!report.errors.empty() || !report.findings.empty())
    return report;
  if (base.hasAllowedDoubts) {
    Variation plain;
    plain.isPlain = true;
    base = runWith(plain);
    if (!refusal.empty() || !base.error.empty())
      return {{refusal.empty() ? base.error : refusal}, {}, report.call};
  }
  for (auto [bytes, view] : llvm::zip_equal(base.outputs, outputs))
    if (!bytes.empty())
      std::memcpy(view.data, bytes.data(), bytes.size());
  return {};
}

llvm::Error CheckedReport::getError() const {
  llvm::Error result = llvm::Error::success();
  for (const std::string &error : errors)
    result = llvm::joinErrors(std::move(result),
                              llvm::createStringError("%s", error.c_str()));
  for (const Finding &finding : findings)
    result = llvm::joinErrors(
        std::move(result),
        llvm::make_error<Violation>(finding.location, finding.kind,
                                    finding.message, finding.remedy, call));
  return result;
}

CheckedReport pallas_rt::callChecked(
    llvm::function_ref<llvm::Error(ArrayRef<BufferView>)> run,
    ArrayRef<BufferView> outputs, ArrayRef<Allowance> allowances,
    unsigned numDevices, std::optional<unsigned> device) {
  return CheckedCall(run, outputs, allowances, numDevices, device).call();
}
