//===- SplitParts.h - Operations on arrays of several parts -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SPLITPARTS_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SPLITPARTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas::cpu {

/// Concatenates before dimensions are collapsed, so that no part is copied into
/// the collapsed shape first.
void concatenateBeforeCollapse(RewriterBase &rewriter, Operation *root);

/// Splits elementwise operations on concatenated tensors into one per part.
void splitParts(RewriterBase &rewriter, Operation *root);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SPLITPARTS_H
