// Each of four devices adds the parts of all devices: in three steps it hands on
// what came to it last, and adds what comes next.

!part = !pallas.ref<8x128xf32, vmem>
!slots = !pallas.ref<2x8x128xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!barrier = !pallas.ref<!pallas.barrier_semaphore, semaphore>

func.func @all_reduce(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @all_reduce grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      attributes {compilerParams = [#pallas.tpu_params<collectiveId = 0>]}
      kernel(%xr: !part, %or: !part, %slots: !slots, %sent: !dma, %received: !dma, %free: !sem) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %me = pallas.axis_index "ring"
    %after = arith.addi %me, %c1 : i32
    %right = arith.remsi %after, %c4 : i32
    %before = arith.addi %me, %c3 : i32
    %left = arith.remsi %before, %c4 : i32

    // Nobody sends before its neighbour is there.
    %all = pallas.get_barrier_semaphore : !barrier
    pallas.semaphore_signal %all, %c1 device mesh(%left) axes ["ring"] : !barrier
    pallas.semaphore_signal %all, %c1 device mesh(%right) axes ["ring"] : !barrier
    pallas.semaphore_wait %all, %c2 : !barrier

    %own = pallas.get %xr[...] : !part
    pallas.swap %or[...], %own : !part, tensor<8x128xf32>
    pallas.swap %slots[0, :, :], %own : !slots, tensor<8x128xf32>
    scf.for %k = %c0 to %c3 step %c1 : i32 {
      %old = arith.remsi %k, %c2 : i32
      %new = arith.subi %c1, %old : i32
      // The neighbour must be done with the slot that this writes to.
      %later = arith.cmpi sgt, %k, %c0 : i32
      scf.if %later {
        pallas.semaphore_wait %free, %c1 : !sem
      }
      %from = pallas.slice_ref %slots[%old, :, :] : !slots
      %to = pallas.slice_ref %slots[%new, :, :] : !slots
      pallas.dma_start %from to %to signals %received source_signals %sent device mesh(%right) axes ["ring"]
          : !part, !part, !dma, !dma
      pallas.dma_wait %from to %to signals %sent : !part, !part, !dma
      pallas.dma_wait %from to %to signals %received : !part, !part, !dma
      %more = arith.cmpi slt, %k, %c2 : i32
      scf.if %more {
        pallas.semaphore_signal %free, %c1 device mesh(%left) axes ["ring"] : !sem
      }
      %part = pallas.get %to[...] : !part
      pallas.addupdate %or[...], %part : !part, tensor<8x128xf32>
    }
  }
  return %o : tensor<8x128xf32>
}
