//===- Canonicalization.h - Patterns that files share -----------*- C++ -*-===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_CANONICALIZATION_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_CANONICALIZATION_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas {

/// Adds the patterns that take operands away which `Op` does not use, or which
/// it takes twice. There are instances for `pallas_call`, `mpmd_map` and
/// `emit_pipeline`.
template <typename Op> void addOperandPatterns(RewritePatternSet &patterns);

/// Adds the patterns of semaphores, barriers and copies.
void addAsyncPatterns(RewritePatternSet &patterns);

/// Adds the patterns of ids of programs.
void addGridPatterns(RewritePatternSet &patterns);

/// Adds the patterns of `run_state`.
void addStatePatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_CANONICALIZATION_H
