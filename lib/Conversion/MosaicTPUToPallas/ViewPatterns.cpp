//===- ViewPatterns.cpp - Parts and other shapes of memrefs ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of memrefs. Whatever depends on tiles is refused: the result on another
// machine would be a different one.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

///   %0 = tpu.memref_slice %m[%i, %c0]
///       : memref<64x128xf32> -> memref<8x128xf32>
///
/// becomes
///
///   %0 = pallas.slice_ref %m[ds(%i, 8), ds(%c0, 128)]
struct RaiseSlice : RaisePattern<tpu::MemRefSliceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MemRefSliceOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto ref = cast<RefType>(adaptor.getMemRef().getType());
    IndexerBuilder index(ref);
    auto dynamicSize = adaptor.getDynamicSizes().begin();
    for (auto [start, size, whole] : llvm::zip_equal(
             adaptor.getBaseIdx(), cast<MemRefType>(op.getType()).getShape(),
             ref.getShape())) {
      if (ShapedType::isDynamic(size))
        index.addSlice(start,
                       cut(builder, op.getLoc(), *dynamicSize++, start, whole));
      else
        index.addSlice(start, size);
    }
    return Value(SliceRefOp::create(builder, op.getLoc(), adaptor.getMemRef(),
                                    index.getIndexer(getContext()),
                                    index.getOperands()));
  }

private:
  /// Sizes are rounded up to tiles, but elements behind the end are padding.
  /// The minimum is computed, so it also holds for sizes that become constant
  /// later.
  static Value cut(OpBuilder &builder, Location loc, Value size, Value start,
                   int64_t whole) {
    if (ShapedType::isDynamic(whole))
      return size;
    Value end = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(start.getType(), whole));
    Value rest = arith::SubIOp::create(builder, loc, end, start);
    return arith::MinSIOp::create(builder, loc, size, rest);
  }
};

/// Drops dimensions of size 1; equal sizes match from the right.
///
///   %0 = pallas.slice_ref %m[0, :, :] : !pallas.ref<1x8x128xf32, vmem>
struct RaiseSqueeze : RaisePattern<tpu::MemRefSqueezeOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MemRefSqueezeOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto ref = cast<RefType>(adaptor.getInput().getType());
    ArrayRef<int64_t> from = ref.getShape();
    ArrayRef<int64_t> to = cast<MemRefType>(op.getType()).getShape();
    SmallVector<bool> isKept(from.size(), false);
    // From the right, because several dimensions of size 1 may be candidates.
    for (int64_t d = from.size() - 1, next = to.size() - 1; d >= 0 && next >= 0;
         --d) {
      isKept[d] = from[d] == to[next];
      next -= isKept[d];
    }
    IndexerBuilder index(ref);
    for (bool kept : isKept) {
      if (kept)
        index.addFull();
      else
        index.addScalar(int64_t(0));
    }
    return Value(SliceRefOp::create(builder, op.getLoc(), adaptor.getInput(),
                                    index.getIndexer(getContext()),
                                    index.getOperands()));
  }
};

///   %0 = pallas.reshape_ref %m
struct RaiseReshape : RaisePattern<tpu::MemRefReshapeOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MemRefReshapeOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto ref = cast<RefType>(adaptor.getInput().getType());
    auto shape = cast<MemRefType>(op.getType()).getShape();
    return Value(ReshapeRefOp::create(
        builder, op.getLoc(), ref.withShape(shape), adaptor.getInput()));
  }
};

///   %0 = pallas.bitcast_ref %m
struct RaiseMemRefBitcast : RaisePattern<tpu::MemRefBitcastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MemRefBitcastOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto ref = cast<RefType>(adaptor.getInput().getType());
    auto type = cast<MemRefType>(op.getType());
    return Value(BitcastRefOp::create(
        builder, op.getLoc(),
        ref.withShape(type.getShape()).withElementType(type.getElementType()),
        adaptor.getInput()));
  }
};

/// Accepts casts that only change the layout; other sizes depend on tiles.
struct RaiseReinterpretCast : RaisePattern<tpu::ReinterpretCastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReinterpretCastOp op, Adaptor adaptor,
                         OpBuilder &) const override {
    auto from = cast<MemRefType>(op.getInput().getType());
    auto to = cast<MemRefType>(op.getType());
    if (!op.getDynamicOffset() && op.getDynamicStrides().empty() &&
        from.getShape() == to.getShape() &&
        from.getElementType() == to.getElementType())
      return adaptor.getInput();
    return op.emitOpError() << "sees " << from << " as " << to
                            << ", which depends on how memory is tiled; use "
                               "tpu.memref_reshape or tpu.memref_bitcast";
  }
};

/// A promise about accesses changes nothing that they do.
struct RaiseAnnotate : RaisePattern<tpu::AnnotateOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::AnnotateOp, Adaptor adaptor,
                         OpBuilder &) const override {
    return adaptor.getOperand();
  }
};

/// The answer is known from the type, and becomes a constant.
struct RaiseMemorySpaceIs : RaisePattern<tpu::MemRefMemorySpaceIsOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MemRefMemorySpaceIsOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto ref = cast<RefType>(adaptor.getSource().getType());
    if (ref.getSpace() == MemorySpace::Any)
      return op.emitOpError("asks where memory in any space is, which the "
                            "Mosaic compiler decides; name its space");
    tpu::MemorySpaceAttr wanted = op.getMemorySpace();
    std::optional<CoreKind> owner = ref.getMemorySpace().getCore();
    bool isEqual = ref.getSpace() == convertMemorySpace(wanted.getValue());
    // A core is compared only where both name one.
    if (isEqual && wanted.getCoreType() && owner)
      isEqual = *owner == convertCore(*wanted.getCoreType());
    return Value(arith::ConstantOp::create(builder, op.getLoc(),
                                           builder.getBoolAttr(isEqual)));
  }
};

/// Refuses views that have no meaning without the tiles that the Mosaic
/// compiler chooses, or without the subcore that a part of memory belongs to.
template <typename OpTy> struct RefuseView : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy op, typename OpTy::Adaptor,
                         OpBuilder &) const override {
    return op.emitOpError("depends on how the Mosaic compiler lays memory out, "
                          "so it can only run on a TPU");
  }
};

} // namespace

void mlir::pallas::populateViewPatterns(const TypeConverter &types,
                                        RewritePatternSet &patterns) {
  patterns
      .add<RaiseSlice, RaiseSqueeze, RaiseReshape, RaiseMemRefBitcast,
           RaiseReinterpretCast, RaiseAnnotate, RaiseMemorySpaceIs,
           RefuseView<tpu::TileSizeOp>, RefuseView<tpu::SharedMemRefSliceOp>>(
          types, patterns.getContext());
}
