//===- ShareColumns.h - Strips of columns for several loops -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SHARECOLUMNS_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SHARECOLUMNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Target/Target.h"

namespace mlir::pallas::cpu {

/// Lets operations that reduce columns, and others on the same columns, go
/// through strips of them that fit in a cache.
void shareColumns(RewriterBase &rewriter, func::FuncOp func,
                  const Target &target);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_SHARECOLUMNS_H
