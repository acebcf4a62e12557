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
    SmallVector<PallasCallOp> calls;
    getOperation()->walk([&](PallasCallOp call) {
      if (!call->hasAttr(kCoarsenAttrName) && !call->hasAttr(kSplitAttrName))
        calls.push_back(call);
    });
    for (PallasCallOp call : calls)
      if (!split(call, **target, *table))
        choose(call, **target, *table);
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

  void choose(PallasCallOp call, const TPUChip &target,
              const tpu::CostTable &table) {
    // The lowering reports windows without a plan.
    auto ignore = [](Diagnostic &) { return success(); };
    std::optional<CoarseningChoice> choice;
    {
      ScopedDiagnosticHandler handler(&getContext(), ignore);
      choice = chooseCoarsening(call, target, table, reassociate);
    }
    if (!choice)
      return;
    ++numChosen;
    int64_t before = std::llround(choice->before),
            after = std::llround(choice->cost.cycles.cycles);
    std::string factors = spell(choice->factors);
    PallasCallOp joined = choice->copy;
    call->replaceAllUsesWith(joined);
    call.erase();
    addMetadata(joined, "coarsened",
                factors + ": " + Twine(after) + " cycles for " + Twine(before));
    mlir::emitRemark(joined.getLoc())
        << "joins steps by " << factors << ": about " << after << " cycles on "
        << target.name << " instead of " << before << ", with "
        << choice->cost.vmemBytes << " bytes of VMEM";
    for (const JoinObstacle &remark : choice->remarks)
      mlir::emitRemark(remark.loc) << remark.why;
  }
};
} // namespace
