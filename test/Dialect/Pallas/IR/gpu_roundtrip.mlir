// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

!acc = !pallas.accumulator<64x128xf32>
!a = !pallas.ref<64x64xf16, smem>
!b = !pallas.ref<64x128xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
!scales = !pallas.ref<128x2xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>
!cluster = !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>

// CHECK-LABEL: func.func @products
func.func @products(%acc: !acc, %a: !a, %b: !b, %v: tensor<64x128xf32>, %x: tensor<64x64xf16>) {
  // CHECK: pallas.wgmma_ref
  pallas.wgmma_ref %acc, %x, %b : !acc, tensor<64x64xf16>, !b
  // CHECK: pallas.wgmma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x128xf32>
  %0 = pallas.wgmma %v, %a, %b : tensor<64x128xf32>, !a, !b
  // CHECK: pallas.wgmma_commit
  pallas.wgmma_commit
  // CHECK: pallas.wgmma_wait 1
  pallas.wgmma_wait 1
  // CHECK: pallas.accumulator_deref %{{.*}} wait 0
  %1 = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x128xf32>
  // CHECK: pallas.accumulator_deref %{{.*}} : tensor<64x128xf32> -> tensor<64x128xf32>
  %2 = pallas.accumulator_deref %0 : tensor<64x128xf32> -> tensor<64x128xf32>
  // CHECK: pallas.accumulator_store
  pallas.accumulator_store %acc, %1 : !acc, tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%g: !pallas.ref<64x64xf16, gmem>, %a: !a, %bar: !bar, %p: i1, %i: i32, %c: !cluster,
                  %twice: !pallas.ref<128x64xf16, gmem>) {
  // CHECK: pallas.copy_gmem_to_smem %{{.*}} to %{{.*}} signals %{{.*}} if %{{.*}} collective ["c"] :
  pallas.copy_gmem_to_smem %g to %a signals %bar if %p collective ["c"] : !pallas.ref<64x64xf16, gmem>, !a, !bar
  // CHECK: signals %{{.*}} collective ["c"] leader_tracked partitioned 0 : !pallas.ref<128x64xf16, gmem>
  pallas.copy_gmem_to_smem %twice to %a signals %bar collective ["c"] leader_tracked partitioned 0
      : !pallas.ref<128x64xf16, gmem>, !a, !bar
  // CHECK: pallas.copy_smem_to_gmem %{{.*}} to %{{.*}} {commitGroup = false}
  pallas.copy_smem_to_gmem %a to %g {commitGroup = false} : !a, !pallas.ref<64x64xf16, gmem>
  // CHECK: pallas.commit_smem_to_gmem_group
  pallas.commit_smem_to_gmem_group
  // CHECK: pallas.commit_smem
  pallas.commit_smem
  // CHECK: pallas.wait_smem_to_gmem 0 read_only
  pallas.wait_smem_to_gmem 0 read_only
  // CHECK: pallas.async_prefetch
  pallas.async_prefetch %g : !pallas.ref<64x64xf16, gmem>
  // CHECK: pallas.cluster_ref %{{.*}}, "c" = %{{.*}}
  %0 = pallas.cluster_ref %a, "c" = %i : !a
  // CHECK: pallas.remote_ref %{{.*}} device logical(%{{.*}})
  %1 = pallas.remote_ref %g device logical(%i) : !pallas.ref<64x64xf16, gmem>
  // CHECK: pallas.multicast_ref %{{.*}} axes ["x"]
  %2 = pallas.multicast_ref %g axes ["x"] : !pallas.ref<64x64xf16, gmem>
  // CHECK: pallas.multimem_load_reduce <add> %{{.*}} axes ["x"]
  %3 = pallas.multimem_load_reduce <add> %g axes ["x"] : !pallas.ref<64x64xf16, gmem> -> tensor<64x64xf16>
  // CHECK: pallas.barrier_arrive %{{.*}} : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>
  pallas.barrier_arrive %c : !cluster
  return
}

