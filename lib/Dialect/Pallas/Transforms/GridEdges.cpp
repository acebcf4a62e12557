//===- GridEdges.cpp - Blocks that extend past the end of an array --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file decides whether an array that its blocks don't divide is padded as
// a whole, or whether only the blocks at its end are copies:
//
//   %w = pallas.edge_window %x[%i : i32] block<[8], vmem> copied
//     : !pallas.ref<10xf32, any>
//
//===----------------------------------------------------------------------===//

#include "GridEdges.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether copies move little more than padding the array as a whole would: a
/// block that many programs see is better padded once. The estimate compares
/// elements: those of the copies that all programs make with those of the
/// padded array. It is conservative in dimensions of dynamic size, where the
/// number of programs is unknown.
static bool areEdgesFew(GridMappingOpInterface op, ArrayRef<int64_t> block,
                        ArrayRef<int64_t> shape, ArrayRef<int64_t> padded) {
  constexpr double mostCopies = 4;
  double programs = 1, edges = 0;
  for (int64_t size : op.getGridShape()) {
    if (ShapedType::isDynamic(size))
      return false;
    programs *= size;
  }
  for (auto [d, size] : llvm::enumerate(block))
    if (padded[d] != shape[d])
      edges += double(size) / padded[d];
  return programs * std::min(edges, 1.0) * ShapedType::getNumElements(block) <=
         mostCopies * ShapedType::getNumElements(padded);
}

/// Whether at most one program sees each window of a block. Then what it leaves
/// in the padding is never read again.
static bool isSeenOnce(GridMappingOpInterface op, unsigned index) {
  for (auto [d, size] : llvm::enumerate(op.getGridShape()))
    if (size != 1 && !separatesWindows(op, index, d))
      return false;
  return true;
}

/// Whether a dimension that the ref lacks has no elements: its part of a block
/// is then not the 1 that a subview may drop.
static bool cutsSqueezed(BlockMappingAttr mapping, ArrayRef<int64_t> shape) {
  return llvm::any_of(llvm::zip_equal(mapping.getDims(), shape), [](auto pair) {
    auto [dim, size] = pair;
    return dim.getKind() == BlockDimKind::Squeezed && size == 0;
  });
}

bool pallas::mayBeRead(Value ref) {
  return walkRefUses(ref,
                     [](OpOperand &use) {
                       auto swap = dyn_cast<SwapOp>(use.getOwner());
                       bool reads = !swap || !swap.getOld().use_empty();
                       return reads && !isCheck(use.getOwner())
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
      .wasInterrupted();
}

/// Copies are only equivalent to a padded array if no program can find what
/// another one wrote behind the end of the array.
EdgeKind pallas::chooseEdges(GridMappingOpInterface op, unsigned index) {
  BlockMappingAttr mapping = op.getMappings()[index];
  ArrayRef<int64_t> shape = cast<ShapedType>(op.getArrayType(index)).getShape();
  SmallVector<int64_t> padded = getPaddedShape(shape, mapping);
  if (ArrayRef<int64_t>(padded) == shape ||
      llvm::any_of(mapping.getDims(),
                   [](BlockDimAttr dim) { return dim.getPadLow() != 0; }) ||
      cutsSqueezed(mapping, shape) ||
      !areEdgesFew(op, mapping.getBlockShape(), shape, padded))
    return EdgeKind::Padded;
  // Later programs have to find what a program leaves in the padding, and what
  // it writes to an input. A copy would lose both.
  Value ref = op.sliceBlockOps()[index];
  if (index < op.getNumInputs())
    return mayBeWritten(ref) ? EdgeKind::Padded : EdgeKind::Copied;
  if (isSeenOnce(op, index))
    return isAliasedOutput(op, index) ? EdgeKind::Copied : EdgeKind::Fresh;
  return mayBeRead(ref) ? EdgeKind::Padded : EdgeKind::Copied;
}
