//===- PallasClampMaskedSlices.cpp - Slices that may exceed their refs ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware loads and stores whole slices of a buffer. Where some elements
// of a slice may lie outside of its ref, and the others stay in place, the
// slice that lies inside and is nearest takes its place:
//
//   %v = pallas.masked_load %r[ds(%s, 16)] : !pallas.ref<24xf32, vmem>
// becomes
//   %inside = clamp %s to [0, 8]
//   %moved = pallas.get %r[ds(%inside, 16)] : !pallas.ref<24xf32, vmem>
//   %v = pallas.roll %moved by (%inside - %s) dim 0 : tensor<16xf32>
//
// Of a slice that is longer than the dimension, the whole dimension is
// accessed:
//
//   %all = pallas.get %r[...] : !pallas.ref<24xf32, vmem>
//   %long = tensor.concat dim(0) %all, %zeros : (tensor<24xf32>, tensor<8xf32>)
//   %v = pallas.roll %long by -%s dim 0 : tensor<32xf32>
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCLAMPMASKEDSLICES
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Moves the slices of one access inside, and its elements back.
class SliceMover {
public:
  explicit SliceMover(RefAccessOpInterface op)
      : op(op), b(op->getLoc(), op.getOperation()) {}

  LogicalResult run();

private:
  /// How far the slice along dimension `dim` of the selection has moved, and
  /// how many of its elements the dimension has.
  /// The distance is zero where the slice is inside.
  struct Move {
    unsigned dim;
    int64_t size;
    int64_t accessed;
    Value distance;
  };

  LogicalResult moveInside();
  Value toI32(Value value) {
    return getValueOrCreateCastToIndexLike(b, b.getLoc(), b.getI32Type(),
                                           value);
  }
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return lhs ? arith::AndIOp::create(b, lhs, rhs).getResult() : rhs;
  }
  Value roll(Value value, const Move &move, bool forward);
  Value lengthen(Value value, const Move &move);
  Value shorten(Value value, const Move &move);
  Value createMask(Value mask);
  void replaceLoad(MaskedLoadOp load);
  LogicalResult replaceStore(MaskedSwapOp store);

  RefAccessOpInterface op;
  ImplicitLocOpBuilder b;
  SmallVector<DimIndex> entries;
  SmallVector<Value> indices;
  SmallVector<Move> moves;
  /// Whether all single indices lie inside; null if they do for sure.
  Value isInside;
};

} // namespace

/// Computes the entries of the access that is inside, and how far it has moved.
LogicalResult SliceMover::moveInside() {
  ArrayRef<int64_t> shape = op.getRef().getType().getShape();
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    DimIndex entry = dim.entry;
    if (!mayReachOutside(op, d)) {
      entries.push_back(entry);
      if (dim.start)
        indices.push_back(dim.start);
      continue;
    }
    bool isSlice = entry.kind == IndexKind::Slice;
    int64_t length = isSlice ? entry.size : 1;
    if (ShapedType::isDynamic(shape[d]) || entry.stride != 1)
      return op.emitOpError()
             << "may reach over the edge of dimension " << d << " of "
             << op.getRef().getType() << " with a slice of " << length
             << " elements and stride " << entry.stride
             << ", but on this target only slices with stride 1 of a dimension "
                "of constant size can; load a slice that stays inside";
    Value start = dim.start ? toI32(dim.start) : number(entry.start);
    int64_t accessed = std::min(length, shape[d]);
    // The nearest start for which the slice is inside.
    Value inside = arith::MaxSIOp::create(
        b, arith::MinSIOp::create(b, start, number(shape[d] - accessed)),
        number(0));
    if (isSlice)
      moves.push_back({dim.firstSelected, length, accessed,
                       arith::SubIOp::create(b, start, inside)});
    else
      isInside =
          both(isInside, compare(arith::CmpIPredicate::eq, start, inside));
    if (isSlice)
      entry.size = accessed;
    // All of a dimension needs no start.
    if (accessed == shape[d] && isSlice) {
      entry.start = 0;
    } else {
      entry.start = ShapedType::kDynamic;
      indices.push_back(inside);
    }
    entries.push_back(entry);
  }
  return success();
}

/// Moves the elements of `value` as far as the slice was moved, or back.
/// Elements that leave at one end enter at the other, where none is wanted.
Value SliceMover::roll(Value value, const Move &move, bool forward) {
  if (move.size == 1)
    return value;
  Value distance = move.distance;
  if (!forward)
    distance = arith::SubIOp::create(b, number(0), distance);
  return RollOp::create(b, value.getType(), value, distance,
                        b.getI64IntegerAttr(move.dim),
                        /*stride=*/IntegerAttr(),
                        /*strideDimension=*/IntegerAttr());
}

/// Adds zeros behind the part of a slice that the dimension has.
Value SliceMover::lengthen(Value value, const Move &move) {
  if (move.accessed == move.size)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[move.dim] = move.size - move.accessed;
  auto restType = type.clone(shape);
  Value rest = arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(restType, b.getZeroAttr(type.getElementType())));
  return tensor::ConcatOp::create(b, move.dim, ValueRange{value, rest});
}

