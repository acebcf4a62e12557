// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Four blocks of a cluster of 2x2 load what their neighbour along y has, add it
// to what the neighbour along x holds, and tell block 0 by an arrival alone.
// cluster-refs.py executes both stages.

!ref = !pallas.ref<64x32xi32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>
!bars = !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
!meet = !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["y", "x"], numArrivals = 1>, smem>
!in = !pallas.ref<2x2x64x32xi32, gmem>

// CHECK-LABEL: module @kernel
// CHECK: %[[MINE:.*]] = "mosaic_gpu.with_transforms"
// CHECK: %[[SUM:.*]] = "mosaic_gpu.with_transforms"
// CHECK: %[[THERE:.*]] = "mosaic_gpu.get_cluster_ref"(%[[MINE]], %[[Y:.*]]) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : {{.*}} -> memref<64x32xi32, #mosaic_gpu.smem_cluster>
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%[[THERE]])
// CHECK: "mosaic_gpu.async_store_smem"(%{{.*}}, %[[SUM]], %{{.*}}, %{{.*}}) <{atomic_type = 0 : i32, cluster_dim = 0 : i32}>
// CHECK-NOT: mosaic_gpu.arrive"
// CHECK-NOT: get_cluster_ref
// CHECK: return
func.func @neighbours(%x: tensor<2x2x64x32xi32>) -> tensor<2x2x64x32xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<2x2x64x32xi32>)
      out(tensor<2x2x64x32xi32>)
      kernel @kernel on <gpu, [<cluster "y" = 2>, <cluster "x" = 2>]> (%g: !in, %o: !in) {
    pallas.run_scoped (%mine: !ref, %sum: !ref, %b: !bars, %meet: !meet) {
      %c1 = arith.constant 1 : i32
      %y = pallas.axis_index "y"
      %x0 = pallas.axis_index "x"
      %otherY = arith.subi %c1, %y : i32
      %otherX = arith.subi %c1, %x0 : i32
      %v = pallas.get %g[%y, %x0, :, :] : !in
      %w = pallas.layout_cast %v : tensor<64x32xi32> layout "WGMMA"
      pallas.swap %mine[...], %w : !ref, tensor<64x32xi32>
      pallas.swap %sum[...], %w : !ref, tensor<64x32xi32>
      pallas.barrier_arrive %meet : !meet
      pallas.barrier_wait %meet : !meet
      %there = pallas.cluster_ref %mine, "y" = %otherY : !ref
      %n = pallas.get %there[...] : !ref
      %nw = pallas.layout_cast %n : tensor<64x32xi32> layout "WGMMA"
      %target = pallas.cluster_ref %sum, "x" = %otherX : !ref
      pallas.atomic_rmw <add> %target[...], %nw : !ref, tensor<64x32xi32>
      %bs = pallas.cluster_ref %b, "x" = %otherX : !bars
      %theirs = pallas.slice_ref %bs[1] : !bars
      pallas.barrier_arrive %theirs : !bar
      %own = pallas.slice_ref %b[1] : !bars
      pallas.barrier_wait %own : !bar
      %r = pallas.get %sum[...] : !ref
      pallas.swap %o[%y, %x0, :, :], %r : !in, tensor<64x32xi32>
      pallas.barrier_arrive %meet : !meet
      pallas.barrier_wait %meet : !meet
    }
  }
  return %0 : tensor<2x2x64x32xi32>
}
