// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func @accesses
func.func @accesses(%r: !pallas.ref<64x128xf32, vmem>, %i: i32, %rows: tensor<5xi32>, %m: tensor<8xi1>) {
  // CHECK: pallas.check_access read "input 0" %{{.*}}[ds(%{{.*}}, 8), :] by "pallas.get" : !pallas.ref<64x128xf32, vmem>
  pallas.check_access read "input 0" %r[ds(%i, 8), :] by "pallas.get" : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_access write "output 0" %{{.*}}[...] by "pallas.swap"
  pallas.check_access write "output 0" %r[...] outside moved by "pallas.swap" : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_access update "output 0" %{{.*}}[gather(%{{.*}} : tensor<5xi32>), 0] by "pallas.addupdate"
  pallas.check_access update "output 0" %r[gather(%rows : tensor<5xi32>), 0] by "pallas.addupdate" : !pallas.ref<64x128xf32, vmem>
  // A slice whose elements outside are dropped may extend past its ref.
  // CHECK: pallas.check_access atomic "output 0" %{{.*}}[ds(60, 8), 0] mask %{{.*}} outside dropped by "pallas.atomic_rmw" : !pallas.ref<64x128xf32, vmem>, tensor<8xi1>
  pallas.check_access atomic "output 0" %r[ds(60, 8), 0] mask %m outside dropped by "pallas.atomic_rmw" : !pallas.ref<64x128xf32, vmem>, tensor<8xi1>
  // CHECK: pallas.check_access read "input 0" %{{.*}}[ds(60, 8), 0] outside allowed by "pallas.masked_load" : !pallas.ref
  pallas.check_access read "input 0" %r[ds(60, 8), 0] outside allowed by "pallas.masked_load" : !pallas.ref<64x128xf32, vmem>
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%r: !pallas.ref<64x128xf32, vmem>, %rows: !pallas.ref<5xi32, vmem>, %acc: !pallas.accumulator<64x128xf32>, %i: i32, %inside: i1) {
  // CHECK: pallas.check_bounds "scratch 0" %{{.*}}[%{{.*}}, ds(0, %{{.*}})] : !pallas.ref<64x128xf32, vmem>
  pallas.check_bounds "scratch 0" %r[%i, ds(0, %i)] : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_bounds "scratch 0" %{{.*}}[gather(%{{.*}} : !pallas.ref<5xi32, vmem>), :] : !pallas.ref<64x128xf32, vmem>
  pallas.check_bounds "scratch 0" %r[gather(%rows : !pallas.ref<5xi32, vmem>), :] : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_contents read "a ref" %{{.*}} by "pallas.freeze" : !pallas.ref<64x128xf32, vmem>
  pallas.check_contents read "a ref" %r by "pallas.freeze" : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_contents write "scratch 0" %{{.*}} by "pallas.accumulator_store" : !pallas.accumulator<64x128xf32>
  pallas.check_contents write "scratch 0" %acc by "pallas.accumulator_store" : !pallas.accumulator<64x128xf32>
  // CHECK: pallas.check_tensor_bounds %{{.*}} by "tensor.extract"
  pallas.check_tensor_bounds %inside by "tensor.extract"
  return
}

// CHECK-LABEL: func.func @waits
func.func @waits(%t: !pallas.ref<128x128xf32, tmem>) {
  // CHECK: pallas.check_contents read async "scratch 0" %{{.*}} by "pallas.async_load_tmem" : !pallas.ref<128x128xf32, tmem>
  pallas.check_contents read async "scratch 0" %t by "pallas.async_load_tmem" : !pallas.ref<128x128xf32, tmem>
  // CHECK: pallas.check_commit copies
  pallas.check_commit copies
  // CHECK: pallas.check_commit stores
  pallas.check_commit stores
  // CHECK: pallas.check_commit products
  pallas.check_commit products
  // CHECK: pallas.check_wait copies pending 0
  pallas.check_wait copies pending 0
  // CHECK: pallas.check_wait sources pending 1
  pallas.check_wait sources pending 1
  // CHECK: pallas.check_wait products pending 2
  pallas.check_wait products pending 2
  // CHECK: pallas.check_tensor_memory_wait loads
  pallas.check_tensor_memory_wait loads
  // CHECK: pallas.check_tensor_memory_wait stores
  pallas.check_tensor_memory_wait stores
  return
}

