//===- TPUTypes.td - Types of the tpu dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUTYPES_TD
#define PALLAS_MOSAICTPU_TPUTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "pallas/Dialect/MosaicTPU/IR/TPUDialect.td"

class TPU_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TPU_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TPU_Semaphore : TPU_Type<"Semaphore", "semaphore",
                             [MemRefElementTypeInterface]> {
  let summary = "counting semaphore; lives in a memref";
}

def TPU_DMASemaphore : TPU_Type<"DMASemaphore", "dma_semaphore",
                                [MemRefElementTypeInterface]> {
  let summary = "semaphore that counts what DMAs have moved; lives in a memref";
}

def TPU_Float8EXMY : TPU_Type<"Float8EXMY", "float8_exmy",
    [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "float of at most 8 bits held in 8 bits";
  let parameters = (ins "::mlir::FloatType":$underlyingType);
  let assemblyFormat = "`<` $underlyingType `>`";
  let genVerifyDecl = 1;
}

#endif // PALLAS_MOSAICTPU_TPUTYPES_TD
