//===- Gemm.h - Matmul of 2-D memrefs --------------------------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_GEMM_GEMM_H
#define PALLAS_LIB_CPU_TRANSFORMS_GEMM_GEMM_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Target/Target.h"

namespace mlir::pallas::cpu {

/// How many steps along k a tile takes with its sums in registers.
constexpr int64_t stepsPerPass = 256;

/// Whether `op` is a matmul on memrefs, of any form.
bool isContraction(Operation *op);

/// C[m, n] += A[m, k] * B[k, n], where each matrix is a memref of static shape.
/// Elements of A and B are widened to those of C.
struct Gemm {
  Value a, b, c;
  /// Whether `a` is indexed [k, m], and `b` [n, k].
  bool transposeA = false, transposeB = false;
  /// Whether integers of `a` and `b` have no sign.
  bool unsignedA = false, unsignedB = false;
  int64_t m, n, k;
  /// Number of rows and columns of C that are used; null if all are.
  Value usedRows, usedColumns;
  /// Initial value of all elements of C; null to accumulate onto C.
  Value start;
  /// Where C is going to be copied to, if that is known.
  Value destination;
  /// Whether `a` and `b` are parts of arrays that nothing writes to, so that
  /// programs around this one may share packed copies of them.
  bool isConstantA = false, isConstantB = false;
};

/// Emits packing and register tiles. The last dimension of `c` is contiguous.
void emitGemm(RewriterBase &rewriter, Location loc, const Gemm &gemm,
              const Target &target);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_GEMM_GEMM_H
