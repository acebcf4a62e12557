//===- TensorCopies.cpp - Copies between global and shared memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers copies between global and shared memory of GPUs. The box
// that such a copy takes of global memory may extend past the array or lie
// outside of it: elements outside read as zero, and are not written. That is
// how the copy engine of the hardware pads, and kernels rely on it.
//
//===----------------------------------------------------------------------===//

#include "GPULowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// The extent of a box in one dimension of its array.
struct BoxDim {
  Value start;
  int64_t size;
  bool isDropped;
};
} // namespace

/// Where a box lies in the array that the slices, the last one first, take it
/// of; a slice of a slice may look beyond that. For example, a slice of 64 rows
/// from %i on and then of its row %j is the box that starts at
///
///   %row = arith.addi %i, %j : index
///
/// in the first dimension, which is dropped.
static SmallVector<BoxDim>
composeSlices(ArrayRef<int64_t> arrayShape, ArrayRef<SliceRefOp> slices,
              function_ref<Value(int64_t)> constant,
              function_ref<Value(Value, Value)> addIndex) {
  SmallVector<BoxDim> dims;
  for (int64_t size : arrayShape)
    dims.push_back({constant(0), size, false});
  for (SliceRefOp slice : llvm::reverse(slices)) {
    auto access = cast<RefAccessOpInterface>(slice.getOperation());
    auto *dim = dims.begin();
    for (const AccessDim &selected : access.getAccessDims()) {
      const DimIndex &entry = selected.entry;
      while (dim->isDropped)
        ++dim;
      dim->start = addIndex(dim->start, selected.start ? selected.start
                                                       : constant(entry.start));
      dim->isDropped = entry.kind == IndexKind::Scalar;
      dim->size = dim->isDropped ? 1 : entry.size;
      ++dim;
    }
  }
  return dims;
}

/// A box of an array, null where it is inside for sure.
struct GPULowering::TensorBox {
  /// All of the box, where it is inside.
  Value createWhole(OpBuilder &builder, Location loc) const;

  Value array;
  SmallVector<BoxDim> dims;
  SmallVector<OpFoldResult> offsets;
  /// Whether all of it is inside, and whether some may be.
  Value isInside, isReached;
  /// The part that is inside, and what belongs to it in shared memory.
  Value part, sharedPart;
};

/// As a view, a slice that extends past the array is moved inside, and with it
/// slices of it that lie inside where they are. The box stays:
///
///   %rows = pallas.slice_ref %x[ds(%i, 256), :]
///   %half = pallas.slice_ref %rows[ds(0, 128), :]
///   pallas.copy_gmem_to_smem %half to %s signals %b
Value GPULowering::TensorBox::createWhole(OpBuilder &builder,
                                          Location loc) const {
  SmallVector<OpFoldResult> sizes, ones(dims.size(), builder.getIndexAttr(1));
  SmallVector<int64_t> kept;
  for (const BoxDim &dim : dims) {
    sizes.push_back(builder.getIndexAttr(dim.size));
    if (!dim.isDropped)
      kept.push_back(dim.size);
  }
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      kept, cast<MemRefType>(array.getType()), offsets, sizes, ones));
  return memref::SubViewOp::create(builder, loc, type, array, offsets, sizes,
                                   ones);
}

/// In each dimension, elements `first` to `end` of the box are inside:
///
///   %first = clamp(0 - start) into [0, length]
///   %end = clamp(size - start) into [first, length]
///
/// Starts may be negative. A dropped dimension has one element, so the box is
/// outside as a whole if that element is. The offset is clamped in any case, as
/// the subview is created even if nothing is copied.
GPULowering::TensorBox GPULowering::createBox(Location loc, Value box,
                                              Value shared) {
  SmallVector<SliceRefOp> slices;
  bool isDynamic = false;
  for (auto slice = box.getDefiningOp<SliceRefOp>(); slice && isBox(slice);
       slice = box.getDefiningOp<SliceRefOp>()) {
    slices.push_back(slice);
    isDynamic |= !slice.getIndices().empty();
    box = slice.getRef();
  }
  Value array = getMemory(box);
  auto type = cast<MemRefType>(array.getType());
  if (!isDynamic || !type.hasStaticShape())
    return {};
  TensorBox result;
  result.array = array;
  result.dims = composeSlices(
      type.getShape(), slices,
      [&](int64_t value) { return b.createIndex(loc, value); },
      [&](Value lhs, Value rhs) -> Value {
        return arith::AddIOp::create(b, loc, lhs, b.toIndex(rhs));
      });

  auto both = [&](Value lhs, Value rhs) -> Value {
    return lhs ? arith::AndIOp::create(b, loc, lhs, rhs).getResult() : rhs;
  };
  Value zero = b.createIndex(loc, 0);
  auto clamp = [&](Value value, Value low, Value high) -> Value {
    value = arith::MinSIOp::create(b, loc, value, high);
    return arith::MaxSIOp::create(b, loc, value, low);
  };
  SmallVector<OpFoldResult> sizes, places, lengths,
      ones(result.dims.size(), b.getIndexAttr(1));
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::zip_equal(result.dims, type.getShape())) {
    // The elements of the box from `first` to in front of `end` are inside.
    Value length = b.createIndex(loc, dim.size),
          known = b.createIndex(loc, size);
    Value first =
        clamp(arith::SubIOp::create(b, loc, zero, dim.start), zero, length);
    Value end =
        clamp(arith::SubIOp::create(b, loc, known, dim.start), first, length);
    Value count = arith::SubIOp::create(b, loc, end, first);
    Value isWhole =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, length);
    result.isInside = both(result.isInside, isWhole);
    if (dim.isDropped)
      result.isReached = both(result.isReached, isWhole);
    Value room =
        arith::SubIOp::create(b, loc, known, dim.isDropped ? length : count);
    result.offsets.push_back(
        clamp(arith::AddIOp::create(b, loc, dim.start, first), zero, room));
    sizes.push_back(dim.isDropped ? OpFoldResult(b.getIndexAttr(1)) : count);
    if (dim.isDropped)
      continue;
    kept.push_back(ShapedType::kDynamic);
    places.push_back(first);
    lengths.push_back(count);
  }
  auto partType =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          kept, type, result.offsets, sizes, ones));
  result.part = memref::SubViewOp::create(b, loc, partType, array,
                                          result.offsets, sizes, ones);
  ones.resize(kept.size());
  result.sharedPart =
      memref::SubViewOp::create(b, loc, shared, places, lengths, ones);
  return result;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies between a box of global memory and shared memory, by `copy` of views
