// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --check --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

// The bug: a value was computed in the memory that the next one is stored to, because only
// that one used its first step, the fill. A later store of the value itself then read the
// elements of the next one, too.

!t = tensor<9xi32>
!part = tensor<3xi32>
!ref = !pallas.ref<9xi32, vmem>

// CHECK: [4 4 4 0 0 0 3 3 3] [0 0 0 0 0 0 3 3 3]
func.func @main() {
  %x = arith.constant dense<3> : !part
  %o:2 = pallas.pallas_call grid()
      in(%x : !part) block<[3], vmem>
      out(!t) block<[9], vmem>
      out(!t) block<[9], vmem>
      kernel(%xr: !pallas.ref<3xi32, vmem>, %a: !ref, %b: !ref) {
    %zero = arith.constant dense<0> : !t
    %one = arith.constant dense<1> : !part
    %rows = pallas.get %xr[...] : !pallas.ref<3xi32, vmem>
    %padded = tensor.insert_slice %rows into %zero[6] [3] [1] : !part into !t
    %more = arith.addi %rows, %one : !part
    %updated = tensor.insert_slice %more into %padded[0] [3] [1] : !part into !t
    pallas.swap %a[...], %updated : !ref, !t
    pallas.swap %b[...], %padded : !ref, !t
  }
  pallas.debug_print "{} {}" %o#0, %o#1 : !t, !t
  return
}
