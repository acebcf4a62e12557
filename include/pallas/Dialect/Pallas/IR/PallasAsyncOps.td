//===- PallasAsyncOps.td - Semaphores, barriers, copies ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_ASYNC_OPS_TD
#define PALLAS_ASYNC_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

def Pallas_SemaphoreSignalOp : Pallas_Op<"semaphore_signal", [
    AttrSizedOperandSegments]> {
  let summary = "adds to a semaphore, here or on another device or core";
  let description = [{
    ```mlir
    pallas.semaphore_signal %s, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.semaphore_signal %s, %c1 device mesh(%x, %y) : !pallas.ref<!pallas.semaphore, semaphore>
    ```
    `device logical(%id)` names a device by its number, `device mesh(...)` by
    one coordinate per axis of the device mesh, or per axis of `axes`.
  }];
  let arguments = (ins Arg<Pallas_CountingSemaphoreRef, "", [MemRead, MemWrite]>:$semaphore,
    I32:$increment, Variadic<I32>:$deviceIds, Optional<I32>:$coreIndex,
    OptionalAttr<Pallas_DeviceIdTypeAttr>:$deviceIdType,
    OptionalAttr<ArrayAttr>:$deviceAxes);
  let assemblyFormat = [{
    $semaphore `,` $increment (`device` $deviceIdType^ `(` $deviceIds `)`)?
    (`axes` $deviceAxes^)? (`core` $coreIndex^)? attr-dict `:` qualified(type($semaphore))
  }];
  let hasVerifier = 1;
}

def Pallas_SemaphoreWaitOp : Pallas_Op<"semaphore_wait"> {
  let summary = "waits until a semaphore has reached a count, then subtracts it";
  let description = [{
    With `decrement = false` it only waits.

    ```mlir
    pallas.semaphore_wait %s, %count : !pallas.ref<!pallas.semaphore, semaphore>
    ```
  }];
  let arguments = (ins Arg<Pallas_CountingSemaphoreRef, "", [MemRead, MemWrite]>:$semaphore,
    I32:$count, DefaultValuedAttr<BoolAttr, "true">:$decrement);
  let assemblyFormat = "$semaphore `,` $count attr-dict `:` qualified(type($semaphore))";
  let hasVerifier = 1;
}

def Pallas_SemaphoreReadOp : Pallas_Op<"semaphore_read"> {
  let summary = "the count of a semaphore";
  let description = [{
    ```mlir
    %count = pallas.semaphore_read %s : !pallas.ref<!pallas.semaphore, semaphore>
    ```
  }];
  // Others change the count meanwhile: asking again is not the same as asking
  // once, and a loop that only asks still waits.
  let arguments = (ins Arg<Pallas_CountingSemaphoreRef, "", [MemRead, MemWrite]>:$semaphore);
  let results = (outs I32:$count);
  let assemblyFormat = "$semaphore attr-dict `:` qualified(type($semaphore))";
  let hasVerifier = 1;
}

def Pallas_GetBarrierSemaphoreOp : Pallas_Op<"get_barrier_semaphore", [
    MemoryEffects<[MemRead<Pallas_DeviceResource>]>]> {
  let summary = "the semaphore that all devices share under the call's collective id";
  let description = [{
    ```mlir
    %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    ```
  }];
  let results = (outs Pallas_CountingSemaphoreRef:$semaphore);
  let assemblyFormat = "attr-dict `:` qualified(type($semaphore))";
}

//===----------------------------------------------------------------------===//
// Async copies
//===----------------------------------------------------------------------===//

class Pallas_DMAOp<string mnemonic> : Pallas_Op<mnemonic, [AttrSizedOperandSegments]> {
  let assemblyFormat = [{
    $source `to` $target `signals` $semaphore (`source_signals` $sourceSemaphore^)?
    (`device` $deviceIdType^ `(` $deviceIds `)`)? (`axes` $deviceAxes^)?
    (`core` $coreIndex^)? attr-dict
    `:` qualified(type($source)) `,` qualified(type($target)) `,` qualified(type($semaphore))
    (`,` qualified(type($sourceSemaphore))^)?
  }];
  let hasVerifier = 1;
}

