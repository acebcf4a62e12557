//===- SplitSearch.cpp - Blocks that are too large for VMEM ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of the target would refuse such a call. Copies of it are split
// along each dimension of the first result, into more and more parts:
//
//   grid() block<[8192, 8192]>        805 MB, of 128
//   grid(8) block<[1024, 8192]>       201 MB
//   grid(16) block<[512, 8192]>       100 MB
//
//===----------------------------------------------------------------------===//

#include "SplitSearch.h"
#include "CoarseningRules.h"
#include "StepCost.h"
#include "TPUFootprint.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Memory and cycles of a call before it is lowered.
struct Measured {
  int64_t vmemBytes = 0;
  /// Whether it gets by with the VMEM that the compiler gives to each kernel.
  bool isSmall = false;
  /// Whether the host lays out an array for it.
  bool isRelaidOut = false;
  /// Unknown where the kernel does what there is no rule for.
  std::optional<double> cycles;
};
} // namespace

/// A bound without plans, which nearly all calls stay below: all refs with two
/// buffers.
static bool mayOverflow(PallasCallOp call, const TPUChip &chip) {
  int64_t bytes = 0;
  auto add = [&](Block &block) {
    for (BlockArgument argument : block.getArguments())
      if (auto ref = dyn_cast<RefType>(argument.getType());
          ref && !ref.isSynchronization() && ref.hasStaticShape() &&
          ref.getElementType().isIntOrFloat())
        bytes +=
            2 * getTPUPaddedBytes(ref.getShape(), ref.getElementType(), chip);
  };
  Block &kernel = call.getKernelRegion().front();
  add(kernel);
  for (auto scope : kernel.getOps<RunScopedOp>())
    add(scope.getBody().front());
  return bytes > chip.vmemBytes;
}

/// Nothing where a window has no plan.
static std::optional<Measured> measure(PallasCallOp call, const TPUChip &chip,
                                       const tpu::CostTable &table) {
  auto plans = planWindows(call, chip);
  if (failed(plans))
    return std::nullopt;
  Measured result;
  for (const WindowPlan &plan : *plans)
    result.isRelaidOut |= plan.isRelaidOut() || plan.hasOffsets();
  TPUFootprint footprint = computeTPUFootprint(call, *plans, chip);
  result.vmemBytes = footprint.vmemBytes;
  result.isSmall = !getVmemLimit(footprint, chip);
  if (auto cost = predictCall(call, chip, table, /*mustMeasure=*/false))
    result.cycles = cost->cycles.cycles;
  return result;
}

/// Without a prediction, fewer parts are better, and all are better than an
/// array that the host lays out.
static bool isBetter(const Measured &left, const Measured &right) {
  if (left.isRelaidOut != right.isRelaidOut)
    return right.isRelaidOut;
  if (left.isSmall != right.isSmall)
    return left.isSmall;
  return left.cycles && right.cycles && *left.cycles < *right.cycles;
}

std::optional<SplitChoice>
mlir::pallas::chooseSplit(PallasCallOp call, const TPUChip &chip,
                          const tpu::CostTable &table) {
  if (call.getNumResults() == 0 || !mayOverflow(call, chip))
    return std::nullopt;
  std::optional<Measured> whole = measure(call, chip, table), best;
  if (!whole || whole->vmemBytes <= chip.vmemBytes)
    return std::nullopt;
  SplitChoice choice;
  choice.vmemBefore = whole->vmemBytes;
  BlockMappingAttr mapping = cast<GridMappingOpInterface>(call.getOperation())
                                 .getBlockMappingsOutput()
                                 .front();
  OpBuilder builder(call);
  for (auto [dim, size] : llvm::enumerate(mapping.getBlockShape())) {
    for (int64_t numParts : getLadder(size)) {
      auto copy = cast<PallasCallOp>(builder.clone(*call));
      // Blocks that stay whole do so in more parts, too.
      bool isWhole = splitBlocks(copy, dim, numParts).has_value();
      std::optional<Measured> found;
      if (!isWhole)
        found = measure(copy, chip, table);
      copy.erase();
      if (isWhole)
        break;
      if (!found || found->vmemBytes > chip.vmemBytes)
        continue;
      if (!best || isBetter(*found, *best)) {
        best = found;
        choice = {unsigned(dim), numParts, choice.vmemBefore, found->vmemBytes};
      }
      if (found->isSmall)
        break;
    }
  }
  return best ? std::optional(choice) : std::nullopt;
}