!sem = !pallas.ref<!pallas.semaphore, semaphore>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: func.func @semaphores
func.func @semaphores(%s: !sem, %d: !dma, %r: !pallas.ref<8xf32, vmem>, %n: i32) {
  // CHECK: pallas.check_semaphore_signal %{{.*}}, %{{.*}} : !pallas.ref<!pallas.semaphore, semaphore>
  pallas.check_semaphore_signal %s, %n : !sem
  // CHECK: pallas.check_semaphore_signal %{{.*}}, %{{.*}} device mesh(%{{.*}}, %{{.*}}) axes ["x", "y"] core %{{.*}} : !pallas.ref
  pallas.check_semaphore_signal %s, %n device mesh(%n, %n) axes ["x", "y"] core %n : !sem
  // CHECK: pallas.check_semaphore_wait %{{.*}}, %{{.*}} : !pallas.ref<!pallas.semaphore, semaphore>
  pallas.check_semaphore_wait %s, %n : !sem
  // CHECK: pallas.check_dma_wait %{{.*}} signals %{{.*}} : !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  pallas.check_dma_wait %r signals %d : !pallas.ref<8xf32, vmem>, !dma
  // CHECK: pallas.check_core_barrier arrive 0 "subcore"
  pallas.check_core_barrier arrive 0 "subcore"
  // CHECK: pallas.check_core_barrier leave 0 "subcore"
  pallas.check_core_barrier leave 0 "subcore"
  return
}

// CHECK-LABEL: func.func @barriers
func.func @barriers(%b: !bar) {
  // CHECK: pallas.check_arrival thread "scoped ref 0" %{{.*}} by "pallas.barrier_arrive" : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  pallas.check_arrival thread "scoped ref 0" %b by "pallas.barrier_arrive" : !bar
  // CHECK: pallas.check_arrival "scoped ref 0" %{{.*}} by "pallas.copy_gmem_to_smem"
  pallas.check_arrival "scoped ref 0" %b by "pallas.copy_gmem_to_smem" : !bar
  // CHECK: pallas.check_phase %{{.*}} : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  pallas.check_phase %b : !bar
  // CHECK: pallas.check_phase parity %{{.*}} : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  pallas.check_phase parity %b : !bar
  return
}

!x = !pallas.ref<8x128xf32, hbm>
!t = !pallas.ref<8x128xf32, vmem>
!g = !pallas.ref<64x64xf16, gmem>
!m = !pallas.ref<64x64xf16, smem>

// CHECK-LABEL: func.func @copies
func.func @copies(%x: !x, %t: !t, %k: !pallas.ref<8xi32, vmem>, %d: !dma, %g: !g, %m: !m, %b: !bar, %n: i32) {
  // CHECK: pallas.check_dma_start %{{.*}} to %{{.*}} signals %{{.*}} from "input 0" to "scratch 0" : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  pallas.check_dma_start %x to %t signals %d from "input 0" to "scratch 0" : !x, !t, !dma
  // CHECK: pallas.check_dma_start %{{.*}} to %{{.*}} signals %{{.*}} source_signals %{{.*}} device mesh(%{{.*}}) axes ["x"] core %{{.*}} add from "input 0" to "scratch 0" indices(%{{.*}} : !pallas.ref<8xi32, vmem>) ["scratch 1"] : {{.*}}, !pallas.ref<!pallas.dma_semaphore, semaphore>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  pallas.check_dma_start %x to %t signals %d source_signals %d device mesh(%n) axes ["x"] core %n add from "input 0" to "scratch 0" indices(%k : !pallas.ref<8xi32, vmem>) ["scratch 1"] : !x, !t, !dma, !dma
  // CHECK: pallas.check_copy_gmem_to_smem %{{.*}} to %{{.*}} signals %{{.*}} from "input 0" to "scoped ref 0" : !pallas.ref<64x64xf16, gmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  pallas.check_copy_gmem_to_smem %g to %m signals %b from "input 0" to "scoped ref 0" : !g, !m, !bar
  // CHECK: pallas.check_copy_gmem_to_smem %{{.*}} to %{{.*}} signals %{{.*}} collective ["c"] from "input 0" to "scoped ref 0"
  pallas.check_copy_gmem_to_smem %g to %m signals %b collective ["c"] from "input 0" to "scoped ref 0" : !g, !m, !bar
  // CHECK: pallas.check_copy_smem_to_gmem %{{.*}} to %{{.*}} from "scoped ref 0" to "output 0" : !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, gmem>
  pallas.check_copy_smem_to_gmem %m to %g from "scoped ref 0" to "output 0" : !m, !g
  // CHECK: pallas.check_copy_smem_to_gmem %{{.*}} to %{{.*}} add from "scoped ref 0" to "output 0"
  pallas.check_copy_smem_to_gmem %m to %g add from "scoped ref 0" to "output 0" : !m, !g
  return
}

