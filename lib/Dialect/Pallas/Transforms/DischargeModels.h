//===- DischargeModels.h - Rules by kind of operation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEMODELS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEMODELS_H

#include "mlir/IR/MLIRContext.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

namespace mlir::pallas {

void attachAccessModels(MLIRContext *context);
void attachAsyncModels(MLIRContext *context);
void attachCallModels(MLIRContext *context);
void attachControlFlowModels(MLIRContext *context);
void attachGPUModels(MLIRContext *context);
void attachMeshModels(MLIRContext *context);
void attachScopeModels(MLIRContext *context);

/// Lets a call or a mesh that stays take what captured refs hold as inputs, and
/// give back what its kernels leave in them. Returns the operation that it is
/// then.
FailureOr<Operation *> liftCaptures(Operation *op, DischargeState &state);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEMODELS_H
