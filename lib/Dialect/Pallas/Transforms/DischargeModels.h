//===- DischargeModels.h - Rules by kind of operation -----------*- C++ -*-===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEMODELS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEMODELS_H

#include "mlir/IR/MLIRContext.h"

namespace mlir::pallas {

void attachAccessModels(MLIRContext *context);
void attachAsyncModels(MLIRContext *context);
void attachCallModels(MLIRContext *context);
void attachControlFlowModels(MLIRContext *context);
void attachGPUModels(MLIRContext *context);
void attachMeshModels(MLIRContext *context);
void attachScopeModels(MLIRContext *context);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEMODELS_H
