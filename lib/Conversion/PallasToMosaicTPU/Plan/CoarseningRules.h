//===- CoarseningRules.h - Joins of steps that TPUs have forms for -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGRULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGRULES_H

#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Divisors of a size, each a multiple of the one before, so that no step has
/// fewer parts than others.
SmallVector<int64_t> getLadder(int64_t size);

/// Whether the compiler for TPUs has good forms for the blocks and the loop
/// that joined steps need.
bool isGoodJoin(GridMappingOpInterface grid, const StepJoin &join);

/// Whether the parts of a step run in a loop.
bool hasLoopOverParts(ArrayRef<StepJoin> joins, ArrayRef<int64_t> factors);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_COARSENINGRULES_H
