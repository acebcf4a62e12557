//===- MosaicGPUTensorMemoryOps.td - Tensor memory ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_TENSORMEMORYOPS_TD
#define PALLAS_MOSAICGPU_TENSORMEMORYOPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

def MosaicGPU_TmemAllocOp : MosaicGPU_Op<"tmem_alloc"> {
  let summary = "allocates columns of tensor memory (Blackwell)";
  let description = [{
    The address is written to `smem_ptr`. With `packing` 32 bits of a column hold
    as many elements as fit.

    ```mlir
    %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 2 : i32} -> memref<128x128xbf16, #mosaic_gpu.tmem>
    ```
  }];
  let arguments = (ins
    MemRefRankOf<[I32], [0]>:$smem_ptr, MosaicGPU_False:$collective,
    DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$packing);
  let results = (outs MosaicGPU_Matrix:$result);
  let assemblyFormat = [{
    `smem_ptr` `(` $smem_ptr `:` type($smem_ptr) `)` attr-dict `->`
        type($result)
  }];
  let hasVerifier = 1;
}

def MosaicGPU_TmemRelinquishAllocPermitOp
    : MosaicGPU_Op<"tmem_relinquish_alloc_permit"> {
  let summary = "allocates no more tensor memory";
  let arguments = (ins MosaicGPU_False:$collective);
}

def MosaicGPU_TmemDeallocOp : MosaicGPU_Op<"tmem_dealloc"> {
  let summary = "frees tensor memory";
  let description = [{
    ```mlir
    mosaic_gpu.tmem_dealloc tmem_ref(%0 : memref<128x128xf32, #mosaic_gpu.tmem>)
    ```
  }];
  let arguments = (ins MosaicGPU_Matrix:$tmem_ref);
  let assemblyFormat = "`tmem_ref` `(` $tmem_ref `:` type($tmem_ref) `)` attr-dict";
  let hasVerifier = 1;
}

def MosaicGPU_SliceTmemOp : MosaicGPU_Op<"slice_tmem", [Pure]> {
  let summary = "memref at a column of tensor memory";
  let description = [{
    Since 0.11 it may have an `alias_id`.
  }];
  let arguments = (ins MosaicGPU_Matrix:$source,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$offset,
                       MosaicGPU_AliasId:$alias_id);
  let results = (outs MosaicGPU_Matrix:$result);
  let hasVerifier = 1;
}

def MosaicGPU_TmemLayoutCastOp
    : MosaicGPU_Op<"tmem_layout_cast", [Pure, SameOperandsAndResultType]> {
  let summary = "declares which layout tensor memory has";
  let arguments = (ins MosaicGPU_Matrix:$ref,
                       MosaicGPU_TiledLayoutAttr:$new_layout);
  let results = (outs MosaicGPU_Matrix:$result);
  let hasVerifier = 1;
}

def MosaicGPU_AsyncLoadTmemOp
    : MosaicGPU_Op<"async_load_tmem", [MosaicGPU_Infers]> {
  let summary = "starts to load tensor memory";
  let description = [{
    With `reduce` (since 0.12) a second result is the reduction of each row.
  }];
  let arguments = (ins MosaicGPU_Matrix:$source,
                       OptionalAttr<MosaicGPU_TMEMLoadReduction>:$reduce);
  let results = (outs Variadic<MosaicGPU_Vector>:$results);
  let hasVerifier = 1;
}

def MosaicGPU_AsyncStoreTmemOp : MosaicGPU_Op<"async_store_tmem"> {
  let summary = "starts to store to tensor memory";
  let arguments = (ins VectorOfRank<[2]>:$source, MosaicGPU_Matrix:$destination);
  let hasVerifier = 1;
}

class MosaicGPU_SmemToTmemOp<string mnemonic, TypeConstraint source,
                             TypeConstraint destination>
    : MosaicGPU_Op<mnemonic> {
  let arguments = (ins source:$source, destination:$destination,
                       MosaicGPU_False:$collective);
  let hasVerifier = 1;
}

def MosaicGPU_AsyncStoreSmemToTmemOp
    : MosaicGPU_SmemToTmemOp<"async_store_smem_to_tmem", MosaicGPU_Matrix,
                             MosaicGPU_Matrix> {
  let summary = "starts a copy of shared memory to tensor memory";
}

def MosaicGPU_AsyncStoreSparseMetadataSmemToTmemOp
    : MosaicGPU_SmemToTmemOp<"async_store_sparse_metadata_smem_to_tmem",
                             MemRefRankOf<[I<2>], [4]>,
                             MemRefRankOf<[I<2>], [2]>> {
  let summary = "starts a copy of the metadata of a sparse matrix";
}

def MosaicGPU_AsyncStoreScalesSmemToTmemOp
    : MosaicGPU_SmemToTmemOp<"async_store_scales_smem_to_tmem",
                             MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [4]>,
                             MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [2]>> {
  let summary = "starts a copy of the scales of a matrix";
}

#endif // PALLAS_MOSAICGPU_TENSORMEMORYOPS_TD
