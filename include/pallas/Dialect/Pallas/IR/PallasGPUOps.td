//===- PallasGPUOps.td - Operations of GPU kernels ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_GPU_OPS_TD
#define PALLAS_GPU_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

def Pallas_PipelineEffects : MemoryEffects<[
    MemRead<Pallas_PipelineResource>, MemWrite<Pallas_PipelineResource>]>;

def Pallas_MatrixOperand : AnyTypeOf<[Pallas_RefType, AnyRankedTensor],
                                     "ref, or tensor in registers">;

//===----------------------------------------------------------------------===//
// Warpgroup matmuls
//===----------------------------------------------------------------------===//

def Pallas_WGMMARefOp : Pallas_Op<"wgmma_ref", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "starts acc += lhs @ rhs";
  let description = [{
    The product runs asynchronously: `lhs` and `rhs` may be overwritten only
    after a wait that covers it. Together with the waits, commits and reads of
    accumulators it stays in program order.

    ```mlir
    pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>,
      !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
    ```
  }];
  let arguments = (ins Pallas_AccumulatorType:$acc, Pallas_MatrixOperand:$lhs,
                       Pallas_RefType:$rhs);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` qualified(type($acc)) `,` qualified(type($lhs)) `,` qualified(type($rhs))
  }];
  let hasVerifier = 1;
}

def Pallas_WGMMAOp : Pallas_Op<"wgmma", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "starts acc + lhs @ rhs and yields the new accumulator";
  let description = [{
    What `pallas.wgmma_ref` becomes when accumulators are discharged.

    ```mlir
    %next = pallas.wgmma %acc, %a, %b
      : tensor<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$acc, Pallas_MatrixOperand:$lhs,
                       Pallas_RefType:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` qualified(type($acc)) `,` qualified(type($lhs)) `,` qualified(type($rhs))
  }];
  let hasVerifier = 1;
}

def Pallas_AccumulatorDerefOp : Pallas_Op<"accumulator_deref", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the value of an accumulator, after a wait";
  let description = [{
    Waits until at most `waitN` groups of products are in flight; without it,
    it does not wait. The operand is an accumulator, or after discharge its value.

    ```mlir
    %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Pallas_AccumulatorType, AnyRankedTensor]>:$acc,
                       OptionalAttr<I64Attr>:$waitN);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $acc (`wait` $waitN^)? attr-dict `:` qualified(type($acc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_AccumulatorStoreOp : Pallas_Op<"accumulator_store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "sets an accumulator";
  let description = [{
    ```mlir
    pallas.accumulator_store %acc, %v : !pallas.accumulator<64x128xf32>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Pallas_AccumulatorType:$acc, AnyRankedTensor:$value);
  let assemblyFormat = "$acc `,` $value attr-dict `:` qualified(type($acc)) `,` type($value)";
  let hasVerifier = 1;
}

def Pallas_WGMMACommitOp : Pallas_Op<"wgmma_commit", [Pallas_PipelineEffects]> {
  let summary = "closes the group of products started so far";
  let assemblyFormat = "attr-dict";
}

def Pallas_WGMMAWaitOp : Pallas_Op<"wgmma_wait", [Pallas_PipelineEffects]> {
  let summary = "waits until at most this many groups of products are in flight";
  let description = [{
    ```mlir
    pallas.wgmma_wait 1
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies between global and shared memory
//===----------------------------------------------------------------------===//

def Pallas_CopyGmemToSmemOp : Pallas_Op<"copy_gmem_to_smem"> {
  let summary = "starts a copy to shared memory that arrives at a barrier";
  let description = [{
    Nothing happens, not even the arrival, where the predicate is false.

    `collective` names axes of the cluster: the blocks along them ask for the
    same elements, which are fetched once for all. With `leader_tracked`, the
    arrivals of all blocks are those of the first one's barrier. With
    `partitioned`, each block gets its own part of that dimension of the source
    instead of the whole, and the leader tracks it.

    ```mlir
    pallas.copy_gmem_to_smem %g to %s signals %b if %first collective ["c"]
      : !pallas.ref<64x64xf16, gmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$source,
    Arg<Pallas_RefType, "", [MemWrite]>:$target,
    Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier, Optional<I1>:$predicate,
    OptionalAttr<StrArrayAttr>:$collectiveAxes, UnitAttr:$leaderTracked,
    OptionalAttr<I64Attr>:$partitionedDim);
  let assemblyFormat = [{
    $source `to` $target `signals` $barrier (`if` $predicate^)?
    (`collective` $collectiveAxes^)? (`leader_tracked` $leaderTracked^)?
    (`partitioned` $partitionedDim^)? attr-dict
    `:` qualified(type($source)) `,` qualified(type($target)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def Pallas_CopySmemToGmemOp : Pallas_Op<"copy_smem_to_gmem"> {
  let summary = "starts a copy to global memory";
  let description = [{
    Stores to the source are visible to the copy after `pallas.commit_smem`. With
    `reduction`, the copy combines with what the target holds; with
    `commitGroup = false`, `pallas.commit_smem_to_gmem_group` closes its group.

    ```mlir
    pallas.copy_smem_to_gmem %s to %g : !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, gmem>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$source,
    Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$target, Optional<I1>:$predicate,
    DefaultValuedAttr<BoolAttr, "true">:$commitGroup,
    OptionalAttr<Pallas_AtomicKindAttr>:$reduction);
  let assemblyFormat = [{
    $source `to` $target (`if` $predicate^)? attr-dict `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Pallas_CommitSmemOp : Pallas_Op<"commit_smem", [Pallas_PipelineEffects]> {
  let summary = "makes stores to shared memory visible to async copies and products";
  let assemblyFormat = "attr-dict";
}

def Pallas_CommitSmemToGmemGroupOp
    : Pallas_Op<"commit_smem_to_gmem_group", [Pallas_PipelineEffects]> {
  let summary = "closes the group of copies to global memory started so far";
  let assemblyFormat = "attr-dict";
}

def Pallas_WaitSmemToGmemOp : Pallas_Op<"wait_smem_to_gmem", [Pallas_PipelineEffects]> {
  let summary = "waits until at most this many groups of copies are pending";
  let description = [{
    With `read_only` it waits until the sources may be written again.

    ```mlir
    pallas.wait_smem_to_gmem 0 read_only
    ```
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$readOnly);
  let assemblyFormat = "$pending (`read_only` $readOnly^)? attr-dict";
  let hasVerifier = 1;
}

// The write keeps it: an operation that only reads is dead without results.
def Pallas_AsyncPrefetchOp : Pallas_Op<"async_prefetch", [
    MemoryEffects<[MemWrite<Pallas_PipelineResource>]>]> {
  let summary = "asks for global memory to be brought nearer";
  let description = [{
    ```mlir
    pallas.async_prefetch %g : !pallas.ref<64x64xf16, gmem>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$source);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
}

//===----------------------------------------------------------------------===//
// Tensor memory and fifth-generation tensor cores
//===----------------------------------------------------------------------===//

def Pallas_Tcgen05MMAOp : Pallas_Op<"tcgen05_mma", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "starts acc = lhs @ rhs, or acc += lhs @ rhs, in tensor memory";
  let description = [{
    The product arrives at the barrier when it is done. With `collective`, the
    two blocks along this axis of the cluster multiply together: each has its
    own rows of `lhs` and of the accumulator, and half of the columns of `rhs`.

    Scales multiply parts of a row of `lhs`, and of a column of `rhs`: both have a
    row of scales for each. A sparse `lhs` holds two of four elements in a row;
    `lhsMetadata` has their places, one for each element that it holds.

    ```mlir
    pallas.tcgen05_mma %acc, %a, %b accumulate %more signals %done
      : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$acc, Pallas_RefType:$lhs, Pallas_RefType:$rhs,
    I1:$accumulate, Optional<Pallas_BarrierRef>:$barrier,
    Optional<Pallas_RefType>:$lhsScale, Optional<Pallas_RefType>:$rhsScale,
    Optional<Pallas_RefType>:$lhsMetadata, OptionalAttr<StrAttr>:$collectiveAxis);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$acc, "::mlir::Value":$lhs,
                   "::mlir::Value":$rhs, "::mlir::Value":$accumulate)>,
  ];
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs `accumulate` $accumulate (`signals` $barrier^)?
    (`scales` `(` $lhsScale^ `:` qualified(type($lhsScale)) `,` $rhsScale `:` qualified(type($rhsScale)) `)`)?
    (`sparse` `(` $lhsMetadata^ `:` qualified(type($lhsMetadata)) `)`)?
    (`collective` $collectiveAxis^)? attr-dict
    `:` qualified(type($acc)) `,` qualified(type($lhs)) `,` qualified(type($rhs)) (`,` qualified(type($barrier))^)?
  }];
  let hasVerifier = 1;
}

def Pallas_Tcgen05CommitOp : Pallas_Op<"tcgen05_commit"> {
  let summary = "lets a barrier follow the products started so far";
  let description = [{
    ```mlir
    pallas.tcgen05_commit %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<StrAttr>:$collectiveAxis);
  let assemblyFormat = [{
    $barrier (`collective` $collectiveAxis^)? attr-dict `:` qualified(type($barrier))
  }];
}

def Pallas_AsyncLoadTmemOp : Pallas_Op<"async_load_tmem", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "starts reading tensor memory into registers";
  let description = [{
    The value may be used at once; the memory may be overwritten after
    `pallas.wait_load_tmem`.

    ```mlir
    %v = pallas.async_load_tmem %t : !pallas.ref<128x128xf32, tmem> -> tensor<128x128xf32>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
}

def Pallas_AsyncStoreTmemOp : Pallas_Op<"async_store_tmem"> {
  let summary = "starts writing registers to tensor memory";
  let description = [{
    Others see it after `pallas.commit_tmem`.

    ```mlir
    pallas.async_store_tmem %v to %t : tensor<128x128xf32>, !pallas.ref<128x128xf32, tmem>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Arg<Pallas_RefType, "", [MemWrite]>:$target);
  let assemblyFormat = "$value `to` $target attr-dict `:` type($value) `,` qualified(type($target))";
  let hasVerifier = 1;
}

def Pallas_AsyncCopyToTmemOp : Pallas_Op<"async_copy_to_tmem", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "starts a copy of shared memory to tensor memory";
  let description = [{
    Products that this block starts later see it, and so does what waits for a
    barrier that `pallas.tcgen05_commit` let follow it. With `collective`, the two
    blocks along this axis of the cluster copy, each to its own tensor memory.

    Scales and metadata lie in shared memory as tiles, in the order that products
    read them: of scales, each of 32 rows of a tile has four scales of four rows; of
    metadata, a tile has the places of 64 elements in 128 rows.

    ```mlir
    pallas.async_copy_to_tmem matrix %s to %t : !pallas.ref<128x64xf32, smem>, !pallas.ref<128x64xf32, tmem>
    pallas.async_copy_to_tmem scales %u to %v : !pallas.ref<1x2x32x16xf8E8M0FNU, smem>, !pallas.ref<128x8xf8E8M0FNU, tmem>
    ```
  }];
  let arguments = (ins Pallas_TensorCopyKindAttr:$kind, Pallas_RefType:$source,
    Pallas_RefType:$target, OptionalAttr<StrAttr>:$collectiveAxis);
  let assemblyFormat = [{
    $kind $source `to` $target (`collective` $collectiveAxis^)? attr-dict
    `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Pallas_WaitLoadTmemOp : Pallas_Op<"wait_load_tmem", [Pallas_PipelineEffects]> {
  let summary = "waits for all reads of tensor memory";
  let assemblyFormat = "attr-dict";
}

def Pallas_CommitTmemOp : Pallas_Op<"commit_tmem", [Pallas_PipelineEffects]> {
  let summary = "waits for all writes to tensor memory";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

def Pallas_SetMaxRegistersOp : Pallas_Op<"set_max_registers", [Pallas_PipelineEffects]> {
  let summary = "changes how many registers a warpgroup may use";
  let description = [{
    ```mlir
    pallas.set_max_registers 232 increase
    ```
  }];
  let arguments = (ins I64Attr:$count, UnitAttr:$increase);
  let assemblyFormat = "$count (`increase` $increase^)? attr-dict";
  let hasVerifier = 1;
}

def Pallas_LayoutCastOp : Pallas_Op<"layout_cast", [Pure, SameOperandsAndResultType]> {
  let summary = "asks for a value to be held in a register layout";
  let description = [{
    ```mlir
    %y = pallas.layout_cast %x : tensor<64x128xf32> layout "wgmma"
    ```
  }];
  let arguments = (ins Pallas_Value:$value, AnyAttr:$layout);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `layout` $layout";
}

def Pallas_ClusterRefOp : Pallas_Op<"cluster_ref", [Pure, AllTypesMatch<["ref", "view"]>]> {
  let summary = "the same shared memory in another block of the cluster";
  let description = [{
    ```mlir
    %there = pallas.cluster_ref %r, "c" = %i : !pallas.ref<64x64xf16, smem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$ref, StrAttr:$axisName, I32:$index);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = "$ref `,` $axisName `=` $index attr-dict `:` qualified(type($ref))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory of other devices
//===----------------------------------------------------------------------===//

def Pallas_RemoteRefOp : Pallas_Op<"remote_ref", [Pure, AllTypesMatch<["ref", "view"]>]> {
  let summary = "the same memory on another device";
  let description = [{
    ```mlir
    %there = pallas.remote_ref %r device mesh(%right) axes ["x"] : !pallas.ref<64x128xf16, gmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$ref, Pallas_DeviceIdTypeAttr:$deviceIdType,
                       Variadic<I32>:$deviceIds, OptionalAttr<ArrayAttr>:$deviceAxes);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = [{
    $ref `device` $deviceIdType `(` $deviceIds `)` (`axes` $deviceAxes^)? attr-dict
    `:` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

def Pallas_MulticastRefOp : Pallas_Op<"multicast_ref", [Pure, AllTypesMatch<["ref", "view"]>]> {
  let summary = "the same memory on all devices along axes: a store reaches all of them";
  let description = [{
    ```mlir
    %all = pallas.multicast_ref %r axes ["x"] : !pallas.ref<64x128xf16, gmem>
    ```
  }];
  let arguments = (ins Pallas_RefType:$ref, StrArrayAttr:$deviceAxes);
  let results = (outs Pallas_RefType:$view);
  let assemblyFormat = "$ref `axes` $deviceAxes attr-dict `:` qualified(type($ref))";
}

def Pallas_MultimemLoadReduceOp : Pallas_Op<"multimem_load_reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "reads the same ref on all devices along axes and combines the values";
  let description = [{
    ```mlir
    %sum = pallas.multimem_load_reduce <add> %r axes ["x"] : !pallas.ref<64x128xf16, gmem> -> tensor<64x128xf16>
    ```
  }];
  let arguments = (ins Pallas_CombiningKindAttr:$kind,
                       Arg<Pallas_RefType, "", [MemRead]>:$ref, StrArrayAttr:$deviceAxes);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $kind $ref `axes` $deviceAxes attr-dict `:` qualified(type($ref)) `->` type($result)
  }];
}

def Pallas_GridDependencyOp : Pallas_Op<"grid_dependency", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "waits for the kernel before, or lets the one after start";
  let description = [{
    `launch` lets the kernel behind this one start; without it, this one waits.

    ```mlir
    pallas.grid_dependency launch
    ```
  }];
  let arguments = (ins UnitAttr:$launch);
  let assemblyFormat = "(`launch` $launch^)? attr-dict";
}

#endif // PALLAS_GPU_OPS_TD
