// RUN: pallas-run %s --no-cache | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache | FileCheck %s

// The bug: discharge took the unknown size of a view for a number, so index arrays and masked
// slices reached elements outside of it, and negative indices did not count from its end.

!ref = !pallas.ref<8xi32, vmem>
!view = !pallas.ref<?xi32, vmem>

func.func @main() {
  %x = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %r = pallas.new_ref %x : tensor<8xi32> -> !ref
  %n = pallas.get %r[3] : !ref
  // Elements 2 to 4.
  %view = pallas.slice_ref %r[ds(2, %n)] : !ref

  // CHECK: read: [2 4 4 2]
  %at = arith.constant dense<[0, -1, 7, -9]> : tensor<4xi32>
  %read = pallas.get %view[gather(%at : tensor<4xi32>)] : !view
  pallas.debug_print "read: {}" %read : tensor<4xi32>

  // CHECK: masked: [3 4 -1 -1]
  %one = pallas.get %r[1] : !ref
  %mask = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %other = arith.constant dense<-1> : tensor<4xi32>
  %masked = pallas.masked_load %view[ds(%one, 4)] mask %mask other %other
    : !view, tensor<4xi1>, other tensor<4xi32>
  pallas.debug_print "masked: {}" %masked : tensor<4xi32>

  // CHECK: written: [0 1 10 3 40 5 6 7]
  %to = arith.constant dense<[0, 3, 5, -1]> : tensor<4xi32>
  %new = arith.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  pallas.swap %view[gather(%to : tensor<4xi32>)], %new : !view, tensor<4xi32>
  %all = pallas.freeze %r : !ref
  pallas.debug_print "written: {}" %all : tensor<8xi32>
  return
}
