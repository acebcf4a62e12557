// RUN: %python -c "import numpy as np; np.save('%t.npy', np.arange(8, dtype=np.float32))"
// RUN: pallas-run %s --entry=to_input --devices=2 --in %t.npy --out %t.out.npy
// RUN: %python -c "import numpy as np; print(np.load('%t.out.npy'))" | FileCheck %s
// RUN: pallas-run %s --entry=to_input --devices=2 --in %t.npy --check

// A kernel on a mesh writes to a copy of its input, which other devices didn't know: a copy to theirs
// stopped with "this names memory that other devices don't have".

// CHECK: [4. 5. 6. 7. 0. 1. 2. 3.]
!x = !pallas.ref<4xf32, hbm>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!sem = !pallas.ref<!pallas.semaphore, semaphore>

func.func @to_input(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<4xf32>)
      out(tensor<4xf32>)
      kernel on <tensorcore, [<core "c" = 1>]> (%xr: !x, %or: !x, %buffer: !x, %sent: !dma, %received: !dma) {
    %me = pallas.device_id
    %one = arith.constant 1 : i32
    %other = arith.subi %one, %me : i32
    %v = pallas.get %xr[...] : !x
    pallas.swap %buffer[...], %v : !x, tensor<4xf32>
    %b = pallas.get_barrier_semaphore : !sem
    pallas.semaphore_signal %b, %one device logical(%other) : !sem
    pallas.semaphore_wait %b, %one : !sem
    pallas.dma_start %buffer to %xr signals %received source_signals %sent device logical(%other) : !x, !x, !dma, !dma
    pallas.dma_wait %buffer to %xr signals %sent : !x, !x, !dma
    pallas.dma_wait %buffer to %xr signals %received : !x, !x, !dma
    %w = pallas.get %xr[...] : !x
    pallas.swap %or[...], %w : !x, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}
