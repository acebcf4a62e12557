//===- TPUAsyncOps.td - Semaphores, DMAs, cores ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semaphores and DMAs have no memory effects on purpose: they act on other
// cores and devices and order all operations around them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUASYNCOPS_TD
#define PALLAS_MOSAICTPU_TPUASYNCOPS_TD

include "pallas/Dialect/MosaicTPU/IR/TPUOpBase.td"

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

def TPU_SemAllocOp : TPU_Op<"sem_alloc"> {
  let summary = "semaphores that live as long as the region around";
  let results = (outs TPU_AnySemMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TPU_SemBarrierOp : TPU_Op<"sem_barrier"> {
  let summary = "the semaphore that all devices of a collective share";
  let results = (outs TPU_SemMemRef:$semaphore);
  let assemblyFormat = "attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def TPU_SemReadOp : TPU_Op<"sem_read"> {
  let summary = "count of a semaphore";
  let arguments = (ins TPU_AnySemMemRef:$semaphore);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $semaphore attr-dict `:` type($semaphore) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TPU_SemWaitOp : TPU_Op<"sem_wait"> {
  let summary = "waits until a semaphore counts at least this much, and takes it";
  let arguments = (ins TPU_SemMemRef:$semaphore, I32:$amount);
  let assemblyFormat = "$semaphore `,` $amount attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def TPU_SemSignalOp : TPU_Op<"sem_signal", [AttrSizedOperandSegments]> {
  let summary = "adds to a semaphore of this or another core or device";
  let description = [{
    ```mlir
    tpu.sem_signal %s, %one device_id %device core_id %core
        : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let arguments = (ins TPU_SemMemRef:$semaphore, I32:$amount,
                       Optional<I32>:$device_id, Optional<I32>:$core_id,
                       Optional<I32>:$subcore_id);
  let assemblyFormat = [{
    $semaphore `,` $amount (`device_id` $device_id^)? (`core_id` $core_id^)?
    (`subcore_id` $subcore_id^)? attr-dict `:` type($semaphore)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// DMAs
//===----------------------------------------------------------------------===//

def TPU_EnqueueDMAOp : TPU_Op<"enqueue_dma", [AttrSizedOperandSegments]> {
  let summary = "starts to copy one memref to another";
  let description = [{
    A DMA to another device or core signals both semaphores, a local one only
    the target's.

    ```mlir
    tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>)
        target(%b : memref<8x128xf32, #tpu.memory_space<vmem>>)
        target_semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    ```
  }];
  let arguments = (ins
    AnyMemRef:$source, Optional<TPU_AnySemMemRef>:$source_semaphore,
    AnyMemRef:$target, Optional<TPU_AnySemMemRef>:$target_semaphore,
    Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
    DefaultValuedAttr<I32Attr, "0">:$priority,
    DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)`
    `target` `(` $target `:` type($target) `)`
    (`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?
    (`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?
    (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)?
    (`subcore_id` `(` $subcore_id^ `)`)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$target,
                   "::mlir::Value":$targetSemaphore)>,
  ];
  let hasVerifier = 1;
}

def TPU_WaitDMA2Op : TPU_Op<"wait_dma2", [AttrSizedOperandSegments]> {
  let summary = "waits until a semaphore has counted the bytes of `dst`";
  let arguments = (ins
    TPU_DMASemMemRef:$semaphore, AnyMemRef:$src, AnyMemRef:$dst,
    Optional<I32>:$device_id, Optional<I32>:$core_id,
    DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)`
    `src` `(` $src `:` type($src) `)` `dst` `(` $dst `:` type($dst) `)`
    (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$semaphore, "::mlir::Value":$src,
                   "::mlir::Value":$dst)>,
  ];
  let hasVerifier = 1;
}

def TPU_WaitDMAOp : TPU_Op<"wait_dma", [AttrSizedOperandSegments]> {
  let summary = "waits for one side of a DMA that is described again in full";
  let arguments = (ins
    AnyMemRef:$source, Optional<TPU_AnySemMemRef>:$source_semaphore,
    AnyMemRef:$target, Optional<TPU_AnySemMemRef>:$target_semaphore,
    Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
    DefaultValuedAttr<I32Attr, "0">:$priority,
    DefaultValuedAttr<BoolAttr, "false">:$strict_ordering,
    BoolAttr:$wait_target);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)`
    `target` `(` $target `:` type($target) `)`
    (`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?
    (`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?
    (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)?
    (`subcore_id` `(` $subcore_id^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def TPU_EnqueueIndirectDMAOp : TPU_Op<"enqueue_indirect_dma"> {
  let summary = "starts to gather or scatter rows by offsets (SparseCore)";
  let description = [{
    Gathers when the target is the VMEM of the core, scatters when the source
    is. Rows whose offset equals `offset_filter` are left out; with `add` rows
    are added to what the target holds.
  }];
  let arguments = (ins
    AnyMemRef:$source, AnyMemRef:$target,
    AnyTypeOf<[MemRefOf<[I32]>, TPU_VregOf<[I32]>]>:$offsets,
    TPU_DMASemMemRef:$semaphore, Optional<I32>:$offset_filter,
    DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)`
    `target` `(` $target `:` type($target) `)`
    `offsets` `(` $offsets `:` type($offsets) `)`
    (`offset_filter` `(` $offset_filter^ `)`)?
    `semaphore` `(` $semaphore `:` type($semaphore) `)` attr-dict
  }];
  let hasVerifier = 1;
}

def TPU_WaitIndirectDMAOp : TPU_Op<"wait_indirect_dma"> {
  let summary = "waits for an indirect DMA (SparseCore)";
  let arguments = (ins TPU_DMASemMemRef:$semaphore, AnyMemRef:$src,
                       AnyMemRef:$dst);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)`
    `src` `(` $src `:` type($src) `)` `dst` `(` $dst `:` type($dst) `)` attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Cores and devices
//===----------------------------------------------------------------------===//

def TPU_BarrierOp : TPU_Op<"barrier"> {
  let summary = "waits until all vector subcores are here (SparseCore)";
  let arguments = (ins Index:$barrier_id);
  let assemblyFormat = "`barrier_id` `(` $barrier_id `)` attr-dict";
}

def TPU_FetchAndAddSyncOp : TPU_Op<"fetch_and_add_sync"> {
  let summary = "adds to a number in another core's memory, gives the old one";
  let arguments = (ins
    Arg<MemRefOf<[I32]>, "memory to change", [MemRead, MemWrite]>:$base,
    Variadic<I32>:$indices, I32:$value, I32:$core_id);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $value `,` $core_id attr-dict `:`
    type($base) `,` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TPU_DeviceIdOp : TPU_Op<"device_id", [Pure]> {
  let summary = "logical number of this device";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TPU_CoreIdOp : TPU_Op<"core_id", [Pure]> {
  let summary = "number of this SparseCore, in a function without a mesh";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TPU_SubcoreIdOp : TPU_Op<"subcore_id", [Pure]> {
  let summary = "number of this vector subcore, in a function without a mesh";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICTPU_TPUASYNCOPS_TD
