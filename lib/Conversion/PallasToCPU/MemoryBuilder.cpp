//===- MemoryBuilder.cpp - Code on memory ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the operations on memrefs that all parts of the lowering build.
//
//===----------------------------------------------------------------------===//

#include "MemoryBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// For example, `!pallas.ref<8xf32, vmem>` is `memref<8xf32>`: a CPU has one
/// memory space, and the verifier has checked the ones of the kernel.
MemRefType pallas::getMemoryType(Type type) {
  if (auto accumulator = dyn_cast<AccumulatorType>(type))
    return MemRefType::get(accumulator.getShape(),
                           accumulator.getElementType());
  auto ref = cast<RefType>(type);
  // Semaphores and barriers are counts.
  Type element = ref.isSynchronization()
                     ? IntegerType::get(type.getContext(), 32)
                     : ref.getElementType();
  return MemRefType::get(ref.getShape(), element);
}

/// Semaphores may be results of a call, and then they are tensors of counts.
RankedTensorType pallas::getPlainType(RankedTensorType type) {
  if (!isa<SemaphoreType, DMASemaphoreType, BarrierSemaphoreType>(
          type.getElementType()))
    return type;
  return type.clone(IntegerType::get(type.getContext(), 32));
}

int64_t pallas::getByteSize(MemRefType type) {
  return type.getNumElements() * getByteWidth(type.getElementType());
}

//===----------------------------------------------------------------------===//
// Numbers and branches
//===----------------------------------------------------------------------===//

Value MemoryBuilder::createIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(*this, loc, value);
}

Value MemoryBuilder::createInteger(Location loc, int64_t value,
                                   unsigned width) {
  return arith::ConstantIntOp::create(*this, loc, value, width);
}

/// Folds constants, since subviews with static offsets have better types.
Value MemoryBuilder::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  if (std::optional<int64_t> constant = getConstantInteger(value))
    return createIndex(value.getLoc(), *constant);
  return arith::IndexCastOp::create(*this, value.getLoc(), getIndexType(),
                                    value);
}

///   %negative = arith.cmpi slt, %i, %c0 : index
///   %wrapped = arith.addi %i, %size : index
///   %1 = arith.select %negative, %wrapped, %i : index
///   %last = arith.subi %size, %extent : index
///   %2 = arith.minsi %1, %last : index
///   %3 = arith.maxsi %2, %c0 : index
Value pallas::clampIndex(OpBuilder &b, Location loc, Value value, Value size,
                         Value extent) {
  return createClamped(b, loc, createWrapped(b, loc, value, size),
                       arith::SubIOp::create(b, loc, size, extent));
}

/// The block index times the size of the block:
///
///   %start = arith.muli %i, %c8 : index
Value MemoryBuilder::createWindowStart(Location loc, BlockDimAttr dim,
                                       Value index) {
  Value start = toIndex(index);
  if (dim.getKind() != BlockDimKind::Blocked || dim.getSize() == 1)
    return start;
  return arith::MulIOp::create(*this, loc, start,
                               createIndex(loc, dim.getSize()));
}

/// Leaves the insertion point behind the branch.
void MemoryBuilder::when(Location loc, Value condition,
                         function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(*this, loc, condition);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPoint(branch.thenBlock()->getTerminator());
  body();
}

//===----------------------------------------------------------------------===//
// Fresh memory
//===----------------------------------------------------------------------===//

/// Aligned to a cache line, which is also a vector of AVX-512.
Value MemoryBuilder::allocate(Location loc, Type type) {
  MemRefType memoryType = getMemoryType(type);
  Value result =
      memref::AllocOp::create(*this, loc, memoryType, getI64IntegerAttr(64));
  auto ref = dyn_cast<RefType>(type);
  if (!ref || ref.isSynchronization())
    fill(loc, result, getZeroAttr(memoryType.getElementType()));
  return result;
}

