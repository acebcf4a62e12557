//===- TPUAnalyzeCost.cpp - Predict the cycles of kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts cycles of kernels for TensorCores and reports them as remarks and,
// if asked for, as JSON. Nothing in the module changes.
//
//===----------------------------------------------------------------------===//

#include "KernelFunctions.h"
#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"
#include "pallas/Support/Report.h"

namespace mlir::tpu {
#define GEN_PASS_DEF_TPUANALYZECOST
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

using namespace mlir;
using namespace mlir::tpu;

/// Reports have whole cycles; fractions would claim a precision that no model
/// has.
static int64_t roundCycles(double cycles) { return std::llround(cycles); }

/// The parts from the largest on, without those that round to nothing.
static SmallVector<std::pair<CostPart, int64_t>>
getParts(const KernelCycles &cost, const CostTable &table) {
  SmallVector<std::pair<CostPart, int64_t>> parts;
  for (size_t i = 0; i <= size_t(CostPart::Last); ++i)
    if (int64_t cycles = roundCycles(cost.counts.getCycles(table, CostPart(i))))
      parts.emplace_back(CostPart(i), cycles);
  llvm::sort(parts,
             [](const auto &a, const auto &b) { return a.second > b.second; });
  return parts;
}

/// The model has no figures for SparseCores.
static bool runsOnTensorCore(func::FuncOp function) {
  auto core = function->getAttrOfType<CoreTypeAttr>("tpu.core_type");
  return core && core.getValue() == CoreType::TensorCore;
}

namespace {
struct TPUAnalyzeCostPass
    : public tpu::impl::TPUAnalyzeCostBase<TPUAnalyzeCostPass> {
  using TPUAnalyzeCostBase::TPUAnalyzeCostBase;

  void runOnOperation() override {
    llvm::json::Array calls;
    auto modules = findKernelModules(getOperation(), chip);
    if (failed(modules))
      return signalPassFailure();
    for (auto [module, target] : *modules)
      for (auto function : module.getOps<func::FuncOp>())
        if (runsOnTensorCore(function) &&
            failed(analyze(function, *target, calls)))
          return signalPassFailure();
    if (failed(pallas::writeReport(getOperation(), json, std::move(calls))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Constants given by name replace those of the table, which is how new ones
  /// are tried out against measured kernels.
  FailureOr<CostTable> getTable(func::FuncOp function, const TPUChip &target) {
    const CostTable *known = findCostTable(target);
    if (!known)
      return function.emitError()
             << "can't be predicted on " << target.name
             << ", for which the compiler has no figures; use v5e, v6e or "
                "tpu7x";
    CostTable table = *known;
    for (StringRef constant : constants) {
      auto [name, text] = constant.split('=');
      std::optional<CostTerm> term = symbolizeCostTerm(name);
      if (!term || text.getAsDouble(table[size_t(*term)]))
        return function.emitError() << "constant '" << constant
                                    << "' is none of the cost model; give "
                                       "name=cycles, as in Step=12";
    }
    return table;
  }

  /// One entry per kernel, in the order of the module.
  LogicalResult analyze(func::FuncOp function, const TPUChip &target,
                        llvm::json::Array &calls) {
    FailureOr<CostTable> table = getTable(function, target);
    if (failed(table))
      return failure();
    FailureOr<KernelCycles> cost =
        predictKernelCycles(function, target, *table);
    if (failed(cost))
      return failure();
    auto parts = getParts(*cost, *table);
    remark(function, target, *cost, parts);
    calls.push_back(report(function, target, *cost, *table, parts));
    return success();
  }

  void remark(func::FuncOp function, const TPUChip &target,
              const KernelCycles &cost,
              ArrayRef<std::pair<CostPart, int64_t>> parts) {
    // The kernel itself is too long to show.
    InFlightDiagnostic diag = mlir::emitRemark(function.getLoc());
    diag << "takes about " << roundCycles(cost.cycles) << " cycles on "
         << target.name << " in " << cost.steps
         << (cost.steps == 1 ? " step" : " steps");
    if (!parts.empty())
      diag << " and waits for " << stringifyCostPart(parts.front().first)
           << " most";
    StringRef separator = ": ";
    for (auto [part, cycles] : parts) {
      diag << separator << stringifyCostPart(part) << " " << cycles;
      separator = ", ";
    }
    diag << "; computing alone " << roundCycles(cost.computeCycles)
         << ", copying alone " << roundCycles(cost.copyCycles);
  }

  llvm::json::Object report(func::FuncOp function, const TPUChip &target,
                            const KernelCycles &cost, const CostTable &table,
                            ArrayRef<std::pair<CostPart, int64_t>> parts) {
    llvm::json::Object byPart;
    for (auto [part, cycles] : parts)
      byPart[stringifyCostPart(part)] = cycles;
    llvm::json::Array copies;
    for (const WindowCopy &copy : cost.copies)
      copies.push_back(
          llvm::json::Object{{"window", copy.index},
                             {"output", copy.isOutput},
                             {"cycles", roundCycles(copy.cycles)}});
    llvm::json::Object call{
        {"name", function.getName()},
        {"location", llvm::formatv("{0}", function.getLoc()).str()},
        {"chip", target.name},
        {"cycles", roundCycles(cost.cycles)},
        {"steps", cost.steps},
        {"parts", std::move(byPart)},
        {"compute_cycles", roundCycles(cost.computeCycles)},
        {"copy_cycles", roundCycles(cost.copyCycles)},
        {"bytes_copied", cost.bytesCopied},
        {"call_cycles", roundCycles(table[size_t(CostTerm::Call)])},
        {"copies", std::move(copies)}};
    if (!parts.empty())
      call["waits_for"] = stringifyCostPart(parts.front().first);
    if (withCounts) {
      llvm::json::Object counts;
      for (size_t i = 0; i < kNumCostTerms; ++i)
        if (double count = cost.counts[CostTerm(i)])
          counts[stringifyCostTerm(CostTerm(i))] = count;
      call["counts"] = std::move(counts);
    }
    return call;
  }
};
} // namespace
