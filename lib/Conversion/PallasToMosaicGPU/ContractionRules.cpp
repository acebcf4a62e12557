//===- ContractionRules.cpp - Contractions of tensors ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices whose sizes the tensor cores take go there, by way of
// tiled memory:
//
//   %c = pallas.dot_general %a, %b contract [1] x [0]
//     : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
// becomes
//   "mosaic_gpu.vector_store"(%a, %tiledA); "mosaic_gpu.vector_store"(%b, ..)
//   %c = mosaic_gpu.wgmma accumulator(%zero) a(%tiledA) b(%tiledB)
//
// In all others each lane sums elements of its own.
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;

/// The type that products are summed in.
static Type getProductSumType(DotGeneralOp op) {
  Type sum = getElementTypeOrSelf(op.getType());
  if (!isa<FloatType>(sum))
    return sum;
  for (Type type : {op.getLhs().getType().getElementType(),
                    op.getRhs().getType().getElementType()})
    if (isa<FloatType>(type) &&
        type.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      sum = type;
  return getSumType(sum);
}

/// The elements of a vector or scalar in the type of the sum.
static Value widen(KernelEmitter &emit, Value value, Type sum,
                   bool isUnsigned) {
  Type from = getElementTypeOrSelf(value.getType());
  OpBuilder &b = emit.b;
  if (isa<FloatType>(from))
    return convertFloat(b, emit.loc, value, sum);
  if (from == sum)
    return value;
  Type to = sum;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    to = vector.clone(sum);
  isUnsigned |= from.isInteger(1);
  if (isa<FloatType>(sum))
    return isUnsigned
               ? arith::UIToFPOp::create(b, emit.loc, to, value).getResult()
               : arith::SIToFPOp::create(b, emit.loc, to, value).getResult();
  if (from.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, emit.loc, to, value);
  return isUnsigned
             ? arith::ExtUIOp::create(b, emit.loc, to, value).getResult()
             : arith::ExtSIOp::create(b, emit.loc, to, value).getResult();
}

/// Adds the accumulator and rounds.
static LogicalResult finish(DotGeneralOp op, KernelEmitter &emit, Value sum) {
  if (op.getAcc()) {
    FailureOr<Value> acc = emit.getValue(op.getAcc());
    if (failed(acc))
      return failure();
    sum = createCombined(
        emit.b, emit.loc, CombiningKind::Add,
        widen(emit, *acc, getElementTypeOrSelf(sum.getType()), false), sum);
  }
  emit.values[op.getResult()] =
      isa<FloatType>(getElementTypeOrSelf(sum.getType()))
          ? convertFloat(emit.b, emit.loc, sum,
                         getElementTypeOrSelf(op.getType()))
          : sum;
  return success();
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions of an operand: batch and free ones are those of the result,
/// contracted ones are loops of their own.
struct OperandDims {
  SmallVector<int64_t> result, contracted;
};
} // namespace

/// The result has batch dimensions first, then those of lhs, then those of rhs;
/// `next` counts through both operands.
static OperandDims getDims(ArrayRef<int64_t> batch,
                           ArrayRef<int64_t> contracting, int64_t rank,
                           int64_t &next) {
  OperandDims dims{SmallVector<int64_t>(rank, -1),
                   SmallVector<int64_t>(rank, -1)};
  for (auto [number, dim] : llvm::enumerate(batch))
    dims.result[dim] = number;
  for (auto [number, dim] : llvm::enumerate(contracting))
    dims.contracted[dim] = number;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dims.result[dim] < 0 && dims.contracted[dim] < 0)
      dims.result[dim] = next++;
  return dims;
}

/// Each dimension of an operand follows one of the result or one of the sum.
static Value loadOperand(KernelEmitter &emit, const ElementArray &array,
                         const OperandDims &dims, ValueRange position,
                         ValueRange steps) {
  SmallVector<Value> at;
  for (auto [result, contracted] :
       llvm::zip_equal(dims.result, dims.contracted))
    at.push_back(result >= 0 ? position[result] : steps[contracted]);
  return loadElement(emit, array, at);
}

namespace {
struct LaneContraction {
  KernelEmitter &emit;
  ElementArray lhs, rhs;
  OperandDims lhsDims, rhsDims;
  SmallVector<int64_t> sizes;

