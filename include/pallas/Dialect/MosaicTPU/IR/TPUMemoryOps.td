//===- TPUMemoryOps.td - Loads, stores and views -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores print the base first but hold the value as operand 0. The text ends
// with the type of the mask: without a mask it ends in a comma and a blank.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUMEMORYOPS_TD
#define PALLAS_MOSAICTPU_TPUMEMORYOPS_TD

include "mlir/Interfaces/ViewLikeInterface.td"
include "pallas/Dialect/MosaicTPU/IR/TPUOpBase.td"

//===----------------------------------------------------------------------===//
// Vector accesses
//===----------------------------------------------------------------------===//

def TPU_VectorLoadOp : TPU_Op<"vector_load", [AttrSizedOperandSegments]> {
  let summary = "loads a vector from VMEM, where the mask allows it";
  let description = [{
    The vector may have another rank than the memref: its shape is that of the
    trailing dimensions. Lanes that the mask leaves out are undefined.

    ```mlir
    %0 = tpu.vector_load %m[%i, %j] masked %k {strides = array<i32>}
        : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<8x128xi1>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "memory to read", [MemRead]>:$base,
    Variadic<Index>:$indices,
    DenseI32ArrayAttr:$strides,
    Optional<TPU_Vreg>:$mask);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`masked` $mask^)? attr-dict `:`
    type($base) `,` type($result) `,` type($mask)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::VectorType":$result, "::mlir::Value":$base,
                   "::mlir::ValueRange":$indices,
                   CArg<"::mlir::Value", "{}">:$mask)>,
  ];
  let hasVerifier = 1;
}

def TPU_VectorStoreOp : TPU_Op<"vector_store", [AttrSizedOperandSegments]> {
  let summary = "stores a vector to VMEM, where the mask allows it";
  let description = [{
    With `add` the vector is added to what the memory holds.

    ```mlir
    tpu.vector_store %m[%i, %j], %v {strides = array<i32>}
        : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, 
    ```
  }];
  let arguments = (ins
    TPU_Vreg:$valueToStore,
    Arg<AnyMemRef, "memory to write", [MemWrite]>:$base,
    Variadic<Index>:$indices,
    DenseI32ArrayAttr:$strides,
    Optional<TPU_Vreg>:$mask,
    DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $valueToStore (`masked` $mask^)? attr-dict `:`
    type($base) `,` type($valueToStore) `,` type($mask)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$valueToStore, "::mlir::Value":$base,
                   "::mlir::ValueRange":$indices,
                   CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"bool", "false">:$add)>,
  ];
  let hasVerifier = 1;
}

def TPU_StridedLoadOp : TPU_Op<"strided_load"> {
  let summary = "loads every n-th element along each dimension";
  let arguments = (ins
    Arg<AnyMemRef, "memory to read", [MemRead]>:$base,
    Variadic<Index>:$indices,
    DenseI32ArrayAttr:$strides);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def TPU_StridedStoreOp : TPU_Op<"strided_store"> {
  let summary = "stores to every n-th element along each dimension";
  let arguments = (ins
    TPU_Vreg:$valueToStore,
    Arg<AnyMemRef, "memory to write", [MemWrite]>:$base,
    Variadic<Index>:$indices,
    DenseI32ArrayAttr:$strides);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $valueToStore attr-dict `:`
    type($base) `,` type($valueToStore)
  }];
  let hasVerifier = 1;
}

def TPU_VectorLoadIdxOp
    : TPU_Op<"vector_load_idx", [AttrSizedOperandSegments]> {
  let summary = "gathers elements by vectors of indices (SparseCore)";
  let arguments = (ins
    Arg<MemRefOf<[I32, F32]>, "memory to read", [MemRead]>:$base,
    Variadic<TPU_VregOf<[I32]>>:$indices,
    Optional<TPU_VregOf<[I1]>>:$mask);
  let results = (outs TPU_VregOf<[I32, F32]>:$value);
  let assemblyFormat = [{
    $base `[` $indices `]` (`masked` $mask^)? attr-dict `:`
    type($base) `[` type($indices) `]` `,` type($value) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def TPU_VectorStoreIdxOp
    : TPU_Op<"vector_store_idx", [AttrSizedOperandSegments]> {
  let summary = "scatters elements by vectors of indices (SparseCore)";
  let arguments = (ins
    TPU_VregOf<[I32, F32]>:$valueToStore,
    Arg<MemRefOf<[I32, F32]>, "memory to write", [MemWrite]>:$base,
    Variadic<TPU_VregOf<[I32]>>:$indices,
    Optional<TPU_VregOf<[I1]>>:$mask,
    DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $valueToStore (`masked` $mask^)? attr-dict `:`
    type($base) `[` type($indices) `]` `,` type($valueToStore) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def TPU_VectorCompressStoreOp : TPU_Op<"vector_compress_store"> {
  let summary = "stores the elements that a mask selects side by side (SparseCore)";
  let description = [{
    The elements that the mask leaves out take no room along `compress_dim`.
    With `add` the vector is added to what the memory holds.

    ```mlir
    // Of a vector whose mask selects the elements 1 and 3, memory gets these
    // at the indices %i and %i + 1.
    tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 0 : i32}
        : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
    ```
  }];
  let arguments = (ins
    TPU_Vreg:$valueToStore,
    Arg<AnyMemRef, "memory to write", [MemWrite]>:$base,
    Variadic<Index>:$indices,
    TPU_VregOf<[I1]>:$mask,
    I32Attr:$compress_dim,
    DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $valueToStore `,` $mask attr-dict `:`
    type($base) `,` type($valueToStore) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def TPU_VectorExpandLoadOp : TPU_Op<"vector_expand_load"> {
  let summary = "loads neighbours into the elements that a mask selects (SparseCore)";
  let description = [{
    The elements that the mask leaves out take nothing from memory along
    `expand_dim` and are undefined.

    ```mlir
    // With a mask that selects the elements 1 and 3, these are what memory
    // holds at the indices %i and %i + 1.
    %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32}
        : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "memory to read", [MemRead]>:$base,
    Variadic<Index>:$indices,
    TPU_VregOf<[I1]>:$mask,
    I32Attr:$expand_dim);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $mask attr-dict `:`
    type($base) `,` type($result) `,` type($mask)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

