//===- MosaicGPUOpBase.td - What all ops share -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_OPBASE_TD
#define PALLAS_MOSAICGPU_OPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUAttributes.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUTypes.td"

class MosaicGPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<MosaicGPU_Dialect, mnemonic, traits>;

/// An operation whose results follow from its operands and attributes.
defvar MosaicGPU_Infers = DeclareOpInterfaceMethods<InferTypeOpInterface>;

/// One barrier, not an array of them.
defvar MosaicGPU_BarrierRef = MemRefRankOf<[MosaicGPU_Barrier], [0]>;

/// A scalar index, or a vector of them to gather by.
def MosaicGPU_CopyIndex
    : AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32, I16, I8]>],
                "i32, or vector of rank 1 of i32, i16 or i8">;

/// A copy is done by one lane, when the predicate holds.
defvar MosaicGPU_Predicate = Optional<I1>;

defvar MosaicGPU_Vector = AnyFixedVectorOfNonZeroRank;
defvar MosaicGPU_Matrix = MemRefRankOf<[AnyType], [2]>;
defvar MosaicGPU_Dimensions =
    TypedArrayAttrBase<MosaicGPU_Dimension, "dimensions of the cluster">;
defvar MosaicGPU_False = DefaultValuedAttr<BoolAttr, "false">;

/// Tells allocations apart that use the same bytes. An i32 until 0.10.2.
def MosaicGPU_AliasId : OptionalAttr<AnyAttrOf<[I32Attr, I64Attr]>>;

#endif // PALLAS_MOSAICGPU_OPBASE_TD
