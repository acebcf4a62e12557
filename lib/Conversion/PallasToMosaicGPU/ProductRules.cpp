//===- ProductRules.cpp - Matmuls and accumulators ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators are values in registers. The hardware adds to them while code
// goes on, so a value must not be touched between the start of a matmul and the
// wait for it: fences and optimization barriers keep the compiler from moving
// it.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "pallas/Dialect/MosaicGPU/Utils/SharedMemory.h"
#include "pallas/Support/Tiles.h"

using namespace mlir;
using namespace mlir::pallas;

/// The barrier keeps the initial value in registers of its own, and the fence
/// makes it visible to the matmul unit:
///
///   %kept = "mosaic_gpu.optimization_barrier"(%v)
///   nvvm.wgmma.fence.aligned
Value mlir::pallas::startAccumulator(KernelEmitter &emit, Value value) {
  Value kept = mosaic_gpu::OptimizationBarrierOp::create(emit.b, emit.loc,
                                                         ValueRange(value))
                   .getResult(0);
  NVVM::WgmmaFenceAlignedOp::create(emit.b, emit.loc);
  return kept;
}

static FailureOr<Value> getAccumulator(Operation *op, Value ref,
                                       KernelEmitter &emit) {
  auto it = emit.accumulators.find(ref);
  if (it != emit.accumulators.end())
    return it->second;
  return op->emitOpError("uses an accumulator that no run_scoped or run_state "
                         "around it makes");
}

/// Whether warpgroups of the target multiply such operands.
static LogicalResult checkProduct(KernelEmitter &emit, ShapedType acc,
                                  ShapedType lhs, ShapedType rhs) {
  if (!emit.target.multipliesInRegisters)
    return emitError(emit.loc) << "multiplies by wgmma, which "
                               << emit.target.arch << " lacks; use tcgen05_mma";
  const mosaic_gpu::GPUProductLimits &limits =
      mosaic_gpu::getGPUProductLimits();
  int64_t rows = acc.getDimSize(0), columns = acc.getDimSize(1);
  if (rows % limits.rows != 0)
    return emitError(emit.loc)
           << "adds to an accumulator of " << rows << " rows; rows are a "
           << "multiple of " << limits.rows << ", near it "
           << spellNearestMultiples(rows, limits.rows,
                                    llvm::alignTo(rows, limits.rows));
  if (columns % limits.columns != 0 || columns > limits.maxColumns)
    return emitError(emit.loc)
           << "adds to an accumulator of " << columns << " columns; columns "
           << "are a multiple of " << limits.columns << ", near it "
           << spellNearestMultiples(columns, limits.columns, limits.maxColumns);
  Type a = lhs.getElementType(), b = rhs.getElementType();
  if (mosaic_gpu::isGPUProduct(a, b, acc.getElementType()))
    return success();
  return emitError(emit.loc)
         << "multiplies " << a << " by " << b << " into "
         << acc.getElementType()
         << "; warpgroups multiply equal floats of 32 bits or less, or i8, and "
            "add in f32 or i32, products of f16 and floats of 8 bits in f16, "
            "too";
}

/// The bytes by which the memory of an operand is swizzled, where it has been
/// allocated with a layout.
static std::optional<int64_t> findSwizzle(Value memref) {
  mosaic_gpu::WithTransformsOp memory = mosaic_gpu::findTransforms(memref);
  if (!memory)
    return std::nullopt;
  for (Attribute attr : memory.getTransforms())
    if (auto swizzle = dyn_cast<mosaic_gpu::SwizzleTransformAttr>(attr))
      return static_cast<int64_t>(swizzle.getSwizzle().getValue());
  return std::nullopt;
}

static LogicalResult checkSwizzles(KernelEmitter &emit, Value lhs, Value rhs) {
  std::optional<int64_t> left = findSwizzle(lhs), right = findSwizzle(rhs);
  if (!left || !right || *left == *right)
    return success();
  return emitError(emit.loc)
         << "multiplies memory that is swizzled by " << *left << " and "
         << *right << " bytes; swizzle both operands by "
         << std::min(*left, *right);
}

