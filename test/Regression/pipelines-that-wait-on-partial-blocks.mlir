// Two cores write to the blocks of one array, whose last block is partial, and wait for each other
// in between. A padded array took back to the array what the other core had not written yet.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=main --diff-passes

// CHECK: copied: [0 1 2 3 4 5 6 7 8 9 10 11 12 13]
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!array = !pallas.ref<14xi32, hbm>
!block = !pallas.ref<4xi32, vmem>
func.func @main() {
  %x = pallas.iota 0 : tensor<14xi32>
  %o = pallas.pallas_call grid() in(%x : tensor<14xi32>) block<[14], hbm> out(tensor<14xi32>) block<[14], hbm>
      kernel(%xr: !array, %or: !array) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %core = pallas.axis_index "core"
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %other = arith.subi %c1, %core : i32
      %first = arith.muli %core, %c2 : i32
      pallas.run_scoped (%s: !sem) {
        pallas.emit_pipeline grid(2)
            in(%xr : !array) block<[4], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at : i32
            }
            out(%or : !array) block<[4], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at : i32
            }
            kernel(%i: i32, %a: !block, %b: !block) {
          %v = pallas.get %a[...] : !block
          pallas.swap %b[...], %v : !block, tensor<4xi32>
          pallas.semaphore_signal %s, %c1 core %other : !sem
          pallas.semaphore_wait %s, %c1 : !sem
        }
      }
    }
  }
  pallas.debug_print "copied: {}" %o : tensor<14xi32>
  return
}
