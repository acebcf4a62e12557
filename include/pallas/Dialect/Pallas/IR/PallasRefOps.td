//===- PallasRefOps.td - Operations on refs ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_REF_OPS_TD
#define PALLAS_REF_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

/// An operation that selects a part of `ref` by `indexer` and `indices`.
class Pallas_RefAccessOp<string mnemonic, list<Trait> traits = []>
    : Pallas_Op<mnemonic, !listconcat(traits, [RefAccessOpInterface])> {
  dag accessArguments = (ins Pallas_IndexerAttr:$indexer,
                             Variadic<Pallas_IndexValue>:$indices);
  let hasVerifier = 1;
}

def Pallas_GetOp : Pallas_RefAccessOp<"get", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "reads a part of a ref";
  let description = [{
    ```mlir
    %all = pallas.get %r[...] : !pallas.ref<64x128xf32, vmem>
    %rows = pallas.get %r[ds(%i, 8), :] : !pallas.ref<64x128xf32, vmem>
    %one = pallas.get %s[%i] : !pallas.ref<16xi32, smem>
    %some = pallas.get %r[gather(%idx : tensor<5xi32>), :] : !pallas.ref<64x128xf32, vmem>
    ```
    The result has the selected shape; scalar entries drop their dimension, and
    a result without dimensions is a scalar. Index arrays follow NumPy: their
    common shape takes the place of the first of them when they are adjacent, and
    is in front otherwise.

    A slice or index that leaves the ref at run time is moved inside. Negative
    ones count from the end.
  }];
  let arguments = !con((ins Arg<Pallas_RefType, "", [MemRead]>:$ref), accessArguments);
  let results = (outs Pallas_Value:$result);
  let builders = [
    // Reads the whole ref.
    OpBuilder<(ins "::mlir::Value":$ref), [{
      build($_builder, $_state, ref, IndexerAttr::get($_builder.getContext(), {}), ValueRange());
    }]>,
  ];
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices)) attr-dict `:` qualified(type($ref))
  }];
  let hasCanonicalizer = 1;
}

def Pallas_SwapOp : Pallas_RefAccessOp<"swap", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes a part of a ref and yields what was there";
  let description = [{
    It reads only when the old value is used. A slice that leaves the ref at run
    time is moved inside; elements that an index array names outside are not written,
    and their old values are those of the nearest elements inside.

    ```mlir
    pallas.swap %r[ds(0, 8), :], %v : !pallas.ref<64x128xf32, vmem>, tensor<8x128xf32>
    ```
  }];
  let arguments = !con((ins Pallas_RefType:$ref), accessArguments,
                       (ins Pallas_Value:$value));
  let results = (outs Pallas_Value:$old);
  let builders = [
    // Writes the whole ref.
    OpBuilder<(ins "::mlir::Value":$ref, "::mlir::Value":$value), [{
      build($_builder, $_state, ref, IndexerAttr::get($_builder.getContext(), {}), ValueRange(),
            value);
    }]>,
  ];
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices)) `,` $value attr-dict
    `:` qualified(type($ref)) `,` type($value)
  }];
}

def Pallas_AddUpdateOp : Pallas_RefAccessOp<"addupdate"> {
  let summary = "adds to a part of a ref";
  let description = [{
    An element that an index array names twice receives both addends.

    ```mlir
    pallas.addupdate %r[ds(%i, 8), :], %v : !pallas.ref<64x128xf32, vmem>, tensor<8x128xf32>
    ```
  }];
  let arguments = !con((ins Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$ref),
                       accessArguments, (ins Pallas_Value:$value));
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices)) `,` $value attr-dict
    `:` qualified(type($ref)) `,` type($value)
  }];
}