// CHECK-LABEL: func.func @tensor_memory
func.func @tensor_memory(%acc: !pallas.ref<128x128xf32, tmem>, %a: !pallas.ref<128x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>,
                         %half: !pallas.ref<64x64xf16, smem>, %bar: !bar, %p: i1, %v: tensor<128x128xf32>,
                         %scales: !scales, %places: !pallas.ref<128x64xi2, tmem>, %long: !pallas.ref<128x128xf16, smem>,
                         %tiles: !pallas.ref<1x1x128x64xi2, smem>, %whole: !pallas.ref<128x128xf32, smem>,
                         %tall: !pallas.ref<1x1x64x16xf8E8M0FNU, smem>, %rows: !pallas.ref<256x4xf8E8M0FNU, tmem>) {
  // CHECK: pallas.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} signals %{{.*}} : {{.*}}, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  pallas.tcgen05_mma %acc, %a, %b accumulate %p signals %bar : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>, !bar
  // CHECK: pallas.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} collective "c" :
  pallas.tcgen05_mma %acc, %a, %half accumulate %p collective "c" : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x64xf16, smem>
  // CHECK: pallas.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} signals %{{.*}} scales(%{{.*}} : !pallas.ref<128x2xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>, %{{.*}} : !pallas.ref<128x2xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>) :
  pallas.tcgen05_mma %acc, %a, %b accumulate %p signals %bar scales(%scales : !scales, %scales : !scales) : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>, !bar
  // CHECK: pallas.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} sparse(%{{.*}} : !pallas.ref<128x64xi2, tmem>) :
  pallas.tcgen05_mma %acc, %a, %long accumulate %p sparse(%places : !pallas.ref<128x64xi2, tmem>) : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<128x128xf16, smem>
  // CHECK: pallas.async_copy_to_tmem sparse_metadata %{{.*}} to %{{.*}} collective "c" :
  pallas.async_copy_to_tmem sparse_metadata %tiles to %places collective "c" : !pallas.ref<1x1x128x64xi2, smem>, !pallas.ref<128x64xi2, tmem>
  // CHECK: pallas.async_copy_to_tmem matrix %{{[^ ]*}} to %{{[^ ]*}} :
  pallas.async_copy_to_tmem matrix %whole to %acc : !pallas.ref<128x128xf32, smem>, !pallas.ref<128x128xf32, tmem>
  // CHECK: pallas.async_copy_to_tmem scales %{{[^ ]*}} to %{{[^ ]*}} :
  pallas.async_copy_to_tmem scales %tall to %rows : !pallas.ref<1x1x64x16xf8E8M0FNU, smem>, !pallas.ref<256x4xf8E8M0FNU, tmem>
  // CHECK: pallas.tcgen05_commit %{{.*}} collective "c" :
  pallas.tcgen05_commit %bar collective "c" : !bar
  // CHECK: pallas.tcgen05_commit %{{[^ ]*}} :
  pallas.tcgen05_commit %bar : !bar
  // CHECK: pallas.async_load_tmem
  %0 = pallas.async_load_tmem %acc : !pallas.ref<128x128xf32, tmem> -> tensor<128x128xf32>
  // CHECK: pallas.wait_load_tmem
  pallas.wait_load_tmem
  // CHECK: pallas.async_store_tmem
  pallas.async_store_tmem %v to %acc : tensor<128x128xf32>, !pallas.ref<128x128xf32, tmem>
  // CHECK: pallas.commit_tmem
  pallas.commit_tmem
  // CHECK: pallas.set_max_registers 232 increase
  pallas.set_max_registers 232 increase
  // CHECK: pallas.layout_cast %{{.*}} : tensor<128x128xf32> layout "tcgen05"
  %1 = pallas.layout_cast %0 : tensor<128x128xf32> layout "tcgen05"
  // CHECK: pallas.grid_dependency launch
  pallas.grid_dependency launch
  return
}
