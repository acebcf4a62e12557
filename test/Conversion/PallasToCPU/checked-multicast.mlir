// RUN: pallas-opt %s --pallas-insert-checks --pallas-meshes-to-loops --pallas-insert-memory-checks --convert-pallas-to-cpu=checked --cse | FileCheck %s
// RUN: pallas-opt %s --pallas-meshes-to-loops --convert-pallas-to-cpu | FileCheck %s --check-prefix=PLAIN

// Checked code tells the runtime which copies of other blocks belong to one
// that fills the memory of all, and arrives when all of them have come. Other
// code copies block by block.

// CHECK-LABEL: func.func @multicast
// CHECK: scf.forall
// CHECK: llvm.call @pallas_check_copy_begin(%{{.*}}, %c1_i64
// CHECK: llvm.call @pallas_check_copy_part
// CHECK: llvm.call @pallas_check_copy_end
// CHECK: llvm.call @pallas_check_multicast(%{{[^,]*}}, %{{[^,]*}}, %[[AXES:[^,]*]], %[[GROUP:[^,]*]], %[[MEMBER:[^,]*]], %[[BLOCKS:[^,]*]],
// CHECK: llvm.call @pallas_check_arrival
// CHECK: memref.copy
// CHECK: llvm.call @pallas_rt_arrive_together(%{{[^,]*}}, %[[AXES]], %[[GROUP]], %[[MEMBER]], %[[BLOCKS]])
// CHECK-NOT: @pallas_rt_arrive(
// CHECK: llvm.call @pallas_rt_wait_barrier

// PLAIN-NOT: arrive_together
// PLAIN: llvm.call @pallas_rt_arrive(
// PLAIN-NOT: arrive_together
func.func @multicast() {
  pallas.core_map <gpu, [<cluster "c" = 2>]> () {
    %x = pallas.empty_ref : !pallas.ref<64xf32, gmem>
    pallas.run_scoped (%s: !pallas.ref<64xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      pallas.copy_gmem_to_smem %x to %s signals %b collective ["c"] : !pallas.ref<64xf32, gmem>, !pallas.ref<64xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}