Value MemoryBuilder::allocateValue(Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto memory =
      tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType())
             : MemRefType::get({}, type);
  return memref::AllocOp::create(*this, loc, memory, getI64IntegerAttr(64));
}

/// The size has to be known before the call, as a caller provides the memory.
FailureOr<Value> MemoryBuilder::allocateResult(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitOpError() << "has a result of type " << type
                             << "; on CPUs results are ranked tensors of "
                                "static shape";
  RankedTensorType plain = getPlainType(tensor);
  Value array = memref::AllocOp::create(
      *this, op->getLoc(),
      MemRefType::get(plain.getShape(), plain.getElementType()),
      getI64IntegerAttr(64));
  if (plain != tensor)
    fill(op->getLoc(), array, getZeroAttr(plain.getElementType()));
  return array;
}

///   %memory = bufferization.to_buffer %value read_only : tensor<8xf32> to ...
///
/// `read_only` spares the copy that bufferization would make for a writer.
FailureOr<Value> MemoryBuilder::getBuffer(Operation *op, Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor || !tensor.hasStaticShape())
    return op->emitOpError()
           << "has an operand of type " << value.getType()
           << "; on CPUs operands are ranked tensors of static shape";
  tensor = getPlainType(tensor);
  auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
  return Value(bufferization::ToBufferOp::create(*this, op->getLoc(), type,
                                                 value,
                                                 /*read_only=*/true));
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// Sets all elements to a constant.
void MemoryBuilder::fill(Location loc, Value memory, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(*this, loc, value);
  linalg::FillOp::create(*this, loc, scalar, memory);
}

/// With `copy` the value is a snapshot. Without it, later writes to the view
/// change the value, so a caller has to know that none matters. `writable` lets
/// bufferization reuse the memory of the value for other results.
///
///   %value = bufferization.to_tensor %view restrict : memref<8xf32> to ...
Value MemoryBuilder::readView(Location loc, Value view, Type type, bool copy,
                              bool writable) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return memref::LoadOp::create(*this, loc, view);
  if (copy) {
    Value snapshot = memref::AllocOp::create(
        *this, loc, MemRefType::get(tensor.getShape(), tensor.getElementType()),
        getI64IntegerAttr(64));
    memref::CopyOp::create(*this, loc, view, snapshot);
    view = snapshot;
  }
  return bufferization::ToTensorOp::create(*this, loc, type, view,
                                           /*restrict=*/true,
                                           /*writable=*/copy || writable);
}

///   bufferization.materialize_in_destination %value in restrict writable %view
///       : (tensor<8xf32>, memref<8xf32>) -> ()
///
/// Bufferization then computes %value in place in %view where it can.
void MemoryBuilder::writeView(Location loc, Value value, Value view) {
  if (!isa<RankedTensorType>(value.getType())) {
    memref::StoreOp::create(*this, loc, value, view);
    return;
  }
  auto write = bufferization::MaterializeInDestinationOp::create(
      *this, loc, /*result=*/Type(), value, view);
  write.setRestrict(true);
  write.setWritable(true);
}

///   linalg.generic ins(%source) outs(%target) {
///   ^bb0(%new: f32, %old: f32):
///     %sum = arith.addf %old, %new : f32
///     linalg.yield %sum : f32
///   }
void MemoryBuilder::update(Location loc, AtomicKind kind, Value source,
                           Value target) {
  unsigned rank = cast<MemRefType>(target.getType()).getRank();
  AffineMap identity = getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      *this, loc, source, target, ArrayRef{identity, identity}, kinds,
      [&](OpBuilder &b, Location loc, ValueRange values) {
        linalg::YieldOp::create(
            b, loc, createCombined(b, loc, kind, values[1], values[0]));
      });
}

/// Stores an element, or adds it to the one that is there.
void MemoryBuilder::storeElement(Location loc, Value value, Value target,
                                 ValueRange at, bool adds) {
  if (adds)
    value =
        createCombined(*this, loc, AtomicKind::Add,
                       memref::LoadOp::create(*this, loc, target, at), value);
  memref::StoreOp::create(*this, loc, value, target, at);
}

