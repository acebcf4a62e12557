//===- PallasWindowOps.td - Windows of loops over grids ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a grid has become loops, these operations are what its blocks were.
// Frontends don't make them. They are apart from PallasOps.td, as only the pass
// pallas-grids-to-loops and the lowering to CPUs know them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_WINDOW_OPS_TD
#define PALLAS_WINDOW_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

def Pallas_WindowOp : Pallas_Op<"window", [
    Pure, ViewLikeOpInterface, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "views the block of an array that one program sees";
  let description = [{
    The indices are what the index map yields: numbers of blocks, and of elements
    along `element` dimensions. A block that would reach out of the array is moved
    inside, and a negative index counts from the end. The view has the memory
    space of the block, though it is a part of the array.

    ```mlir
    %w = pallas.window %x[%i, %j : i32, i32] block<[128, squeezed], vmem>
      : !pallas.ref<512x256xf32, any>
    ```
  }];
  let arguments = (ins Pallas_RefType:$array, Variadic<AnySignlessIntegerOrIndex>:$indices,
                       Pallas_BlockMappingAttr:$mapping);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = [{
    $array `` `[` ($indices^ `:` type($indices))? `]` `block` `` $mapping attr-dict
    `:` qualified(type($array))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getViewSource() { return getArray(); }";
}

def Pallas_EdgeWindowOp : Pallas_Op<"edge_window", [
    ViewLikeOpInterface, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "views a block that may be partial, or makes a copy of it";
  let description = [{
    Where the block lies inside of the array, this is a `window`. Where it extends
    past the end, it is a private buffer, so that the array need not be padded:
    a `copied` one holds what the array has of the block, a `filled` one holds
    the value of unwritten elements elsewhere. What an `output` holds goes back by
    `write_edge`.

    ```mlir
    %w = pallas.edge_window %x[%i : i32] block<[8], vmem> copied filled : !pallas.ref<10xf32, any>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$array,
                       Variadic<AnySignlessIntegerOrIndex>:$indices,
                       Pallas_BlockMappingAttr:$mapping, UnitAttr:$copied,
                       UnitAttr:$output, UnitAttr:$filled);
  let results = (outs Res<Pallas_RefType, "", [MemAlloc, MemWrite]>:$view);
  let assemblyFormat = [{
    $array `` `[` ($indices^ `:` type($indices))? `]` `block` `` $mapping
    (`copied` $copied^)? (`output` $output^)? (`filled` $filled^)? attr-dict
    `:` qualified(type($array))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getViewSource() { return getArray(); }";
}

def Pallas_WriteEdgeOp : Pallas_Op<"write_edge"> {
  let summary = "copies a partial block back to its array";
  let description = [{
    Does nothing where the window is a part of the array.

    ```mlir
    pallas.write_edge %w : !pallas.ref<8xf32, vmem>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$window);
  let assemblyFormat = "$window attr-dict `:` qualified(type($window))";
  let hasVerifier = 1;
}

def Pallas_PadRefOp : Pallas_Op<"pad_ref"> {
  let summary = "makes a ref that holds what another one does, and padding around it";
  let description = [{
    `low` is the padding in front of each dimension, and what is left of the new
    ref lies behind. Padding holds what memory holds that nothing has written.
    Without padding, the new ref is a copy. Nothing has written to a ref that is
    `uninitialized`, so nothing is copied.

    ```mlir
    %p = pallas.pad_ref %x low [1, 0] : !pallas.ref<10x128xf32, any> -> !pallas.ref<12x128xf32, any>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$ref, DenseI64ArrayAttr:$low,
                       UnitAttr:$uninitialized);
  let results = (outs Res<Pallas_RefType, "", [MemAlloc, MemWrite]>:$padded);
  let assemblyFormat = [{
    $ref `low` $low (`uninitialized` $uninitialized^)? attr-dict
    `:` qualified(type($ref)) `->` qualified(type($padded))
  }];
  let hasVerifier = 1;
}

def Pallas_UnpadRefOp : Pallas_Op<"unpad_ref"> {
  let summary = "copies what a padded ref holds back, without the padding";
  let description = [{
    ```mlir
    pallas.unpad_ref %p low [1, 0] to %x : !pallas.ref<12x128xf32, any>, !pallas.ref<10x128xf32, any>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$padded, DenseI64ArrayAttr:$low,
                       Arg<Pallas_RefType, "", [MemWrite]>:$ref);
  let assemblyFormat = [{
    $padded `low` $low `to` $ref attr-dict `:` qualified(type($padded)) `,` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Arrays of calls
//===----------------------------------------------------------------------===//

// Unlike new_ref, empty_ref and freeze, these are also for semaphores, and never
// copy: nothing but the loops of a call uses their refs.

def Pallas_OperandRefOp : Pallas_Op<"operand_ref"> {
  let summary = "the memory of an operand of a call";
  let description = [{
    Nothing writes to the ref, as a value never changes. Checked code knows the
    memory by the name.

    ```mlir
    %r = pallas.operand_ref "input 0" %x : tensor<10xf32> -> !pallas.ref<10xf32, any>
    ```
  }];
  let arguments = (ins StrAttr:$name, AnyRankedTensor:$operand);
  let results = (outs Res<Pallas_RefType, "", [MemAlloc, MemWrite]>:$ref);
  let assemblyFormat = [{
    $name $operand attr-dict `:` type($operand) `->` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

def Pallas_ResultRefOp : Pallas_Op<"result_ref"> {
  let summary = "memory for a result of a call";
  let description = [{
    It starts as a copy of the operand that the result is aliased to, if there is
    one. Programs find nothing of it in windows that are `hidden` from the array:
    these have a private buffer on some device.

    ```mlir
    %o = pallas.result_ref "output 0" of %r as !pallas.ref<10xf32, any> : !pallas.ref<10xf32, any>
    ```
  }];
  let arguments = (ins StrAttr:$name, Arg<Optional<Pallas_RefType>, "", [MemRead]>:$source,
                       UnitAttr:$hidden);
  let results = (outs Res<Pallas_RefType, "", [MemAlloc, MemWrite]>:$ref);
  let assemblyFormat = [{
    $name (`of` $source^ `as` qualified(type($source)))? (`hidden` $hidden^)? attr-dict
    `:` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

def Pallas_RefValueOp : Pallas_Op<"ref_value"> {
  let summary = "what the memory of a result holds behind the loops";
  let description = [{
    No operation uses the ref afterwards, so the value needs no copy.

    ```mlir
    %v = pallas.ref_value %o : !pallas.ref<10xf32, any> -> tensor<10xf32>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead, MemFree]>:$ref);
  let results = (outs AnyRankedTensor:$value);
  let assemblyFormat = [{
    $ref attr-dict `:` qualified(type($ref)) `->` type($value)
  }];
  let hasVerifier = 1;
}

def Pallas_ShareRefsOp : Pallas_Op<"share_refs", [
    MemoryEffects<[MemRead<Pallas_DeviceResource>, MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "lets other tasks and devices name memory";
  let description = [{
    ```mlir
    pallas.share_refs %a, %b : !pallas.ref<10xf32, any>, !pallas.ref<8xf32, any>
    ```
  }];
  let arguments = (ins Variadic<Pallas_RefType>:$refs);
  let assemblyFormat = "$refs attr-dict `:` qualified(type($refs))";
}

def Pallas_UnshareRefsOp : Pallas_Op<"unshare_refs", [
    MemoryEffects<[MemRead<Pallas_DeviceResource>, MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "ends what share_refs has begun";
  let description = [{
    With `together`, all devices meet before, so that none still copies to the
    memory.

    ```mlir
    pallas.unshare_refs %a, %b together : !pallas.ref<10xf32, any>, !pallas.ref<8xf32, any>
    ```
  }];
  let arguments = (ins Variadic<Pallas_RefType>:$refs, UnitAttr:$together);
  let assemblyFormat = [{
    $refs (`together` $together^)? attr-dict `:` qualified(type($refs))
  }];
}

#endif // PALLAS_WINDOW_OPS_TD
