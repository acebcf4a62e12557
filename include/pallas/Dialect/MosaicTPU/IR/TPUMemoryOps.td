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
  let summary = "gathers elements whose indices stand in vectors (SparseCore)";
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
  let summary = "scatters elements whose indices stand in vectors (SparseCore)";
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
    The static sizes stand in the type of the result; each dynamic one is an
    operand.

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
  let arguments = (ins AnyMemRef:$input, Optional<I32>:$dynamic_offset,
                       Variadic<I32>:$dynamic_sizes);
  let assemblyFormat = [{
    $input ($dynamic_offset^)? (`<` $dynamic_sizes^ `>`)? attr-dict `:`
    type($input) `->` type($result)
  }];
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
