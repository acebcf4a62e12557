//===- LoopGroups.h - Runs of loops that may change places ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPGROUPS_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPGROUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::pallas::cpu {

/// One way in which a linalg operation touches memory. `map` is null where the
/// indices are computed in the body.
struct MemoryUse {
  Value memory, root;
  AffineMap map;
  bool reads, writes;
};

/// Elementwise operations and reductions that follow each other. Operations in
/// between that touch no memory have been moved in front.
struct LoopRun {
  SmallVector<linalg::LinalgOp> ops;
};

/// The memory that `memory` is a part of, if it is known to overlap nothing
/// else; null otherwise.
Value getRootMemory(Value memory);

/// The operation in front of `op`, but for those that touch no memory.
Operation *getPreviousEffect(Operation *op);

/// How `op` touches memory; nothing if that can't be told.
FailureOr<SmallVector<MemoryUse>> getMemoryUses(linalg::LinalgOp op);

/// Gives copies of memory the general form.
void generalizeCopies(RewriterBase &rewriter, func::FuncOp func);

/// Gives copies of memory the general form, and returns the runs of `func`.
SmallVector<LoopRun> collectRuns(RewriterBase &rewriter, func::FuncOp func);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPGROUPS_H
