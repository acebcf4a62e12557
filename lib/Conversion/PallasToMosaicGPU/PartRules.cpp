//===- PartRules.cpp - Parts of vectors -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers give parts only where these are whole tiles of a layout. Others
// are parts of memory:
//
//   %c = tensor.concat dim(0) %a, %b
// becomes
//   "mosaic_gpu.vector_store"(%a, %upper); "mosaic_gpu.vector_store"(%b, ..)
//   %c = "mosaic_gpu.vector_load"(%whole)
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "TileLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;

/// Offsets as the kernel has them.
static FailureOr<SmallVector<OpFoldResult>>
convertOffsets(KernelEmitter &emit, ArrayRef<OpFoldResult> offsets) {
  SmallVector<OpFoldResult> converted;
  for (OpFoldResult offset : offsets) {
    auto value = dyn_cast<Value>(offset);
    if (!value) {
      converted.push_back(offset);
      continue;
    }
    FailureOr<Value> index = emit.getValue(value);
    if (failed(index))
      return failure();
    converted.push_back(*index);
  }
  return converted;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Where the element at this position of a slice lies: %offset + %index * 2.
static SmallVector<Value> getPlace(KernelEmitter &emit, ValueRange position,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<int64_t> strides) {
  OpBuilder &b = emit.b;
  SmallVector<Value> at;
  for (auto [offset, index, stride] :
       llvm::zip_equal(offsets, position, strides)) {
    Value step = arith::MulIOp::create(
        b, emit.loc, index,
        arith::ConstantIndexOp::create(b, emit.loc, stride));
    at.push_back(arith::AddIOp::create(
        b, emit.loc, step,
        getValueOrCreateConstantIndexOp(b, emit.loc, offset)));
  }
  return at;
}

/// Vector loads of the dialect take no strides, so each lane moves single
/// elements:
///   %part = tensor.extract_slice %v[1, 0] [4, 8] [2, 2]
/// -->
///   scf.for %p = %lane to %c32 step %c128
///     %e = memref.load of %v at [1 + 2 * (%p / 8), 2 * (%p % 8)]
///     memref.store of %e to %part at [%p / 8, %p % 8]
static Value loadStrided(KernelEmitter &emit, const ElementArray &array,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  ElementArray part = allocateElements(emit, sizes, array.element);
  forEachPosition(emit, sizes, [&](ValueRange position) {
    SmallVector<Value> at = getPlace(emit, position, offsets, strides);
    storeElement(emit, part, position, loadElement(emit, array, at));
  });
  return loadVector(emit, part);
}

/// Tiles are taken from registers. Other dense slices are views of memory that
/// holds the whole vector:
///   %part = tensor.extract_slice %v[2, 4] [4, 8] [1, 1]
/// -->
///   "mosaic_gpu.vector_store"(%v, %memory)
///   %view = memref.subview %memory[2, 4] [4, 8] [1, 1]
///   %part = "mosaic_gpu.vector_load"(%view)
static LogicalResult convertExtract(tensor::ExtractSliceOp op,
                                    KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getSource());
  FailureOr<SmallVector<OpFoldResult>> offsets =
      convertOffsets(emit, op.getMixedOffsets());
  if (failed(value) || failed(offsets))
    return failure();
  if (llvm::any_of(op.getStaticSizes(), ShapedType::isDynamic) ||
      llvm::any_of(op.getStaticStrides(), ShapedType::isDynamic))
    return op.emitOpError("takes a slice whose size or stride is known at run "
                          "time only; on GPUs both are static");
  Type type = KernelEmitter::convertType(op.getType());
  if ((*value).getType() == type) {
    emit.values[op] = *value;
    return success();
  }
  if (Value tiles = extractTiles(emit, *value, op)) {
    emit.values[op] = tiles;
    return success();
  }
  ScratchScope scratch(emit);
  ElementArray array =
      spillElements(emit, *value, op.getSourceType().getShape());
  if (array.scalar) {
    emit.values[op] = broadcastScalar(emit, array.scalar, type);
    return success();
  }
  bool isDense =
      llvm::all_of(op.getStaticStrides(), [](int64_t s) { return s == 1; });
  emit.values[op] =
      isDense ? loadVector(emit, selectPart(emit, array, *offsets,
                                            op.getStaticSizes()))
              : loadStrided(emit, array, *offsets, op.getStaticSizes(),
                            op.getStaticStrides());
  return success();
}

