//===- KernelAttributes.h - Attributes around kernels -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_IR_KERNELATTRIBUTES_H
#define PALLAS_DIALECT_MOSAICTPU_IR_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tpu {

/// Module attribute that describes how a kernel module is called: a dictionary
/// with `operands` and `results` (tensor types) and any of
/// `aliases` (pairs), `operand_spaces`, `result_spaces`, `allow_input_fusion`,
/// `side_effects`, `cost_estimate`, `vmem_limit_bytes`, `collective_id`, ...
inline constexpr llvm::StringLiteral kCallAttrName = "tpu.custom_call";

/// Attribute of the function declaration through which the host calls a kernel:
/// the name of the kernel's module.
inline constexpr llvm::StringLiteral kKernelAttrName = "tpu.kernel";

/// Module attribute of a kernel on its way to the compiler: the chip that it is
/// for. The last pass takes it away.
inline constexpr llvm::StringLiteral kTargetAttrName = "tpu.target";

/// Entry of the call for kernels on SparseCores: the tiles of their arrays in
/// HBM, and its two values. Compact tiles are those of the TensorCore, so
/// arrays need no copy between the cores.
inline constexpr llvm::StringLiteral kSparseCoreTilingName =
    "sparse_core_tiling";
inline constexpr llvm::StringLiteral kCompactTiling = "TILING_COMPACT";
inline constexpr llvm::StringLiteral kSparseCoreTiling = "TILING_SPARSE_CORE";

/// Attributes of scf.for on SparseCores: the compiler may overlap iterations,
/// and this many of them at a time are worth it.
inline constexpr llvm::StringLiteral kParallelAccessAttrName =
    "sc.parallel_access";
inline constexpr llvm::StringLiteral kUnrollFactorAttrName =
    "sc.loop_unroll_factor";

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_IR_KERNELATTRIBUTES_H
