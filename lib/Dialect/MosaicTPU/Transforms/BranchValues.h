//===- BranchValues.h - What branches yield ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICTPU_TRANSFORMS_BRANCHVALUES_H
#define PALLAS_LIB_DIALECT_MOSAICTPU_TRANSFORMS_BRANCHVALUES_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::tpu {

/// Lets branches yield values from outside where the compiler would find that
/// they are. Returns how many conditionals it changed by moving operations.
unsigned settleBranchValues(Operation *root);

} // namespace mlir::tpu

#endif // PALLAS_LIB_DIALECT_MOSAICTPU_TRANSFORMS_BRANCHVALUES_H