/// As JAX does for gathers: an index that is out of bounds names the nearest
/// element.
SmallVector<Value> MemoryBuilder::moveInside(Location loc, Value memory,
                                             ValueRange indices) {
  SmallVector<Value> inside;
  for (auto [d, place] : llvm::enumerate(indices)) {
    Value size = memref::DimOp::create(*this, loc, memory, d);
    Value last = arith::SubIOp::create(*this, loc, size, createIndex(loc, 1));
    inside.push_back(createClamped(*this, loc, place, last));
  }
  return inside;
}

Value MemoryBuilder::loadInside(Location loc, Value memory,
                                ValueRange indices) {
  // Where nothing is inside, nothing can be read.
  auto type = cast<MemRefType>(memory.getType());
  if (llvm::is_contained(type.getShape(), 0))
    return arith::ConstantOp::create(
        *this, loc, getUninitializedValue(type.getElementType()));
  return memref::LoadOp::create(*this, loc, memory,
                                moveInside(loc, memory, indices));
}

/// For checked code, which describes an element as a view of rank zero.
Value MemoryBuilder::createElement(Location loc, Value memory, ValueRange at) {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(at),
                            ones(type.getRank(), getIndexAttr(1));
  auto elementType = memref::SubViewOp::inferRankReducedResultType(
      {}, type, offsets, ones, ones);
  return memref::SubViewOp::create(*this, loc, cast<MemRefType>(elementType),
                                   memory, offsets, ones, ones);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A rank-reduced subview is ambiguous if the shape alone does not tell which
/// dimension was dropped, as with `[1, 1] -> [1]` and two different strides.
/// Then the dimensions are collapsed in a second step.
Value MemoryBuilder::createPart(Location loc, Value memory,
                                const Rectangle &part) {
  auto type = cast<MemRefType>(memory.getType());
  if (part.isAmbiguous() && !part.dropped.all()) {
    Value view = memref::SubViewOp::create(*this, loc, memory, part.offsets,
                                           part.sizes, part.strides);
    return memref::CollapseShapeOp::create(*this, loc, view, part.getGroups());
  }
  auto viewType = memref::SubViewOp::inferRankReducedResultType(
      part.getShape(), type, part.offsets, part.sizes, part.strides);
  return memref::SubViewOp::create(*this, loc, cast<MemRefType>(viewType),
                                   memory, part.offsets, part.sizes,
                                   part.strides);
}

Value MemoryBuilder::createInterior(Location loc, Value padded,
                                    ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> low) {
  SmallVector<int64_t> strides(shape.size(), 1);
  return memref::SubViewOp::create(*this, loc, padded, low, shape, strides);
}

/// A copy between views of different dynamic sizes moves what both have; more
/// would be written out of bounds.
std::pair<Value, Value> MemoryBuilder::getCommonPart(Location loc, Value source,
                                                     Value target) {
  auto sourceType = cast<MemRefType>(source.getType()),
       targetType = cast<MemRefType>(target.getType());
  if (sourceType.hasStaticShape() && targetType.hasStaticShape())
    return {source, target};
  int64_t rank = sourceType.getRank();
  SmallVector<OpFoldResult> offsets(rank, getIndexAttr(0)), sizes,
      strides(rank, getIndexAttr(1));
  for (int64_t d = 0; d < rank; ++d) {
    if (!sourceType.isDynamicDim(d) && !targetType.isDynamicDim(d)) {
      sizes.push_back(getIndexAttr(sourceType.getDimSize(d)));
      continue;
    }
    Value size = arith::MinSIOp::create(
        *this, loc, memref::DimOp::create(*this, loc, source, d),
        memref::DimOp::create(*this, loc, target, d));
    sizes.push_back(size);
  }
  return {
      memref::SubViewOp::create(*this, loc, source, offsets, sizes, strides),
      memref::SubViewOp::create(*this, loc, target, offsets, sizes, strides)};
}
