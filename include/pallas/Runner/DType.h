//===- DType.h - Element types of buffers -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types that cross the border between compiled code and its caller.
// Like the dialect they say nothing of signedness: int8 and uint8 are both I8.
// Every element takes at least one byte; bool and int4 take exactly one.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_DTYPE_H
#define PALLAS_RUNNER_DTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir::pallas {

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

/// The element type of a buffer that holds values of `type`, if there is one.
std::optional<DType> getDType(Type type);

/// The name as MLIR spells it ("bf16", "f8E4M3FN", "i1").
StringRef stringifyDType(DType dtype);

/// Bytes that one element takes in memory.
unsigned getByteSize(DType dtype);

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_DTYPE_H
