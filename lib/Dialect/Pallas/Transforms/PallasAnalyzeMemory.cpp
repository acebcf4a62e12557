//===- PallasAnalyzeMemory.cpp - How much memory kernels take -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass prints what Analysis/MemoryFootprint adds up, per call and memory
// space.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASANALYZEMEMORY
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static llvm::json::Object toJSON(const MemoryBuffer &buffer) {
  std::string type;
  llvm::raw_string_ostream(type) << buffer.type;
  llvm::json::Object object{{"role", stringifyRole(buffer.role)},
                            {"index", int64_t(buffer.index)},
                            {"space", buffer.getSpace()},
                            {"type", type},
                            {"buffers", buffer.count}};
  if (buffer.origin)
    object["origin"] = buffer.origin.getValue();
  if (buffer.bytes)
    object["bytes"] = buffer.count * *buffer.bytes;
  else
    object["bytes"] = nullptr;
  return object;
}

/// The remark has the sums, and a note per buffer.
static void emitRemark(Operation *call, const MemoryFootprint &footprint) {
  InFlightDiagnostic diag = call->emitRemark();
  diag << "takes ";
  if (footprint.bytes.empty())
    diag << "no memory of known size";
  llvm::interleaveComma(footprint.bytes, diag, [&](const auto &entry) {
    diag << entry.second << " bytes of " << entry.first;
  });
  if (!footprint.isComplete)
    diag << ", and memory whose size is dynamic";
  footprint.attachBuffers(*diag.getUnderlyingDiagnostic());
}

namespace {
struct AnalyzeMemoryPass
    : public pallas::impl::PallasAnalyzeMemoryBase<AnalyzeMemoryPass> {
  using PallasAnalyzeMemoryBase::PallasAnalyzeMemoryBase;

  void runOnOperation() override {
    llvm::json::Array calls;
    forEachCall(getOperation(), [&](Operation *op) {
      MemoryFootprint footprint = computeMemoryFootprint(op);
      emitRemark(op, footprint);
      llvm::json::Object call = describeOperation(op), spaces;
      for (auto [space, bytes] : footprint.bytes)
        spaces[space] = bytes;
      llvm::json::Array buffers;
      for (const MemoryBuffer &buffer : footprint.buffers)
        buffers.push_back(toJSON(buffer));
      call["bytes"] = std::move(spaces);
      call["complete"] = footprint.isComplete;
      call["buffers"] = std::move(buffers);
      calls.push_back(std::move(call));
    });
    if (failed(writeReport(getOperation(), json, std::move(calls))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
