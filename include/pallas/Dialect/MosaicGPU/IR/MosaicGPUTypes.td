//===- MosaicGPUTypes.td - Types of the dialect ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_TYPES_TD
#define PALLAS_MOSAICGPU_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUDialect.td"

class MosaicGPU_Type<string name, string typeMnemonic>
    : TypeDef<MosaicGPU_Dialect, name, [MemRefElementTypeInterface]> {
  let mnemonic = typeMnemonic;
}

def MosaicGPU_Barrier : MosaicGPU_Type<"Barrier", "barrier"> {
  let summary = "barrier";
  let description = [{
    An mbarrier lives in a memref in shared memory, where it takes 8 bytes. With `orders_tensor_core` an arrival also orders accesses of tensor memory,
    and one lane of a warpgroup arrives for all.

    ```mlir
    memref<4x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$orders_tensor_core);
  let assemblyFormat = [{
    (`<` `orders_tensor_core` `=` $orders_tensor_core^ `>`)?
  }];
}

class MosaicGPU_SixBitType<string name, string mnemonic>
    : MosaicGPU_Type<name, mnemonic> {
  let parameters = (ins "::mlir::Type":$element_type);
  let assemblyFormat = "`<` $element_type `>`";
  let genVerifyDecl = 1;
}

def MosaicGPU_B6x16P32 : MosaicGPU_SixBitType<"B6x16P32", "b6x16_p32"> {
  let summary = "16 elements of 6 bits and 32 bits of padding (since 0.12)";
}

def MosaicGPU_P2B6 : MosaicGPU_SixBitType<"P2B6", "p2b6"> {
  let summary = "an element of 6 bits in the low bits of a byte (since 0.12)";
}

#endif // PALLAS_MOSAICGPU_TYPES_TD