// CHECK-LABEL: func.func @grids
func.func @grids(%w: !pallas.ref<8xf32, vmem>, %x: !pallas.ref<500xf32, any>, %i: i32, %iv: index) {
  // CHECK: pallas.check_grid_begin "scale" windows [!pallas.ref<8xf32, vmem>] by "pallas.emit_pipeline"
  pallas.check_grid_begin "scale" windows [!pallas.ref<8xf32, vmem>] by "pallas.emit_pipeline"
  // CHECK: pallas.check_grid_begin "rows" windows [] shared(%{{.*}} : !pallas.ref<500xf32, any>) by "pallas.pallas_call"
  pallas.check_grid_begin "rows" windows [] shared(%x : !pallas.ref<500xf32, any>) by "pallas.pallas_call"
  // CHECK: pallas.check_program(%{{.*}}, %{{.*}})
  pallas.check_program(%iv, %iv)
  // CHECK: pallas.check_program()
  pallas.check_program()
  // CHECK: pallas.check_window 0 "input 0" %{{.*}} of %{{.*}}[%{{.*}} : i32] block<[8], vmem> buffered by "pallas.emit_pipeline" : !pallas.ref<8xf32, vmem>, !pallas.ref<500xf32, any>
  pallas.check_window 0 "input 0" %w of %x[%i : i32] block<[8], vmem> buffered by "pallas.emit_pipeline" : !pallas.ref<8xf32, vmem>, !pallas.ref<500xf32, any>
  // CHECK: pallas.check_window 1 "output 0" %{{.*}} of %{{.*}}[%{{.*}} : index] block<[8], vmem> output returning by "pallas.emit_pipeline"
  pallas.check_window 1 "output 0" %w of %x[%iv : index] block<[8], vmem> output returning by "pallas.emit_pipeline" : !pallas.ref<8xf32, vmem>, !pallas.ref<500xf32, any>
  // CHECK: pallas.check_grid_end windows [!pallas.ref<8xf32, vmem>]
  pallas.check_grid_end windows [!pallas.ref<8xf32, vmem>]
  // CHECK: pallas.check_alias %{{.*}}, %{{.*}} buffered : !pallas.ref<500xf32, any>, !pallas.ref<500xf32, any>
  pallas.check_alias %x, %x buffered : !pallas.ref<500xf32, any>, !pallas.ref<500xf32, any>
  // CHECK: pallas.check_program(%{{.*}}) parallel(%{{.*}}) scratch(%{{.*}} : !pallas.ref<8xf32, vmem>)
  pallas.check_program(%iv) parallel(%iv) scratch(%w : !pallas.ref<8xf32, vmem>)
  // CHECK: pallas.check_output "output 0" %{{.*}} block [8] by "pallas.pallas_call" : !pallas.ref<500xf32, any>
  pallas.check_output "output 0" %x block [8] by "pallas.pallas_call" : !pallas.ref<500xf32, any>
  // CHECK: pallas.check_barrier_end 3 by "pallas.pallas_call"
  pallas.check_barrier_end 3 by "pallas.pallas_call"
  return
}

// CHECK-LABEL: func.func @cores
func.func @cores(%i: i32) {
  // CHECK: pallas.check_cores_begin
  pallas.check_cores_begin
  // CHECK: pallas.check_core_begin(%{{.*}}, %{{.*}}) scratch [!pallas.ref<8xf32, vmem>]
  pallas.check_core_begin(%i, %i) scratch [!pallas.ref<8xf32, vmem>]
  // CHECK: pallas.check_core_end scratch [!pallas.ref<8xf32, vmem>]
  pallas.check_core_end scratch [!pallas.ref<8xf32, vmem>]
  // CHECK: pallas.check_cores_end
  pallas.check_cores_end
  return
}

!acc = !pallas.ref<64x64xf32, tmem>

