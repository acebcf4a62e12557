//===- TPUOpBase.td - What all ops share -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUOPBASE_TD
#define PALLAS_MOSAICTPU_TPUOPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "pallas/Dialect/MosaicTPU/IR/TPUAttributes.td"
include "pallas/Dialect/MosaicTPU/IR/TPUTypes.td"

class TPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<TPU_Dialect, mnemonic, traits>;

/// A vector in registers: rank 0 is a plain scalar instead.
defvar TPU_Vreg = AnyVectorOfNonZeroRank;
class TPU_VregOf<list<Type> types> : VectorOfNonZeroRankOf<types>;

def TPU_SemMemRef : MemRefOf<[TPU_Semaphore]>;
def TPU_DMASemMemRef : MemRefOf<[TPU_DMASemaphore]>;
def TPU_AnySemMemRef : MemRefOf<[TPU_Semaphore, TPU_DMASemaphore]>;

def TPU_IndexOrInteger : AnyTypeOf<[Index, AnyInteger], "index or integer">;

#endif // PALLAS_MOSAICTPU_TPUOPBASE_TD