def Pallas_MaskedLoadOp : Pallas_RefAccessOp<"masked_load", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>, AttrSizedOperandSegments]> {
  let summary = "reads the elements of a ref that a mask selects";
  let description = [{
    Elements where the mask is false are not touched; they are `other` where
    given and unspecified where not. The mask broadcasts to the selected shape;
    without one all elements are read.

    ```mlir
    %v = pallas.masked_load %r[ds(%i, 8)] mask %m other %z
       : !pallas.ref<?xf32, gmem>, tensor<8xi1>, other tensor<8xf32>
    ```
    Slices may extend past the ref: elements inside stay in place, those outside
    are not touched and unspecified.
  }];
  let arguments = !con((ins Arg<Pallas_RefType, "", [MemRead]>:$ref), accessArguments,
                       (ins Optional<Pallas_Value>:$mask, Optional<Pallas_Value>:$other));
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices))
    (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` qualified(type($ref)) (`,` type($mask)^)? (`,` `other` type($other)^)?
  }];
  let hasCanonicalizer = 1;
}

def Pallas_MaskedSwapOp : Pallas_RefAccessOp<"masked_swap", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes the elements of a ref that a mask selects";
  let description = [{
    The result is the old value where the mask is true and `value` elsewhere.
    Slices may extend past the ref: elements inside stay in place, those outside
    are not touched.

    ```mlir
    pallas.masked_swap %r[ds(%i, 8)], %v mask %m : !pallas.ref<?xf32, gmem>, tensor<8xf32>, tensor<8xi1>
    ```
  }];
  let arguments = !con((ins Pallas_RefType:$ref), accessArguments,
                       (ins Pallas_Value:$value, Pallas_Value:$mask));
  let results = (outs Pallas_Value:$old);
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices)) `,` $value `mask` $mask
    attr-dict `:` qualified(type($ref)) `,` type($value) `,` type($mask)
  }];
  let hasCanonicalizer = 1;
}

def Pallas_AtomicRMWOp : Pallas_RefAccessOp<"atomic_rmw", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "updates elements of a ref atomically and yields what was there";
  let description = [{
    Every element is updated on its own: others may see some updates before the
    rest. Elements where the mask is false are not touched.

    ```mlir
    %old = pallas.atomic_rmw <add> %counter[%i], %one : !pallas.ref<16xi32, gmem>, i32
    %was = pallas.atomic_rmw <max> %best[...], %v mask %m : !pallas.ref<8xf32, gmem>, tensor<8xf32>, tensor<8xi1>
    ```
  }];
  let arguments = !con((ins Pallas_AtomicKindAttr:$kind,
                            Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$ref),
                       accessArguments,
                       (ins Pallas_Value:$value, Optional<Pallas_Value>:$mask));
  let results = (outs Pallas_Value:$old);
  let assemblyFormat = [{
    $kind $ref `` custom<Indexer>($indexer, $indices, type($indices)) `,` $value
    (`mask` $mask^)? attr-dict `:` qualified(type($ref)) `,` type($value) (`,` type($mask)^)?
  }];
}

def Pallas_AtomicCASOp : Pallas_RefAccessOp<"atomic_cas", [
    TypesMatchWith<"expected and new value have one type", "value", "expected", "$_self">,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "writes a scalar if the ref holds the expected one; yields what was there";
  let description = [{
    The first operand behind the ref is the expected value, the second the new one.

    ```mlir
    %old = pallas.atomic_cas %lock[0], %free, %taken : !pallas.ref<1xi32, gmem>, i32
    ```
  }];
  let arguments = !con((ins Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$ref),
                       accessArguments,
                       (ins Pallas_Scalar:$expected, Pallas_Scalar:$value));
  let results = (outs Pallas_Scalar:$old);
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices)) `,` $expected `,` $value
    attr-dict `:` qualified(type($ref)) `,` type($value)
  }];
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def Pallas_SliceRefOp : Pallas_RefAccessOp<"slice_ref", [
    Pure, ViewLikeOpInterface, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "views a part of a ref";
  let description = [{
    Selects as `pallas.get` does. A size given by an operand makes a `?`
    dimension, which only async copies accept. Index arrays are allowed only
    where the view is the end of an async copy; such an array may be a ref.

    ```mlir
    %row = pallas.slice_ref %r[%i, ds(0, 64)] : !pallas.ref<8x128xf32, vmem>
    ```
  }];
  let arguments = !con((ins Pallas_RefType:$ref), accessArguments);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = [{
    $ref `` custom<Indexer>($indexer, $indices, type($indices)) attr-dict `:` qualified(type($ref))
  }];
  let hasFolder = 1;
  let extraClassDeclaration = "::mlir::Value getViewSource() { return getRef(); }";
}

class Pallas_ViewOp<string mnemonic> : Pallas_Op<mnemonic, [Pure, ViewLikeOpInterface]> {
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = "::mlir::Value getViewSource() { return getRef(); }";
}

def Pallas_ReshapeRefOp : Pallas_ViewOp<"reshape_ref"> {
  let summary = "views a ref under another shape";
  let description = [{
    ```mlir
    %flat = pallas.reshape_ref %r : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<1024xf32, vmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$ref);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref)) `->` qualified(type($view))";
  let hasCanonicalizer = 1;
}

