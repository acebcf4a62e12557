//===- Target.h - What the code generator knows of the CPU ------*- C++ -*-===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_TARGET_H
#define PALLAS_LIB_CPU_TRANSFORMS_TARGET_H

#include "mlir/Support/LLVM.h"

namespace mlir::pallas::cpu {

struct Target {
  /// Width of the vector registers.
  int64_t vectorBits = 128;
  /// AVX-512: multiplication with powers of two, and more.
  bool hasScale = false;
  /// AVX512-DQ: distances from integers.
  bool hasReduce = false;
  /// AVX512-BF16: sums of two products of bf16 in f32.
  bool hasBF16Dot = false;
  /// AVX512-VNNI: sums of four products of i8 in i32.
  bool hasInt8Dot = false;
};

/// `vectorBits` of 0 and `features` of "host" ask the machine that this runs
/// on; other features are names of LLVM with commas between.
Target getTarget(int64_t vectorBits, StringRef features);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_TARGET_H
