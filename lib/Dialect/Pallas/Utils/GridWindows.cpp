//===- GridWindows.cpp - Properties of windows ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a window may lie in its array, and whether a device has memory for it.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/GridWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"

using namespace mlir;
using namespace mlir::pallas;

/// For example, 3 for %i in
///
///   scf.for %iv = %c0 to %c4 step %c1 {
///     %i = arith.index_cast %iv : index to i32
///     %w = pallas.window %x[%i : i32] block<[8], vmem> : !pallas.ref<32xf32>
///
/// so that this block lies inside of the array and needs no clamp. That is what
/// most index maps look like; ranges of arithmetic are not worth their time.
std::optional<int64_t> pallas::getLargestIndex(Value index) {
  if (std::optional<int64_t> constant = getConstantInteger(index))
    return *constant < 0 ? std::nullopt : constant;
  if (auto cast = index.getDefiningOp<arith::IndexCastOp>())
    index = cast.getIn();
  auto counter = dyn_cast<BlockArgument>(index);
  auto loop =
      counter ? dyn_cast<LoopLikeOpInterface>(counter.getOwner()->getParentOp())
              : LoopLikeOpInterface();
  if (!loop)
    return std::nullopt;
  std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> starts = loop.getLoopLowerBounds(),
                                           ends = loop.getLoopUpperBounds();
  if (!counters || !starts || !ends)
    return std::nullopt;
  for (auto [each, start, end] : llvm::zip_equal(*counters, *starts, *ends)) {
    std::optional<int64_t> first = getConstantIntValue(start),
                           limit = getConstantIntValue(end);
    if (each == counter && first && limit && *first >= 0 && *limit > *first)
      return *limit - 1;
  }
  return std::nullopt;
}

///   map(%i, %j) { pallas.yield %i, %c0 : i32, i32 }
///
/// separates windows along %i. An element dimension does not, as its blocks may
/// overlap. Anything computed from the id is not analyzed.
bool pallas::separatesWindows(GridMappingOpInterface op, unsigned index,
                              unsigned dim) {
  Region *map = op.getIndexMap(index);
  if (!map)
    return false;
  Value id = map->getArgument(dim);
  return llvm::any_of(llvm::zip(op.getMappings()[index].getDims(),
                                map->front().getTerminator()->getOperands()),
                      [&](auto pair) {
                        auto [blockDim, result] = pair;
                        return result == id &&
                               (blockDim.getKind() == BlockDimKind::Blocked ||
                                blockDim.getKind() == BlockDimKind::Squeezed);
                      });
}

/// For example, [1, 0] for block<[element<4, 1, 2>, 128], vmem>: only element
/// dimensions ask for padding in front. What fills up the last block lies
/// behind the array.
SmallVector<int64_t> pallas::getLowPadding(BlockMappingAttr mapping) {
  return llvm::map_to_vector(mapping.getDims(),
                             [](BlockDimAttr dim) { return dim.getPadLow(); });
}

/// Whether only a TPU runs this kernel: nothing else prefetches scalars, or has
/// such memory.
static bool isForTPU(GridMappingOpInterface op) {
  return !op.sliceIndexOps().empty() || findParams<TPUParamsAttr>(op) ||
         llvm::any_of(op.getMappings(), [](BlockMappingAttr mapping) {
           MemorySpace space = mapping.getMemorySpace().getSpace();
           return space == MemorySpace::Vmem || space == MemorySpace::Smem;
         });
}

bool pallas::hasWindowBuffer(GridMappingOpInterface op, unsigned index) {
  // Triton has pointers to blocks, and no memory for them.
  if (findParams<TritonParamsAttr>(op))
    return false;
  MemorySpace space = op.getMappings()[index].getMemorySpace().getSpace();
  return space == MemorySpace::Vmem || space == MemorySpace::Smem ||
         (space == MemorySpace::Default &&
          (isForTPU(op) || !isAliasedOutput(op, index)));
}

bool pallas::mayReturnToWindow(GridMappingOpInterface op, unsigned index) {
  PipelineModeAttr mode = op.getMappings()[index].getPipelineMode();
  return isAliasedOutput(op, index) || !hasWindowBuffer(op, index) ||
         (mode && mode.getRevisit() == RevisitMode::Any);
}
