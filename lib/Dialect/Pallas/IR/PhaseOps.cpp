//===- PhaseOps.cpp - Phases of barriers by parity ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasPhaseOps.h"

using namespace mlir;
using namespace mlir::pallas;

LogicalResult BarrierWaitParityOp::verify() {
  RefType type = getBarrier().getType();
  // V15
  if (type.getRank() == 0)
    return success();
  return emitOpError() << "barrier must be a single one, but has type " << type
                       << "; select one with pallas.slice_ref";
}

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasPhaseOps.cpp.inc"
