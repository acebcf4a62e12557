//===- SplitConditions.h - Branches of the first and last part --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_SPLITCONDITIONS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_SPLITCONDITIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"

namespace mlir::pallas {

/// Moves branches that only the first part of a step takes in front of the loop
/// over parts, and those of the last one behind it, where they leave the order
/// of accesses as it is. Branches that all steps take then lose their
/// condition. The grid still has its old size. Returns how many moved.
unsigned splitConditions(GridMappingOpInterface grid, const StepJoin &join,
                         scf::ForOp loop);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_SPLITCONDITIONS_H
