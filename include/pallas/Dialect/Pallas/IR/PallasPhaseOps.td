//===- PallasPhaseOps.td - Phases of barriers by parity ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PHASE_OPS_TD
#define PALLAS_PHASE_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

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

#endif // PALLAS_PHASE_OPS_TD
