//===- MemoryPatterns.cpp - Loads, stores and views -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"

using namespace mlir;
using namespace mlir::pallas;

/// An access keeps whether the compiler has to avoid bank conflicts.
template <typename OpTy> static void keepOptimized(OpTy op, Operation *access) {
  if (BoolAttr optimized = op.getOptimizedAttr())
    access->setDiscardableAttr(mosaic_gpu::kOptimizedHint, optimized);
}

static bool isOnAllDevices(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (isa<MulticastRefOp>(op))
      return true;
    if (!isa<ReshapeRefOp, SliceRefOp, TransposeRefOp,
             UnrealizedConversionCastOp>(op))
      return false;
    ref = op->getOperand(0);
  }
  return false;
}

namespace {

struct RaiseVectorLoad : RaisePattern<mosaic_gpu::VectorLoadOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::VectorLoadOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getSource())))
      return failure();
    auto get = GetOp::create(builder, op.getLoc(), adaptor.getSource());
    keepOptimized(op, get);
    return Value(get);
  }
};

struct RaiseVectorStore : RaisePattern<mosaic_gpu::VectorStoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::VectorStoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getDestination())))
      return failure();
    if (op.getMultimem() && !isOnAllDevices(adaptor.getDestination()))
      return op.emitOpError("stores on several devices to memory whose address "
                            "there is not read from the table of devices");
    if (op.getAtomicType())
      return raiseAtomic(op, adaptor, builder);
    auto swap = SwapOp::create(builder, op.getLoc(), adaptor.getDestination(),
                               adaptor.getValueToStore());
    keepOptimized(op, swap);
    return none();
  }

private:
  static AtomicKind getKind(mosaic_gpu::AtomicOpType type) {
    switch (type) {
    case mosaic_gpu::AtomicOpType::Add:
      return AtomicKind::Add;
    case mosaic_gpu::AtomicOpType::Min:
      return AtomicKind::Min;
    case mosaic_gpu::AtomicOpType::Max:
      return AtomicKind::Max;
    case mosaic_gpu::AtomicOpType::And:
      return AtomicKind::And;
    case mosaic_gpu::AtomicOpType::Or:
      return AtomicKind::Or;
    case mosaic_gpu::AtomicOpType::Xor:
      break;
    }
    return AtomicKind::Xor;
  }

  static FailureOr<Value> raiseAtomic(mosaic_gpu::VectorStoreOp op,
                                      Adaptor adaptor, OpBuilder &builder) {
    auto update = AtomicRMWOp::create(
        builder, op.getLoc(), getKind(*op.getAtomicType()),
        adaptor.getDestination(), IndexerAttr::get(builder.getContext(), {}),
        ValueRange(), adaptor.getValueToStore(), /*mask=*/Value());
    keepOptimized(op, update);
    return none();
  }
};

///   %v = "mosaic_gpu.multimem_load_reduce"(%x) <{reduction_type = 0 : i32}>
/// -->
///   %v = pallas.multimem_load_reduce <add> %x axes ["devices"]
struct RaiseLoadReduce : RaisePattern<mosaic_gpu::MultimemLoadReduceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::MultimemLoadReduceOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getSource())) ||
        failed(checkReachesDevices(op)))
      return failure();
    return MultimemLoadReduceOp::create(
               builder, op.getLoc(), getKind(op.getReductionType()),
               adaptor.getSource(), builder.getStrArrayAttr(kDeviceAxis))
        .getResult();
  }

private:
  static CombiningKind getKind(mosaic_gpu::MultimemLoadReductionType type) {
    switch (type) {
    case mosaic_gpu::MultimemLoadReductionType::Add:
      return CombiningKind::Add;
    case mosaic_gpu::MultimemLoadReductionType::Min:
    case mosaic_gpu::MultimemLoadReductionType::Smin:
      return CombiningKind::Min;
    case mosaic_gpu::MultimemLoadReductionType::Max:
    case mosaic_gpu::MultimemLoadReductionType::Smax:
      return CombiningKind::Max;
    case mosaic_gpu::MultimemLoadReductionType::And:
      return CombiningKind::And;
    case mosaic_gpu::MultimemLoadReductionType::Or:
      return CombiningKind::Or;
    case mosaic_gpu::MultimemLoadReductionType::Xor:
      return CombiningKind::Xor;
    case mosaic_gpu::MultimemLoadReductionType::Umin:
      return CombiningKind::UMin;
    case mosaic_gpu::MultimemLoadReductionType::Umax:
      break;
    }
    return CombiningKind::UMax;
  }
};

