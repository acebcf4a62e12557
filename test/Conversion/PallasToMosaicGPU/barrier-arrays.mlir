// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// Barriers of several dimensions are one group, counted row by row.
// CHECK-LABEL: module @rows
// CHECK: memref<8x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
// CHECK: num_barriers = 8
// CHECK: "mosaic_gpu.arrive"
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %[[C4:.*]] : i32
// CHECK: %[[ONE:.*]] = arith.addi %[[ROW]], %[[C3:.*]] : i32
// CHECK: llvm.getelementptr %{{.*}}[%[[ONE]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
// CHECK: nvvm.mbarrier.try_wait.parity
func.func @call_rows(%x: tensor<128xi32>) -> tensor<128xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<128xi32>)
      out(tensor<128xi32>)
      kernel @rows on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<128xi32, gmem>, %o: !pallas.ref<128xi32, gmem>) {
    pallas.run_scoped (%b: !pallas.ref<2x4x!pallas.barrier<numArrivals = 1>, smem>) {
      %i = pallas.get %g[0] : !pallas.ref<128xi32, gmem>
      %low = arith.constant 0 : i32
      %high = arith.constant 1 : i32
      %up = arith.maxsi %i, %low : i32
      %row = arith.minsi %up, %high : i32
      %one = pallas.slice_ref %b[1, 3] : !pallas.ref<2x4x!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_arrive %one : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %other = pallas.slice_ref %b[%row, 3] : !pallas.ref<2x4x!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %other : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.swap %o[0], %i : !pallas.ref<128xi32, gmem>, i32
    }
  }
  return %0 : tensor<128xi32>
}

// -----

// Slices of slices add up: the second of those that start at 2 is barrier 3.
// CHECK-LABEL: module @slices
// CHECK: num_barriers = 4
// CHECK: llvm.getelementptr %{{.*}}[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
// CHECK: "mosaic_gpu.arrive"
// CHECK: nvvm.mbarrier.try_wait.parity
func.func @call_slices() {
  pallas.mpmd_map
      kernel @slices on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%b: !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>) {
      %two = pallas.slice_ref %b[ds(2, 2)] : !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>
      %last = pallas.slice_ref %two[ds(1, 1)] : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
      %one = pallas.slice_ref %last[0] : !pallas.ref<1x!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_arrive %one : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %same = pallas.slice_ref %b[3] : !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %same : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

// Axes in brackets count as one: arrivals reach the 4 blocks of the plane of x
// and z, 2 along y, and this one once. Block numbers run along z first.
// CHECK-LABEL: module @groups
// CHECK-DAG: %[[PLANE:.*]] = arith.constant 51 : i32
// CHECK-DAG: %[[LINE:.*]] = arith.constant 5 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[LINE]], predicate = %{{.*}} : !llvm.ptr<3>, i32, i1
// CHECK: arith.shli %[[PLANE]]
// CHECK: arith.shli %[[LINE]]
// CHECK: mapa.shared::cluster
func.func @call_groups() {
  pallas.mpmd_map
      kernel @groups on <gpu, [<grid "i" = 1>, <cluster "x" = 2>, <cluster "y" = 2>, <cluster "z" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "z"], "y"], numArrivals = 1>, smem>) {
      pallas.barrier_arrive %b : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "z"], "y"], numArrivals = 1>, smem>
      pallas.barrier_wait %b : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "z"], "y"], numArrivals = 1>, smem>
    }
  }
  return
}

// -----

// A kernel that keeps the phases itself gets no word for them.
// CHECK-LABEL: module @parities
// CHECK: %[[P:.*]] = llvm.extractvalue %{{.*}}[1]
// CHECK: "mosaic_gpu.initialize_barrier"(%[[P]]) <{arrival_count = 1 : i64, num_barriers = 2 : i32
// CHECK: scf.for %[[I:.*]] =
// CHECK: "mosaic_gpu.arrive"
// CHECK: %[[BIT:.*]] = arith.andi %[[I]], %{{.*}} : i32
// CHECK: %[[ODD:.*]] = arith.cmpi eq, %[[BIT]], %{{.*}} : i32
// CHECK: %[[WORD:.*]] = arith.extui %[[ODD]] : i1 to i32
// CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[WORD]], %{{.*}}
func.func @call_parities() {
  pallas.mpmd_map
      kernel @parities on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %second = pallas.slice_ref %b[1] : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        pallas.barrier_arrive %second : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
        %bit = arith.andi %i, %c1 : i32
        %odd = arith.cmpi eq, %bit, %c1 : i32
        pallas.barrier_wait_parity %second, %odd : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
    }
  }
  return
}
