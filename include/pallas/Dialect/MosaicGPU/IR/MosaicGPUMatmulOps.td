//===- MosaicGPUMatmulOps.td - Matmuls --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_MATMULOPS_TD
#define PALLAS_MOSAICGPU_MATMULOPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

class MosaicGPU_MatrixOf<list<Type> types> : MemRefRankOf<types, [2]>;
class MosaicGPU_TileOf<list<Type> types> : VectorOfRankAndType<[2], types>;

/// acc + a * b, all of it in registers but for what `a` and `b` may be.
class MosaicGPU_ProductOp<string mnemonic, TypeConstraint acc, TypeConstraint a,
                          TypeConstraint b>
    : MosaicGPU_Op<mnemonic, [AllTypesMatch<["accumulator", "result"]>]> {
  let arguments = (ins acc:$accumulator, a:$a, b:$b);
  let results = (outs acc:$result);
  let assemblyFormat = [{
    `accumulator` `(` $accumulator `:` type($accumulator) `)`
        `a` `(` $a `:` type($a) `)` `b` `(` $b `:` type($b) `)` attr-dict
        `->` type($result)
  }];
  let hasVerifier = 1;
}

defvar MosaicGPU_WGMMATypes = [F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8];

def MosaicGPU_WGMMAOp : MosaicGPU_ProductOp<"wgmma",
    MosaicGPU_TileOf<[F16, F32, I32]>,
    AnyTypeOf<[MosaicGPU_MatrixOf<MosaicGPU_WGMMATypes>,
               MosaicGPU_TileOf<MosaicGPU_WGMMATypes>]>,
    MosaicGPU_MatrixOf<MosaicGPU_WGMMATypes>> {
  let summary = "starts a matmul of a warpgroup (Hopper)";
  let description = [{
    `b`, and `a` unless it is a vector, lie in shared memory, tiled and swizzled.
    The accumulator may be used after `nvvm.wgmma.wait.group.sync.aligned`.

    ```mlir
    %0 = mosaic_gpu.wgmma accumulator(%acc : vector<64x128xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x128xbf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
    ```
  }];
}

def MosaicGPU_MMAOp : MosaicGPU_ProductOp<"mma",
    MosaicGPU_TileOf<[F64, F32, F16, I32]>,
    MosaicGPU_TileOf<[F64, TF32, F16, BF16, F8E4M3FN, F8E5M2, I8, I<4>, I1]>,
    MosaicGPU_TileOf<[F64, TF32, F16, BF16, F8E4M3FN, F8E5M2, I8, I<4>, I1]>> {
  let summary = "matmul of registers (Ampere)";
  let description = [{
    ```mlir
    %0 = mosaic_gpu.mma accumulator(%acc : vector<64x8xf32>) a(%a : vector<64x16xf16>) b(%b : vector<16x8xf16>) -> vector<64x8xf32>
    ```
  }];
}

defvar MosaicGPU_TCGen05Types = [F16, F32, BF16, TF32, F8E4M3FN, F8E5M2,
                                 F6E2M3FN, F6E3M2FN, F4E2M1FN, I8];
defvar MosaicGPU_Scales = Optional<MosaicGPU_MatrixOf<[F8E8M0FNU, F8E4M3FN]>>;

def MosaicGPU_TCGen05MMAOp
    : MosaicGPU_Op<"tcgen05_mma", [AttrSizedOperandSegments]> {
  let summary = "starts a matmul into tensor memory (Blackwell)";
  let description = [{
    The accumulator lies in tensor memory, `b` in shared memory, `a` in either.
    Scales and the metadata of a sparse `a`, which has half of the columns, lie in
    tensor memory. With `collective` two blocks compute one product.
  }];
  let arguments = (ins MosaicGPU_MatrixOf<[F16, F32, I32]>:$accumulator,
                       MosaicGPU_MatrixOf<MosaicGPU_TCGen05Types>:$a,
                       MosaicGPU_MatrixOf<MosaicGPU_TCGen05Types>:$b,
                       I1:$accumulate, MosaicGPU_Scales:$a_scale,
                       MosaicGPU_Scales:$b_scale,
                       Optional<MosaicGPU_MatrixOf<[I<2>]>>:$a_sparse_metadata,
                       MosaicGPU_False:$collective);
  let hasVerifier = 1;
}

def MosaicGPU_TCGen05CommitArriveOp : MosaicGPU_Op<"tcgen05_commit_arrive"> {
  let summary = "arrives at a barrier when the products so far are done";
  let description = [{
    Since 0.12 it may have a predicate.
  }];
  let arguments = (ins MosaicGPU_BarrierRef:$barrier,
                       MosaicGPU_Predicate:$predicate,
                       MosaicGPU_False:$collective);
}

#endif // PALLAS_MOSAICGPU_MATMULOPS_TD
