//===- Cumulative.h - Running combinations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_CUMULATIVE_H
#define PALLAS_DIALECT_PALLAS_IR_CUMULATIVE_H

#include "pallas/Dialect/Pallas/IR/PallasAttributes.h"

namespace mlir::pallas {

/// The combination that runs; none for logsumexp, which is two operations.
std::optional<CombiningKind> getCombiningKind(CumulativeKind kind);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_CUMULATIVE_H
