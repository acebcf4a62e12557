//===- ScopedBuffer.cpp - A value in memory for a while -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors are in registers, which can't be indexed by a value along a leading
// dimension. A buffer in VMEM can.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tpu;

Value tpu::createVmemBuffer(Emitter &emit, VectorType type) {
  auto space = tpu::MemorySpaceAttr::get(emit.getBuilder().getContext(),
                                         tpu::MemorySpace::Vmem);
  return emit.create<memref::AllocaOp>(
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space));
}

/// Opens a region with the buffer, so that its memory is free behind `finish`:
///
///   %r = "tpu.region"() ({
///     %0 = memref.alloca() : memref<64x8x128xf32, #tpu.memory_space<vmem>>
///     tpu.vector_store %0[%c0, %c0, %c0], %v
///     ...
///     tpu.yield %result
///   })
ScopedBuffer::ScopedBuffer(Emitter &emit, Value value, int64_t dim, Type result)
    : emit(emit), guard(emit.getBuilder()),
      type(cast<VectorType>(value.getType())), dim(dim) {
  OpBuilder &builder = emit.getBuilder();
  region = emit.create<tpu::RegionOp>(TypeRange(result));
  builder.createBlock(&region.getRegion());
  buffer = createVmemBuffer(emit, type);
  emit.create<tpu::VectorStoreOp>(value, buffer, getPlace(emit.i32(0)),
                                  Value());
}

SmallVector<Value> ScopedBuffer::getPlace(Value at) {
  SmallVector<Value> place(type.getRank(), emit.index(0));
  place[dim] = emit.toIndex(at);
  return place;
}

/// One slice of the dimension, at a place that may be a value.
Value ScopedBuffer::load(Value at) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  return emit.create<vector::LoadOp>(
      VectorType::get(shape, type.getElementType()), buffer, getPlace(at));
}

void ScopedBuffer::store(Value part, Value at) {
  emit.create<tpu::VectorStoreOp>(part, buffer, getPlace(at), Value());
}

Value ScopedBuffer::loadAll() {
  return emit.create<vector::LoadOp>(type, buffer, getPlace(emit.i32(0)));
}

/// Ends the region; its result is visible behind it.
Value ScopedBuffer::finish(Value value) {
  emit.create<tpu::YieldOp>(ValueRange(value));
  return region->getResult(0);
}