/// Stores the destination, then the slice over a part of it:
///   %r = tensor.insert_slice %part into %v[2, 4] [4, 8] [1, 1]
/// -->
///   "mosaic_gpu.vector_store"(%v, %memory)
///   %view = memref.subview %memory[2, 4] [4, 8] [1, 1]
///   "mosaic_gpu.vector_store"(%part, %view)
///   %r = "mosaic_gpu.vector_load"(%memory)
/// Elements that lie apart are stored one by one.
static LogicalResult convertInsert(tensor::InsertSliceOp op,
                                   KernelEmitter &emit) {
  if (isEmptyArray(op.getSourceType())) {
    FailureOr<Value> dest = emit.getValue(op.getDest());
    if (succeeded(dest))
      emit.values[op] = *dest;
    return dest;
  }
  FailureOr<Value> source = emit.getValue(op.getSource());
  FailureOr<SmallVector<OpFoldResult>> offsets =
      convertOffsets(emit, op.getMixedOffsets());
  if (failed(source) || failed(offsets))
    return failure();
  ArrayRef<int64_t> sizes = op.getStaticSizes(),
                    strides = op.getStaticStrides();
  if (llvm::any_of(sizes, ShapedType::isDynamic) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return op.emitOpError("changes a slice whose size or stride is known at "
                          "run time only; on GPUs both are static");
  ScratchScope scratch(emit);
  ElementArray whole = allocateElements(emit, op.getDestType().getShape(),
                                        op.getDestType().getElementType());
  // An empty tensor has nothing to keep.
  if (!op.getDest().getDefiningOp<tensor::EmptyOp>()) {
    FailureOr<Value> dest = emit.getValue(op.getDest());
    if (failed(dest))
      return failure();
    storePart(emit, whole, *dest);
  }
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; })) {
    storePart(emit, selectPart(emit, whole, *offsets, sizes), *source);
  } else {
    ElementArray part = spillElements(emit, *source, sizes);
    forEachPosition(emit, sizes, [&](ValueRange position) {
      SmallVector<Value> at = getPlace(emit, position, *offsets, strides);
      storeElement(emit, whole, at, loadElement(emit, part, position));
    });
  }
  emit.values[op] = loadVector(emit, whole);
  return success();
}

/// Each lane knows where its elements are in the vector:
///   %r = tensor.insert %e into %v[%i]
/// -->
///   %here = arith.cmpi eq, iota, splat(%i)
///   %r = arith.select %here, splat(%e), %v
static LogicalResult convertInsertElement(tensor::InsertOp op,
                                          KernelEmitter &emit) {
  FailureOr<SmallVector<Value>> operands = emit.getValues(op->getOperands());
  if (failed(operands))
    return failure();
  Value scalar = (*operands)[0], whole = (*operands)[1], isHere;
  for (auto [dim, index] : llvm::enumerate(ArrayRef(*operands).drop_front(2))) {
    std::optional<int64_t> vectorDim =
        KernelEmitter::convertDim(op.getDest().getType().getShape(), dim);
    if (!vectorDim)
      continue;
    auto type = cast<VectorType>(whole.getType()).clone(emit.b.getI32Type());
    Value place = mosaic_gpu::BroadcastedIotaOp::create(
        emit.b, emit.loc, type, emit.b.getI32IntegerAttr(*vectorDim));
    Value isEqual =
        arith::CmpIOp::create(emit.b, emit.loc, arith::CmpIPredicate::eq, place,
                              broadcastScalar(emit, emit.toI32(index), type));
    isHere = isHere ? arith::AndIOp::create(emit.b, emit.loc, isHere, isEqual)
                    : isEqual;
  }
  emit.values[op] =
      isHere ? arith::SelectOp::create(
                   emit.b, emit.loc, isHere,
                   broadcastScalar(emit, scalar, whole.getType()), whole)
             : scalar;
  return success();
}

/// No layout of registers holds parts of vectors side by side, so they meet in
/// shared memory:
///
///   %r = tensor.concat dim(1) %x, %y
/// -->
///   "mosaic_gpu.vector_store"(%x, %left)     columns 0 to 63 of scratch memory
///   "mosaic_gpu.vector_store"(%y, %right)    columns 64 to 127
///   %r = "mosaic_gpu.vector_load"(%scratch)
static LogicalResult convertConcat(tensor::ConcatOp op, KernelEmitter &emit) {
  SmallVector<Value> parts(
      llvm::make_filter_range(op.getInputs(), [](Value input) {
        return !isEmptyArray(input.getType());
      }));
  FailureOr<SmallVector<Value>> values = emit.getValues(parts);
  if (failed(values))
    return failure();
  ScratchScope scratch(emit);
  ElementArray whole = allocateElements(emit, op.getResultType().getShape(),
                                        op.getResultType().getElementType());
  SmallVector<OpFoldResult> offsets(op.getResultType().getRank(),
                                    emit.b.getIndexAttr(0));
  int64_t start = 0;
  for (auto [part, value] : llvm::zip_equal(parts, *values)) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
    offsets[op.getDim()] = emit.b.getIndexAttr(start);
    storePart(emit, selectPart(emit, whole, offsets, shape), value);
    start += shape[op.getDim()];
  }
  emit.values[op] = loadVector(emit, whole);
  return success();
}

void mlir::pallas::addPartRules(RuleTable &rules) {
  rules.add<tensor::ConcatOp>(convertConcat);
  rules.add<tensor::ExtractSliceOp>(convertExtract);
  rules.add<tensor::InsertOp>(convertInsertElement);
  rules.add<tensor::InsertSliceOp>(convertInsert);
}
