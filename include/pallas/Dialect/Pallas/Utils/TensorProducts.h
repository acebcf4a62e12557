//===- TensorProducts.h - What products in tensor memory mean ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_TENSORPRODUCTS_H
#define PALLAS_DIALECT_PALLAS_UTILS_TENSORPRODUCTS_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The value that a copy writes to tensor memory of type `target`, from what it
/// reads.
Value arrangeTensorCopy(OpBuilder &builder, Location loc, TensorCopyKind kind,
                        Value source, RankedTensorType target);

/// The operands of a product as tensors. Scales and metadata may be null.
struct ProductFactors {
  Value lhs, rhs, lhsScale, rhsScale, lhsMetadata;
};

/// The operands of a plain product of the same result: zeros that a sparse lhs
/// leaves out are in it, and scales are multiplied with.
LogicalResult spellOutFactors(OpBuilder &builder, Location loc,
                              ProductFactors &factors);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_TENSORPRODUCTS_H
