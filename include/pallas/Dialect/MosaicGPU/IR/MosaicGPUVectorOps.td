//===- MosaicGPUVectorOps.td - Vectors ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_VECTOROPS_TD
#define PALLAS_MOSAICGPU_VECTOROPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

def MosaicGPU_VectorLoadOp : MosaicGPU_Op<"vector_load", [
    MosaicGPU_Infers, MemoryEffects<[MemRead]>]> {
  let summary = "loads a whole memref";
  let description = [{
    `optimized = true` asks for a transfer without bank conflicts, and for an
    error where there is none; `false` takes any.

    ```mlir
    %0 = "mosaic_gpu.vector_load"(%smem) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
    ```
  }];
  let arguments = (ins AnyNon0RankedMemRef:$source,
                       OptionalAttr<BoolAttr>:$optimized);
  let results = (outs MosaicGPU_Vector);
}

def MosaicGPU_VectorStoreOp
    : MosaicGPU_Op<"vector_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores to a whole memref";
  let description = [{
    With `atomic_type` elements are combined with what is there, with `multimem`
    they are stored on all devices.

    ```mlir
    "mosaic_gpu.vector_store"(%vector, %smem) <{multimem = false}> : (vector<64x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
  let arguments = (ins MosaicGPU_Vector:$valueToStore,
                       AnyNon0RankedMemRef:$destination,
                       OptionalAttr<BoolAttr>:$optimized,
                       OptionalAttr<MosaicGPU_AtomicOpType>:$atomic_type,
                       MosaicGPU_False:$multimem);
  let hasVerifier = 1;
}

def MosaicGPU_MultimemLoadReduceOp
    : MosaicGPU_Op<"multimem_load_reduce",
                   [MosaicGPU_Infers, MemoryEffects<[MemRead]>]> {
  let summary = "loads a memref of all devices and combines what they hold";
  let arguments = (ins AnyNon0RankedMemRef:$source,
                       MosaicGPU_MultimemLoadReductionType:$reduction_type);
  let results = (outs MosaicGPU_Vector);
  let hasVerifier = 1;
}

def MosaicGPU_LayoutCastOp
    : MosaicGPU_Op<"layout_cast", [Pure, SameOperandsAndResultType]> {
  let summary = "gives a vector another layout";
  let description = [{
    `strict` (since 0.12) allows only what costs nothing.

    ```mlir
    %0 = mosaic_gpu.layout_cast x(%vector : vector<64x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>}
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$x,
                       AnyAttrOf<[MosaicGPU_WGStridedFragLayoutAttr,
                                  MosaicGPU_TiledLayoutAttr]>:$new_layout,
                       OptionalAttr<BoolAttr>:$strict);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`x` `(` $x `:` type($x) `)` attr-dict";
}

def MosaicGPU_BroadcastInDimOp : MosaicGPU_Op<"broadcast_in_dim", [Pure]> {
  let summary = "repeats a vector along the dimensions that it lacks";
  let description = [{
    Dimension i of the operand is dimension `broadcast_dimensions[i]` of the
    result.

    ```mlir
    %0 = mosaic_gpu.broadcast_in_dim(%row : vector<128xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<64x128xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$operand,
                       DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = [{
    `(` $operand `:` type($operand) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

def MosaicGPU_BroadcastedIotaOp : MosaicGPU_Op<"broadcasted_iota", [Pure]> {
  let summary = "each element is its index along a dimension";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$dimension);
  let results = (outs MosaicGPU_Vector:$result);
  let hasVerifier = 1;
}

def MosaicGPU_VectorConcatOp
    : MosaicGPU_Op<"vector_concat", [Pure, MosaicGPU_Infers]> {
  let summary = "puts vectors one behind the other (since 0.11)";
  let description = [{
    ```mlir
    %0 = mosaic_gpu.vector_concat(%a, %b : vector<64x128xf32>, vector<64x128xf32>) {dimension = 0 : i32} -> vector<128x128xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$operands,
                       I32Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    `(` $operands `:` type($operands) `)` attr-dict `->` type($result)
  }];
}

def MosaicGPU_OptimizationBarrierOp
    : MosaicGPU_Op<"optimization_barrier", [MosaicGPU_Infers]> {
  let summary = "keeps operations on their side";
  let description = [{
    ```mlir
    %0 = "mosaic_gpu.optimization_barrier"(%acc) : (vector<64x128xf32>) -> vector<64x128xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>);
}

def MosaicGPU_AssumeMultipleOp
    : MosaicGPU_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "promises that a number is a multiple of another";
  let description = [{
    ```mlir
    %0 = mosaic_gpu.assume_multiple %i, 64 : index
    ```
  }];
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value,
                       ConfinedAttr<I32Attr, [IntPositive]>:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
}

def MosaicGPU_DebugPrintOp : MosaicGPU_Op<"debug_print"> {
  let summary = "prints a vector at run time";
  let arguments = (ins StrAttr:$format, AnyVectorOfAnyRank:$value);
}

def MosaicGPU_PrintLayoutOp : MosaicGPU_Op<"print_layout"> {
  let summary = "prints the layout of a vector or memref at compile time";
  let arguments = (ins StrAttr:$format,
                       AnyTypeOf<[AnyMemRef, AnyVectorOfAnyRank]>:$value);
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICGPU_VECTOROPS_TD
