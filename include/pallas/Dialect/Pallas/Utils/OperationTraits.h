//===- OperationTraits.h - Traits by dialect --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_OPERATIONTRAITS_H
#define PALLAS_DIALECT_PALLAS_UTILS_OPERATIONTRAITS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::pallas {

/// All operations of these dialects are pure, and all but constants are
/// elementwise:
///
///   %0 = arith.addf %x, %y : tensor<8x128xf32>
///
/// They are most of a kernel, and each question for a trait or an interface
/// takes hundreds of instructions.
inline bool isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

inline bool hasNoEffects(Operation *op) {
  return isArithmetic(op) || isMemoryEffectFree(op);
}

inline bool isElementwise(Operation *op) {
  return isArithmetic(op) ? !isa<arith::ConstantOp>(op)
                          : OpTrait::hasElementwiseMappableTraits(op);
}

/// Visits the operations of a region, outer ones first, until a visit
/// interrupts. An upstream walk spends a hundred instructions on an operation
/// without regions. Visits must not erase operations.
template <typename Visit>
WalkResult visitOperations(Region &region, const Visit &visit) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (visit(&op).wasInterrupted())
        return WalkResult::interrupt();
      for (Region &nested : op.getRegions())
        if (visitOperations(nested, visit).wasInterrupted())
          return WalkResult::interrupt();
    }
  return WalkResult::advance();
}

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_OPERATIONTRAITS_H
