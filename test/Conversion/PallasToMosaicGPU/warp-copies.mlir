// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Warps wait for their own lanes only: other warps may not come to a barrier of
// the warpgroup. The copy of the second warp has ended for all of its lanes
// when the map ends, and lanes read a scalar before they store the next one.

// CHECK-LABEL: module @kernel
// CHECK: "mosaic_gpu.warp_map"
// CHECK-NOT: bar.sync
// CHECK: mosaic_gpu.async_store
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NOT: bar.sync
// CHECK: memref.load
// CHECK: arith.addi
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: memref.store
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NOT: bar.sync
// CHECK: }) :
func.func @copies(%x: tensor<128xi32>) -> (tensor<128xi32>, tensor<128xi32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<128xi32>)
      out(tensor<128xi32>)
      out(tensor<128xi32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<128xi32, gmem>, %o: !pallas.ref<128xi32, gmem>, %p: !pallas.ref<128xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<128xi32, smem>, %t: !pallas.ref<128xi32, smem>) {
      %v = pallas.get %g[...] : !pallas.ref<128xi32, gmem>
      pallas.swap %s[...], %v : !pallas.ref<128xi32, smem>, tensor<128xi32>
      pallas.swap %t[...], %v : !pallas.ref<128xi32, smem>, tensor<128xi32>
      pallas.commit_smem
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        %w = pallas.axis_index "w"
        %c1 = arith.constant 1 : i32
        %second = arith.cmpi eq, %w, %c1 : i32
        scf.if %second {
          pallas.copy_smem_to_gmem %s to %o : !pallas.ref<128xi32, smem>, !pallas.ref<128xi32, gmem>
          pallas.wait_smem_to_gmem 0
          %n = pallas.get %t[0] : !pallas.ref<128xi32, smem>
          %next = arith.addi %n, %c1 : i32
          pallas.swap %t[0], %next : !pallas.ref<128xi32, smem>, i32
        }
      }
      pallas.commit_smem
      pallas.copy_smem_to_gmem %t to %p : !pallas.ref<128xi32, smem>, !pallas.ref<128xi32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0#0, %0#1 : tensor<128xi32>, tensor<128xi32>
}