//===----------------------------------------------------------------------===//
// Atomic updates of elements
//===----------------------------------------------------------------------===//

/// Products have no counterpart.
static std::optional<AtomicKind> getKind(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::assign:
    return AtomicKind::Xchg;
  case Kind::addf:
  case Kind::addi:
    return AtomicKind::Add;
  case Kind::maximumf:
  case Kind::maxnumf:
  case Kind::maxs:
    return AtomicKind::Max;
  case Kind::minimumf:
  case Kind::minnumf:
  case Kind::mins:
    return AtomicKind::Min;
  case Kind::maxu:
    return AtomicKind::UMax;
  case Kind::minu:
    return AtomicKind::UMin;
  case Kind::andi:
    return AtomicKind::And;
  case Kind::ori:
    return AtomicKind::Or;
  case Kind::xori:
    return AtomicKind::Xor;
  case Kind::mulf:
  case Kind::muli:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are handled");
}

/// The element that an atomic operation updates.
static FailureOr<VectorAccess> getElement(Operation *op, Value ref,
                                          ValueRange indices) {
  if (failed(checkRef(op, ref)))
    return failure();
  return selectElement(getRef(ref), indices);
}

///   %old = memref.atomic_rmw addi %v, %r[%i]
/// -->
///   %old = pallas.atomic_rmw <add> %r[%i], %v
struct RaiseAtomic : RaisePattern<memref::AtomicRMWOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(memref::AtomicRMWOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value ref = adaptor.getMemref();
    auto element = getElement(op, ref, adaptor.getIndices());
    if (failed(element))
      return failure();
    std::optional<AtomicKind> kind = getKind(op.getKind());
    if (!kind)
      return op.emitOpError("multiplies atomically, which has no form in the "
                            "pallas dialect; compare and swap");
    return AtomicRMWOp::create(builder, op.getLoc(), *kind, ref,
                               element->indexer, element->operands,
                               adaptor.getValue(), /*mask=*/Value())
        .getResult();
  }
};

/// The float of which a value holds the bits.
static Value getFloat(OpBuilder &builder, Value bits, Type type) {
  if (auto cast = bits.getDefiningOp<arith::BitcastOp>())
    return cast.getIn();
  APInt constant;
  if (!matchPattern(bits, m_ConstantInt(&constant)))
    return {};
  APFloat value(cast<FloatType>(type).getFloatSemantics(), constant);
  return arith::ConstantOp::create(builder, bits.getLoc(),
                                   builder.getFloatAttr(type, value));
}

/// Raises the one body that is known, a compare-and-swap:
///   memref.generic_atomic_rmw %r[%i] {
///   ^bb0(%current: i32):
///     %is = arith.cmpi eq, %current, %expected : i32
///     %next = arith.select %is, %v, %current : i32
///     memref.atomic_yield %next : i32
///   }
/// or the same on the bits of floats.
/// -->
///   pallas.atomic_cas %r[%i], %expected, %v
struct RaiseCompareAndSwap : OpConversionPattern<memref::GenericAtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(memref::GenericAtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value ref = adaptor.getMemref(), current = op.getCurrentValue();
    auto element = getElement(op, ref, adaptor.getIndices());
    if (failed(element))
      return failure();
    auto choice = op.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::SelectOp>();
    auto compare =
        choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    Value found = compare ? compare.getLhs() : Value();
    Value expected = compare ? compare.getRhs() : Value();
    if (compare && isa<FloatType>(op.getType())) {
      found = getFloat(rewriter, found, op.getType());
      expected = getFloat(rewriter, expected, op.getType());
    }
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
        found != current || choice.getFalseValue() != current || !expected ||
        llvm::any_of(op.getBody()->without_terminator(), [](Operation &inner) {
          return !isa<arith::BitcastOp, arith::CmpIOp, arith::SelectOp>(inner);
        }))
      return op.emitOpError("updates memory by code that is not known; it "
                            "compares for equality, and selects the new value "
                            "or the one that is there");
    rewriter.replaceOpWithNewOp<AtomicCASOp>(op, ref, element->indexer,
                                             element->operands, expected,
                                             choice.getTrueValue());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Dropped dimensions become scalars of the indexer, others slices:
