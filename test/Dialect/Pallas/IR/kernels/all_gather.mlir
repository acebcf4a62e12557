// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// All-gather around a ring: in step k every device passes on to its right
// neighbour what it received in step k - 1. All devices meet first, so that
// nobody writes to memory that is not there yet.

!out = !pallas.ref<4x8x128xf32, any>
!in = !pallas.ref<8x128xf32, any>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
!barrier = !pallas.ref<!pallas.barrier_semaphore, semaphore>

// CHECK-LABEL: func.func @all_gather
func.func @all_gather(%x: tensor<8x128xf32>) -> tensor<4x8x128xf32> {
  // CHECK: attributes {compilerParams = [#pallas.tpu_params<collectiveId = 0>]}
  %o = pallas.pallas_call @all_gather grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<4x8x128xf32>) block<[4, 8, 128], any>
      attributes {compilerParams = [#pallas.tpu_params<collectiveId = 0>]}
      kernel(%xr: !in, %or: !out, %local: !sem, %sent: !sem, %received: !sem) {
    %me = pallas.axis_index "ring"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %after = arith.addi %me, %c1 : i32
    %right = arith.remsi %after, %c4 : i32
    %before = arith.addi %me, %c3 : i32
    %left = arith.remsi %before, %c4 : i32
    // CHECK: pallas.get_barrier_semaphore
    %barrier = pallas.get_barrier_semaphore : !barrier
    // CHECK: pallas.semaphore_signal %{{.*}}, %{{.*}} device mesh(%{{.*}}) axes ["ring"]
    pallas.semaphore_signal %barrier, %c1 device mesh(%left) axes ["ring"] : !barrier
    pallas.semaphore_signal %barrier, %c1 device mesh(%right) axes ["ring"] : !barrier
    pallas.semaphore_wait %barrier, %c2 : !barrier
    %mine = pallas.slice_ref %or[%me, :, :] : !out
    pallas.dma_start %xr to %mine signals %local : !in, !in, !sem
    pallas.dma_wait %xr to %mine signals %local : !in, !in, !sem
    scf.for %k = %c0 to %c3 step %c1 : i32 {
      %ahead = arith.addi %me, %c4 : i32
      %from = arith.subi %ahead, %k : i32
      %block = arith.remsi %from, %c4 : i32
      %part = pallas.slice_ref %or[%block, :, :] : !out
      // CHECK: pallas.dma_start %{{.*}} to %{{.*}} signals %{{.*}} source_signals %{{.*}} device mesh(%{{.*}}) axes ["ring"]
      pallas.dma_start %part to %part signals %received source_signals %sent device mesh(%right) axes ["ring"]
          : !in, !in, !sem, !sem
      pallas.dma_wait %part to %part signals %sent : !in, !in, !sem
      pallas.dma_wait %part to %part signals %received : !in, !in, !sem
    }
  }
  return %o : tensor<4x8x128xf32>
}
