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
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Accesses with a mask leave out what lies outside of the ref. All others move
/// the whole slice inside, as `lax.dynamic_slice` does.
bool pallas::keepsElementsInPlace(RefAccessOpInterface op) {
  if (auto rmw = dyn_cast<AtomicRMWOp>(op.getOperation()))
    return static_cast<bool>(rmw.getMask());
  return isa<MaskedLoadOp, MaskedSwapOp>(op.getOperation());
}

/// Negative starts count from the end, as in NumPy, but not where elements keep
/// their place: -1 with a mask is an element in front of the ref, which is left
/// out.
bool pallas::countsFromEnd(RefAccessOpInterface op, const AccessDim &dim) {
  return dim.entry.kind == IndexKind::Gather || !keepsElementsInPlace(op);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {

/// The values that an integer may have, as far as its computation tells
/// without a fixed point: what loops carry may be anything.
class IndexRanges {
public:
  ConstantIntRanges get(Value value, unsigned depth = 16) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
    auto [known, isNew] =
        ranges.try_emplace(value, ConstantIntRanges::maxRange(width));
    if (!isNew || depth == 0 || width == 0)
      return known->second;
    ConstantIntRanges range = compute(value, width, depth - 1);
    ranges.insert_or_assign(value, range);
    return range;
  }

private:
  /// The integers in [first, last].
  static ConstantIntRanges between(unsigned width, int64_t first,
                                   int64_t last) {
    if (last < first || !llvm::isIntN(width, first) ||
        !llvm::isIntN(width, last))
      return ConstantIntRanges::maxRange(width);
    return ConstantIntRanges::fromSigned(APInt(width, first, true),
                                         APInt(width, last, true));
  }

  /// A place in a grid or on an axis that has `size` of them.
  static ConstantIntRanges placeIn(unsigned width,
                                   std::optional<int64_t> size) {
    int64_t count = size.value_or(ShapedType::kDynamic);
    return between(width, 0,
                   ShapedType::isDynamic(count)
                       ? llvm::maxIntN(width)
                       : std::max<int64_t>(count, 1) - 1);
  }

  ConstantIntRanges compute(Value value, unsigned width, unsigned depth) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return computeCounter(argument, width, depth);
    Operation *op = value.getDefiningOp();
    if (auto id = dyn_cast<ProgramIdOp>(op)) {
      GridMappingOpInterface grid = getEnclosingGrid(op);
      if (!grid || id.getAxis() >= grid.getNumUserGridDimensions())
        return placeIn(width, std::nullopt);
      return placeIn(
          width,
          grid.getGridShape()[grid.getGridDimensionOfAxis(id.getAxis())]);
    }
    if (auto axis = dyn_cast<AxisIndexOp>(op))
      return placeIn(width, lookUpAxis(op, axis.getAxisName()).size);
    if (isa<MultipleOfOp, MaxContiguousOp>(op))
      return get(op->getOperand(0), depth);
    auto inferrable = dyn_cast<InferIntRangeInterface>(op);
    if (!inferrable)
      return ConstantIntRanges::maxRange(width);
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return get(operand, depth); });
    ConstantIntRanges result = ConstantIntRanges::maxRange(width);
    inferrable.inferResultRanges(
        operands, [&](Value known, const ConstantIntRanges &range) {
          if (known == value)
            result = range;
        });
    return result;
  }

  /// The range of a loop's counter. Bounds that may be negative give no range,
  /// because the loop could compare them unsigned.
  ConstantIntRanges computeCounter(BlockArgument argument, unsigned width,
                                   unsigned depth) {
    ConstantIntRanges any = ConstantIntRanges::maxRange(width);
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(
        argument.getOwner()->getParentOp());
    if (!loop)
      return any;
    std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
    std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(),
                                             upper = loop.getLoopUpperBounds();
    if (!counters || !lower || !upper)
      return any;
    for (auto [counter, first, end] : llvm::zip(*counters, *lower, *upper)) {
      if (counter != argument)
        continue;
      ConstantIntRanges from = get(first, width, depth),
                        to = get(end, width, depth);
      if (from.smin().isNegative() || to.smin().isNegative() ||
          !to.smax().sgt(from.smin()))
        return any;
      return ConstantIntRanges::fromSigned(from.smin(), to.smax() - 1);
    }
    return any;
  }

  ConstantIntRanges get(OpFoldResult bound, unsigned width, unsigned depth) {
    if (auto value = dyn_cast<Value>(bound))
      return get(value, depth);
    return ConstantIntRanges::constant(cast<IntegerAttr>(cast<Attribute>(bound))
                                           .getValue()
                                           .sextOrTrunc(width));
  }

  llvm::DenseMap<Value, ConstantIntRanges> ranges;
};

} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether the entry may select something outside of a dimension of this size.
static bool mayReachOutside(const AccessDim &dim, int64_t size) {
  const DimIndex &entry = dim.entry;
  if (entry.kind == IndexKind::Gather || dim.size)
    return true;
  // A full dimension, also of unknown size.
  if (!dim.start && entry.start == 0 && entry.size == size && entry.stride == 1)
    return false;
  if (ShapedType::isDynamic(size) || entry.hasDynamicSize())
    return true;
  int64_t first = entry.start, last = entry.start, reach = 0;
  if (dim.start) {
    ConstantIntRanges range = IndexRanges().get(dim.start);
    std::optional<int64_t> smin = range.smin().trySExtValue(),
                           smax = range.smax().trySExtValue();
    if (!smin || !smax)
      return true;
    first = *smin, last = *smax;
  }
  if (entry.kind == IndexKind::Slice && entry.size > 0 &&
      llvm::MulOverflow(entry.size - 1, entry.stride, reach))
    return true;
  return first < 0 || llvm::AddOverflow(last, reach, last) || last >= size;
}

/// True unless the ranges prove that all elements along the dimension are
/// inside.
bool pallas::mayReachOutside(RefAccessOpInterface op, unsigned dim) {
  return ::mayReachOutside(op.getAccessDims()[dim],
                           op.getRef().getType().getDimSize(dim));
}

bool pallas::mayReachOutside(RefAccessOpInterface op) {
  return llvm::any_of(
      llvm::zip_equal(op.getAccessDims(), op.getRef().getType().getShape()),
      [](auto pair) {
        auto [dim, size] = pair;
        return ::mayReachOutside(dim, size);
      });
}

/// Only slices extend past an end: a single element is inside or not.
bool pallas::mayHangOver(RefAccessOpInterface op) {
  return llvm::any_of(
      llvm::zip_equal(op.getAccessDims(), op.getRef().getType().getShape()),
      [](auto pair) {
        auto [dim, size] = pair;
        return dim.entry.kind == IndexKind::Slice &&
               ::mayReachOutside(dim, size);
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