class TPU_ViewOp<string mnemonic, list<Trait> traits = []>
    : TPU_Op<mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>], traits)> {
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_MemRefSliceOp : TPU_ViewOp<"memref_slice", [AttrSizedOperandSegments]> {
  let summary = "contiguous part of a memref";
  let description = [{
    The type of the result has the static sizes; each dynamic one is an operand.

    ```mlir
    %1 = tpu.memref_slice %m[%i, %z] <%n>
        : memref<64x128xf32, #tpu.memory_space<hbm>> -> memref<?x128xf32, #tpu.memory_space<hbm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$mem_ref, Variadic<I32>:$base_idx,
                       Variadic<I32>:$dynamic_sizes);
  let assemblyFormat = [{
    $mem_ref `[` $base_idx `]` (`<` $dynamic_sizes^ `>`)? attr-dict `:`
    type($mem_ref) `->` type($result)
  }];
}

def TPU_MemRefSqueezeOp : TPU_ViewOp<"memref_squeeze"> {
  let summary = "memref without some of its dimensions of size 1";
  let arguments = (ins AnyMemRef:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def TPU_MemRefReshapeOp : TPU_ViewOp<"memref_reshape"> {
  let summary = "the elements of a memref under another shape";
  let arguments = (ins AnyMemRef:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def TPU_MemRefBitcastOp : TPU_ViewOp<"memref_bitcast"> {
  let summary = "the bits of a memref as elements of another type";
  let description = [{
    When the width of the elements changes, the second to last dimension takes
    up the difference.
  }];
  let arguments = (ins AnyMemRef:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def TPU_ReinterpretCastOp
    : TPU_ViewOp<"reinterpret_cast", [AttrSizedOperandSegments]> {
  let summary = "the buffer of a memref under another type";
  let description = [{
    The type of the result has the static sizes and strides; each dynamic one is
    an operand. Strides of a tiled layout count tiles.

    ```mlir
    %1 = tpu.reinterpret_cast %m <%n> [%s]
        : memref<8x128xi32> -> memref<?x128xi32, #tpu.tiled<(8,128),[?,1]>>
    ```
  }];
  let arguments = (ins AnyMemRef:$input, Optional<I32>:$dynamic_offset,
                       Variadic<I32>:$dynamic_sizes,
                       Variadic<I32>:$dynamic_strides);
  let assemblyFormat = [{
    $input ($dynamic_offset^)? (`<` $dynamic_sizes^ `>`)?
    (`[` $dynamic_strides^ `]`)? attr-dict `:`
    type($input) `->` type($result)
  }];
}

def TPU_SharedMemRefSliceOp : TPU_Op<"shared_memref_slice", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "this subcore's own part of shared memory (SparseCore)";
  let description = [{
    The last dimension is dealt out to the vector subcores of the SparseCore:
    each one sees the stripe that lies in its own memory.

    ```mlir
    %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
    ```
  }];
  let arguments = (ins AnyMemRef:$mem_ref);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$mem_ref attr-dict `:` type($mem_ref) `->` type($result)";
  let hasVerifier = 1;
}

def TPU_AnnotateOp : TPU_ViewOp<"annotate", [SameOperandsAndResultType]> {
  let summary = "promises something about the accesses through a memref";
  let description = [{
    `no_store` promises that nothing is stored, `no_bank_conflict` that an
    access touches no bank twice, `no_hazard` that accesses through it need no
    order, and `no_hazard_no_deps` that they need none beside others either.

    ```mlir
    %0 = tpu.annotate %m {no_store = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
    ```
  }];
  let arguments = (ins AnyMemRef:$operand,
                       DefaultValuedAttr<BoolAttr, "false">:$no_store,
                       DefaultValuedAttr<BoolAttr, "false">:$no_bank_conflict,
                       DefaultValuedAttr<BoolAttr, "false">:$no_hazard,
                       DefaultValuedAttr<BoolAttr, "false">:$no_hazard_no_deps);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

def TPU_MemRefMemorySpaceIsOp : TPU_Op<"memref_memory_space_is", [Pure]> {
  let summary = "whether a memref is in a memory space";
  let description = [{
    A memory space without a core asks for none. The answer is known when the
    kernel is compiled.

    ```mlir
    %0 = tpu.memref_memory_space_is %m, <vmem> : memref<16x128xf32, #tpu.memory_space<any>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, TPU_MemorySpaceAttr:$memory_space);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $source `,` $memory_space attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_TileSizeOp : TPU_Op<"tile_size", [Pure]> {
  let summary = "size of the first tile of a memref along a dimension";
  let description = [{
    It is 1 along a dimension that is not tiled.
  }];
  let arguments = (ins AnyMemRef:$source, I32Attr:$index);
  let results = (outs I32:$result);
  let assemblyFormat = "$source `,` $index attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_AssumeMultipleOp
    : TPU_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "promises that a value is divisible by a number";
  let arguments = (ins TPU_IndexOrInteger:$value, I32Attr:$multiple);
  let results = (outs TPU_IndexOrInteger:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // PALLAS_MOSAICTPU_TPUMEMORYOPS_TD