def Pallas_BitcastRefOp : Pallas_ViewOp<"bitcast_ref"> {
  let summary = "views the bits of a ref as other elements";
  let description = [{
    Where the width changes, the second-minor dimension scales by the ratio of
    the widths: rows that lie on top of each other form one wide element.

    ```mlir
    %halves = pallas.bitcast_ref %r : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<16x128xbf16, vmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$ref);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref)) `->` qualified(type($view))";
}

def Pallas_TransposeRefOp : Pallas_ViewOp<"transpose_ref"> {
  let summary = "views a ref with permuted dimensions";
  let description = [{
    Dimension `i` of the view is dimension `permutation[i]` of the ref.

    ```mlir
    %t = pallas.transpose_ref %r, [1, 0] : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<128x8xf32, vmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$ref, DenseI64ArrayAttr:$permutation);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = "$ref `,` $permutation attr-dict `:` qualified(type($ref)) `->` qualified(type($view))";
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Refs outside of kernels and scopes
//===----------------------------------------------------------------------===//

def Pallas_NewRefOp : Pallas_Op<"new_ref"> {
  let summary = "makes a ref that holds a value";
  let description = [{
    ```mlir
    %r = pallas.new_ref %v : tensor<8x128xf32> -> !pallas.ref<8x128xf32, any>
    ```
  }];
  let arguments = (ins Pallas_Value:$init);
  let results = (outs Res<Pallas_RefType, "", [MemAlloc, MemWrite]>:$ref);
  let assemblyFormat = "$init attr-dict `:` type($init) `->` qualified(type($ref))";
  let hasVerifier = 1;
}

def Pallas_EmptyRefOp : Pallas_Op<"empty_ref"> {
  let summary = "makes a ref with unspecified contents";
  let description = [{
    ```mlir
    %r = pallas.empty_ref : !pallas.ref<8x128xf32, any>
    ```
  }];
  let results = (outs Res<Pallas_AnyRef, "", [MemAlloc]>:$ref);
  let assemblyFormat = "attr-dict `:` qualified(type($ref))";
  let hasVerifier = 1;
}

def Pallas_FreezeOp : Pallas_Op<"freeze", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "ends a ref and yields what it holds";
  let description = [{
    No operation may use the ref, or a view of it, afterwards.

    ```mlir
    %v = pallas.freeze %r : !pallas.ref<8x128xf32, any>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead, MemFree]>:$ref);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Pallas_FreeRefOp : Pallas_Op<"free_ref"> {
  let summary = "ends a ref";
  let description = [{
    No operation may use the ref, or a view of it, afterwards.

    ```mlir
    pallas.free_ref %r : !pallas.ref<8x128xf32, any>
    ```
  }];
  let arguments = (ins Arg<Pallas_AnyRef, "", [MemFree]>:$ref);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Pallas_GetGlobalOp : Pallas_Op<"get_global", [Pure]> {
  let summary = "memory that all programs of the kernel share";
  let description = [{
    It starts with zeros. Operations with one name yield the same memory.

    ```mlir
    %counter = pallas.get_global "counter" : !pallas.ref<1x!pallas.semaphore, gmem>
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Pallas_RefType:$ref);
  let assemblyFormat = "$name attr-dict `:` qualified(type($ref))";
  let hasVerifier = 1;
}

#endif // PALLAS_REF_OPS_TD
