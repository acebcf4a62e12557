//===- ScopeOps.cpp - Operations that own refs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and control flow of operations that allocate refs for a region.
// Comments such as V24 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "GridClauses.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

static LogicalResult verifyRefArguments(Operation *op, Block &block) {
  for (BlockArgument arg : block.getArguments()) {
    // A8
    if (!isa<RefType, AccumulatorType>(arg.getType()))
      return op->emitOpError()
             << "argument " << arg.getArgNumber()
             << " must be a ref or an accumulator, but has type "
             << arg.getType() << "; use values of the surroundings directly";
    auto ref = dyn_cast<RefType>(arg.getType());
    // J8
    if (ref && !ref.hasStaticShape())
      return op->emitOpError()
             << "argument " << arg.getArgNumber() << " has type " << ref
             << ", but memory of unknown size cannot be reserved; use a static "
                "shape";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// CoreMapOp
//===----------------------------------------------------------------------===//

LogicalResult CoreMapOp::verify() {
  if (failed(verifyRefArguments(*this, getBody().front())))
    return failure();
  // Names that change their meaning inside would let passes take one query for
  // the other.
  for (MeshAxisAttr axis : getMesh().getAxes()) {
    AxisLookup outer = lookUpAxis(*this, axis.getName());
    if (!outer.size)
      continue;
    // V25
    InFlightDiagnostic diag =
        emitOpError() << "runs over the axis " << axis.getName()
                      << ", but so do the surroundings; name one of them "
                         "otherwise";
    diag.attachNote(outer.owner->getLoc()) << "the axis around belongs here";
    return diag;
  }
  // X5
  return verifyKernelYield(*this, getBody(), "body", {});
}

void CoreMapOp::getSuccessorRegions(RegionBranchPoint point,
                                    SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getOperation()->getResults());
}

//===----------------------------------------------------------------------===//
// RunScopedOp
//===----------------------------------------------------------------------===//

/// Axes that all programs share memory along must be those of the kernel
/// around.
static LogicalResult verifyCollectiveAxes(RunScopedOp op) {
  std::optional<ArrayAttr> axes = op.getCollectiveAxes();
  if (!axes)
    return success();
  for (BlockArgument arg : op.getBody().getArguments())
    // V9
    if (isa<AccumulatorType>(arg.getType()))
      return op.emitOpError()
             << "argument " << arg.getArgNumber()
             << " is an accumulator, which lives in the registers of one "
                "warpgroup, but the scope is collective over "
             << *axes << "; reserve it in a scope of its own";
  for (auto axis : axes->getAsRange<StringAttr>())
    // V9
    if (failed(verifyAxisName(op, "is collective over", axis.getValue())))
      return failure();
  return success();
}

LogicalResult RunScopedOp::verify() {
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    // V9
    if (isa<RefType, AccumulatorType>(type))
      return emitOpError() << "result " << index << " has type " << type
                           << ", but no ref may leave its scope; yield the "
                              "value that it holds";
  if (failed(verifyCollectiveAxes(*this)) ||
      failed(verifyRefArguments(*this, getBody().front())))
    return failure();
  return verifyKernelYield(*this, getBody(), "body", getResultTypes());
}

void RunScopedOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}

//===----------------------------------------------------------------------===//
// RunStateOp
//===----------------------------------------------------------------------===//

LogicalResult RunStateOp::verify() {
  Block &block = getBody().front();
  if (failed(verifyRefArguments(*this, block)))
    return failure();
  // V10
  if (block.getNumArguments() != getInits().size() ||
      getNumResults() != getInits().size())
    return emitOpError() << "has " << getInits().size()
                         << " initial values, but " << block.getNumArguments()
                         << " region arguments and " << getNumResults()
                         << " results; each ref needs one of each";
  for (auto [arg, init, final] :
       llvm::zip(block.getArguments(), getInits(), getFinals())) {
    auto ref = dyn_cast<RefType>(arg.getType());
    // V10
    if (ref && ref.isSynchronization())
      return emitOpError() << "argument " << arg.getArgNumber() << " has type "
                           << ref
                           << ", which holds no value; reserve semaphores with "
                              "pallas.run_scoped";
    Type held = ref ? ref.getValueType()
                    : cast<AccumulatorType>(arg.getType()).getValueType();
    // V10
    if (init.getType() != held || final.getType() != held)
      return emitOpError() << "argument " << arg.getArgNumber() << " holds "
                           << held << ", but starts as " << init.getType()
                           << " and ends as " << final.getType()
                           << "; all three must agree";
  }
  return verifyKernelYield(*this, getBody(), "body", {});
}