  /// The sum over the contracted dimensions from `steps.size()` on.
  Value sum(ValueRange position, SmallVector<Value> steps, Value start) {
    if (steps.size() == sizes.size()) {
      Value x = loadOperand(emit, lhs, lhsDims, position, steps);
      Value y = loadOperand(emit, rhs, rhsDims, position, steps);
      Value product =
          createCombined(emit.b, emit.loc, CombiningKind::Mul, x, y);
      return createCombined(emit.b, emit.loc, CombiningKind::Add, start,
                            product);
    }
    return forEachStep(
        emit, sizes[steps.size()], start, [&](Value step, ValueRange carried) {
          SmallVector<Value> inner(steps);
          inner.push_back(step);
          return SmallVector<Value>{sum(position, inner, carried[0])};
        })[0];
  }
};
} // namespace

/// Any shapes and types, at the price of one element per lane at a time.
static LogicalResult contractByLanes(DotGeneralOp op, KernelEmitter &emit,
                                     Value lhs, Value rhs) {
  ScratchScope scratch(emit);
  Type sumType = getProductSumType(op);
  ArrayRef<int64_t> lhsShape = op.getLhs().getType().getShape(),
                    rhsShape = op.getRhs().getType().getShape();
  int64_t next = op.getLhsBatch().size();
  OperandDims lhsDims = getDims(op.getLhsBatch(), op.getLhsContracting(),
                                lhsShape.size(), next),
              rhsDims = getDims(op.getRhsBatch(), op.getRhsContracting(),
                                rhsShape.size(), next);
  LaneContraction contraction{
      emit,
      spillElements(emit, widen(emit, lhs, sumType, op.getUnsignedLhs()),
                    lhsShape),
      spillElements(emit, widen(emit, rhs, sumType, op.getUnsignedRhs()),
                    rhsShape),
      lhsDims,
      rhsDims,
      {}};
  for (int64_t dim : op.getLhsContracting())
    contraction.sizes.push_back(lhsShape[dim]);
  auto type = dyn_cast<RankedTensorType>(op.getType());
  ElementArray sums = allocateElements(
      emit, type ? type.getShape() : ArrayRef<int64_t>(), sumType);
  forEachPosition(emit, sums.shape, [&](ValueRange position) {
    Value zero = createZero(emit.b, emit.loc, sumType);
    storeElement(emit, sums, position, contraction.sum(position, {}, zero));
  });
  return finish(op, emit, loadVector(emit, sums));
}

//===----------------------------------------------------------------------===//
// By tensor cores
//===----------------------------------------------------------------------===//

/// Bytes after which tiles of both operands are permuted; none where their
/// sizes don't suit the tensor cores.
static std::optional<int64_t> getSwizzle(DotGeneralOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  Type element = lhs.getElementType();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !isa<FloatType>(type.getElementType()) ||
      element != rhs.getElementType() || !(element.isF16() || element.isBF16()))
    return std::nullopt;
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || !op.getLhsBatch().empty() ||
      op.getLhsContracting().size() != 1 ||
      getProductSumType(op) != Float32Type::get(op.getContext()))
    return std::nullopt;
  // Lanes write memory by tiles of 64 rows, and one instruction makes at most
  // 256 columns.
  if (lhs.getDimSize(0) % 64 != 0 || rhs.getDimSize(0) % 64 != 0 ||
      type.getDimSize(0) % 64 != 0 || type.getDimSize(1) % 8 != 0 ||
      type.getDimSize(1) > 256 ||
      lhs.getDimSize(op.getLhsContracting()[0]) % 16 != 0)
    return std::nullopt;
  for (int64_t bytes : {128, 64, 32})
    if (lhs.getDimSize(1) * 2 % bytes == 0 &&
        rhs.getDimSize(1) * 2 % bytes == 0)
      return bytes;
  return std::nullopt;
}

/// The vector in the layout of tiled memory. It comes from memory, so that the
/// layout that it has so far doesn't matter.
static Value loadAsTiles(KernelEmitter &emit, const ElementArray &array) {
  auto type = VectorType::get(array.shape, array.element);
  if (array.scalar)
    return vector::BroadcastOp::create(emit.b, emit.loc, type, array.scalar);
  Value vector = mosaic_gpu::VectorLoadOp::create(
      emit.b, emit.loc, array.memref, emit.b.getBoolAttr(false));
  return castToWGMMALayout(emit, vector);
}

