// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Softmax of each row: a row of 100 elements is read as 128, the rest masked.
// Batching gave the call its grid, which the kernel does not see.

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<6x100xf32>) -> tensor<6x100xf32> {
  // CHECK: pallas.pallas_call @softmax grid(6)
  // CHECK: vmapped [0]
  %o = pallas.pallas_call @softmax grid(6)
      in(%x : tensor<6x100xf32>) block<[squeezed, 100], gmem> map(%b) -> (%b, 0)
      out(tensor<6x100xf32>) block<[squeezed, 100], gmem> map(%b) -> (%b, 0)
      vmapped [0]
      kernel(%xr: !pallas.ref<100xf32, gmem>, %or: !pallas.ref<100xf32, gmem>) {
    %lane = pallas.iota 0 : tensor<128xi32>
    %n = arith.constant dense<100> : tensor<128xi32>
    %mask = arith.cmpi slt, %lane, %n : tensor<128xi32>
    %least = arith.constant dense<0xFF800000> : tensor<128xf32>
    // CHECK: pallas.masked_load %{{.*}}[ds(0, 128)] mask %{{.*}} other
    %row = pallas.masked_load %xr[ds(0, 128)] mask %mask other %least
        : !pallas.ref<100xf32, gmem>, tensor<128xi1>, other tensor<128xf32>
    %max = pallas.reduce <max> %row dims [0] : tensor<128xf32>
    %maxes = pallas.broadcast %max : f32 -> tensor<128xf32>
    %shifted = arith.subf %row, %maxes : tensor<128xf32>
    %exp = math.exp %shifted : tensor<128xf32>
    %sum = pallas.reduce <add> %exp dims [0] : tensor<128xf32>
    %sums = pallas.broadcast %sum : f32 -> tensor<128xf32>
    %result = arith.divf %exp, %sums : tensor<128xf32>
    // CHECK: pallas.masked_swap %{{.*}}[ds(0, 128)], %{{.*}} mask
    %old = pallas.masked_swap %or[ds(0, 128)], %result mask %mask
        : !pallas.ref<100xf32, gmem>, tensor<128xf32>, tensor<128xi1>
  }
  return %o : tensor<6x100xf32>
}
