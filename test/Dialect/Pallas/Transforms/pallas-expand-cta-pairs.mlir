// RUN: pallas-opt %s --pallas-expand-cta-pairs | FileCheck %s

// The first block multiplies all four quarters, and tells both blocks. That the
// results are those of two blocks test/Python/two_blocks.py shows.
// CHECK-LABEL: func.func @product
// CHECK: pallas.axis_index "c"
// CHECK: scf.if
// CHECK-COUNT-4: pallas.tcgen05_mma
// CHECK: pallas.tcgen05_commit
// CHECK: pallas.cluster_ref %{{.*}}, "c" = %
// CHECK: pallas.tcgen05_commit
// CHECK-NOT: collective

func.func @product() {
  pallas.core_map <gpu, [<cluster "c" = 2>]> (%acc: !pallas.ref<64x128xf32, tmem>, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x64xf16, smem>, %bar: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    %false = arith.constant false
    pallas.tcgen05_mma %acc, %a, %b accumulate %false collective "c"
        : !pallas.ref<64x128xf32, tmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, smem>
    pallas.tcgen05_commit %bar collective "c" : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}


// Hints of compilers hold for both halves.
// CHECK-LABEL: func.func @copy
// CHECK-COUNT-2: pallas.copy_gmem_to_smem {{.*}} {mosaic_gpu.oob_fill_mode = 1 : i32}
func.func @copy(%g: !pallas.ref<64x64xf16, gmem>) {
  pallas.core_map <gpu, [<cluster "c" = 2>]> (%s: !pallas.ref<32x64xf16, smem>, %bar: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.copy_gmem_to_smem %g to %s signals %bar collective ["c"] leader_tracked partitioned 0 {mosaic_gpu.oob_fill_mode = 1 : i32}
        : !pallas.ref<64x64xf16, gmem>, !pallas.ref<32x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}
