//===- SharedMemory.cpp - Slices of shared memory as scratch --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices of dynamic shared memory become scratch refs, one for each part that
// the kernel names. Parts that overlap, as memory is used again for something
// else, become refs of their own, which is the same as long as no slice is used
// between uses of another one.
//
//===----------------------------------------------------------------------===//

#include "MemoryParts.h"

using namespace mlir;
using namespace mlir::pallas;

/// The offset in bytes of a slice; -1 if the operation is none.
static int64_t getOffset(Operation *op) {
  if (auto slice = dyn_cast<mosaic_gpu::SliceSMEMOp>(op))
    return slice.getOffset();
  auto view = dyn_cast<memref::ViewOp>(op);
  if (!view || !view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>())
    return -1;
  return getConstantIntValue(view.getByteShift()).value_or(-1);
}

LogicalResult mlir::pallas::checkEnd(Operation *slice, int64_t offset,
                                     int64_t bytes,
                                     std::optional<int64_t> sharedBytes) {
  if (!sharedBytes || offset + bytes <= *sharedBytes)
    return success();
  return slice->emitOpError()
         << "ends at byte " << offset + bytes << ", but the launch asks for "
         << *sharedBytes << " bytes of shared memory; ask for more";
}

/// Slices of the same bytes and elements are one part, unless an alias tells
/// them apart: the compiler names memory again wherever it needs it.
static LogicalResult addSlice(SmallVectorImpl<Part> &parts, Operation *op,
                              std::optional<int64_t> sharedBytes) {
  int64_t offset = getOffset(op);
  if (offset < 0)
    return success();
  auto type = cast<MemRefType>(op->getResult(0).getType());
  // A barrier that is left is reported with the operation that needs it.
  if (isa<mosaic_gpu::BarrierType>(type.getElementType()))
    return success();
  if (!convertGPUMemRef(type) || !type.hasStaticShape())
    return op->emitOpError()
           << "yields " << type
           << ", which no ref can be; slices have a static shape and elements "
              "that are integers or floats";
  int64_t bytes = getBoxBytes(type.getElementType(), type.getShape());
  if (failed(checkEnd(op, offset, bytes, sharedBytes)))
    return failure();
  Attribute alias = op->getAttr("alias_id");
  auto *found = llvm::find_if(parts, [&](const Part &part) {
    return part.offset == offset && part.size == bytes &&
           part.elementType == type.getElementType() && part.alias == alias;
  });
  if (found == parts.end()) {
    parts.push_back({offset, bytes, {}, type.getElementType(), alias, {}});
    found = std::prev(parts.end());
  }
  found->slices.push_back(op);
  forEachAccess(op->getResult(0),
                [&](OpOperand &use) { found->accesses.push_back(&use); });
  return success();
}

//===----------------------------------------------------------------------===//
// Memory that is used again
//===----------------------------------------------------------------------===//

namespace {
/// Where the accesses of a part lie in a block: at operations of the block, or
/// inside of them.
struct Span {
  Operation *first = nullptr, *last = nullptr;
  /// The first access of all.
  OpOperand *begin = nullptr;
};
} // namespace

/// Accesses in nested blocks count at the operation of `block` that holds them.
static Span getSpan(Block *block, const Part &part,
                    const DenseMap<Operation *, unsigned> &order) {
  Span span;
  for (OpOperand *use : part.accesses) {
    Operation *at = block->findAncestorOpInBlock(*use->getOwner());
    if (!span.first || at->isBeforeInBlock(span.first))
      span.first = at;
    if (!span.last || span.last->isBeforeInBlock(at))
      span.last = at;
    if (!span.begin ||
        order.lookup(use->getOwner()) < order.lookup(span.begin->getOwner()))
      span.begin = use;
  }
  return span;
}

/// The innermost block around all accesses.
static Block *getCommonBlock(const Part &first, const Part &second) {
  Block *block = first.accesses.front()->getOwner()->getBlock();
  auto holds = [&](OpOperand *use) {
    return block->findAncestorOpInBlock(*use->getOwner()) != nullptr;
  };
  while (!llvm::all_of(first.accesses, holds) ||
         !llvm::all_of(second.accesses, holds))
    block = block->getParentOp()->getBlock();
  return block;
}

