//===- Hints.h - What accesses keep for the compiler ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discardable attributes by which an operation of another dialect keeps what
// only the compiler for GPUs reads. Without them a kernel computes the same.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_IR_HINTS_H
#define PALLAS_DIALECT_MOSAICGPU_IR_HINTS_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::mosaic_gpu {

/// `optimized` of the load or store that an access becomes.
inline constexpr llvm::StringLiteral kOptimizedHint = "mosaic_gpu.optimized";
/// `oob_fill_mode` of the copy. All modes allow zeros, which are the default;
/// others let the compiler copy without a descriptor.
inline constexpr llvm::StringLiteral kOOBFillModeHint =
    "mosaic_gpu.oob_fill_mode";

/// Reports a hint whose value is none that it may have.
LogicalResult verifyHint(Operation *op, StringRef name, Attribute value);

/// The hint of this name, null where there is none. Modules whose dialects were
/// loaded late have not been verified yet.
template <typename AttrT>
FailureOr<AttrT> getHint(Operation *op, StringRef name) {
  Attribute hint = op->getDiscardableAttr(name);
  if (hint && failed(verifyHint(op, name, hint)))
    return failure();
  return cast_or_null<AttrT>(hint);
}

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_IR_HINTS_H
