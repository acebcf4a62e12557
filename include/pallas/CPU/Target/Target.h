//===- Target.h - The CPU that code is made for -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a code generator wants to know of a CPU follows from its
// name, here and nowhere else: the width of vectors, the instructions that
// passes choose, and the features that LLVM gets.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CPU_TARGET_TARGET_H
#define PALLAS_CPU_TARGET_TARGET_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::pallas::cpu {

struct Target {
  llvm::Triple triple;
  /// LLVM's name of the CPU, never `native`.
  std::string cpu;
  /// Features that this CPU has beyond its name, or lacks, as `+a,-b`. Machines
  std::string features;

  /// Width and number of the vector registers.
  int64_t vectorBits = 128;
  int64_t numVectorRegisters = 16;
  /// The size of the second cache, as most CPUs with such registers have it.
  int64_t secondCacheBytes = 512 * 1024;
  /// Sums of products that are rounded once.
  bool hasFMA = false;
  /// Conversions between f16 and f32.
  bool hasF16Conversion = false;
  /// AVX-512: multiplication with powers of two, and more.
  bool hasScale = false;
  /// AVX512-DQ: distances from integers.
  bool hasReduce = false;
  /// Intrinsics for whole registers, where the CPU has them: sums of two
  /// products of bf16 in f32, and of four of i8 in i32.
  StringRef bf16Dot, int8Dot;
  /// The same for two products of i16 in i32, which takes no sum to add to.
  StringRef int16Dot;
  /// Whether the first operand of `int8Dot` is unsigned.
  bool int8DotIsMixed = false;
};

/// The environment variable that names the CPU where no option does.
inline constexpr llvm::StringLiteral cpuVariable = "PALLAS_CPU";

/// Resolves a name of a CPU: "" is that of the environment, or `native`.
std::string getNameOfCPU(StringRef cpu);

/// The target of LLVM's name of a CPU, or of `native` for this machine; "" as
/// in `getNameOfCPU`. The features are those beside the name's.
llvm::Expected<Target> getTarget(StringRef cpu, StringRef features = "");

/// The same for passes: what is wrong becomes a diagnostic.
LogicalResult getTarget(MLIRContext *context, StringRef cpu, Target &target);

/// An error that names what this machine lacks if it can't run code for
/// `target`.
llvm::Error checkRunsHere(const Target &target);

} // namespace mlir::pallas::cpu

#endif // PALLAS_CPU_TARGET_TARGET_H
