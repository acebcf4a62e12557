// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s

// The bug: the compiler crashed on a matmul with fewer rows than a register
// tile, in a window that the array cuts: a division by its number of tiles.

// CHECK: {{\[}}[3 3 3 3] [6 6 6 6] [9 9 9 9] [12 12 12 12]]
func.func @main() {
  %x = arith.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [4.0, 4.0, 4.0]]> : tensor<4x3xf32>
  %y = arith.constant dense<1.0> : tensor<3x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<4x3xf32>) block<[3, 3], vmem> map(%i) -> (%i, 0)
      in(%y : tensor<3x4xf32>) block<[3, 4], vmem> map(%i) -> (0, 0)
      out(tensor<4x4xf32>) block<[3, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<3x3xf32, vmem>, %yr: !pallas.ref<3x4xf32, vmem>, %or: !pallas.ref<3x4xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<3x3xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<3x4xf32, vmem>
    %p = pallas.dot_general %a, %b contract [1] x [0] : tensor<3x3xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    pallas.swap %or[...], %p : !pallas.ref<3x4xf32, vmem>, tensor<3x4xf32>
  }
  pallas.debug_print "{}" %o : tensor<4x4xf32>
  return
}
