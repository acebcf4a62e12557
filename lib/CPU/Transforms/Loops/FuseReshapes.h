//===- FuseReshapes.h - Fusion across changes of shape ---------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_FUSERESHAPES_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_FUSERESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas::cpu {

/// Gives concatenations of single elements the general form.
void fuseShortRows(RewriterBase &rewriter, Operation *root);

/// Gives elementwise operations the shape in which their operands are computed.
LogicalResult fuseReshapes(Operation *root);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_FUSERESHAPES_H
