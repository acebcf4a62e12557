//===- StepOperationCost.h - Work of one operation of a kernel --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPOPERATIONCOST_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPOPERATIONCOST_H

#include "../Memory/TargetUtils.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Whether all tensors have sizes, and elements that TPUs compute with.
bool hasKnownShapes(Operation *op);

/// Whether the name and the types of an operation tell its cost: constants and
/// elementwise operations.
bool isPriced(Operation *op);

/// The sizes of the matmul that lowering makes of a contraction.
tpu::MatmulShape getMatmulShape(DotGeneralOp op);

/// The work of an operation, and how the schedule of its block waits for it.
tpu::OperationCost getStepOperationCost(Operation *op, const TPUChip &chip);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_STEPOPERATIONCOST_H
