// RUN: pallas-run %s --no-cache | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-tpu | pallas-run - --no-cache --entry=main | FileCheck %s

// The bug: an update of booleans added them as numbers of one bit, so that true and true made false,
// except after discharge. A sum of booleans is true if one of them is, as reductions have it.

func.func @main() {
  %x = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %y = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %o = pallas.pallas_call @kernel grid()
      in(%x : tensor<4xi1>) block<[4], vmem>
      in(%y : tensor<4xi1>) block<[4], vmem>
      out(tensor<4xi32>) block<[4], vmem>
      kernel(%xr: !pallas.ref<4xi1, vmem>, %yr: !pallas.ref<4xi1, vmem>, %result: !pallas.ref<4xi32, vmem>) {
    pallas.run_scoped (%s: !pallas.ref<4xi1, vmem>) {
      %a = pallas.get %xr[...] : !pallas.ref<4xi1, vmem>
      %b = pallas.get %yr[...] : !pallas.ref<4xi1, vmem>
      pallas.swap %s[...], %a : !pallas.ref<4xi1, vmem>, tensor<4xi1>
      pallas.addupdate %s[...], %b : !pallas.ref<4xi1, vmem>, tensor<4xi1>
      %sum = pallas.get %s[...] : !pallas.ref<4xi1, vmem>
      %numbers = arith.extui %sum : tensor<4xi1> to tensor<4xi32>
      pallas.swap %result[...], %numbers : !pallas.ref<4xi32, vmem>, tensor<4xi32>
    }
  }
  // CHECK: [1 1 1 0]
  pallas.debug_print "{}" %o : tensor<4xi32>

  // An array names the first element twice.
  pallas.run_scoped (%s: !pallas.ref<4xi1, vmem>) {
    %i = arith.constant dense<[0, 0, 3, 1]> : tensor<4xi32>
    %none = arith.constant dense<false> : tensor<4xi1>
    pallas.swap %s[...], %none : !pallas.ref<4xi1, vmem>, tensor<4xi1>
    pallas.addupdate %s[gather(%i : tensor<4xi32>)], %x : !pallas.ref<4xi1, vmem>, tensor<4xi1>
    %sum = pallas.get %s[...] : !pallas.ref<4xi1, vmem>
    %numbers = arith.extui %sum : tensor<4xi1> to tensor<4xi32>
    // CHECK: [1 0 0 0]
    pallas.debug_print "{}" %numbers : tensor<4xi32>
  }
  return
}
