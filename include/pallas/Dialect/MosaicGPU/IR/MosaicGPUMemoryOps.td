//===- MosaicGPUMemoryOps.td - Shared memory ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_MEMORYOPS_TD
#define PALLAS_MOSAICGPU_MEMORYOPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

def MosaicGPU_SliceSMEMOp : MosaicGPU_Op<"slice_smem", [Pure]> {
  let summary = "memref at an offset of the block's dynamic shared memory";
  let description = [{
    The offset counts bytes. Memrefs of one `alias_id` have one layout.

    ```mlir
    %0 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<64x128xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$offset,
                       MosaicGPU_AliasId:$alias_id);
  let results = (outs AnyMemRef:$result);
}

def MosaicGPU_WithTransformsOp
    : MosaicGPU_Op<"with_transforms", [Pure, SameOperandsAndResultType]> {
  let summary = "declares how a memref in shared memory is tiled and swizzled";
  let description = [{
    ```mlir
    %0 = "mosaic_gpu.with_transforms"(%smem) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x128xbf16, #gpu.address_space<workgroup>>) -> memref<64x128xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins AnyMemRef:$ref, ArrayAttr:$transforms);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def MosaicGPU_ReinterpretCastOp : MosaicGPU_Op<"reinterpret_cast", [Pure]> {
  let summary = "the same elements with another shape and strides";
  let description = [{
    ```mlir
    %0 = "mosaic_gpu.reinterpret_cast"(%smem) : (memref<1x64x128xbf16, #gpu.address_space<workgroup>>) -> memref<64x128xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def MosaicGPU_GetClusterRefOp : MosaicGPU_Op<"get_cluster_ref", [
    Pure, AttrSizedOperandSegments, MosaicGPU_Infers]> {
  let summary = "a memref of another block of the cluster";
  let description = [{
    ```mlir
    %0 = "mosaic_gpu.get_cluster_ref"(%smem, %x) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<64x128xf32, #gpu.address_space<workgroup>>, i32) -> memref<64x128xf32, #mosaic_gpu.smem_cluster>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Optional<I32>:$x, Optional<I32>:$y,
                       Optional<I32>:$z);
  let results = (outs AnyMemRef:$result);
}

def MosaicGPU_AllocSmemOp : MosaicGPU_Op<"alloc_smem"> {
  let summary = "buffer that lives as long as the alloca_scope (since 0.12)";
  let arguments = (ins OptionalAttr<I64Attr>:$alignment);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICGPU_MEMORYOPS_TD
