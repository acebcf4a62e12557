//===- WhileLoops.h - Carried values of while loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_MEMORY_WHILELOOPS_H
#define PALLAS_LIB_CPU_TRANSFORMS_MEMORY_WHILELOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pallas {

/// Gives each value that the condition of a loop forwards the position of the
/// carried value whose memory it is in: bufferization pairs both by their
/// positions, and canonicalization drops results in between.
void alignWhileLoop(RewriterBase &rewriter, scf::WhileOp loop);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CPU_TRANSFORMS_MEMORY_WHILELOOPS_H
