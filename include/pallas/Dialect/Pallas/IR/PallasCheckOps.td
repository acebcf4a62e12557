//===- PallasCheckOps.td - Operations of checked code ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass inserts these operations into code that is to be checked; frontends
// don't make them. They are apart from PallasOps.td, as only that pass and the
// lowering to CPUs know them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CHECK_OPS_TD
#define PALLAS_CHECK_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"
include "pallas/Dialect/Pallas/IR/PallasCheckEnums.td"

/// So that others find checks without a list of them.
def Pallas_IsCheck : NativeOpTrait<"IsCheck"> {
  let cppNamespace = "::mlir::pallas";
}

/// A check stays where it is: what orders accesses has effects on semaphores,
/// on the state of pipelines or on devices, so a check has all of these. No
/// effect is one on the ref itself, which a check leaves as it is.
class Pallas_CheckerOp<string mnemonic, list<Trait> traits = []>
    : Pallas_Op<mnemonic, !listconcat(traits, [Pallas_IsCheck, MemoryEffects<[
        MemRead, MemWrite, MemRead<Pallas_DeviceResource>,
        MemWrite<Pallas_DeviceResource>, MemRead<Pallas_PipelineResource>,
        MemWrite<Pallas_PipelineResource>]>])>;

def Pallas_CheckAccessOp : Pallas_CheckerOp<"check_access", [
    AttrSizedOperandSegments, RefAccessOpInterface]> {
  let summary = "reports an access of a part of a ref to the checker";
  let description = [{
    It is in front of the access that it is about. Messages have the name of
    the ref, and the name of the operation behind `by`.

    ```mlir
    pallas.check_access read "input 0" %r[ds(%i, 8), :] by "pallas.get" : !pallas.ref<64x128xf32, vmem>
    pallas.check_access write "output 0" %r[ds(%i, 8), :] mask %m outside dropped by "pallas.masked_swap"
      : !pallas.ref<64x128xf32, vmem>, tensor<8x128xi1>
    ```
    An index out of bounds is a finding. `outside` is what becomes of elements
    there: they are those nearest inside (`moved`), or not accessed (`dropped`);
    `allowed` is no finding. The checker looks at the elements one by one where
    there is an index array, a mask or an atomic access.
  }];
  let arguments = (ins Pallas_CheckedAccess:$kind, StrAttr:$name, Pallas_RefType:$ref,
                       Pallas_IndexerAttr:$indexer, Variadic<Pallas_IndexValue>:$indices,
                       Optional<Pallas_Value>:$mask,
                       DefaultValuedAttr<Pallas_OutsideElements,
                                         "::mlir::pallas::OutsideElements::Moved">:$outside,
                       StrAttr:$accessor);
  let assemblyFormat = [{
    $kind $name $ref `` custom<Indexer>($indexer, $indices, type($indices))
    (`mask` $mask^)? (`outside` $outside^)? `by` $accessor attr-dict
    `:` qualified(type($ref)) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Pallas_CheckBoundsOp : Pallas_CheckerOp<"check_bounds", [RefAccessOpInterface]> {
  let summary = "reports indices of a view to the checker";
  let description = [{
    A view has to lie in its ref, whether its elements are accessed or not.

    ```mlir
    pallas.check_bounds "scratch 0" %r[%i, :] : !pallas.ref<8x128xf32, vmem>
    ```
    A view by index arrays is checked where a copy uses it.
  }];
  let arguments = (ins StrAttr:$name, Pallas_RefType:$ref, Pallas_IndexerAttr:$indexer,
                       Variadic<Pallas_IndexValue>:$indices);
  let assemblyFormat = [{
    $name $ref `` custom<Indexer>($indexer, $indices, type($indices)) attr-dict
    `:` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckContentsOp : Pallas_CheckerOp<"check_contents"> {
  let summary = "reports an access of all of a ref to the checker";
  let description = [{
    For operations that access memory as a whole: those that make a ref of a
    value or a value of a ref, and those of accumulators.

    ```mlir
    pallas.check_contents read "scratch 0" %acc by "pallas.accumulator_deref"
      : !pallas.accumulator<64x128xf32>
    ```
    With `async` the access is one of tensor memory, which may go on until it is
    waited for.
  }];
  let arguments = (ins Pallas_CheckedAccess:$kind, StrAttr:$name,
                       AnyTypeOf<[Pallas_RefType, Pallas_AccumulatorType]>:$ref,
                       StrAttr:$accessor, UnitAttr:$async);
  let assemblyFormat = [{
    $kind (`async` $async^)? $name $ref `by` $accessor attr-dict `:` qualified(type($ref))
  }];
}

def Pallas_CheckTensorBoundsOp : Pallas_CheckerOp<"check_tensor_bounds"> {
  let summary = "reports an index outside of a tensor to the checker";
  let description = [{
    It is a finding if the operand is false, which is computed from the indices
    of the operation behind `by`.

    ```mlir
    pallas.check_tensor_bounds %inside by "tensor.extract"
    ```
  }];
  let arguments = (ins I1:$inside, StrAttr:$accessor);
  let assemblyFormat = "$inside `by` $accessor attr-dict";
}

def Pallas_CheckCommitOp : Pallas_CheckerOp<"check_commit"> {
  let summary = "reports a commit to the checker";
  let description = [{
    A commit of `copies` ends the group of those that started since the last one.
    One of `stores` makes stores to shared memory visible to copies and products.

    ```mlir
    pallas.check_commit copies
    ```
  }];
  let arguments = (ins Pallas_CommittedWork:$kind);
  let assemblyFormat = "$kind attr-dict";
}

def Pallas_CheckWaitOp : Pallas_CheckerOp<"check_wait"> {
  let summary = "reports a wait for groups of copies or products to the checker";
  let description = [{
    Afterwards at most `pending` groups are in flight. A wait for `sources` ends
    when copies have read their sources; they may still be writing their targets.

    ```mlir
    pallas.check_wait products pending 1
    ```
  }];
  let arguments = (ins Pallas_AwaitedWork:$kind,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$kind `pending` $pending attr-dict";
}

def Pallas_CheckTensorMemoryWaitOp : Pallas_CheckerOp<"check_tensor_memory_wait"> {
  let summary = "reports a wait for accesses of tensor memory to the checker";
  let description = [{
    Tensor memory has no groups: all loads or all stores have ended.

    ```mlir
    pallas.check_tensor_memory_wait loads
    ```
  }];
  let arguments = (ins Pallas_TensorMemoryWork:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif // PALLAS_CHECK_OPS_TD
