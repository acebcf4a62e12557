//===- PallasBase.td - Base of the pallas operations -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_BASE_TD
#define PALLAS_BASE_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "pallas/Dialect/Pallas/IR/PallasAttributes.td"
include "pallas/Dialect/Pallas/IR/PallasInterfaces.td"
include "pallas/Dialect/Pallas/IR/PallasTypes.td"

class Pallas_Op<string mnemonic, list<Trait> traits = []>
    : Op<Pallas_Dialect, mnemonic, traits>;

/// An operation on values, whichever table declares it.
class Pallas_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Pallas_Op<mnemonic, !listconcat([Pure], traits)>;
def Pallas_FloatValue : AnyTypeOf<[RankedTensorOf<[AnyFloat]>, AnyFloat],
                                  "float or tensor of floats">;

/// Effects that no single ref shows: semaphores of other devices, time, the
/// screen. They keep such operations in order among themselves.
def Pallas_DeviceResource : Resource<"::mlir::pallas::DeviceResource">;
def Pallas_PipelineResource : Resource<"::mlir::pallas::PipelineResource">;
def Pallas_PRNGResource : Resource<"::mlir::pallas::PRNGResource">;

#endif // PALLAS_BASE_TD
