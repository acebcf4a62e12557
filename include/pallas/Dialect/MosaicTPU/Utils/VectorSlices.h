//===- VectorSlices.h - Parts of vectors at computed places -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_VECTORSLICES_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_VECTORSLICES_H

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"

namespace mlir::tpu {

/// The first element of a slice along one dimension.
struct SliceStart {
  int64_t constant = 0;
  Value dynamic;
};

/// A part of a vector. Starts that lead out of bounds are moved into them.
Value extractPart(Emitter &emit, Value value, ArrayRef<SliceStart> starts,
                  ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides);

/// `dest` with the elements of `source` at these places. Starts as above.
Value insertPart(Emitter &emit, Value source, Value dest,
                 ArrayRef<SliceStart> starts, ArrayRef<int64_t> strides);

Value reverse(Emitter &emit, Value value, int64_t dim);

/// Element `k` comes to `(k + shift) mod size`.
Value roll(Emitter &emit, Value value, Value shift, int64_t dim);

/// The same, where row `r` of `strideDim` moves by `stride * r` more.
Value rollStrided(Emitter &emit, Value value, Value shift, int64_t dim,
                  int64_t stride, int64_t strideDim);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_VECTORSLICES_H
