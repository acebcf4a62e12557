//===- ScopePatterns.cpp - Memory that lives as long as a region ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes become tpu.region with allocations. Refs with a lifetime of their own
// live as long as the region around them.
//
//===----------------------------------------------------------------------===//

#include "../Memory/Allocation.h"
#include "../Memory/MemoryAccess.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// Memory for a ref, in the region where the builder is.
/// Semaphores have an allocation of their own.
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
  if (failed(checkAllocation(emit.getLoc(), memref, types.getCore(),
                             MemoryLifetime::Region)))
    return failure();
  return Value(emit.create<memref::AllocaOp>(memref));
}

/// Moves the body of a scope into a `tpu.region`; the arguments become memory.
///
///   pallas.run_scoped (%s: !pallas.ref<8x128xf32, vmem>) { A }
///
/// becomes
///
///   "tpu.region"() ({
///     %0 = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
///     A
///     tpu.yield
///   })
///
/// Casts give the arguments their old types until A is visited.
static FailureOr<tpu::RegionOp> moveToRegion(Emitter &emit, Region &body,
                                             TypeRange results,
                                             const TPUTypeConverter &types,
                                             SmallVectorImpl<Value> &memory) {
  auto region = emit.create<tpu::RegionOp>(results);
  region.getRegion().takeBody(body);
  Block *block = &region.getRegion().front();
  OpBuilder &builder = emit.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  for (BlockArgument argument : block->getArguments()) {
    Emitter at(builder, argument.getLoc(), types.getChip());
    FailureOr<Value> value = allocate(at, types, argument.getType());
    if (failed(value))
      return failure();
    memory.push_back(*value);
  }
  for (auto [argument, value] :
       llvm::zip_equal(block->getArguments(), memory)) {
    auto ref = UnrealizedConversionCastOp::create(builder, argument.getLoc(),
                                                  argument.getType(), value);
    argument.replaceAllUsesWith(ref.getResult(0));
  }
  block->eraseArguments(0, block->getNumArguments());
  return region;
}

namespace {

/// Results of a scope leave its region as values.
struct ConvertRunScoped : TPUPattern<RunScopedOp> {
  using TPUPattern::TPUPattern;
  Results convert(RunScopedOp op, Adaptor, Emitter &emit) const override {
    if (std::optional<ArrayAttr> axes = op.getCollectiveAxes();
        axes && !axes->empty())
      return op.emitOpError()
             << "shares memory along " << *axes
             << ", but the scopes of cores of TPUs are their own; share "
                "scratch of the call, in vmem_shared on SparseCores";
    SmallVector<Type> results;
    if (failed(types.convertTypes(op.getResultTypes(), results)))
      return op.emitOpError("yields a value that can't leave a region on TPUs; "
                            "yield numbers and arrays only");
    SmallVector<Value> memory;
    FailureOr<tpu::RegionOp> region =
        moveToRegion(emit, op.getBody(), results, types, memory);
    if (failed(region))
      return failure();
    return SmallVector<Value>(region->getResults());
  }
};

/// Refs that start with a value and end as a result:
///
///   %r = pallas.run_state (%s: !pallas.ref<8xf32, vmem> = %x : tensor<8xf32>)
///   { A }
///
/// stores %x to the allocation, runs A, and yields what it loads at the end.
struct ConvertRunState : TPUPattern<RunStateOp> {
  using TPUPattern::TPUPattern;
  Results convert(RunStateOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    SmallVector<Type> results;
    if (failed(types.convertTypes(op.getResultTypes(), results)))
      return op.emitOpError("holds a value that no TPU has");
    SmallVector<Value> memory;
    FailureOr<tpu::RegionOp> region =
        moveToRegion(emit, op.getBody(), results, types, memory);
    if (failed(region))
      return failure();
    SmallVector<Value> values(region->getResults());
    if (memory.empty())
      return values;
    OpBuilder &builder = emit.getBuilder();
    OpBuilder::InsertionGuard guard(builder);
    // The stores come behind all allocations.
    builder.setInsertionPointAfter(memory.back().getDefiningOp());
    for (auto [ref, value] : llvm::zip_equal(memory, adaptor.getInits())) {
      bool isBool = getElementType(value.getType()).isInteger(1);
      if (failed(storeView(emit, resolveView(emit, ref),
                           isBool ? emit.boolToI32(value) : value)))
        return failure();
    }
    // The body has a yield without operands, which is replaced.
    Operation *terminator = region->getRegion().front().getTerminator();
    builder.setInsertionPoint(terminator);
    SmallVector<Value> finals;
    for (auto [ref, type] : llvm::zip_equal(memory, results)) {
      FailureOr<Value> value = loadView(emit, resolveView(emit, ref));
      if (failed(value))
        return failure();
      bool isBool = getElementType(type).isInteger(1);
      finals.push_back(isBool ? emit.i32ToBool(*value) : *value);
    }
    tpu::YieldOp::create(builder, terminator->getLoc(), finals);
    terminator->erase();
    return values;
  }
};

/// Only the terminator of a region is converted here. That of other operations
/// goes with them.
struct ConvertYield : TPUPattern<YieldOp> {
  using TPUPattern::TPUPattern;
  Results convert(YieldOp op, Adaptor adaptor, Emitter &emit) const override {
    if (!isa<tpu::RegionOp>(op->getParentOp()))
      return failure();
    emit.create<tpu::YieldOp>(adaptor.getOperands());
    return none();
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

/// An allocation and a store of the initial value.
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

/// The load of everything that the ref holds at this point.
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

/// Memory is freed with its region.
struct ConvertFreeRef : TPUPattern<FreeRefOp> {
  using TPUPattern::TPUPattern;
  Results convert(FreeRefOp, Adaptor, Emitter &) const override {
    return none();
  }
};

} // namespace

void mlir::pallas::populateScopePatterns(const TPUTypeConverter &types,
                                         TPUPatternSet &patterns) {
  addTPUPatterns<ConvertRunScoped, ConvertRunState, ConvertYield,
                 ConvertEmptyRef, ConvertNewRef, ConvertFreeze, ConvertFreeRef>(
      types, patterns);
}
