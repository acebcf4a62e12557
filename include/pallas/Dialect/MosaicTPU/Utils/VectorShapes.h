//===- VectorShapes.h - Moving elements within vectors ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler refuses many shapes that these operations could have. Each
// function here takes any shape and finds steps that are accepted.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_VECTORSHAPES_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_VECTORSHAPES_H

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"

namespace mlir::tpu {

/// The same elements, in order, under another shape; none means a scalar.
Value reshapeVector(Emitter &emit, Value value, ArrayRef<int64_t> shape);

/// One element as a scalar.
Value extractElement(Emitter &emit, Value value, ArrayRef<int64_t> position);

/// The same numbers in 32 bits, for operations that exist in this width only,
/// and back.
Value widen(Emitter &emit, Value value);
Value narrow(Emitter &emit, Value value, Type element);
/// The same value, such that the compiler joins what comes before and after it
/// no more.
Value keepApart(Emitter &emit, Value value);

/// Appends zeros along `dim` until it has `size` elements.
Value padTo(Emitter &emit, Value value, int64_t dim, int64_t size);

/// Element `start + k` along `dim` comes to `k`; what follows the last one is
/// undefined.
Value rotateToFront(Emitter &emit, Value value, Value start, int64_t dim);
/// Element `k` comes to `start + k` of a vector with `size` elements along
/// `dim`; the other elements are undefined.
Value rotateFromFront(Emitter &emit, Value value, Value start, int64_t dim,
                      int64_t size);

/// Elements 0, stride, 2 * stride, ... along `dim`.
Value takeEveryNth(Emitter &emit, Value value, int64_t dim, int64_t stride);
/// Element `k` comes to `k * stride`; the others are undefined.
Value spreadEveryNth(Emitter &emit, Value value, int64_t dim, int64_t stride);

/// `value` under another shape, if it is a broadcast whose repeated elements
/// are side by side there; null otherwise.
Value joinRepeated(Emitter &emit, Value value, ArrayRef<int64_t> shape);

/// `result[.., k, ..] = value[.., indices[.., k, ..], ..]`, where the indices
/// are in bounds.
Value takeAlong(Emitter &emit, Value value, Value indices, int64_t dim);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_VECTORSHAPES_H
