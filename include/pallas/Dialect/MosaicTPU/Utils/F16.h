//===- F16.h - 16-bit IEEE floats -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No TPU computes on f16. Memory holds the bits as i16, registers hold the
// numbers as f32, and what is computed is rounded to f16 each time.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_F16_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_F16_H

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"

namespace mlir::tpu {

/// The numbers that i16 values are the bits of, as f32.
Value halfBitsToFloat(Emitter &emit, Value bits);
/// The bits of the nearest f16 numbers, as i16.
Value floatToHalfBits(Emitter &emit, Value value);
/// The nearest f16 numbers, as f32.
Value roundToHalf(Emitter &emit, Value value);
/// A bitcast from f16, to f16, or both; `element` is that of the result.
Value castHalfBits(Emitter &emit, Value value, bool fromHalf, bool toHalf,
                   Type element);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_F16_H
