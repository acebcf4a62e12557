//===- PallasOps.h - Operations of the pallas dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASOPS_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

namespace mlir::pallas {

/// The state of the device that operations access without a ref.
struct DeviceResource : SideEffects::Resource::Base<DeviceResource> {
  StringRef getName() final { return "pallas.device"; }
};
struct PipelineResource : SideEffects::Resource::Base<PipelineResource> {
  StringRef getName() final { return "pallas.pipeline"; }
};
struct PRNGResource : SideEffects::Resource::Base<PRNGResource> {
  StringRef getName() final { return "pallas.prng"; }
};

} // namespace mlir::pallas

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasOps.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASOPS_H
