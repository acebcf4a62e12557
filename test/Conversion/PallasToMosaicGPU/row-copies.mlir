// RUN: pallas-opt %s --pallas-to-mosaic-gpu=arch=sm_100a | FileCheck %s

// Rows that a vector names are copied to shared memory, and from there to other rows.
// row-copies.py executes both stages.

!rows = !pallas.ref<12x64xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK-LABEL: module @kernel
// CHECK: %[[FROM:.*]] = "mosaic_gpu.vector_load"
// CHECK: %[[TO:.*]] = "mosaic_gpu.vector_load"
// CHECK: mosaic_gpu.arrive_expect_tx barrier({{.*}}) 3072
// CHECK: "mosaic_gpu.async_load"(%{{.*}}, %{{.*}}, %{{.*}}, %[[FROM]], %{{.*}}) <{{.*}}slice_lengths = array<i64: 12, 64>}> : (memref<32x128xf32>, memref<12x64xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<12xi32>, i32) -> ()
// CHECK: "mosaic_gpu.async_store"(%{{.*}}, %{{.*}}, %[[TO]], %{{.*}}) <{commit_group = true, {{.*}}slice_lengths = array<i64: 12, 64>}>
func.func @move(%x: tensor<32x128xf32>, %from: tensor<12xi32>, %to: tensor<12xi32>) -> tensor<12x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      in(%from : tensor<12xi32>)
      in(%to : tensor<12xi32>)
      out(tensor<12x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<32x128xf32, gmem>, %f: !pallas.ref<12xi32, gmem>, %t: !pallas.ref<12xi32, gmem>, %out: !pallas.ref<12x64xf32, gmem>) {
    pallas.run_scoped (%s: !rows, %b: !bar) {
      %i = pallas.get %f[...] : !pallas.ref<12xi32, gmem>
      %j = pallas.get %t[...] : !pallas.ref<12xi32, gmem>
      %source = pallas.slice_ref %g[gather(%i : tensor<12xi32>), ds(64, 64)] : !pallas.ref<32x128xf32, gmem>
      pallas.copy_gmem_to_smem %source to %s signals %b : !pallas.ref<12x64xf32, gmem>, !rows, !bar
      pallas.barrier_wait %b : !bar
      %target = pallas.slice_ref %out[gather(%j : tensor<12xi32>), :] : !pallas.ref<12x64xf32, gmem>
      pallas.copy_smem_to_gmem %s to %target : !rows, !pallas.ref<12x64xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0 : tensor<12x64xf32>
}