def Pallas_DMAStartOp : Pallas_DMAOp<"dma_start"> {
  let summary = "starts an async copy";
  let description = [{
    When the copy is done, `semaphore` at the target has grown by the amount
    that was copied. A remote copy also lets `sourceSemaphore` grow here when
    the source may be used again, and so does a local one that has it.

    ```mlir
    pallas.dma_start %src to %dst signals %sem
      : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$source,
    Arg<Pallas_RefType, "", [MemWrite]>:$target,
    Arg<Pallas_DMASemaphoreRef, "", [MemRead, MemWrite]>:$semaphore,
    Arg<Optional<Pallas_DMASemaphoreRef>, "", [MemRead, MemWrite]>:$sourceSemaphore,
    Variadic<I32>:$deviceIds, Optional<I32>:$coreIndex,
    OptionalAttr<Pallas_DeviceIdTypeAttr>:$deviceIdType,
    OptionalAttr<ArrayAttr>:$deviceAxes,
    DefaultValuedAttr<I32Attr, "0">:$priority, UnitAttr:$add);
}

def Pallas_DMAWaitOp : Pallas_DMAOp<"dma_wait"> {
  let summary = "waits for an async copy of these types";
  let description = [{
    Only the sizes of the refs matter: they determine by how much the semaphore
    has to grow. A length that an operand gives counts as given, even where the
    ref has less: one wait may be for several copies. With `source_signals`, the wait is for the source of a copy:
    the semaphore that counts is that one.

    ```mlir
    pallas.dma_wait %src to %dst signals %sem
      : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$source,
    Arg<Pallas_RefType, "", [MemRead, MemWrite]>:$target,
    Arg<Pallas_DMASemaphoreRef, "", [MemRead, MemWrite]>:$semaphore,
    Arg<Optional<Pallas_DMASemaphoreRef>, "", [MemRead, MemWrite]>:$sourceSemaphore,
    Variadic<I32>:$deviceIds, Optional<I32>:$coreIndex,
    OptionalAttr<Pallas_DeviceIdTypeAttr>:$deviceIdType,
    OptionalAttr<ArrayAttr>:$deviceAxes);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def Pallas_BarrierArriveOp : Pallas_Op<"barrier_arrive"> {
  let summary = "arrives at a barrier";
  let description = [{
    ```mlir
    pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def Pallas_BarrierWaitOp : Pallas_Op<"barrier_wait"> {
  let summary = "waits until all arrivals of the barrier's phase are there";
  let description = [{
    ```mlir
    pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def Pallas_BarrierWaitParityOp : Pallas_Op<"barrier_wait_parity"> {
  let summary = "waits until the phase of a barrier under way has another parity";
  let description = [{
    This is the wait that hardware has. The first phase has parity 0: a wait with
    parity 1 at a barrier that is still in it returns at once. Where
    `pallas.barrier_wait` knows how often its program has waited, the program
    keeps that count itself here. A barrier is waited at in one of both ways.

    ```mlir
    pallas.barrier_wait_parity %b, %parity : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       I1:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def Pallas_BarrierTestOp : Pallas_Op<"barrier_test"> {
  let summary = "whether all arrivals of the barrier's phase are there";
  let description = [{
    It does not wait. Where the result is true, it begins the next phase, as
    `pallas.barrier_wait` does. With `parity` the program counts phases itself,
    as for `pallas.barrier_wait_parity`, and the result is whether that wait
    would return at once.

    ```mlir
    %done = pallas.barrier_test %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    %odd = pallas.barrier_test %b parity %p : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       Optional<I1>:$parity);
  let results = (outs I1:$done);
  let assemblyFormat = [{
    $barrier (`parity` $parity^)? attr-dict `:` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def Pallas_CoreBarrierOp : Pallas_Op<"core_barrier", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "waits until all cores along a mesh axis have come here";
  let description = [{
    ```mlir
    pallas.core_barrier "subcore"
    ```
  }];
  let arguments = (ins StrAttr:$axisName);
  let assemblyFormat = "$axisName attr-dict";
  let hasVerifier = 1;
}

#endif // PALLAS_ASYNC_OPS_TD