///
///   %s = pallas.slice_ref %r[%i, ds(0, 8)]
struct RaiseSubView : RaisePattern<memref::SubViewOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(memref::SubViewOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value source = adaptor.getSource();
    if (failed(checkRef(op, source)))
      return failure();
    if (!op.getType().hasStaticShape())
      return op.emitOpError("has a size that is not constant; views of GPU "
                            "memory have static shapes");
    llvm::SmallBitVector dropped = op.getDroppedDims();
    IndexerBuilder index(getRef(source));
    auto offset = adaptor.getOffsets().begin();
    for (auto [d, start] : llvm::enumerate(op.getStaticOffsets())) {
      Value place;
      if (ShapedType::isDynamic(start))
        place = *offset++;
      else
        place = arith::ConstantIndexOp::create(builder, op.getLoc(), start);
      if (ShapedType::isDynamic(op.getStaticStrides()[d]))
        return op.emitOpError("has a step that is not constant; use unit "
                              "steps");
      if (dropped.test(d))
        index.addScalar(place);
      else
        index.addSlice(place, op.getStaticSizes()[d], op.getStaticStrides()[d]);
    }
    return Value(SliceRefOp::create(builder, op.getLoc(), source,
                                    index.getIndexer(getContext()),
                                    index.getOperands()));
  }
};

/// Casts change layouts, which refs don't have here.
struct RaiseCast : RaisePattern<memref::CastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(memref::CastOp op, Adaptor adaptor,
                         OpBuilder &) const override {
    if (failed(checkRef(op, adaptor.getSource())))
      return failure();
    auto from = dyn_cast<MemRefType>(op.getSource().getType());
    auto to = dyn_cast<MemRefType>(op.getType());
    if (from && to && from.getShape() == to.getShape())
      return adaptor.getSource();
    return op.emitOpError("forgets the shape of a memref; views of GPU memory "
                          "have static shapes");
  }
};

/// The permutation of memref.transpose is a map, that of refs a list.
struct RaiseTranspose : RaisePattern<memref::TransposeOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(memref::TransposeOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getIn())))
      return failure();
    SmallVector<int64_t> permutation;
    for (AffineExpr result : op.getPermutation().getResults())
      permutation.push_back(cast<AffineDimExpr>(result).getPosition());
    auto type = cast<MemRefType>(op.getType());
    return Value(TransposeRefOp::create(
        builder, op.getLoc(),
        getRef(adaptor.getIn()).withShape(type.getShape()), adaptor.getIn(),
        permutation));
  }
};

/// Views that are a reshape in all but name.
template <typename OpTy> struct RaiseReshape : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy op, typename OpTy::Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value source = adaptor.getOperands().front();
    if (failed(checkRef(op, source)))
      return failure();
    auto type = cast<MemRefType>(op->getResult(0).getType());
    RefType ref = getRef(source);
    if (!type.hasStaticShape() || !ref.hasStaticShape())
      return op.emitOpError("has a size that is not constant; views of GPU "
                            "memory have static shapes");
    if (ref.getShape() == type.getShape())
      return source;
    return Value(ReshapeRefOp::create(builder, op.getLoc(),
                                      ref.withShape(type.getShape()), source));
  }
};

/// The ids are those of the launch. Along a dimension without an axis there is
/// one block, so nothing has to be named.
struct RaiseClusterRef : RaisePattern<mosaic_gpu::GetClusterRefOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::GetClusterRefOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getSource())))
      return failure();
    Value ref = adaptor.getSource();
    MeshAttr mesh =
        cast<MeshAttr>(op->getParentOfType<MpmdMapOp>().getMeshes()[0]);
    std::array<Value, 3> ids = {adaptor.getX(), adaptor.getY(), adaptor.getZ()};
    for (auto [dim, id] : llvm::enumerate(ids))
      if (id && mesh.getAxisSize(getClusterAxis(dim)))
        ref = ClusterRefOp::create(builder, op.getLoc(), ref,
                                   getClusterAxis(dim), id);
    return ref;
  }
};

} // namespace

void mlir::pallas::populateGPUMemoryPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<RaiseVectorLoad, RaiseVectorStore, RaiseLoadReduce, RaiseAtomic,
               RaiseCompareAndSwap, RaiseSubView, RaiseCast, RaiseTranspose,
               RaiseReshape<memref::CollapseShapeOp>,
               RaiseReshape<memref::ExpandShapeOp>,
               RaiseReshape<mosaic_gpu::ReinterpretCastOp>, RaiseClusterRef>(
      types, patterns.getContext());
}