/// of both; `fill` has to give the shared memory values where nothing is read.
///
///   scf.if %inside {
///     memref.copy %whole, %shared
///   } else {
///     linalg.fill ins(%zero : f16) outs(%shared : memref<64x64xf16>)
///     scf.if %reached {
///       memref.copy %part, %shared_part
///     }
///   }
void GPULowering::copyBox(Location loc, Value box, Value shared,
                          function_ref<void()> fill,
                          function_ref<void(Value, Value)> copy) {
  Value whole = getMemory(box), sharedWhole = getMemory(shared);
  TensorBox parts = createBox(loc, box, sharedWhole);
  if (!parts.isInside)
    return copy(whole, sharedWhole);
  auto branch =
      scf::IfOp::create(b, loc, parts.isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  auto slice = box.getDefiningOp<SliceRefOp>();
  bool isNested = slice && slice.getRef().getDefiningOp<SliceRefOp>();
  copy(isNested ? parts.createWhole(b, loc) : whole, sharedWhole);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  fill();
  b.when(loc, parts.isReached, [&] { copy(parts.part, parts.sharedPart); });
}

/// The elements of a copy, which signals the barrier in another place.
LogicalResult GPULowering::copyToShared(CopyGmemToSmemOp op) {
  Location loc = op.getLoc();
  Value from = op.getSource(), to = op.getTarget();
  if (getGather(from))
    return async.copyRows(loc, from, to);
  auto fill = [&] {
    Value target = getMemory(to);
    b.fill(loc, target,
           b.getZeroAttr(cast<MemRefType>(target.getType()).getElementType()));
  };
  copyBox(loc, from, to, fill, [&](Value global, Value shared) {
    std::tie(global, shared) = b.getCommonPart(loc, global, shared);
    memref::CopyOp::create(b, loc, global, shared);
  });
  return success();
}

/// A barrier counts one arrival per copy, also if no element is inside.
LogicalResult GPULowering::lowerTensorLoad(CopyGmemToSmemOp op) {
  LogicalResult result = success();
  b.when(op.getLoc(), op.getPredicate(), [&] {
    result = copyToShared(op);
    if (concurrency.synchronizes && op->hasAttr(kArrivesTogetherAttrName))
      async.arriveTogether(op);
    else
      async.arrive(op.getLoc(), op.getBarrier());
  });
  return result;
}

/// With a reduction, elements are combined with those in global memory.
/// Elements outside are dropped, so there is nothing to fill.
LogicalResult GPULowering::lowerTensorStore(CopySmemToGmemOp op) {
  Location loc = op.getLoc();
  AtomicKind kind = op.getReduction().value_or(AtomicKind::Xchg);
  LogicalResult result = success();
  b.when(loc, op.getPredicate(), [&] {
    if (getGather(op.getTarget())) {
      result = async.copyRows(loc, op.getSource(), op.getTarget());
      return;
    }
    copyBox(
        loc, op.getTarget(), op.getSource(), [] {},
        [&](Value global, Value shared) {
          std::tie(shared, global) = b.getCommonPart(loc, shared, global);
          if (kind == AtomicKind::Xchg)
            memref::CopyOp::create(b, loc, shared, global);
          else
            b.update(loc, kind, shared, global);
        });
  });
  return result;
}
