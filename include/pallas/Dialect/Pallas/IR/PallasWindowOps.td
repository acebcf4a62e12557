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

def Pallas_PadRefOp : Pallas_Op<"pad_ref"> {
  let summary = "makes a ref that holds what another one does, and padding around it";
  let description = [{
    `low` is the padding in front of each dimension, and what is left of the new
    ref lies behind. Padding holds what memory holds that nothing has written.

    ```mlir
    %p = pallas.pad_ref %x low [1, 0] : !pallas.ref<10x128xf32, any> -> !pallas.ref<12x128xf32, any>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$ref, DenseI64ArrayAttr:$low);
  let results = (outs Res<Pallas_RefType, "", [MemAlloc, MemWrite]>:$padded);
  let assemblyFormat = [{
    $ref `low` $low attr-dict `:` qualified(type($ref)) `->` qualified(type($padded))
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

#endif // PALLAS_WINDOW_OPS_TD
