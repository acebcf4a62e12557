// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A prefetch has a box and no barrier. Copies of one group are committed once.
// CHECK-LABEL: module @groups
// CHECK: "mosaic_gpu.async_prefetch"(%{{.*}}, %{{.*}}, %{{.*}}) <{collective = [], operandSegmentSizes = array<i32: 1, 2, 0>, slice_lengths = array<i64: 64, 128>}>
// CHECK: "mosaic_gpu.async_store"{{.*}}commit_group = false{{.*}}slice_lengths = array<i64: 32, 128>
// CHECK: "mosaic_gpu.async_store"{{.*}}commit_group = false{{.*}}slice_lengths = array<i64: 32, 128>
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0
func.func @call_groups(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xf32>)
      kernel @groups on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xf32, gmem>) {
    pallas.async_prefetch %g : !pallas.ref<64x128xf32, gmem>
    pallas.run_scoped (%s: !pallas.ref<32x128xf32, smem>) {
      %upper = pallas.slice_ref %o[ds(0, 32), :] : !pallas.ref<64x128xf32, gmem>
      %lower = pallas.slice_ref %o[ds(32, 32), :] : !pallas.ref<64x128xf32, gmem>
      pallas.copy_smem_to_gmem %s to %upper {commitGroup = false} : !pallas.ref<32x128xf32, smem>, !pallas.ref<32x128xf32, gmem>
      pallas.copy_smem_to_gmem %s to %lower {commitGroup = false} : !pallas.ref<32x128xf32, smem>, !pallas.ref<32x128xf32, gmem>
      pallas.commit_smem_to_gmem_group
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0 : tensor<64x128xf32>
}
