// RUN: pallas-opt %s --pallas-to-mosaic-gpu=arch=sm_100a | FileCheck %s

// Blocks along an axis arrive at the barrier of the first of them: block 0 or 1 of a cluster of 2x2, of which
// the bit moves to where this block is along the other axis. Accesses of tensor memory come before the arrival.
// cluster-leaders.py executes both stages.

!bar = !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1, ordersTensorCore = true, leaderTracked = true>, smem>

// CHECK-LABEL: module @kernel
// CHECK: nvvm.mbarrier.init %{{.*}}, %c2_i32, predicate = 
// CHECK: %[[OTHER:.*]] = gpu.cluster_block_id  x
// CHECK: %[[SHIFT:.*]] = arith.index_cast %[[OTHER]] : index to i32
// CHECK: nvvm.tcgen05.fence <before>
// CHECK: "bar.sync $0, 128;"
// CHECK: %[[TARGET:.*]] = arith.shli %c1_i32, %[[SHIFT]] : i32
// CHECK: arith.andi %{{.*}}, %[[TARGET]] : i32
// CHECK: mapa.shared::cluster
// CHECK: scf.index_switch
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: nvvm.tcgen05.fence <after>
func.func @gather() -> tensor<2xi32> {
  %0 = pallas.mpmd_map
      out(tensor<2xi32>)
      kernel @kernel on <gpu, [<cluster "c" = 2>, <cluster "d" = 2>]> (%o: !pallas.ref<2xi32, gmem>) {
    pallas.run_scoped (%b: !bar) {
      %c0 = arith.constant 0 : i32
      %c42 = arith.constant 42 : i32
      %c = pallas.axis_index "c"
      %d = pallas.axis_index "d"
      pallas.barrier_arrive %b : !bar
      %first = arith.cmpi eq, %c, %c0 : i32
      scf.if %first {
        pallas.barrier_wait %b : !bar
        %v = arith.addi %d, %c42 : i32
        pallas.swap %o[%d], %v : !pallas.ref<2xi32, gmem>, i32
      }
    }
  }
  return %0 : tensor<2xi32>
}
