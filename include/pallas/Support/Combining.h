//===- Combining.h - Kinds of combinations and where they start -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_COMBINING_H
#define PALLAS_SUPPORT_COMBINING_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::pallas {

/// The kind as arith has it, which tells sums and products of floats from those
/// of integers.
arith::AtomicRMWKind getArithKind(vector::CombiningKind kind, Type element);

/// The element that changes no other one when it is combined: upstream's, but
/// for these:
/// - Sums of floats start from +0, as XLA's do, so that a sum of -0 is +0;
///   upstream has -0.
/// - Xor has 0; upstream has none.
/// - In a type without infinities, extremes start from the largest number.
TypedAttr getNeutralElement(vector::CombiningKind kind, Type element);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_COMBINING_H
