//===- ChooseTPUCoarsening.cpp - Larger and smaller steps -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoarseningSearch.h"
#include "SplitSearch.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Dialect/Pallas/IR/GridAttributes.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CHOOSETPUCOARSENING
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// As `d0=4,d2=2`.
static std::string spell(ArrayRef<int64_t> factors) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [dim, factor] : llvm::enumerate(factors))
    if (factor != 1)
      os << (text.empty() ? "" : ",") << "d" << dim << "=" << factor;
  return text;
}

namespace {
struct ChooseTPUCoarseningPass
    : public pallas::impl::ChooseTPUCoarseningBase<ChooseTPUCoarseningPass> {
  using ChooseTPUCoarseningBase::ChooseTPUCoarseningBase;

  void runOnOperation() override {
    FailureOr<const TPUChip *> target = tpu::findTPUChip(getOperation(), chip);
    if (failed(target))
      return signalPassFailure();
    const tpu::CostTable *table = tpu::findCostTable(**target);
    if (!table)
      return;
    // Inner grids come first. A call with pipelines in its kernel is not
    // predicted, so it is never replaced by a copy.
    SmallVector<GridMappingOpInterface> grids;
    for (GridMappingOpInterface grid : collectGrids(getOperation()))
      if (!grid->hasAttr(kCoarsenAttrName) && !grid->hasAttr(kSplitAttrName))
        grids.push_back(grid);
    for (GridMappingOpInterface grid : grids) {
      auto call = dyn_cast<PallasCallOp>(grid.getOperation());
      if (!call || !split(call, **target, *table))
        choose(grid, **target, *table);
    }
  }

private:
  /// Returns whether the call is too large for the chip without it.
  bool split(PallasCallOp call, const TPUChip &target,
             const tpu::CostTable &table) {
    std::optional<SplitChoice> choice;
    {
      ScopedDiagnosticHandler handler(&getContext(),
                                      [](Diagnostic &) { return success(); });
      choice = chooseSplit(call, target, table);
    }
    if (!choice)
      return false;
    ++numChosen;
    [[maybe_unused]] std::optional<JoinObstacle> obstacle =
        splitBlocks(call, choice->dim, choice->numParts);
    assert(!obstacle && "a copy has been split");
    std::string parts = "d" + std::to_string(choice->dim) + "=" +
                        std::to_string(choice->numParts);
    addMetadata(call, "split", parts);
    mlir::emitRemark(call.getLoc())
        << "splits the blocks of the first result by " << parts
        << ", and others with them: the call needs " << choice->vmemBytes
        << " bytes of VMEM then, and " << choice->vmemBefore << " without, but "
        << target.name << " has " << target.vmemBytes;
    return true;
  }

  void addMetadata(PallasCallOp call, StringRef name, const Twine &text) {
    NamedAttrList metadata(
        call.getMetadata().value_or(DictionaryAttr::get(&getContext())));
    metadata.set(name, StringAttr::get(&getContext(), text));
    call.setMetadataAttr(metadata.getDictionary(&getContext()));
  }

  /// Behind the text of pipelines before this one.
  void appendMetadata(PallasCallOp call, StringRef name, StringRef text) {
    std::optional<DictionaryAttr> metadata = call.getMetadata();
    auto before = metadata ? metadata->getAs<StringAttr>(name) : StringAttr();
    addMetadata(call, name, before ? before.getValue() + "; " + text : text);
  }

  void choose(GridMappingOpInterface grid, const TPUChip &target,
              const tpu::CostTable &table) {
    // The lowering reports windows without a plan.
    auto ignore = [](Diagnostic &) { return success(); };
    std::optional<CoarseningChoice> choice;
    {
      ScopedDiagnosticHandler handler(&getContext(), ignore);
      choice = chooseCoarsening(grid, target, table, reassociate);
    }
    if (!choice)
      return;
    ++numChosen;
    int64_t before = std::llround(choice->before),
            after = std::llround(choice->cost.cycles.cycles);
    std::string factors = spell(choice->factors);
    GridMappingOpInterface joined = choice->grid;
    std::string figures = factors + ": " + std::to_string(after) +
                          " cycles for " + std::to_string(before);
    bool isPipeline = isa<EmitPipelineOp>(joined);
    if (isPipeline)
      appendMetadata(
          cast<PallasCallOp>(getEnclosingGrid(joined).getOperation()),
          "pipelines", figures);
    else
      addMetadata(cast<PallasCallOp>(joined.getOperation()), "coarsened",
                  figures);
    mlir::emitRemark(joined.getLoc())
        << "joins steps " << (isPipeline ? "of a pipeline " : "") << "by "
        << factors << ": about " << after << " cycles on " << target.name
        << " instead of " << before << ", with " << choice->cost.vmemBytes
        << " bytes of VMEM";
    for (const JoinObstacle &remark : choice->remarks)
      mlir::emitRemark(remark.loc) << remark.why;
  }
};
} // namespace
