// RUN: pallas-opt %s --pallas-expand-gpu-pipelines --canonicalize | FileCheck %s

// Each step waits for its block and asks for a later one.
// CHECK-LABEL: func.func @one_warpgroup
// CHECK: pallas.run_scoped (%[[SLOTS:[^:]*]]: !pallas.ref<2x8x64xf32, smem>, %[[FULL:[^:]*]]: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>)
// CHECK: pallas.copy_gmem_to_smem
// CHECK: scf.for
// CHECK: pallas.barrier_wait
// CHECK: pallas.debug_print
// CHECK: pallas.copy_gmem_to_smem
// CHECK-NOT: pallas.emit_pipeline
// CHECK: return
func.func @one_warpgroup(%x: tensor<64x64xf32>) {
  pallas.mpmd_map in(%x : tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<64x64xf32, gmem>) {
    pallas.emit_pipeline grid(8)
        in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (%i, 0)
        attributes {maxConcurrentSteps = 2 : i64}
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>) {
      %v = pallas.get %r[...] : !pallas.ref<8x64xf32, smem>
      pallas.debug_print "{}" %v : tensor<8x64xf32>
    }
  }
  return
}

// Where a warpgroup copies, those that compute wait.
// CHECK-LABEL: func.func @warpgroups
// CHECK: pallas.run_scoped (%{{[^:]*}}: !pallas.ref<2x8x64xf32, smem>, %[[W:[^:]*]]: !pallas.ref<8x64xf32, smem>, %{{[^:]*}}: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>, %{{[^:]*}}: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>, %{{.*}}
// CHECK: pallas.barrier_wait %[[ONCE:.*]] :
// CHECK: scf.for
// CHECK: } else {
// CHECK: pallas.copy_gmem_to_smem %{{.*}} to %[[W]] signals %[[ONCE]] :
// CHECK-COUNT-3: pallas.copy_gmem_to_smem
// CHECK-NOT: pallas.copy_gmem_to_smem
func.func @warpgroups(%x: tensor<64x64xf32>) {
  pallas.mpmd_map in(%x : tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> (%g: !pallas.ref<64x64xf32, gmem>) {
    pallas.emit_pipeline grid(8)
        in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (%i, 0)
        in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (3, 0)
        attributes {maxConcurrentSteps = 2 : i64, numComputeWarpgroups = 1 : i64}
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>, %s: !pallas.ref<8x64xf32, smem>) {
      %v = pallas.get %r[...] : !pallas.ref<8x64xf32, smem>
      %w = pallas.get %s[...] : !pallas.ref<8x64xf32, smem>
      %t = arith.addf %v, %w : tensor<8x64xf32>
      pallas.debug_print "{}" %t : tensor<8x64xf32>
    }
  }
  return
}
