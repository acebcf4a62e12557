//===- DType.cpp - Element types of buffers -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file maps types of MLIR to the element types of buffers.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runner/DType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

/// Other widths have no type in NumPy.
static std::optional<DType> getIntegerDType(unsigned width) {
  switch (width) {
  case 1:
    return DType::I1;
  case 2:
    return DType::I2;
  case 4:
    return DType::I4;
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<DType> pallas::getDType(Type type) {
  using Result = std::optional<DType>;
  return llvm::TypeSwitch<Type, Result>(type)
      .Case<IntegerType>(
          [](IntegerType t) { return getIntegerDType(t.getWidth()); })
      .Case<IndexType>([](Type) { return DType::I64; })
      // Semaphores are counts.
      .Case<SemaphoreType, DMASemaphoreType, BarrierSemaphoreType>(
          [](Type) { return DType::I32; })
      .Case<Float4E2M1FNType>([](Type) { return DType::F4E2M1FN; })
      .Case<Float6E2M3FNType>([](Type) { return DType::F6E2M3FN; })
      .Case<Float6E3M2FNType>([](Type) { return DType::F6E3M2FN; })
      .Case<Float8E3M4Type>([](Type) { return DType::F8E3M4; })
      .Case<Float8E4M3Type>([](Type) { return DType::F8E4M3; })
      .Case<Float8E4M3B11FNUZType>([](Type) { return DType::F8E4M3B11FNUZ; })
      .Case<Float8E4M3FNType>([](Type) { return DType::F8E4M3FN; })
      .Case<Float8E4M3FNUZType>([](Type) { return DType::F8E4M3FNUZ; })
      .Case<Float8E5M2Type>([](Type) { return DType::F8E5M2; })
      .Case<Float8E5M2FNUZType>([](Type) { return DType::F8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](Type) { return DType::F8E8M0FNU; })
      .Case<BFloat16Type>([](Type) { return DType::BF16; })
      .Case<Float16Type>([](Type) { return DType::F16; })
      .Case<Float32Type>([](Type) { return DType::F32; })
      .Case<Float64Type>([](Type) { return DType::F64; })
      .Default([](Type) { return std::nullopt; });
}
