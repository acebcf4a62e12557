// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Accesses move inside of their ref: a start that is negative counts from the
// end, and what then leaves the ref on either side lies at the nearest end. The
// copy to global memory stays where it is, since it writes nothing outside.

// CHECK-LABEL: module @kernel
// CHECK: %[[I:.*]] = memref.load
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[I]], %c0_i32
// CHECK: %[[FROM_END:.*]] = arith.addi %[[I]], %c512_i32
// CHECK: %[[WRAPPED:.*]] = arith.select %[[NEGATIVE]], %[[FROM_END]], %[[I]]
// CHECK: %[[LOW:.*]] = arith.minsi %[[WRAPPED]], %c384_i32
// CHECK: %[[NEAR:.*]] = arith.maxsi %[[LOW]], %c0_i32
// CHECK: %[[INSIDE:.*]] = arith.index_cast %[[NEAR]] : i32 to index
// CHECK: %[[G:.*]] = memref.subview %{{.*}}[%[[INSIDE]]] [128] [1] : memref<512xf32>
// CHECK: "mosaic_gpu.vector_load"(%[[G]])
// CHECK: arith.minsi %{{.*}}, %c128
// CHECK: arith.maxsi
// CHECK: "mosaic_gpu.vector_load"
// The number of a block is in the grid, so nothing is tested.
// CHECK: gpu.block_id
// CHECK-NOT: arith.minsi
// CHECK: "mosaic_gpu.vector_store"
// CHECK: "mosaic_gpu.async_store"(%{{.*}}, %{{.*}}, %[[I]])

func.func @slices(%x: tensor<512xf32>, %n: tensor<1xi32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %0:2 = pallas.mpmd_map
    in(%x : tensor<512xf32>)
    in(%n : tensor<1xi32>)
    out(tensor<512xf32>)
    out(tensor<512xf32>)
    kernel @kernel on <gpu, [<grid "b" = 2>]>(%xr: !pallas.ref<512xf32, gmem>, %ir: !pallas.ref<1xi32, gmem>, %or: !pallas.ref<512xf32, gmem>, %pr: !pallas.ref<512xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<256xf32, smem>, %t: !pallas.ref<128xf32, smem>) {
      %i = pallas.get %ir[0] : !pallas.ref<1xi32, gmem>
      %v = pallas.get %xr[ds(%i, 128)] : !pallas.ref<512xf32, gmem>
      %all = pallas.get %xr[ds(0, 256)] : !pallas.ref<512xf32, gmem>
      pallas.swap %s[...], %all : !pallas.ref<256xf32, smem>, tensor<256xf32>
      %view = pallas.slice_ref %s[ds(%i, 128)] : !pallas.ref<256xf32, smem>
      %w = pallas.get %view[...] : !pallas.ref<128xf32, smem>
      %sum = arith.addf %v, %w : tensor<128xf32>
      pallas.swap %t[...], %w : !pallas.ref<128xf32, smem>, tensor<128xf32>
      %b = pallas.axis_index "b"
      %c256 = arith.constant 256 : i32
      %row = arith.muli %b, %c256 : i32
      pallas.swap %or[ds(%row, 128)], %sum : !pallas.ref<512xf32, gmem>, tensor<128xf32>
      pallas.commit_smem
      %to = pallas.slice_ref %pr[ds(%i, 128)] : !pallas.ref<512xf32, gmem>
      pallas.copy_smem_to_gmem %t to %to : !pallas.ref<128xf32, smem>, !pallas.ref<128xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0#0, %0#1 : tensor<512xf32>, tensor<512xf32>
}
