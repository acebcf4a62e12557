// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=main --check | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

// The bug: a wait through a view counted only what the ref has, though the length that its operand
// gives is that of several copies to one semaphore. The rest stayed in the semaphore.

!r = !pallas.ref<8xi32, vmem>
!t = tensor<8xi32>
!part = !pallas.ref<3xi32, vmem>
!buffer = !pallas.ref<2x4xi32, vmem>
!row = !pallas.ref<4xi32, vmem>
!some = !pallas.ref<?xi32, vmem>
!rows = !pallas.ref<8x4xi32, vmem>
!few = !pallas.ref<?x4xi32, vmem>
!columns = !pallas.ref<4x?xi32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

// CHECK: waited: 0 [3 4 5]
func.func @waited(%n: i32) {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  pallas.run_scoped (%s: !part, %t: !part, %b: !buffer, %d: !done) {
    %front = pallas.slice_ref %r[ds(0, 3)] : !r
    %middle = pallas.slice_ref %r[ds(3, 3)] : !r
    pallas.dma_start %front to %s signals %d : !part, !part, !done
    pallas.dma_start %middle to %t signals %d : !part, !part, !done
    // Six elements in all; a row has four.
    %row = pallas.slice_ref %b[1, :] : !buffer
    %all = pallas.slice_ref %row[ds(0, %n)] : !row
    %same = pallas.slice_ref %all[:] : !some
    pallas.dma_wait %same to %same signals %d : !some, !some, !done
    %count = pallas.semaphore_read %d : !done
    %v = pallas.get %t[:] : !part
    pallas.debug_print "waited: {} {}" %count, %v : i32, tensor<3xi32>
  }
  return
}

// CHECK: transposed: 0
func.func @transposed(%n: i32, %twice: i32) {
  pallas.run_scoped (%a: !rows, %b: !rows, %c: !rows, %d: !done) {
    %x = pallas.iota 0 : tensor<8x4xi32>
    pallas.swap %a[:, :], %x : !rows, tensor<8x4xi32>
    %from = pallas.slice_ref %a[ds(0, %n), :] : !rows
    %first = pallas.slice_ref %b[ds(0, %n), :] : !rows
    %second = pallas.slice_ref %c[ds(0, %n), :] : !rows
    pallas.dma_start %from to %first signals %d : !few, !few, !done
    pallas.dma_start %from to %second signals %d : !few, !few, !done
    %both = pallas.slice_ref %b[ds(0, %twice), :] : !rows
    %columns = pallas.transpose_ref %both, [1, 0] : !few -> !columns
    pallas.dma_wait %columns to %columns signals %d : !columns, !columns, !done
    %count = pallas.semaphore_read %d : !done
    pallas.debug_print "transposed: {}" %count : i32
  }
  return
}

func.func @main() {
  %n = arith.constant 6 : i32
  %twice = arith.constant 12 : i32
  call @waited(%n) : (i32) -> ()
  call @transposed(%n, %twice) : (i32, i32) -> ()
  return
}
