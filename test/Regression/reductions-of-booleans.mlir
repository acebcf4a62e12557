// RUN: pallas-run %s --no-cache | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-tpu | pallas-run - --no-cache --entry=main | FileCheck %s

// The bug: kernels for TPUs took booleans for numbers with a sign, of which true is the least, and
// their sum for a parity. A boolean has no sign, and a sum of booleans is true if one of them is.

func.func @main() {
  // Two are true, one, none, all three.
  %x = arith.constant dense<[[true, false, true], [false, true, false], [false, false, false], [true, true, true]]> : tensor<4x3xi1>
  %o = pallas.pallas_call @kernel grid()
      in(%x : tensor<4x3xi1>) block<[4, 3], vmem>
      out(tensor<7x4xi32>) block<[7, 4], vmem>
      kernel(%xr: !pallas.ref<4x3xi1, vmem>, %result: !pallas.ref<7x4xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x3xi1, vmem>
    %add = pallas.reduce <add> %v dims [1] : tensor<4x3xi1>
    %max = pallas.reduce <max> %v dims [1] : tensor<4x3xi1>
    %or = pallas.reduce <or> %v dims [1] : tensor<4x3xi1>
    %mul = pallas.reduce <mul> %v dims [1] : tensor<4x3xi1>
    %min = pallas.reduce <min> %v dims [1] : tensor<4x3xi1>
    %and = pallas.reduce <and> %v dims [1] : tensor<4x3xi1>
    %xor = pallas.reduce <xor> %v dims [1] : tensor<4x3xi1>
    %0 = arith.extui %add : tensor<4xi1> to tensor<4xi32>
    %1 = arith.extui %max : tensor<4xi1> to tensor<4xi32>
    %2 = arith.extui %or : tensor<4xi1> to tensor<4xi32>
    %3 = arith.extui %mul : tensor<4xi1> to tensor<4xi32>
    %4 = arith.extui %min : tensor<4xi1> to tensor<4xi32>
    %5 = arith.extui %and : tensor<4xi1> to tensor<4xi32>
    %6 = arith.extui %xor : tensor<4xi1> to tensor<4xi32>
    pallas.swap %result[0, :], %0 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
    pallas.swap %result[1, :], %1 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
    pallas.swap %result[2, :], %2 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
    pallas.swap %result[3, :], %3 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
    pallas.swap %result[4, :], %4 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
    pallas.swap %result[5, :], %5 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
    pallas.swap %result[6, :], %6 : !pallas.ref<7x4xi32, vmem>, tensor<4xi32>
  }
  // One of them, all of them, an odd number.
  // CHECK: {{\[}}[1 1 0 1] [1 1 0 1] [1 1 0 1] [0 0 0 1] [0 0 0 1] [0 0 0 1] [0 1 0 1]]
  pallas.debug_print "{}" %o : tensor<7x4xi32>
  return
}
