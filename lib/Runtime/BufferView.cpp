//===- BufferView.cpp - Arrays that kernels read and write ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file names the element types that cross the border between compiled code
// and its caller, and knows their sizes.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/BufferView.h"

using namespace pallas_rt;

/// In the order of the enum. The names are those of MLIR, which the package
/// maps to those of NumPy.
StringRef pallas_rt::stringifyDType(DType dtype) {
  static constexpr const char *names[] = {"i1",
                                          "i2",
                                          "i4",
                                          "i8",
                                          "i16",
                                          "i32",
                                          "i64",
                                          "f4E2M1FN",
                                          "f6E2M3FN",
                                          "f6E3M2FN",
                                          "f8E3M4",
                                          "f8E4M3",
                                          "f8E4M3B11FNUZ",
                                          "f8E4M3FN",
                                          "f8E4M3FNUZ",
                                          "f8E5M2",
                                          "f8E5M2FNUZ",
                                          "f8E8M0FNU",
                                          "bf16",
                                          "f16",
                                          "f32",
                                          "f64"};
  return names[static_cast<unsigned>(dtype)];
}

/// Types of less than a byte take one: compiled code widens them, see
/// pallas-cpu-widen-memory.
unsigned pallas_rt::getByteSize(DType dtype) {
  switch (dtype) {
  case DType::I16:
  case DType::BF16:
  case DType::F16:
    return 2;
  case DType::I32:
  case DType::F32:
    return 4;
  case DType::I64:
  case DType::F64:
    return 8;
  default:
    return 1;
  }
}