/// Tiled memory with the operand, which is transposed where the first dimension
/// of the product is not the first one that is stored.
static Value storeTiles(KernelEmitter &emit, Value value,
                        RankedTensorType tensor, int64_t swizzle,
                        bool isTransposed) {
  MLIRContext *context = emit.b.getContext();
  int64_t columns = swizzle * 8 / tensor.getElementTypeBitWidth();
  auto ref = RefType::get(
      context, tensor.getShape(), tensor.getElementType(),
      MemorySpaceAttr::get(context, MemorySpace::Smem),
      emit.b.getArrayAttr({TileTransformAttr::get(context, {8, columns}),
                           SwizzleTransformAttr::get(context, swizzle)}));
  auto type = MemRefType::get(tensor.getShape(), tensor.getElementType(),
                              MemRefLayoutAttrInterface(),
                              mosaic_gpu::getSharedMemorySpace(context));
  Value memory = mosaic_gpu::SliceSMEMOp::create(
      emit.b, emit.loc, type,
      emit.b.getI32IntegerAttr(emit.allocateScratch(getNumBytes(type))),
      emit.getNextAlias());
  memory = applyTransforms(emit, memory, ref);
  {
    ScratchScope scratch(emit);
    Value tiles =
        loadAsTiles(emit, spillElements(emit, value, tensor.getShape()));
    mosaic_gpu::VectorStoreOp::create(
        emit.b, emit.loc, tiles, memory, BoolAttr(),
        mosaic_gpu::AtomicOpTypeAttr(), emit.b.getBoolAttr(false));
  }
  if (!isTransposed)
    return memory;
  auto swapped =
      AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, context);
  return memref::TransposeOp::create(emit.b, emit.loc, memory,
                                     AffineMapAttr::get(swapped));
}

/// Both operands go to shared memory in tiles, where the tensor cores read
/// them:
///   %r = pallas.dot_general %a, %b contract [1] x [0]
/// -->
///   "mosaic_gpu.vector_store"(%a, %x); "mosaic_gpu.vector_store"(%b, %y)
///   nvvm.fence.proxy
///   %r = "mosaic_gpu.wgmma"(%zeros, %x, %y)
///   nvvm.wgmma.commit.group.sync.aligned
///   nvvm.wgmma.wait.group.sync.aligned 0
static LogicalResult contractByTensorCores(DotGeneralOp op, KernelEmitter &emit,
                                           Value lhs, Value rhs,
                                           int64_t swizzle) {
  ScratchScope scratch(emit);
  OpBuilder &b = emit.b;
  Value x = storeTiles(emit, lhs, op.getLhs().getType(), swizzle,
                       op.getLhsContracting()[0] == 0);
  Value y = storeTiles(emit, rhs, op.getRhs().getType(), swizzle,
                       op.getRhsContracting()[0] == 1);
  commitSharedMemory(emit);
  auto type = VectorType::get(cast<RankedTensorType>(op.getType()).getShape(),
                              b.getF32Type());
  Value zeros = startAccumulator(
      emit, arith::ConstantOp::create(b, emit.loc, b.getZeroAttr(type)));
  Value product = mosaic_gpu::WGMMAOp::create(b, emit.loc, type, zeros, x, y);
  NVVM::WgmmaGroupSyncAlignedOp::create(b, emit.loc);
  NVVM::WgmmaWaitGroupSyncOp::create(b, emit.loc, b.getI64IntegerAttr(0));
  // Users of the result may have another layout.
  ElementArray sums = spillElements(emit, product, type.getShape());
  return finish(op, emit, loadVector(emit, sums));
}

/// Memory for the tiles belongs to a block, so warpgroups that share a block
/// would need a plan for each of them; they multiply lane by lane.
static LogicalResult convertContraction(DotGeneralOp op, KernelEmitter &emit) {
  FailureOr<Value> lhs = emit.getValue(op.getLhs());
  FailureOr<Value> rhs = emit.getValue(op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  std::optional<int64_t> swizzle = getSwizzle(op);
  bool isShared = LaunchGrid(emit.mesh).warpgroups > 1;
  if (swizzle && !isShared)
    return contractByTensorCores(op, emit, *lhs, *rhs, *swizzle);
  return contractByLanes(op, emit, *lhs, *rhs);
}

void mlir::pallas::addContractionRules(RuleTable &rules) {
  rules.add<DotGeneralOp>(convertContraction);
}
