// A copy to a view of elements of another width on another core was refused when it ran: the copy of
// such a view is private.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=main --check | FileCheck %s
// CHECK: got: {{\[\[}}[1 1] [1 1] [9 9] [9 9]] {{\[}}[0 0] [0 0] [9 9] [9 9]]]
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
!halves = !pallas.ref<4x2xi16, vmem>
!words = !pallas.ref<2x2xi32, vmem>
!one = !pallas.ref<1x2xi32, vmem>
!out = !pallas.ref<2x4x2xi16, hbm>
func.func @main() {
  %o = pallas.pallas_call grid() out(tensor<2x4x2xi16>) block<[2, 4, 2], hbm>
      kernel(%o: !out) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> (%r: !halves, %from: !one, %s: !sem, %b: !pallas.ref<!pallas.semaphore, semaphore>) {
      %core = pallas.axis_index "core"
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %other = arith.subi %c1, %core : i32
      %nine = arith.constant dense<9> : tensor<4x2xi16>
      pallas.swap %r[...], %nine : !halves, tensor<4x2xi16>
      pallas.semaphore_signal %b, %c1 core %other : !pallas.ref<!pallas.semaphore, semaphore>
      pallas.semaphore_wait %b, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
      // Both halves of a word are the number of the core.
      %c16 = arith.constant 16 : i32
      %high = arith.shli %core, %c16 : i32
      %word = arith.ori %high, %core : i32
      %words = tensor.splat %word : tensor<1x2xi32>
      pallas.swap %from[...], %words : !one, tensor<1x2xi32>
      %packed = pallas.bitcast_ref %r : !halves -> !words
      %to = pallas.slice_ref %packed[ds(%c0, 1), :] : !words
      pallas.dma_start %from to %to signals %s core %other : !one, !one, !sem
      pallas.dma_wait %from to %to signals %s : !one, !one, !sem
      %mine = pallas.slice_ref %o[%core, :, :] : !out
      %copied = pallas.get %r[...] : !halves
      pallas.swap %mine[...], %copied : !pallas.ref<4x2xi16, hbm>, tensor<4x2xi16>
    }
  }
  pallas.debug_print "got: {}" %o : tensor<2x4x2xi16>
  return
}
