//===- ScopePatterns.cpp - Memory that lives as long as a region ----------===//

#include "MemoryAccess.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// Memory for a ref, in the region where the builder is.
static FailureOr<Value> allocate(Emitter &emit, const TPUTypeConverter &types,
                                 Type type) {
  auto ref = dyn_cast<RefType>(type);
  MemRefType memref = ref ? types.convertRef(ref) : MemRefType();
  if (!memref)
    return emitError(emit.getLoc())
           << "memory of type " << type
           << " doesn't exist on TPUs; use a ref in vmem, smem, hbm or "
              "semaphore memory";
  if (isa<tpu::SemaphoreType, tpu::DMASemaphoreType>(memref.getElementType()))
    return Value(emit.create<tpu::SemAllocOp>(memref));
  return Value(emit.create<memref::AllocaOp>(memref));
}

/// Moves the body of a scope into a `tpu.region`; the arguments become memory.
static FailureOr<tpu::RegionOp>
moveToRegion(Operation *op, Region &body, TypeRange results,
             const TPUTypeConverter &types, ConversionPatternRewriter &rewriter,
             SmallVectorImpl<Value> &memory) {
  auto region = tpu::RegionOp::create(rewriter, op->getLoc(), results);
  rewriter.inlineRegionBefore(body, region.getRegion(),
                              region.getRegion().end());
  Block *block = &region.getRegion().front();
  TypeConverter::SignatureConversion signature(block->getNumArguments());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(block);
  for (BlockArgument argument : block->getArguments()) {
    Emitter emit(rewriter, argument.getLoc());
    FailureOr<Value> value = allocate(emit, types, argument.getType());
    if (failed(value))
      return failure();
    memory.push_back(*value);
    signature.remapInput(argument.getArgNumber(), *value);
  }
  rewriter.applySignatureConversion(block, signature, &types);
  return region;
}

namespace {

struct ConvertRunScoped : OpConversionPattern<RunScopedOp> {
  ConvertRunScoped(const TPUTypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context), types(types) {}

  LogicalResult
  matchAndRewrite(RunScopedOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(types.convertTypes(op.getResultTypes(), results)))
      return op.emitOpError("yields a value that can't leave a region on TPUs; "
                            "yield numbers and arrays only");
    SmallVector<Value> memory;
    FailureOr<tpu::RegionOp> region =
        moveToRegion(op, op.getBody(), results, types, rewriter, memory);
    if (failed(region))
      return failure();
    rewriter.replaceOp(op, region->getResults());
    return success();
  }

  const TPUTypeConverter &types;
};

struct ConvertRunState : OpConversionPattern<RunStateOp> {
  ConvertRunState(const TPUTypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context), types(types) {}

  LogicalResult
  matchAndRewrite(RunStateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(types.convertTypes(op.getResultTypes(), results)))
      return op.emitOpError("holds a value that no TPU has");
    SmallVector<Value> memory;
    FailureOr<tpu::RegionOp> region =
        moveToRegion(op, op.getBody(), results, types, rewriter, memory);
    if (failed(region))
      return failure();
    Emitter emit(rewriter, op.getLoc());
    Block &block = region->getRegion().front();
    OpBuilder::InsertionGuard guard(rewriter);
    if (memory.empty())
      return rewriter.replaceOp(op, region->getResults()), success();
    rewriter.setInsertionPointAfter(memory.back().getDefiningOp());
    for (auto [ref, value] : llvm::zip_equal(memory, adaptor.getInits())) {
      bool isBool = getElementType(value.getType()).isInteger(1);
      if (failed(storeView(emit, resolveView(emit, ref),
                           isBool ? emit.boolToI32(value) : value)))
        return failure();
    }
    Operation *terminator = block.getTerminator();
    rewriter.setInsertionPoint(terminator);
    SmallVector<Value> finals;
    for (auto [ref, type] : llvm::zip_equal(memory, results)) {
      FailureOr<Value> value = loadView(emit, resolveView(emit, ref));
      if (failed(value))
        return failure();
      bool isBool = getElementType(type).isInteger(1);
      finals.push_back(isBool ? emit.i32ToBool(*value) : *value);
    }
    rewriter.replaceOpWithNewOp<tpu::YieldOp>(terminator, finals);
    rewriter.replaceOp(op, region->getResults());
    return success();
  }

  const TPUTypeConverter &types;
};

struct ConvertYield : OpConversionPattern<YieldOp> {
  ConvertYield(const TPUTypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context) {}

  LogicalResult
  matchAndRewrite(YieldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<tpu::RegionOp>(op->getParentOp()))
      return failure();
    rewriter.replaceOpWithNewOp<tpu::YieldOp>(op, adaptor.getOperands());
    return success();
  }
};

/// A ref that lives as long as the kernel.
struct ConvertEmptyRef : TPUPattern<EmptyRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(EmptyRefOp op, Adaptor, Emitter &emit) const override {
    FailureOr<Value> memory = allocate(emit, types, op.getType());
    if (failed(memory))
      return failure();
    return one(*memory);
  }
};

struct ConvertNewRef : TPUPattern<NewRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(NewRefOp op, Adaptor adaptor, Emitter &emit) const override {
    FailureOr<Value> memory = allocate(emit, types, op.getType());
    if (failed(memory))
      return failure();
    Value value = adaptor.getInit();
    if (getElementType(value.getType()).isInteger(1))
      value = emit.boolToI32(value);
    if (failed(storeView(emit, resolveView(emit, *memory), value)))
      return failure();
    return one(*memory);
  }
};

struct ConvertFreeze : TPUPattern<FreezeOp> {
  using TPUPattern::TPUPattern;
  Results convert(FreezeOp op, Adaptor adaptor, Emitter &emit) const override {
    FailureOr<Value> value =
        loadView(emit, resolveView(emit, adaptor.getRef()));
    if (failed(value))
      return failure();
    bool isBool = op.getRef().getType().getElementType().isInteger(1);
    return one(isBool ? emit.i32ToBool(*value) : *value);
  }
};

struct ConvertFreeRef : TPUPattern<FreeRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(FreeRefOp, Adaptor, Emitter &) const override {
    return none();
  }
};

} // namespace

void mlir::pallas::populateScopePatterns(const TPUTypeConverter &types,
                                         RewritePatternSet &patterns) {
  addTPUPatterns<ConvertRunScoped, ConvertRunState, ConvertYield,
                 ConvertEmptyRef, ConvertNewRef, ConvertFreeze, ConvertFreeRef>(
      types, patterns);
}