/// Starts acc + lhs * rhs in a group of its own.
static FailureOr<Value> emitProduct(KernelEmitter &emit, Value acc, Value lhs,
                                    Value rhs) {
  FailureOr<Value> a = emit.getValue(lhs);
  FailureOr<Value> b = emit.getValue(rhs);
  if (failed(a) || failed(b))
    return failure();
  if (failed(checkProduct(emit, cast<ShapedType>(acc.getType()),
                          cast<ShapedType>((*a).getType()),
                          cast<ShapedType>((*b).getType()))) ||
      failed(checkSwizzles(emit, *a, *b)))
    return failure();
  Value sum =
      mosaic_gpu::WGMMAOp::create(emit.b, emit.loc, acc.getType(), acc, *a, *b);
  NVVM::WgmmaGroupSyncAlignedOp::create(emit.b, emit.loc);
  return sum;
}

/// The accumulator is renamed to the sum, which the next matmul adds to.
static LogicalResult convertProductRef(WGMMARefOp op, KernelEmitter &emit) {
  FailureOr<Value> acc = getAccumulator(op, op.getAcc(), emit);
  if (failed(acc))
    return failure();
  FailureOr<Value> sum = emitProduct(emit, *acc, op.getLhs(), op.getRhs());
  if (failed(sum))
    return failure();
  emit.accumulators[op.getAcc()] = *sum;
  return success();
}

static LogicalResult convertProduct(WGMMAOp op, KernelEmitter &emit) {
  FailureOr<Value> acc = emit.getValue(op.getAcc());
  if (failed(acc))
    return failure();
  FailureOr<Value> sum = emitProduct(emit, *acc, op.getLhs(), op.getRhs());
  if (failed(sum))
    return failure();
  emit.values[op] = *sum;
  return success();
}

/// Behind a wait for all there is nothing to wait for.
void mlir::pallas::waitForProducts(KernelEmitter &emit, int64_t pending) {
  OpBuilder &b = emit.b;
  if (b.getInsertionPoint() != b.getInsertionBlock()->begin())
    if (auto last = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(
            *std::prev(b.getInsertionPoint()));
        last && last.getGroup() == 0)
      return;
  NVVM::WgmmaWaitGroupSyncOp::create(b, emit.loc, b.getI64IntegerAttr(pending));
}

/// Without a wait the value may be read only after one that comes later.
static LogicalResult convertDeref(AccumulatorDerefOp op, KernelEmitter &emit) {
  FailureOr<Value> acc = isa<AccumulatorType>(op.getAcc().getType())
                             ? getAccumulator(op, op.getAcc(), emit)
                             : emit.getValue(op.getAcc());
  if (failed(acc))
    return failure();
  if (op.getWaitN())
    waitForProducts(emit, *op.getWaitN());
  emit.values[op] = *acc;
  return success();
}

static LogicalResult convertStore(AccumulatorStoreOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(getAccumulator(op, op.getAcc(), emit)) || failed(value))
    return failure();
  emit.accumulators[op.getAcc()] = startAccumulator(emit, *value);
  return success();
}

static LogicalResult convertCommit(WGMMACommitOp, KernelEmitter &emit) {
  NVVM::WgmmaGroupSyncAlignedOp::create(emit.b, emit.loc);
  return success();
}

static LogicalResult convertWait(WGMMAWaitOp op, KernelEmitter &emit) {
  waitForProducts(emit, op.getPending());
  return success();
}

void mlir::pallas::addProductRules(RuleTable &rules) {
  rules.add<AccumulatorDerefOp>(convertDeref);
  rules.add<AccumulatorStoreOp>(convertStore);
  rules.add<WGMMACommitOp>(convertCommit);
  rules.add<WGMMAOp>(convertProduct);
  rules.add<WGMMARefOp>(convertProductRef);
  rules.add<WGMMAWaitOp>(convertWait);
}
