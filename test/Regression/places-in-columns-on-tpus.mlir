// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The bug: the compiler for TPUs aborted where the places of extremes are looked for along a
// leading dimension of a column that lanes became. It no longer knows of that in memory.

// CHECK-LABEL: func.func @kernel
func.func @places(%x: tensor<5x8xf32>) -> tensor<8x1xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<5x8xf32>) block<[5, 8], vmem>
      out(tensor<8x1xi32>) block<[8, 1], vmem>
      kernel(%xr: !pallas.ref<5x8xf32, vmem>, %a: !pallas.ref<8x1xi32, vmem>) {
    // CHECK: %[[COLUMN:.*]] = vector.shape_cast {{.*}} : vector<5x8xf32> to vector<5x8x1xf32>
    // CHECK: "tpu.region"
    // CHECK: tpu.vector_store {{.*}}, %[[COLUMN]]
    // CHECK: tpu.reduce_index
    %v = pallas.get %xr[...] : !pallas.ref<5x8xf32, vmem>
    %column = pallas.broadcast %v dims [0, 1] : tensor<5x8xf32> -> tensor<5x8x1xf32>
    %place = pallas.arg_reduce <min> %column dim 0 to i32 : tensor<5x8x1xf32>
    pallas.swap %a[...], %place : !pallas.ref<8x1xi32, vmem>, tensor<8x1xi32>
  }
  return %o : tensor<8x1xi32>
}
