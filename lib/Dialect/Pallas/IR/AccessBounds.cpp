//===- AccessBounds.cpp - Accesses that leave their refs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by ranges of integers whether an access stays within its ref. Targets
// use it to leave out masks and clamps, so an unknown range counts as one that
// may leave the ref.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "IndexRanges.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Accesses with a mask leave out what lies outside of the ref. All others move
/// the whole slice inside, as `lax.dynamic_slice` does.
bool pallas::keepsElementsInPlace(RefAccessOpInterface op) {
  if (auto rmw = dyn_cast<AtomicRMWOp>(op.getOperation()))
    return static_cast<bool>(rmw.getMask());
  if (auto check = dyn_cast<CheckAccessOp>(op.getOperation()))
    return check.getOutside() != OutsideElements::Moved;
  return isa<MaskedLoadOp, MaskedSwapOp, CheckLeftOutOp>(op.getOperation());
}

/// Negative starts count from the end, as in NumPy, but not where elements keep
/// their place: -1 with a mask is an element in front of the ref, which is left
/// out.
bool pallas::countsFromEnd(RefAccessOpInterface op, const AccessDim &dim) {
  return dim.entry.kind == IndexKind::Gather || !keepsElementsInPlace(op);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Where the entry may select something outside of a dimension of this size,
/// with what `ranges` knows.
static AccessReach getReach(const AccessDim &dim, int64_t size,
                            IndexRanges &ranges) {
  const DimIndex &entry = dim.entry;
  constexpr AccessReach anywhere{true, true};
  if (entry.kind == IndexKind::Gather || dim.size)
    return anywhere;
  // A full dimension, also of unknown size.
  if (!dim.start && entry.start == 0 && entry.size == size && entry.stride == 1)
    return {};
  if (ShapedType::isDynamic(size) || entry.hasDynamicSize())
    return anywhere;
  int64_t first = entry.start, last = entry.start, reach = 0;
  if (dim.start) {
    ConstantIntRanges range = ranges.get(dim.start);
    std::optional<int64_t> smin = range.smin().trySExtValue(),
                           smax = range.smax().trySExtValue();
    if (!smin || !smax)
      return anywhere;
    first = *smin, last = *smax;
  }
  bool overflows = entry.kind == IndexKind::Slice && entry.size > 0 &&
                   llvm::MulOverflow(entry.size - 1, entry.stride, reach);
  return {first < 0,
          overflows || llvm::AddOverflow(last, reach, last) || last >= size};
}

/// Conditions around the access count only where it might leave the ref without
/// them, as most don't.
static AccessReach getReach(RefAccessOpInterface op, const AccessDim &dim,
                            int64_t size) {
  IndexRanges ranges;
  AccessReach reach = getReach(dim, size, ranges);
  if (!reach.isOutside() || !dim.start || !ranges.learnConditions(op))
    return reach;
  return getReach(dim, size, ranges);
}

AccessReach pallas::getReach(RefAccessOpInterface op, unsigned dim) {
  return ::getReach(op, op.getAccessDims()[dim],
                    op.getRef().getType().getDimSize(dim));
}

/// True unless the ranges prove that all elements along the dimension are
/// inside.
bool pallas::mayReachOutside(RefAccessOpInterface op, unsigned dim) {
  return getReach(op, dim).isOutside();
}

bool pallas::mayReachOutside(RefAccessOpInterface op) {
  return llvm::any_of(
      llvm::zip_equal(op.getAccessDims(), op.getRef().getType().getShape()),
      [&](auto pair) {
        auto [dim, size] = pair;
        return ::getReach(op, dim, size).isOutside();
      });
}

/// Only slices extend past an end: a single element is inside or not.
bool pallas::mayHangOver(RefAccessOpInterface op) {
  return llvm::any_of(
      llvm::zip_equal(op.getAccessDims(), op.getRef().getType().getShape()),
      [&](auto pair) {
        auto [dim, size] = pair;
        return dim.entry.kind == IndexKind::Slice &&
               ::getReach(op, dim, size).isOutside();
      });
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Copies of GPUs move boxes: ranges of neighbouring elements along each
/// dimension, of known size.
bool pallas::isBox(SliceRefOp slice) {
  return llvm::all_of(
      cast<RefAccessOpInterface>(slice.getOperation()).getFullEntries(),
      [](const DimIndex &entry) {
        return entry.kind == IndexKind::Scalar ||
               (entry.kind == IndexKind::Slice && entry.stride == 1 &&
                !entry.hasDynamicSize());
      });
}

Value pallas::getGivenLength(Value ref, unsigned dim) {
  if (auto transpose = ref.getDefiningOp<TransposeRefOp>())
    return getGivenLength(transpose.getRef(), transpose.getPermutation()[dim]);
  auto slice = ref.getDefiningOp<SliceRefOp>();
  if (!slice)
    return {};
  auto access = cast<RefAccessOpInterface>(slice.getOperation());
  for (auto [d, entry] : llvm::enumerate(access.getAccessDims())) {
    if (entry.entry.kind != IndexKind::Slice || entry.firstSelected != dim)
      continue;
    // A whole dimension is as long as that of the ref.
    if (entry.entry.hasDynamicSize() && !entry.size)
      return getGivenLength(slice.getRef(), d);
    return entry.size;
  }
  return {};
}

/// A box may extend past an array in global memory if nothing but the copy
/// engine uses it, which fills with zeros and drops what is stored there.
bool pallas::mayLeaveRef(Operation *op) {
  auto slice = dyn_cast<SliceRefOp>(op);
  if (!slice || !isBox(slice))
    return false;
  return llvm::all_of(slice.getView().getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto load = dyn_cast<CopyGmemToSmemOp>(user))
      return use.get() == load.getSource();
    if (auto store = dyn_cast<CopySmemToGmemOp>(user))
      return use.get() == store.getTarget();
    return isa<AsyncPrefetchOp>(user) || mayLeaveRef(user);
  });
}
