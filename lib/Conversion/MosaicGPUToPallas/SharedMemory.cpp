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
#include <map>

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
using Accesses = SmallVector<OpOperand *>;

/// Compares the accesses of parts that overlap. The compiler names memory again
/// in each loop and branch, so a part may be used in several ones:
///
///   scf.for { uses of %a; uses of %b }
///   scf.for { uses of %a; uses of %b }
class ReuseChecker {
public:
  ReuseChecker(Block *kernel, bool isShared) : isShared(isShared) {
    kernel->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { order.insert({op, order.size()}); });
  }
  /// Whether uses of two parts take turns, and each use of a part behind one of
  /// the other begins with a write.
  bool areApart(const Accesses &first, const Accesses &second) const;

private:
  /// The use of parts in front of a block.
  struct Before {
    /// Whether parts may have been used.
    bool mayHaveBegun;
    /// The part in use; -1 where that is not known.
    int current;
  };
  bool takeTurns(Block *block, const Accesses &first, const Accesses &second,
                 Before before) const;
  bool takeTurnsInside(Operation *op, const Accesses &first,
                       const Accesses &second, Before before) const;
  /// Whether the first of the accesses writes.
  bool beginsAgain(const Accesses &accesses) const {
    return writesTo(
        **llvm::min_element(accesses, [&](OpOperand *lhs, OpOperand *rhs) {
          return order.lookup(lhs->getOwner()) < order.lookup(rhs->getOwner());
        }));
  }

  DenseMap<Operation *, unsigned> order;
  /// Whether several warpgroups run the kernel, which may take a branch each.
  bool isShared;
};
} // namespace

/// The innermost block around all accesses.
static Block *getCommonBlock(const Accesses &first, const Accesses &second) {
  Block *block = first.front()->getOwner()->getBlock();
  auto holds = [&](OpOperand *use) {
    return block->findAncestorOpInBlock(*use->getOwner()) != nullptr;
  };
  while (!llvm::all_of(first, holds) || !llvm::all_of(second, holds))
    block = block->getParentOp()->getBlock();
  return block;
}

/// Loops begin with any part where they begin again.
static bool isInLoop(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp>(op) ||
         op->getParentOfType<scf::ForOp>() ||
         op->getParentOfType<scf::WhileOp>();
}

bool ReuseChecker::takeTurnsInside(Operation *op, const Accesses &first,
                                   const Accesses &second,
                                   Before before) const {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    before = {/*mayHaveBegun=*/true, /*current=*/-1};
  else if (isShared || !isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return false;
  auto select = [](Region &region, const Accesses &accesses) {
    return Accesses(llvm::make_filter_range(accesses, [&](OpOperand *use) {
      return region.findAncestorBlockInRegion(*use->getOwner()->getBlock());
    }));
  };
  return llvm::all_of(op->getRegions(), [&](Region &region) {
    return region.empty() || takeTurns(&region.front(), select(region, first),
                                       select(region, second), before);
  });
}

/// Accesses in nested blocks count at the operation of `block` that holds them.
bool ReuseChecker::takeTurns(Block *block, const Accesses &first,
                             const Accesses &second, Before before) const {
  std::map<unsigned, std::pair<Operation *, std::array<Accesses, 2>>> users;
  for (auto [number, accesses] : {std::pair{0, &first}, std::pair{1, &second}})
    for (OpOperand *use : *accesses) {
      Operation *user = block->findAncestorOpInBlock(*use->getOwner());
      auto &[op, found] = users[order.lookup(user)];
      op = user;
      found[number].push_back(use);
    }
  auto &[mayHaveBegun, current] = before;
  std::array<bool, 2> isOver = {};
  for (auto &[place, user] : users) {
    auto &[op, found] = user;
    if (!found[0].empty() && !found[1].empty()) {
      if (!takeTurnsInside(op, found[0], found[1], before))
        return false;
      current = -1;
    } else {
      int own = found[0].empty() ? 1 : 0;
      bool isNext = own != current;
      if (isNext && (isOver[own] || (mayHaveBegun && !beginsAgain(found[own]))))
        return false;
      // Outside of loops and branches each part has one turn.
      if (isNext && current >= 0)
        isOver[current] = true;
      current = own;
    }
    mayHaveBegun = true;
  }
  return true;
}

bool ReuseChecker::areApart(const Accesses &first,
                            const Accesses &second) const {
  if (first.empty() || second.empty())
    return true;
  Block *block = getCommonBlock(first, second);
  return takeTurns(block, first, second,
                   {isInLoop(block->getParentOp()), /*current=*/-1});
}

static LogicalResult checkPair(const Part &first, const Part &second,
                               const ReuseChecker &checker,
                               std::pair<StringRef, StringRef> what) {
  if (checker.areApart(first.accesses, second.accesses))
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
  ReuseChecker checker(kernel, isShared);
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (parts[j].overlaps(parts[i]) &&
          failed(checkPair(parts[j], parts[i], checker, what)))
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
