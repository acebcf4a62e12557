//===- BufferView.h - Arrays that kernels read and write --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays that cross the border between compiled code and its caller. Like
// the dialect, their element types have no signedness: int8 and uint8
// are both I8. Every element takes at least one byte; bool and int4 take
// exactly one.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_BUFFERVIEW_H
#define PALLAS_RUNTIME_BUFFERVIEW_H

#include "pallas/Runtime/LLVM.h"
#include <cstdint>

namespace pallas_rt {

enum class DType : uint8_t {
  I1,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3B11FNUZ,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  F64
};

/// The name as MLIR spells it ("bf16", "f8E4M3FN", "i1").
StringRef stringifyDType(DType dtype);

/// Bytes that one element takes in memory.
unsigned getByteSize(DType dtype);

/// A dense row-major array that the caller owns. A scalar has an empty shape.
struct BufferView {
  void *data = nullptr;
  DType dtype = DType::F32;
  ArrayRef<int64_t> shape;
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_BUFFERVIEW_H