/// Takes the part of a slice that the dimension has.
Value SliceMover::shorten(Value value, const Move &move) {
  if (move.accessed == move.size)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[move.dim] = move.accessed;
  SmallVector<OpFoldResult> starts(shape.size(), b.getIndexAttr(0)),
      ones(shape.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      b, type.clone(shape), value, starts,
      getAsIndexOpFoldResult(b.getContext(), shape), ones);
}

/// The mask of the slice that lies inside: true for the elements that belong to
/// the one that was meant, and are not masked off there.
///
///   %0 = pallas.iota 0 : tensor<16xi32>
///   %1 = arith.cmpi sge, %0, %distance
///   %2 = arith.cmpi slt, %0, %end
///   %3 = arith.andi %1, %2
Value SliceMover::createMask(Value mask) {
  auto type = cast<RankedTensorType>(mask.getType());
  RankedTensorType numbers = type.clone(b.getI32Type());
  for (const Move &move : moves) {
    mask = roll(mask, move, /*forward=*/true);
    Value position = IotaOp::create(b, numbers, move.dim);
    auto spread = [&](Value value) -> Value {
      return BroadcastOp::create(b, numbers, value, ArrayRef<int64_t>());
    };
    Value end = arith::AddIOp::create(b, move.distance, number(move.size));
    mask = both(mask, compare(arith::CmpIPredicate::sge, position,
                              spread(move.distance)));
    mask =
        both(mask, compare(arith::CmpIPredicate::slt, position, spread(end)));
  }
  if (isInside)
    mask =
        both(mask, BroadcastOp::create(b, type, isInside, ArrayRef<int64_t>())
                       .getResult());
  return mask;
}

/// Elements outside are unspecified, so the mask matters for `other` only.
void SliceMover::replaceLoad(MaskedLoadOp load) {
  auto indexer = IndexerAttr::get(op->getContext(), entries);
  Value value = GetOp::create(b, op.getRef(), indexer, indices);
  for (const Move &move : moves)
    value = roll(lengthen(value, move), move, /*forward=*/false);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto spread = [&](Value part) -> Value {
    ArrayRef<int64_t> shape = getValueShape(part.getType());
    if (!type || shape == type.getShape())
      return part;
    auto dims = llvm::to_vector(
        llvm::seq<int64_t>(type.getRank() - shape.size(), type.getRank()));
    return BroadcastOp::create(
        b, type.clone(getElementTypeOrSelf(part.getType())), part, dims);
  };
  if (load.getMask() && load.getOther())
    value = arith::SelectOp::create(b, spread(load.getMask()), value,
                                    spread(load.getOther()));
  load.replaceAllUsesWith(value);
  load.erase();
}

/// Elements outside must stay as they are, so the store gets a mask.
LogicalResult SliceMover::replaceStore(MaskedSwapOp store) {
  auto indexer = IndexerAttr::get(op->getContext(), entries);
  if (!store.getOld().use_empty())
    return store.emitOpError(
        "yields the old value of a slice that may reach over the edge of its "
        "ref, which this target can't; load it first");
  Value value = store.getValue(), mask = store.getMask();
  if (isa<RankedTensorType>(value.getType())) {
    for (const Move &move : moves)
      value = roll(value, move, /*forward=*/true);
    mask = createMask(mask);
    for (const Move &move : moves) {
      value = shorten(value, move);
      mask = shorten(mask, move);
    }
    MaskedSwapOp::create(b, op.getRef(), indexer, indices, value, mask);
    // A single element is stored in a branch.
  } else {
    auto branch = scf::IfOp::create(b, both(isInside, mask),
                                    /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    SwapOp::create(b, op.getRef(), indexer, indices, value);
  }
  store.erase();
  return success();
}

LogicalResult SliceMover::run() {
  if (failed(moveInside()))
    return failure();
  if (auto load = dyn_cast<MaskedLoadOp>(op.getOperation())) {
    replaceLoad(load);
    return success();
  }
  return replaceStore(cast<MaskedSwapOp>(op.getOperation()));
}

/// Whether the access is in a kernel for SparseCores, which mask single lanes.
static bool isOnSparseCore(Operation *op) {
  MeshAttr mesh = getEnclosingMesh(op);
  return mesh && mesh.getKind() != MeshKind::TensorCore;
}

namespace {
struct ClampMaskedSlicesPass
    : public pallas::impl::PallasClampMaskedSlicesBase<ClampMaskedSlicesPass> {
  using PallasClampMaskedSlicesBase::PallasClampMaskedSlicesBase;

  void runOnOperation() override {
    SmallVector<RefAccessOpInterface> accesses;
    getOperation()->walk([&](RefAccessOpInterface op) {
      bool isMasked = isa<MaskedLoadOp, MaskedSwapOp>(op.getOperation());
      // Accesses by arrays of indices move what is masked off inside when they
      // are lowered.
      if (isMasked && !op.getIndexer().hasGather() && mayReachOutside(op) &&
          !isOnSparseCore(op))
        accesses.push_back(op);
    });
    numClamped += accesses.size();
    for (RefAccessOpInterface op : accesses)
      if (failed(SliceMover(op).run()))
        return signalPassFailure();
  }
};
} // namespace