// CHECK-LABEL: func.func @products
func.func @products(%m: !m, %acc: !acc, %regs: !pallas.accumulator<64x64xf32>, %b: !bar, %p: i1) {
  // CHECK: pallas.check_product reads %{{.*}}, %{{.*}} updates %{{.*}} accumulate %{{.*}} signals %{{.*}} names ["a", "b", "c"] by "pallas.tcgen05_mma" : !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, smem> updates !pallas.ref<64x64xf32, tmem> signals !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  pallas.check_product reads %m, %m updates %acc accumulate %p signals %b names ["a", "b", "c"] by "pallas.tcgen05_mma" : !m, !m updates !acc signals !bar
  // CHECK: pallas.check_product reads %{{.*}} updates %{{.*}} names ["a", "b"] by "pallas.wgmma_ref" : !pallas.ref<64x64xf16, smem> updates !pallas.accumulator<64x64xf32>
  pallas.check_product reads %m updates %regs names ["a", "b"] by "pallas.wgmma_ref" : !m updates !pallas.accumulator<64x64xf32>
  // CHECK: pallas.check_product reads %{{.*}} number 2 names ["a"] by "pallas.wgmma" : !pallas.ref<64x64xf16, smem>
  pallas.check_product reads %m number 2 names ["a"] by "pallas.wgmma" : !m
  // CHECK: pallas.check_accumulator [1, -2]
  pallas.check_accumulator [1, -2]
  // CHECK: pallas.check_follow_products %{{.*}} : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  pallas.check_follow_products %b : !bar
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%x: !pallas.ref<10xf32, any>, %p: !pallas.ref<12xf32, any>, %s: !pallas.ref<4x8xf32, smem>,
    %v: !pallas.ref<8x8xbf16, smem>, %regs: !pallas.accumulator<64x64xf32>, %n: !pallas.ref<!pallas.semaphore, semaphore>) {
  // CHECK: pallas.check_memory written "input 0" %{{.*}} : !pallas.ref<10xf32, any>
  pallas.check_memory written "input 0" %x : !pallas.ref<10xf32, any>
  // CHECK: pallas.check_memory padding "a padded array" %{{.*}} : !pallas.ref<12xf32, any>
  pallas.check_memory padding "a padded array" %p : !pallas.ref<12xf32, any>
  // CHECK: pallas.check_same_contents %{{.*}} to %{{.*}} low [1] : !pallas.ref<10xf32, any>, !pallas.ref<12xf32, any>
  pallas.check_same_contents %x to %p low [1] : !pallas.ref<10xf32, any>, !pallas.ref<12xf32, any>
  // CHECK: pallas.check_memory new shared unwritten "scoped ref 0" %{{.*}} : !pallas.ref<4x8xf32, smem>
  pallas.check_memory new shared unwritten "scoped ref 0" %s : !pallas.ref<4x8xf32, smem>
  // CHECK: pallas.check_memory new written "scoped ref 1" %{{.*}} : !pallas.accumulator<64x64xf32>
  pallas.check_memory new written "scoped ref 1" %regs : !pallas.accumulator<64x64xf32>
  // CHECK: pallas.check_packed_view %{{.*}} of %{{.*}} : !pallas.ref<8x8xbf16, smem>, !pallas.ref<4x8xf32, smem>
  pallas.check_packed_view %v of %s : !pallas.ref<8x8xbf16, smem>, !pallas.ref<4x8xf32, smem>
  // CHECK: pallas.check_buffers_begin [!pallas.ref<4x8xf32, smem>]
  pallas.check_buffers_begin [!pallas.ref<4x8xf32, smem>]
  // CHECK: pallas.check_buffers_end [!pallas.ref<4x8xf32, smem>]
  pallas.check_buffers_end [!pallas.ref<4x8xf32, smem>]
  // CHECK: pallas.check_semaphores_end "scoped ref 2" %{{.*}} by "pallas.run_scoped" : !pallas.ref<!pallas.semaphore, semaphore>
  pallas.check_semaphores_end "scoped ref 2" %n by "pallas.run_scoped" : !pallas.ref<!pallas.semaphore, semaphore>
  // CHECK: pallas.check_memory_end %{{.*}} : !pallas.ref<4x8xf32, smem>
  pallas.check_memory_end %s : !pallas.ref<4x8xf32, smem>
  // CHECK: pallas.check_cluster_sync arrive 0
  pallas.check_cluster_sync arrive 0
  // CHECK: pallas.check_cluster_sync leave 1 threads
  pallas.check_cluster_sync leave 1 threads
  return
}

// CHECK-LABEL: func.func @unwritten
func.func @unwritten(%r: !pallas.ref<16xf32, gmem>, %i: i32, %m: tensor<8xi1>) {
  // CHECK: pallas.check_left_out "what its mask leaves out" %{{.*}}[ds(%{{.*}}, 8)] mask %{{.*}} by "pallas.masked_load" : !pallas.ref<16xf32, gmem>, tensor<8xi1> -> tensor<8xf32>
  %0 = pallas.check_left_out "what its mask leaves out" %r[ds(%i, 8)] mask %m by "pallas.masked_load" : !pallas.ref<16xf32, gmem>, tensor<8xi1> -> tensor<8xf32>
  // CHECK: pallas.check_left_out "a slice" %{{.*}}[ds(12, 8)] by "pallas.masked_load" : !pallas.ref<16xf32, gmem> -> tensor<8xf32>
  %1 = pallas.check_left_out "a slice" %r[ds(12, 8)] by "pallas.masked_load" : !pallas.ref<16xf32, gmem> -> tensor<8xf32>
  // CHECK: pallas.check_unwritten "no work" by "pallas.query_cluster_cancel" : i32
  %2 = pallas.check_unwritten "no work" by "pallas.query_cluster_cancel" : i32
  return
}