/// Whether all accesses are in regions of `branch` of which the other part
/// accesses none: the kernel takes one of them.
static bool areInOtherBranches(Operation *branch, const Part &first,
                               const Part &second) {
  if (!isa<scf::IfOp, scf::IndexSwitchOp>(branch))
    return false;
  DenseSet<Region *> regions;
  auto getRegion = [&](OpOperand *use) -> Region * {
    for (Region &region : branch->getRegions())
      if (region.findAncestorBlockInRegion(*use->getOwner()->getBlock()))
        return &region;
    return nullptr;
  };
  for (OpOperand *use : first.accesses)
    regions.insert(getRegion(use));
  return llvm::none_of(second.accesses, [&](OpOperand *use) {
    return regions.contains(getRegion(use));
  });
}

/// Checks that one of two parts that overlap is done with before the other one
/// begins, and if they do so again and again, that each begins again.
static LogicalResult checkPair(const Part &first, const Part &second,
                               const DenseMap<Operation *, unsigned> &order,
                               bool isShared,
                               std::pair<StringRef, StringRef> what) {
  if (first.accesses.empty() || second.accesses.empty())
    return success();
  Block *block = getCommonBlock(first, second);
  Span a = getSpan(block, first, order), b = getSpan(block, second, order);
  bool isApart =
      a.last->isBeforeInBlock(b.first) || b.last->isBeforeInBlock(a.first);
  // Several warpgroups may take a branch each.
  if (!isShared && a.first == b.last && a.last == b.first)
    isApart = areInOtherBranches(a.first, first, second);
  bool isRepeated = isa<scf::ForOp, scf::WhileOp>(block->getParentOp()) ||
                    block->getParentOp()->getParentOfType<scf::ForOp>() ||
                    block->getParentOp()->getParentOfType<scf::WhileOp>();
  if (isApart && (!isRepeated || (writesTo(*a.begin) && writesTo(*b.begin))))
    return success();
  InFlightDiagnostic diag =
      mlir::emitError(second.getLoc())
      << "shares " << what.first << " " << std::max(first.offset, second.offset)
      << " to "
      << std::min(first.offset + first.size, second.offset + second.size) << " "
      << what.second
      << " with another slice that is in use at the same "
         "time; uses of the one must end before those of the other begin";
  diag.attachNote(first.getLoc()) << "the other slice is here";
  return diag;
}

/// All pairs, as kernels have few parts.
LogicalResult mlir::pallas::checkReuse(ArrayRef<Part> parts, Block *kernel,
                                       bool isShared,
                                       std::pair<StringRef, StringRef> what) {
  DenseMap<Operation *, unsigned> order;
  kernel->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order.insert({op, order.size()}); });
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (parts[j].overlaps(parts[i]) &&
          failed(checkPair(parts[j], parts[i], order, isShared, what)))
        return failure();
  return success();
}

/// A slice of another shape but the same bytes is a view of its part.
void mlir::pallas::replaceSlices(KernelRaiser &raiser, ArrayRef<Part> parts) {
  OpBuilder &b = raiser.b;
  for (const Part &part : parts) {
    auto type = cast<MemRefType>(part.slices.front()->getResult(0).getType());
    Value scratch = raiser.addScratch(convertGPUMemRef(type), part.getLoc());
    for (Operation *slice : part.slices) {
      b.setInsertionPoint(slice);
      Location loc = slice->getLoc();
      auto sliceType = cast<MemRefType>(slice->getResult(0).getType());
      Value ref = scratch;
      if (sliceType.getShape() != type.getShape())
        ref =
            ReshapeRefOp::create(b, loc, convertGPUMemRef(sliceType), scratch);
      slice->replaceAllUsesWith(
          UnrealizedConversionCastOp::create(b, loc, sliceType, ref)
              .getResults());
    }
  }
}

/// Runs after barriers are raised, whose slices are gone by then.
LogicalResult KernelRaiser::raiseSharedMemory() {
  SmallVector<Part> parts;
  WalkResult result = block->walk([&](Operation *op) -> WalkResult {
    return addSlice(parts, op, kernel.sharedBytes);
  });
  if (result.wasInterrupted() ||
      failed(checkReuse(parts, block, kernel.numWarpgroups > 1,
                        {"bytes", "of shared memory"})))
    return failure();
  replaceSlices(*this, parts);
  for (const Part &part : parts)
    for (Operation *slice : part.slices)
      slice->erase();
  block->walk([](gpu::DynamicSharedMemoryOp memory) {
    if (memory->use_empty())
      memory->erase();
  });
  return success();
}
