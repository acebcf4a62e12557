//===- ElementLoops.h - Elements of tensors in shared memory ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of the target have operations that keep elements where they are, and
// reductions. Everything else goes through shared memory, element by element:
// each lane takes every 128th one.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_ELEMENTLOOPS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_ELEMENTLOOPS_H

#include "PackedElements.h"

namespace mlir::pallas {

/// Gives back the shared memory that was taken while it lives.
class ScratchScope {
public:
  explicit ScratchScope(KernelEmitter &emit)
      : emit(emit), count(emit.getNumScratch()) {}
  ~ScratchScope() { emit.releaseScratchTo(count); }

private:
  KernelEmitter &emit;
  size_t count;
};

/// The type that elements have in memory: booleans are bytes there. Other parts
/// of a byte are packed, as in the arrays that JAX passes.
Type getStoredType(Type element);
/// From the type of a value to the one that its elements have in memory, and
/// the way back; vectors and scalars alike.
Value toStored(KernelEmitter &emit, Value value, Type stored);
Value fromStored(KernelEmitter &emit, Value value, Type element);

/// A tensor whose elements are accessed one by one: a memref of its shape
/// without dimensions of size 1, or a scalar that all elements are equal to.
struct ElementArray {
  SmallVector<int64_t> shape;
  Type element;
  Value memref, scalar;
};

/// Memory of this warpgroup for a tensor.
ElementArray allocateElements(KernelEmitter &emit, ArrayRef<int64_t> shape,
                              Type element);
/// Writes the converted value of a tensor to memory, unless all elements are
/// equal. Loops over elements see it. What memory still holds is not written
/// again, except where it may be part of `written`, the memref that the loop
/// writes:
///   %v = pallas.get %r[...]; pallas.swap %r[gather(%i)], %v
ElementArray spillElements(KernelEmitter &emit, Value value,
                           ArrayRef<int64_t> shape, Value written = {});
FailureOr<ElementArray> spillElements(KernelEmitter &emit, Value source,
                                      Value written = {});
/// The part of an array that starts at `offsets`. Dimensions of size 1 go.
ElementArray selectPart(KernelEmitter &emit, const ElementArray &array,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<int64_t> shape);
/// A part of one element is a scalar, which no vector store takes.
void storePart(KernelEmitter &emit, const ElementArray &part, Value value);
/// The tensor as a vector, or as a scalar when it has one element.
Value loadVector(KernelEmitter &emit, const ElementArray &array);

/// The elements, in their order, as a vector of another shape, by way of
/// memory.
Value reshapeInMemory(KernelEmitter &emit, Value value, VectorType type);

Value loadElement(KernelEmitter &emit, const ElementArray &array,
                  ValueRange position);
void storeElement(KernelEmitter &emit, const ElementArray &array,
                  ValueRange position, Value value);

/// Runs `body` for each position in `shape`, with its indices. Lanes of the
/// warpgroup share the positions, in no order:
///   scf.for %i = %lane to %size step 128 { body(%i / .., %i % ..) }
/// The loop sees earlier writes, and later code those of the loop.
void forEachPosition(KernelEmitter &emit, ArrayRef<int64_t> shape,
                     function_ref<void(ValueRange)> body);

/// A loop of one lane from 0 to `size` that carries scalars.
SmallVector<Value>
forEachStep(KernelEmitter &emit, int64_t size, ValueRange carried,
            function_ref<SmallVector<Value>(Value, ValueRange)> body);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_ELEMENTLOOPS_H
