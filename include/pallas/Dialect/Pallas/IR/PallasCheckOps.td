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

//===----------------------------------------------------------------------===//
// Values that nothing has written
//===----------------------------------------------------------------------===//

def Pallas_CheckLeftOutOp : Pallas_CheckerOp<"check_left_out", [
    AttrSizedOperandSegments, RefAccessOpInterface]> {
  let summary = "makes a value for what a load leaves out";
  let description = [{
    It is a finding if a result depends on an element that the mask excludes, or
    that lies outside of the ref. Messages name the elements by `name`. The load
    behind takes those elements from the value:

    ```mlir
    %left = pallas.check_left_out "what its mask leaves out" %r[ds(%i, 8)] mask %m by "pallas.masked_load"
      : !pallas.ref<?xf32, gmem>, tensor<8xi1> -> tensor<8xf32>
    %v = pallas.masked_load %r[ds(%i, 8)] mask %m other %left
      : !pallas.ref<?xf32, gmem>, tensor<8xi1>, other tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Pallas_RefType:$ref,
                       Pallas_IndexerAttr:$indexer, Variadic<Pallas_IndexValue>:$indices,
                       Optional<Pallas_Value>:$mask, StrAttr:$accessor);
  let results = (outs Pallas_Value:$value);
  let assemblyFormat = [{
    $name $ref `` custom<Indexer>($indexer, $indices, type($indices))
    (`mask` $mask^)? `by` $accessor attr-dict
    `:` qualified(type($ref)) (`,` type($mask)^)? `->` type($value)
  }];
  let hasVerifier = 1;
}

def Pallas_CheckUnwrittenOp : Pallas_CheckerOp<"check_unwritten"> {
  let summary = "makes a value that has no meaning";
  let description = [{
    It is a finding if a result depends on it.

    ```mlir
    %i, %found = pallas.query_cluster_cancel %answer along ["i"] : !pallas.ref<16xi8, smem>
    %none = pallas.check_unwritten "the index of work that was not found" by "pallas.query_cluster_cancel" : i32
    %index = arith.select %found, %i, %none : i32
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$accessor);
  let results = (outs AnySignlessInteger:$value);
  let assemblyFormat = "$name `by` $accessor attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Commits and waits
//===----------------------------------------------------------------------===//

def Pallas_CheckCommitOp : Pallas_CheckerOp<"check_commit"> {
  let summary = "reports a commit to the checker";
  let description = [{
    A commit of `copies` or `products` ends the group of those that started since
    the last one. One of `stores` makes stores to shared memory visible to copies and products.

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

//===----------------------------------------------------------------------===//
// Semaphores and barriers
//===----------------------------------------------------------------------===//

def Pallas_CheckSemaphoreSignalOp : Pallas_CheckerOp<"check_semaphore_signal", [AttrSizedOperandSegments]> {
  let summary = "reports a signal of a semaphore to the checker";
  let description = [{
    It is in front of the signal, and names a device and core as that does. What
    its task has done so far is ordered ahead of what a waiter does next.

    ```mlir
    pallas.check_semaphore_signal %s, %n device mesh(%right) axes ["x"] : !pallas.ref<!pallas.semaphore, semaphore>
    ```
  }];
  let arguments = (ins Pallas_CountingSemaphoreRef:$semaphore, I32:$increment,
                       Variadic<I32>:$deviceIds, Optional<I32>:$coreIndex,
                       OptionalAttr<Pallas_DeviceIdTypeAttr>:$deviceIdType,
                       OptionalAttr<ArrayAttr>:$deviceAxes);
  let assemblyFormat = [{
    $semaphore `,` $increment (`device` $deviceIdType^ `(` $deviceIds `)`)?
    (`axes` $deviceAxes^)? (`core` $coreIndex^)? attr-dict `:` qualified(type($semaphore))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckSemaphoreWaitOp : Pallas_CheckerOp<"check_semaphore_wait"> {
  let summary = "reports to the checker that a wait for a semaphore has ended";
  let description = [{
    It is behind the wait: the signals that it is for have been reported.

    ```mlir
    pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.check_semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
    ```
  }];
  let arguments = (ins Pallas_CountingSemaphoreRef:$semaphore, I32:$count);
  let assemblyFormat = "$semaphore `,` $count attr-dict `:` qualified(type($semaphore))";
  let hasVerifier = 1;
}

def Pallas_CheckDMAWaitOp : Pallas_CheckerOp<"check_dma_wait"> {
  let summary = "reports to the checker that a wait for a copy has ended";
  let description = [{
    The wait was for as many bytes as `place` has, which is the target of the
    copy or its source.

    ```mlir
    pallas.dma_wait %src to %dst signals %sem
      : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.check_dma_wait %dst signals %sem
      : !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    ```
  }];
  let arguments = (ins Pallas_RefType:$place, Pallas_DMASemaphoreRef:$semaphore);
  let assemblyFormat = [{
    $place `signals` $semaphore attr-dict
    `:` qualified(type($place)) `,` qualified(type($semaphore))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckCoreBarrierOp : Pallas_CheckerOp<"check_core_barrier"> {
  let summary = "reports to the checker that a core comes to a barrier of cores or leaves it";
  let description = [{
    What the cores along the axis have done when they arrive is ordered ahead of
    what they do when they leave. The number tells the barrier from others of
    the module.

    ```mlir
    pallas.check_core_barrier arrive 0 "subcore"
    pallas.core_barrier "subcore"
    pallas.check_core_barrier leave 0 "subcore"
    ```
  }];
  let arguments = (ins Pallas_BarrierSide:$side,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$number,
                       StrAttr:$axisName);
  let assemblyFormat = "$side $number $axisName attr-dict";
  let hasVerifier = 1;
}

def Pallas_CheckArrivalOp : Pallas_CheckerOp<"check_arrival"> {
  let summary = "reports an arrival at a barrier to the checker";
  let description = [{
    It is a finding if it completes a phase while nothing has waited for the one
    before. With `thread`, what the thread has done so far is ordered ahead of
    what a waiter does next; a copy or product that arrives reports that itself.

    ```mlir
    pallas.check_arrival thread "scoped ref 1" %b by "pallas.barrier_arrive"
      : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins UnitAttr:$thread, StrAttr:$name, Pallas_BarrierRef:$barrier,
                       StrAttr:$accessor);
  let assemblyFormat = [{
    (`thread` $thread^)? $name $barrier `by` $accessor attr-dict `:` qualified(type($barrier))
  }];
}

def Pallas_CheckPhaseOp : Pallas_CheckerOp<"check_phase"> {
  let summary = "reports to the checker that a phase of a barrier is complete";
  let description = [{
    It is behind the wait for the phase, or where a test has found it complete.
    A wait by `parity` is for all phases that its task had not seen, which may be
    none.

    ```mlir
    pallas.barrier_wait_parity %b, %p : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.check_phase parity %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins UnitAttr:$parity, Pallas_BarrierRef:$barrier);
  let assemblyFormat = "(`parity` $parity^)? $barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def Pallas_CheckDMAStartOp : Pallas_CheckerOp<"check_dma_start", [AttrSizedOperandSegments]> {
  let summary = "reports the start of an async copy to the checker";
  let description = [{
    From here on the source is read and the target written, until the copy is
    waited for. It is in front of the copy, while its memory still holds what
    the copy reads. Names of the refs are behind `from`. Refs with indices that
    select elements of an end are read until the copy has ended, too.

    ```mlir
    pallas.check_dma_start %src to %dst signals %sem from "input 0" to "scratch 0"
      : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    ```
    With `add` the writes are atomic, so that two such copies don't race.
  }];
  let arguments = (ins Pallas_RefType:$source, Pallas_RefType:$target,
                       Pallas_DMASemaphoreRef:$semaphore,
                       Optional<Pallas_DMASemaphoreRef>:$sourceSemaphore,
                       Variadic<I32>:$deviceIds, Optional<I32>:$coreIndex,
                       Variadic<Pallas_RefType>:$indexRefs,
                       OptionalAttr<Pallas_DeviceIdTypeAttr>:$deviceIdType,
                       OptionalAttr<ArrayAttr>:$deviceAxes, UnitAttr:$add,
                       StrAttr:$sourceName, StrAttr:$targetName,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$indexNames);
  let assemblyFormat = [{
    $source `to` $target `signals` $semaphore (`source_signals` $sourceSemaphore^)?
    (`device` $deviceIdType^ `(` $deviceIds `)`)? (`axes` $deviceAxes^)?
    (`core` $coreIndex^)? (`add` $add^)? `from` $sourceName `to` $targetName
    (`indices` `(` $indexRefs^ `:` qualified(type($indexRefs)) `)` $indexNames)? attr-dict
    `:` qualified(type($source)) `,` qualified(type($target)) `,` qualified(type($semaphore))
    (`,` qualified(type($sourceSemaphore))^)?
  }];
  let hasVerifier = 1;
}

def Pallas_CheckCopyGmemToSmemOp : Pallas_CheckerOp<"check_copy_gmem_to_smem"> {
  let summary = "reports a copy to shared memory to the checker";
  let description = [{
    Elements of a box that lie outside of its array are written as zeros. Blocks
    along the axes of `collective` may write each other's memory.

    ```mlir
    pallas.check_copy_gmem_to_smem %g to %s signals %b from "input 0" to "scoped ref 0"
      : !pallas.ref<64x64xf16, gmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$source, Pallas_RefType:$target,
                       Pallas_BarrierRef:$barrier,
                       OptionalAttr<StrArrayAttr>:$collectiveAxes,
                       StrAttr:$sourceName, StrAttr:$targetName);
  let assemblyFormat = [{
    $source `to` $target `signals` $barrier (`collective` $collectiveAxes^)?
    `from` $sourceName `to` $targetName attr-dict
    `:` qualified(type($source)) `,` qualified(type($target)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckCopySmemToGmemOp : Pallas_CheckerOp<"check_copy_smem_to_gmem"> {
  let summary = "reports a copy to global memory to the checker";
  let description = [{
    It is a finding if a store to the source has not been committed. The copy
    belongs to the group that is open; with `add` its writes are atomic.

    ```mlir
    pallas.check_copy_smem_to_gmem %s to %g from "scoped ref 0" to "output 0"
      : !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, gmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$source, Pallas_RefType:$target, UnitAttr:$add,
                       StrAttr:$sourceName, StrAttr:$targetName);
  let assemblyFormat = [{
    $source `to` $target (`add` $add^)? `from` $sourceName `to` $targetName attr-dict
    `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Pallas_CheckProductOp : Pallas_CheckerOp<"check_product", [AttrSizedOperandSegments]> {
  let summary = "reports the start of a matmul to the checker";
  let description = [{
    The product reads matrices until it is waited for, and updates its
    accumulator, or only writes it where `accumulate` is false. It arrives at a
    barrier when it has ended, or belongs to the group that is open. `names` are
    those of the matrices and of the accumulator. A product that makes a value
    has a number, which reads of the value refer to.

    ```mlir
    pallas.check_product reads %a, %b updates %acc accumulate %more signals %done
      names ["scratch 0", "scratch 1", "scratch 2"] by "pallas.tcgen05_mma"
      : !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>
      updates !pallas.ref<128x128xf32, tmem> signals !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.check_product reads %b number 1 names ["scratch 1"] by "pallas.wgmma"
      : !pallas.ref<64x128xf16, smem>
    ```
  }];
  let arguments = (ins Variadic<Pallas_RefType>:$matrices,
                       Optional<AnyTypeOf<[Pallas_RefType, Pallas_AccumulatorType]>>:$acc,
                       Optional<I1>:$accumulate, Optional<Pallas_BarrierRef>:$barrier,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$number,
                       StrArrayAttr:$names, StrAttr:$accessor);
  let assemblyFormat = [{
    `reads` $matrices (`updates` $acc^)? (`accumulate` $accumulate^)?
    (`signals` $barrier^)? (`number` $number^)? `names` $names `by` $accessor attr-dict
    `:` qualified(type($matrices)) (`updates` qualified(type($acc))^)?
    (`signals` qualified(type($barrier))^)?
  }];
  let hasVerifier = 1;
}

def Pallas_CheckAccumulatorOp : Pallas_CheckerOp<"check_accumulator"> {
  let summary = "reports a read of the value of a product to the checker";
  let description = [{
    It is a finding if one of these products, which may have made the value, has
    not been waited for. A negative number means the run before the last one.

    ```mlir
    pallas.check_accumulator [1, -2]
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$products);
  let assemblyFormat = "$products attr-dict";
}

def Pallas_CheckFollowProductsOp : Pallas_CheckerOp<"check_follow_products"> {
  let summary = "reports to the checker that a barrier waits for the products so far";
  let description = [{
    ```mlir
    pallas.check_follow_products %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    ```
  }];
  let arguments = (ins Pallas_BarrierRef:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Pallas_CheckMemoryOp : Pallas_CheckerOp<"check_memory"> {
  let summary = "reports memory to the checker";
  let description = [{
    The checker follows only memory that it has been told of. Memory that is `new`
    may have been something else before. All cores that share memory report it
    as `shared`, and the first one decides what it holds.

    ```mlir
    %r = pallas.operand_ref "input 0" %x : tensor<10xf32> -> !pallas.ref<10xf32, any>
    pallas.check_memory written "input 0" %r : !pallas.ref<10xf32, any>
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, vmem>) {
      pallas.check_memory new unwritten "scoped ref 0" %s : !pallas.ref<8x128xf32, vmem>
      ...
    }
    ```
  }];
  let arguments = (ins UnitAttr:$isNew, UnitAttr:$shared, Pallas_MemoryState:$state,
                       StrAttr:$name, Pallas_AnyRef:$ref);
  let assemblyFormat = [{
    (`new` $isNew^)? (`shared` $shared^)? $state $name $ref attr-dict `:` qualified(type($ref))
  }];
}

def Pallas_CheckMemoryEndOp : Pallas_CheckerOp<"check_memory_end"> {
  let summary = "reports the end of memory that cores share to the checker";
  let description = [{
    The last core that leaves ends it. Other memory ends where its place is used
    again.

    ```mlir
    pallas.check_memory_end %s : !pallas.ref<8x128xf32, smem>
    ```
  }];
  let arguments = (ins Pallas_AnyRef:$ref);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Pallas_CheckSameContentsOp : Pallas_CheckerOp<"check_same_contents"> {
  let summary = "reports a copy of memory to the checker";
  let description = [{
    The target now holds what the source does, also where nothing has written, so
    a copy alone is never a finding. If one of them is padded, `low` is where the
    other one lies in it.

    ```mlir
    %p = pallas.pad_ref %x low [1] : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
    pallas.check_same_contents %x to %p low [1] : !pallas.ref<10xf32, any>, !pallas.ref<12xf32, any>
    ```
  }];
  let arguments = (ins Pallas_RefType:$source, Pallas_RefType:$target, DenseI64ArrayAttr:$low);
  let assemblyFormat = [{
    $source `to` $target `low` $low attr-dict
    `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckPackedViewOp : Pallas_CheckerOp<"check_packed_view"> {
  let summary = "reports a view with elements of another width to the checker";
  let description = [{
    Code works on a copy of such a view. The checker finds the bits of the ref that
    each element of the copy stems from, so that writing half of a word leaves the
    other half unwritten.

    ```mlir
    %v = pallas.bitcast_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
    pallas.check_packed_view %v of %r : !pallas.ref<8x8xbf16, vmem>, !pallas.ref<4x8xf32, vmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$view, Pallas_RefType:$ref);
  let assemblyFormat = [{
    $view `of` $ref attr-dict `:` qualified(type($view)) `,` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckBuffersBeginOp : Pallas_CheckerOp<"check_buffers_begin"> {
  let summary = "reports memory that a core has from here on";
  let description = [{
    The timeline shows when the memory of a core is in use. Memory of hosts doesn't
    count.

    ```mlir
    pallas.check_buffers_begin [!pallas.ref<8x128xf32, vmem>]
    ```
  }];
  let arguments = (ins TypeArrayAttr:$buffers);
  let assemblyFormat = "$buffers attr-dict";
}

def Pallas_CheckBuffersEndOp : Pallas_CheckerOp<"check_buffers_end"> {
  let summary = "reports that a core gives the last memory back";
  let description = [{
    ```mlir
    pallas.check_buffers_end [!pallas.ref<8x128xf32, vmem>]
    ```
  }];
  let arguments = (ins TypeArrayAttr:$buffers);
  let assemblyFormat = "$buffers attr-dict";
}

def Pallas_CheckSemaphoresEndOp : Pallas_CheckerOp<"check_semaphores_end"> {
  let summary = "reports the end of semaphores to the checker";
  let description = [{
    A count that is left is a finding.

    ```mlir
    pallas.check_semaphores_end "scratch 1" %s by "pallas.pallas_call"
      : !pallas.ref<!pallas.semaphore, semaphore>
    ```
  }];
  let arguments = (ins StrAttr:$name, Pallas_RefType:$ref, StrAttr:$accessor);
  let assemblyFormat = "$name $ref `by` $accessor attr-dict `:` qualified(type($ref))";
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

def Pallas_CheckGridBeginOp : Pallas_CheckerOp<"check_grid_begin"> {
  let summary = "reports the start of a grid to the checker";
  let description = [{
    Its programs follow, up to the matching `check_grid_end`; grids nest. From here
    on the core has memory for windows of these types. Messages have the name of
    the kernel. Programs that may run on different cores access the `shared` arrays
    themselves, without windows.

    ```mlir
    pallas.check_grid_begin "matmul" windows [!pallas.ref<8x128xf32, vmem>] by "pallas.emit_pipeline"
    pallas.check_grid_begin "rows" windows [] shared(%x : !pallas.ref<64xf32, any>) by "pallas.pallas_call"
    ```
  }];
  let arguments = (ins StrAttr:$kernel, TypeArrayAttr:$windows, Variadic<Pallas_RefType>:$shared,
                       StrAttr:$accessor);
  let assemblyFormat = [{
    $kernel `windows` $windows (`shared` `(` $shared^ `:` qualified(type($shared)) `)`)?
    `by` $accessor attr-dict
  }];
}

def Pallas_CheckGridEndOp : Pallas_CheckerOp<"check_grid_end"> {
  let summary = "reports the end of a grid to the checker";
  let description = [{
    ```mlir
    pallas.check_grid_end windows [!pallas.ref<8x128xf32, vmem>]
    ```
  }];
  let arguments = (ins TypeArrayAttr:$windows);
  let assemblyFormat = "`windows` $windows attr-dict";
}

def Pallas_CheckAliasOp : Pallas_CheckerOp<"check_alias"> {
  let summary = "reports an input and an output that are one array on devices";
  let description = [{
    They have separate memory here, so a read of the input behind a write to the
    output finds the old value, and the new one there. Some device has a buffer
    for windows of an output that is `buffered`.

    ```mlir
    pallas.check_alias %x, %o buffered : !pallas.ref<8xf32, any>, !pallas.ref<8xf32, any>
    ```
  }];
  let arguments = (ins Pallas_RefType:$input, Pallas_RefType:$output, UnitAttr:$buffered);
  let assemblyFormat = [{
    $input `,` $output (`buffered` $buffered^)? attr-dict
    `:` qualified(type($input)) `,` qualified(type($output))
  }];
}

def Pallas_CheckProgramOp : Pallas_CheckerOp<"check_program", [AttrSizedOperandSegments]> {
  let summary = "reports the start of a program of a grid to the checker";
  let description = [{
    Findings name the program by its ids. Programs whose `parallel` ids differ may
    run on different cores, and then they have none of the scratch in common.

    ```mlir
    pallas.check_program(%i, %j)
    pallas.check_program(%i, %j) parallel(%i) scratch(%s : !pallas.ref<8xf32, vmem>)
    ```
  }];
  let arguments = (ins Variadic<Index>:$ids, Variadic<Index>:$parallelIds,
                       Variadic<Pallas_RefType>:$scratch);
  let assemblyFormat = [{
    `(` $ids `)` (`parallel` `(` $parallelIds^ `)`)?
    (`scratch` `(` $scratch^ `:` qualified(type($scratch)) `)`)? attr-dict
  }];
}

def Pallas_CheckWindowOp : Pallas_CheckerOp<"check_window"> {
  let summary = "reports the window of a program to the checker";
  let description = [{
    The block is that at the indices, which may lie out of bounds, where the window
    doesn't. `array` is without padding. Windows have numbers within their grid.
    One of an `output` starts unwritten; one that is `returning` has its contents
    again when the grid comes back to it. Some device has a buffer for one that is
    `buffered`.

    ```mlir
    pallas.check_window 1 "output 0" %w of %x[%i : i32] block<[128], vmem> output buffered
      by "pallas.emit_pipeline" : !pallas.ref<128xf32, vmem>, !pallas.ref<500xf32, any>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$index, StrAttr:$name,
                       Pallas_RefType:$window, Pallas_RefType:$array,
                       Variadic<AnySignlessIntegerOrIndex>:$indices,
                       Pallas_BlockMappingAttr:$mapping, UnitAttr:$output,
                       UnitAttr:$returning, UnitAttr:$buffered, StrAttr:$accessor);
  let assemblyFormat = [{
    $index $name $window `of` $array `` `[` ($indices^ `:` type($indices))? `]`
    `block` `` $mapping (`output` $output^)? (`returning` $returning^)?
    (`buffered` $buffered^)? `by` $accessor attr-dict
    `:` qualified(type($window)) `,` qualified(type($array))
  }];
  let hasVerifier = 1;
}

def Pallas_CheckOutputOp : Pallas_CheckerOp<"check_output"> {
  let summary = "reports the end of an output to the checker";
  let description = [{
    Elements that no program has written are a finding, which names their block.

    ```mlir
    pallas.check_output "output 0" %o block [8, 128] by "pallas.pallas_call" : !pallas.ref<16x256xf32, any>
    ```
  }];
  let arguments = (ins StrAttr:$name, Pallas_RefType:$output, DenseI64ArrayAttr:$block,
                       StrAttr:$accessor);
  let assemblyFormat = [{
    $name $output `block` $block `by` $accessor attr-dict `:` qualified(type($output))
  }];
}

def Pallas_CheckBarrierEndOp : Pallas_CheckerOp<"check_barrier_end"> {
  let summary = "reports the end of a kernel that uses the barrier semaphore";
  let description = [{
    The semaphore at which devices meet outlives the kernel, so a count that stays
    lets a device of the next one pass too early.

    ```mlir
    pallas.check_barrier_end 3 by "pallas.pallas_call"
    ```
  }];
  let arguments = (ins I64Attr:$collectiveId, StrAttr:$accessor);
  let assemblyFormat = "$collectiveId `by` $accessor attr-dict";
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def Pallas_CheckCoresBeginOp : Pallas_CheckerOp<"check_cores_begin"> {
  let summary = "reports the start of the kernels of meshes to the checker";
  let description = [{
    Their cores are unordered, also where they run one after the other, up to the
    matching `check_cores_end`.

    ```mlir
    pallas.check_cores_begin
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Pallas_CheckCoresEndOp : Pallas_CheckerOp<"check_cores_end"> {
  let summary = "reports that all cores have ended to the checker";
  let description = [{
    ```mlir
    pallas.check_cores_end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Pallas_CheckCoreBeginOp : Pallas_CheckerOp<"check_core_begin"> {
  let summary = "reports the start of a core to the checker";
  let description = [{
    Findings name the core by its ids. From here on it has memory of these types
    for itself, besides that of scopes.

    ```mlir
    pallas.check_core_begin(%i, %j) scratch [!pallas.ref<8x128xf32, vmem>]
    ```
  }];
  let arguments = (ins Variadic<I32>:$ids, TypeArrayAttr:$scratch);
  let assemblyFormat = "`(` $ids `)` `scratch` $scratch attr-dict";
}

def Pallas_CheckCoreEndOp : Pallas_CheckerOp<"check_core_end"> {
  let summary = "reports the end of a core to the checker";
  let description = [{
    ```mlir
    pallas.check_core_end scratch [!pallas.ref<8x128xf32, vmem>]
    ```
  }];
  let arguments = (ins TypeArrayAttr:$scratch);
  let assemblyFormat = "`scratch` $scratch attr-dict";
}

def Pallas_CheckClusterSyncOp : Pallas_CheckerOp<"check_cluster_sync"> {
  let summary = "reports to the checker that a block comes to a cluster_sync or leaves it";
  let description = [{
    The number tells it from others of the module, and from barriers of cores.

    ```mlir
    pallas.on_core <gpu, [<cluster "c" = 2>]>(%c) {
      pallas.check_cluster_sync arrive 3
      pallas.cluster_sync
      pallas.check_cluster_sync leave 3
    }
    ```
  }];
  let arguments = (ins Pallas_BarrierSide:$side,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$number, UnitAttr:$threads);
  let assemblyFormat = "$side $number (`threads` $threads^)? attr-dict";
}

#endif // PALLAS_CHECK_OPS_TD
