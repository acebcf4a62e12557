//===- MosaicGPUCopyOps.td - Copies ------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_COPYOPS_TD
#define PALLAS_MOSAICGPU_COPYOPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

def MosaicGPU_AsyncLoadOp : MosaicGPU_Op<"async_load"> {
  let summary = "starts a copy of a box of global memory to shared memory";
  let description = [{
    The box starts at `indices` and has sizes `slice_lengths`, one of each per
    dimension of the source; -1 is a size of 1 whose dimension the destination
    lacks. An index may be a vector, which gathers rows. When the bytes are
    there, the barrier counts them.

    With `collective`, blocks of the cluster along these dimensions need the same
    box: each copies a part of it into the memory of all. With `leader_tracked`
    the barrier of the first block of a pair counts the bytes of both.

    The operand segments are source, destination, barrier, indices and predicate.
    Since 0.11.1 there is a sixth one, `gmem_peer_id`, the device to copy from, and
    since 0.12 a copy without a barrier is one of `cp.async`.

    ```mlir
    "mosaic_gpu.async_load"(%gmem, %smem, %barrier, %i, %j) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    ```
  }];
  // The segments are an attribute of our own: a release decides how many there
  // are, which the trait for segments has no room for.
  let arguments = (ins
    Variadic<AnyType>:$operands,
    OptionalAttr<AnyAttrOf<[MosaicGPU_CopyReplicatedAttr,
                            MosaicGPU_CopyPartitionedAttr]>>:$leader_tracked,
    DenseI64ArrayAttr:$slice_lengths,
    MosaicGPU_Dimensions:$collective,
    DefaultValuedAttr<MosaicGPU_OOBFillMode,
        "::mlir::mosaic_gpu::OOBFillMode::kZeros">:$oob_fill_mode,
    DenseI32ArrayAttr:$operandSegmentSizes);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$destination,
                   "::mlir::Value":$barrier, "::mlir::ValueRange":$indices,
                   "::llvm::ArrayRef<int64_t>":$sliceLengths,
                   CArg<"::mlir::Value", "{}">:$predicate,
                   CArg<"::llvm::ArrayRef<::mlir::mosaic_gpu::Dimension>",
                        "{}">:$collective)>,
  ];
  let extraClassDeclaration = [{
    /// The operand groups, in their order.
    enum Group { Source, Destination, Barrier, Indices, Predicate, Peer };
    /// Operands of a group; none when the form of the operation lacks it.
    ::mlir::OperandRange getGroup(Group group);
    /// The operand of a group that holds at most one, or null.
    ::mlir::Value getGroupValue(Group group) {
      ::mlir::OperandRange range = getGroup(group);
      return range.empty() ? ::mlir::Value() : range.front();
    }
    ::mlir::TypedValue<::mlir::MemRefType> getSource() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::MemRefType>>(
          getGroupValue(Source));
    }
    ::mlir::TypedValue<::mlir::MemRefType> getDestination() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::MemRefType>>(
          getGroupValue(Destination));
    }
    ::mlir::Value getBarrier() { return getGroupValue(Barrier); }
    ::mlir::OperandRange getIndices() { return getGroup(Indices); }
    ::mlir::Value getPredicate() { return getGroupValue(Predicate); }
    ::mlir::Value getGmemPeerId() { return getGroupValue(Peer); }
  }];
  let hasVerifier = 1;
}

def MosaicGPU_AsyncPrefetchOp
    : MosaicGPU_Op<"async_prefetch", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of a box of global memory to the L2 cache";
  let description = [{
    Indices, sizes and dimensions of the cluster are those of `async_load`.

    ```mlir
    "mosaic_gpu.async_prefetch"(%gmem, %i, %j) <{collective = [], operandSegmentSizes = array<i32: 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$source,
                       Variadic<MosaicGPU_CopyIndex>:$indices,
                       MosaicGPU_Predicate:$predicate,
                       DenseI64ArrayAttr:$slice_lengths,
                       MosaicGPU_Dimensions:$collective);
  let hasVerifier = 1;
}

def MosaicGPU_AsyncStoreOp
    : MosaicGPU_Op<"async_store", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of shared memory to a box of global memory";
  let description = [{
    Indices and sizes are those of `async_load`; a vector of indices scatters
    rows. `commit_group` ends the group of copies that one waits for at once,
    `reduction_op` combines with what is there, `gmem_peer_id` and
    `is_global_broadcast` name another device or all of them.

    ```mlir
    "mosaic_gpu.async_store"(%smem, %gmem, %i, %j) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 128>}> : (memref<64x128xf32, #gpu.address_space<workgroup>>, memref<64x128xf32>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination,
                       Variadic<MosaicGPU_CopyIndex>:$indices,
                       MosaicGPU_Predicate:$predicate,
                       Optional<I32>:$gmem_peer_id,
                       DenseI64ArrayAttr:$slice_lengths,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$commit_group,
                       OptionalAttr<MosaicGPU_TMAReduction>:$reduction_op,
                       MosaicGPU_False:$is_global_broadcast);
  let hasVerifier = 1;
}

def MosaicGPU_AsyncStoreSmemOp
    : MosaicGPU_Op<"async_store_smem", [MemoryEffects<[MemWrite]>]> {
  let summary = "starts a store to the shared memory of another block";
  let description = [{
    The other block is `cluster_idx` along `cluster_dim`. It waits at its own copy
    of the barrier.
  }];
  let arguments = (ins MosaicGPU_Vector:$valueToStore,
                       AnyNon0RankedMemRef:$destination,
                       MosaicGPU_BarrierRef:$barrier,
                       MosaicGPU_Dimension:$cluster_dim, I32:$cluster_idx,
                       OptionalAttr<MosaicGPU_AtomicOpType>:$atomic_type,
                       OptionalAttr<BoolAttr>:$optimized);
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICGPU_COPYOPS_TD
