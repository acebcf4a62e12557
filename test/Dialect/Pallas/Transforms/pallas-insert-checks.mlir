// RUN: pallas-opt %s --pallas-insert-checks --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pallas-insert-checks --pallas-grids-to-loops --pallas-meshes-to-loops --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --split-input-file -o %t.mlir
// RUN: grep -v pallas.dot_general %t.mlir | not grep -E "^ *(%[a-z0-9_]+ = )?pallas[.]"

// An access has its check in front of it, with the name of its ref: the role in
// the call, and the name in the source where that is known.

// CHECK: module attributes {pallas.has_checks}
// CHECK-LABEL: func.func @roles
func.func @roles(%x: tensor<16xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<16xf32>) block<[16], vmem, origin = "x_ref"> map(%g) -> (0)
      out(tensor<16xf32>) block<[16], vmem> map(%g) -> (0)
      kernel(%xr: !pallas.ref<16xf32, vmem>, %or: !pallas.ref<16xf32, vmem>, %s: !pallas.ref<8xf32, vmem>) {
    // CHECK: pallas.check_access read "input 0 (x_ref)" %{{.*}}[...] by "pallas.get" : !pallas.ref<16xf32, vmem>
    // CHECK-NEXT: pallas.get
    %v = pallas.get %xr[...] : !pallas.ref<16xf32, vmem>
    // CHECK: pallas.check_access write "output 0" %{{.*}}[...] by "pallas.swap"
    // CHECK-NEXT: pallas.swap
    pallas.swap %or[...], %v : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    // CHECK: pallas.run_scoped (%[[T:.*]]: !pallas.ref<8xf32, vmem>)
    pallas.run_scoped (%t: !pallas.ref<8xf32, vmem>) {
      // CHECK: pallas.check_access read "scratch 0"
      %w = pallas.get %s[...] : !pallas.ref<8xf32, vmem>
      // CHECK: pallas.check_access write "scoped ref 0" %[[T]][...]
      pallas.swap %t[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    }
  }
  return %o : tensor<16xf32>
}

// -----

// A swap reads if its old value is used: a slice at once, elements that indices
// or a mask select before any of them is written.

// CHECK-LABEL: func.func @kinds
func.func @kinds(%x: tensor<8xf32>, %v: tensor<4xf32>, %i: i32, %at: tensor<4xi32>, %m: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  // CHECK: %[[R:.*]] = pallas.new_ref
  // CHECK-NEXT: pallas.check_contents write "a ref" %[[R]] by "pallas.new_ref"
  // CHECK-NEXT: pallas.check_access update "a ref" %[[R]][ds(%{{.*}}, 4)] by "pallas.swap"
  // CHECK-NEXT: pallas.swap
  %a = pallas.swap %r[ds(%i, 4)], %v : !pallas.ref<8xf32, vmem>, tensor<4xf32>
  // CHECK-NEXT: pallas.check_access read "a ref" %[[R]][gather(%{{.*}} : tensor<4xi32>)] by "pallas.swap"
  // CHECK-NEXT: pallas.check_access write "a ref" %[[R]][gather(%{{.*}} : tensor<4xi32>)] by "pallas.swap"
  // CHECK-NEXT: pallas.swap
  %b = pallas.swap %r[gather(%at : tensor<4xi32>)], %v : !pallas.ref<8xf32, vmem>, tensor<4xf32>
  // CHECK-NEXT: pallas.check_access read "a ref" %[[R]][ds(%{{.*}}, 4)] mask %{{.*}} outside dropped by "pallas.masked_swap"
  // CHECK-NEXT: pallas.check_access write "a ref" %[[R]][ds(%{{.*}}, 4)] mask %{{.*}} outside dropped by "pallas.masked_swap"
  // CHECK-NEXT: pallas.masked_swap
  %c = pallas.masked_swap %r[ds(%i, 4)], %v mask %m : !pallas.ref<8xf32, vmem>, tensor<4xf32>, tensor<4xi1>
  // CHECK-NEXT: pallas.check_access update "a ref" %[[R]][ds(%{{.*}}, 4)] by "pallas.addupdate"
  pallas.addupdate %r[ds(%i, 4)], %v : !pallas.ref<8xf32, vmem>, tensor<4xf32>
  // The load leaves elements without a value, so a check makes one.
  // CHECK: pallas.check_access read "a ref" %[[R]][ds(%{{.*}}, 4)] mask %{{.*}} outside dropped by "pallas.masked_load"
  // CHECK-NEXT: %[[LEFT:.*]] = pallas.check_left_out "what its mask leaves out" %[[R]][ds(%{{.*}}, 4)] mask %{{.*}} by "pallas.masked_load"
  // CHECK-NEXT: pallas.masked_load %[[R]][ds(%{{.*}}, 4)] mask %{{.*}} other %[[LEFT]]
  %d = pallas.masked_load %r[ds(%i, 4)] mask %m : !pallas.ref<8xf32, vmem>, tensor<4xi1>
  // Without a mask, elements behind the end are read and may not be used.
  // CHECK: %[[ALL:.*]] = arith.constant dense<true> : tensor<4xi1>
  // CHECK-NEXT: pallas.check_access read "a ref" %[[R]][ds(%{{.*}}, 4)] outside allowed by "pallas.masked_load"
  // CHECK-NEXT: %[[BEHIND:.*]] = pallas.check_left_out "a slice that extends past a ref" %[[R]][ds(%{{.*}}, 4)] by "pallas.masked_load"
  // CHECK-NEXT: pallas.masked_load %[[R]][ds(%{{.*}}, 4)] mask %[[ALL]] other %[[BEHIND]]
  %e = pallas.masked_load %r[ds(%i, 4)] : !pallas.ref<8xf32, vmem>
  // CHECK: pallas.check_contents read "a ref" %[[R]] by "pallas.freeze"
  // CHECK-NEXT: pallas.freeze
  %f = pallas.freeze %r : !pallas.ref<8xf32, vmem>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @atomics
func.func @atomics(%x: tensor<8xi32>, %v: i32, %w: tensor<4xi32>, %i: i32, %m: tensor<4xi1>) {
  %r = pallas.new_ref %x : tensor<8xi32> -> !pallas.ref<8xi32, smem>
  // CHECK: pallas.check_access atomic "a ref" %{{.*}}[%{{.*}}] by "pallas.atomic_rmw"
  %a = pallas.atomic_rmw <add> %r[%i], %v : !pallas.ref<8xi32, smem>, i32
  // CHECK: pallas.check_access atomic "a ref" %{{.*}}[ds(%{{.*}}, 4)] mask %{{.*}} outside dropped by "pallas.atomic_rmw"
  %b = pallas.atomic_rmw <add> %r[ds(%i, 4)], %w mask %m : !pallas.ref<8xi32, smem>, tensor<4xi32>, tensor<4xi1>
  // CHECK: pallas.check_access atomic "a ref" %{{.*}}[%{{.*}}] by "pallas.atomic_cas"
  %c = pallas.atomic_cas %r[%i], %v, %v : !pallas.ref<8xi32, smem>, i32
  return
}

// -----

// A view lies in its ref, or is a finding: where only run time can tell, and
// not for waits, which touch no element.

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<8x8xf32>, %i: i32) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8x8xf32> -> !pallas.ref<8x8xf32, vmem>
  // CHECK-NOT: check_bounds
  // CHECK: pallas.slice_ref %{{.*}}[0, :]
  %a = pallas.slice_ref %r[0, :] : !pallas.ref<8x8xf32, vmem>
  // CHECK-NEXT: pallas.check_bounds "a ref" %{{.*}}[%{{.*}}, :] : !pallas.ref<8x8xf32, vmem>
  // CHECK-NEXT: pallas.slice_ref
  %b = pallas.slice_ref %r[%i, :] : !pallas.ref<8x8xf32, vmem>
  pallas.run_scoped (%s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %a to %b signals %s : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    // CHECK: pallas.check_dma_start
    // CHECK-NEXT: pallas.dma_start
    // CHECK-NEXT: pallas.slice_ref
    %c = pallas.slice_ref %r[%i, :] : !pallas.ref<8x8xf32, vmem>
    pallas.dma_wait %a to %c signals %s : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  // CHECK: pallas.check_access read "a ref"
  %v = pallas.get %b[...] : !pallas.ref<8xf32, vmem>
  return %v : tensor<8xf32>
}

// -----

// Index arrays of a view are looked at by the copy. It reads refs of indices
// until it has ended.

// CHECK-LABEL: func.func @indices
func.func @indices(%x: tensor<8x8xf32>, %y: tensor<3x8xf32>, %at: tensor<3xi32>) {
  %r = pallas.new_ref %x : tensor<8x8xf32> -> !pallas.ref<8x8xf32, vmem>
  %t = pallas.new_ref %y : tensor<3x8xf32> -> !pallas.ref<3x8xf32, vmem>
  // CHECK: pallas.slice_ref
  %rows = pallas.slice_ref %r[gather(%at : tensor<3xi32>), :] : !pallas.ref<8x8xf32, vmem>
  // CHECK: pallas.run_scoped
  // CHECK-NEXT: pallas.check_bounds "a ref" %{{.*}}[gather(%{{.*}} : tensor<3xi32>), :]
  // CHECK-NEXT: pallas.check_dma_start %{{.*}} to %{{.*}} signals %{{.*}} from "a ref" to "a ref" : !pallas.ref
  // CHECK-NEXT: pallas.dma_start
  pallas.run_scoped (%s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %rows to %t signals %s : !pallas.ref<3x8xf32, vmem>, !pallas.ref<3x8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %rows to %t signals %s : !pallas.ref<3x8xf32, vmem>, !pallas.ref<3x8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

// A copy that a condition leaves out looks at no index.

// CHECK-LABEL: func.func @predicate
func.func @predicate(%x: tensor<16x64xf16>, %at: tensor<8xi32>, %p: i1) {
  %r = pallas.new_ref %x : tensor<16x64xf16> -> !pallas.ref<16x64xf16, gmem>
  %rows = pallas.slice_ref %r[gather(%at : tensor<8xi32>), :] : !pallas.ref<16x64xf16, gmem>
  pallas.run_scoped (%t: !pallas.ref<8x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    // CHECK: scf.if %{{.*}} {
    // CHECK-NEXT: pallas.check_bounds
    // CHECK-NEXT: pallas.check_copy_gmem_to_smem
    // CHECK-NEXT: pallas.check_arrival
    // CHECK-NEXT: }
    // CHECK-NEXT: pallas.copy_gmem_to_smem
    pallas.copy_gmem_to_smem %rows to %t signals %b if %p
        : !pallas.ref<8x64xf16, gmem>, !pallas.ref<8x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

// The state of a scope is written at its start and read at its end. Products
// have ended when their accumulator is read.

// CHECK-LABEL: func.func @states
func.func @states(%v: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  // CHECK: pallas.run_state
  // CHECK-NEXT: pallas.check_contents write "ref 0" %[[ACC:.*]] by "pallas.run_state" : !pallas.accumulator<64x128xf32>
  // CHECK-NEXT: pallas.check_contents write "ref 0" %[[ACC]] by "pallas.accumulator_store"
  // CHECK-NEXT: pallas.accumulator_store
  // CHECK-NEXT: pallas.check_wait products pending 0
  // CHECK-NEXT: pallas.accumulator_deref %[[ACC]] wait 0
  // CHECK-NEXT: pallas.check_contents read "ref 0" %[[ACC]] by "pallas.accumulator_deref"
  // CHECK: pallas.check_wait products pending 0
  // CHECK-NEXT: pallas.check_contents read "ref 0" %[[ACC]] by "pallas.run_state"
  %0 = pallas.run_state (%acc: !pallas.accumulator<64x128xf32> = %v : tensor<64x128xf32>) {
    pallas.accumulator_store %acc, %v : !pallas.accumulator<64x128xf32>, tensor<64x128xf32>
    %w = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x128xf32> -> tensor<64x128xf32>
  }
  // Without an accumulator there is nothing to wait for.
  // CHECK: pallas.run_state
  // CHECK-NOT: check_wait
  %1 = pallas.run_state (%s: !pallas.ref<64x128xf32, vmem> = %v : tensor<64x128xf32>) {}
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

// Commits and waits are complete at once on a CPU, so their checks are all that
// is left of them. A copy may end its group.

// CHECK-LABEL: func.func @waits
func.func @waits() {
  %g = pallas.empty_ref : !pallas.ref<8x64xf16, gmem>
  %s = pallas.empty_ref : !pallas.ref<8x64xf16, smem>
  %t = pallas.empty_ref : !pallas.ref<128x128xf32, tmem>
  %tall = pallas.empty_ref : !pallas.ref<128x128xf32, smem>
  // CHECK: pallas.check_commit stores
  // CHECK-NEXT: pallas.commit_smem
  pallas.commit_smem
  // CHECK: pallas.check_copy_smem_to_gmem %{{.*}} to %{{.*}} from "a ref" to "a ref"
  // CHECK-NEXT: pallas.copy_smem_to_gmem
  // CHECK-NEXT: pallas.check_commit copies
  pallas.copy_smem_to_gmem %s to %g : !pallas.ref<8x64xf16, smem>, !pallas.ref<8x64xf16, gmem>
  // CHECK-NOT: check_commit
  // CHECK: pallas.copy_smem_to_gmem {{.*}}commitGroup = false
  pallas.copy_smem_to_gmem %s to %g {commitGroup = false} : !pallas.ref<8x64xf16, smem>, !pallas.ref<8x64xf16, gmem>
  // CHECK-NEXT: pallas.check_commit copies
  // CHECK-NEXT: pallas.commit_smem_to_gmem_group
  pallas.commit_smem_to_gmem_group
  // CHECK: pallas.check_wait sources pending 1
  // CHECK-NEXT: pallas.wait_smem_to_gmem 1
  pallas.wait_smem_to_gmem 1 read_only
  // CHECK: pallas.check_wait copies pending 0
  // CHECK-NEXT: pallas.wait_smem_to_gmem 0
  pallas.wait_smem_to_gmem 0
  // CHECK: pallas.check_wait products pending 2
  // CHECK-NEXT: pallas.wgmma_wait 2
  pallas.wgmma_wait 2
  // CHECK: pallas.check_product reads %{{.*}} updates %{{.*}} accumulate %{{.*}} names ["a ref", "a ref"] by "pallas.async_copy_to_tmem"
  // CHECK-NEXT: pallas.async_copy_to_tmem
  pallas.async_copy_to_tmem matrix %tall to %t : !pallas.ref<128x128xf32, smem>, !pallas.ref<128x128xf32, tmem>
  // CHECK-NEXT: pallas.check_contents read async "a ref" %{{.*}} by "pallas.async_load_tmem"
  // CHECK-NEXT: pallas.async_load_tmem
  %v = pallas.async_load_tmem %t : !pallas.ref<128x128xf32, tmem> -> tensor<128x128xf32>
  // CHECK-NEXT: pallas.check_tensor_memory_wait loads
  // CHECK-NEXT: pallas.wait_load_tmem
  pallas.wait_load_tmem
  // CHECK-NEXT: pallas.check_contents write async "a ref" %{{.*}} by "pallas.async_store_tmem"
  // CHECK-NEXT: pallas.async_store_tmem
  pallas.async_store_tmem %v to %t : tensor<128x128xf32>, !pallas.ref<128x128xf32, tmem>
  // CHECK-NEXT: pallas.check_tensor_memory_wait stores
  // CHECK-NEXT: pallas.commit_tmem
  pallas.commit_tmem
  return
}

// -----

// What a task has done is ordered by its signals, which are reported ahead of
// them, and by waits, which are reported when they have ended.

!sem = !pallas.ref<!pallas.semaphore, semaphore>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!r = !pallas.ref<8xf32, vmem>

// CHECK-LABEL: func.func @semaphores
func.func @semaphores(%n: i32) {
  %a = pallas.empty_ref : !r
  %b = pallas.empty_ref : !r
  // CHECK: pallas.run_scoped (%[[S:[^:]*]]: {{.*}}, %[[D:[^:]*]]: {{.*}}, %[[E:[^:]*]]: {{.*}}) {
  pallas.run_scoped (%s: !sem, %d: !dma, %e: !dma) {
    // CHECK-NEXT: pallas.check_semaphore_signal %[[S]], %[[N:.*]] device mesh(%[[N]]) axes ["x"] core %[[N]]
    // CHECK-NEXT: pallas.semaphore_signal %[[S]], %[[N]] device mesh(%[[N]]) axes ["x"] core %[[N]]
    pallas.semaphore_signal %s, %n device mesh(%n) axes ["x"] core %n : !sem
    // CHECK-NEXT: pallas.semaphore_wait
    // CHECK-NEXT: pallas.check_semaphore_wait %[[S]], %[[N]]
    pallas.semaphore_wait %s, %n : !sem
    // A wait for the source counts on the semaphore of the source.
    // CHECK: pallas.dma_wait
    // CHECK-NEXT: pallas.check_dma_wait %[[B:.*]] signals %[[D]]
    pallas.dma_wait %a to %b signals %d : !r, !r, !dma
    // CHECK-NEXT: pallas.dma_wait %[[A:.*]] to %[[B]]
    // CHECK-NEXT: pallas.check_dma_wait %[[A]] signals %[[E]]
    pallas.dma_wait %a to %b signals %d source_signals %e : !r, !r, !dma, !dma
  }
  return
}

// -----

// Both sides of a barrier of cores have one number.

// CHECK-LABEL: func.func @cores
func.func @cores() {
  pallas.core_map <sc_vector, [<core "core" = 1>, <subcore "subcore" = 2>]> () {
    // CHECK: pallas.check_core_barrier arrive 0 "subcore"
    // CHECK-NEXT: pallas.core_barrier "subcore"
    // CHECK-NEXT: pallas.check_core_barrier leave 0 "subcore"
    pallas.core_barrier "subcore"
    // CHECK-NEXT: pallas.check_core_barrier arrive 1 "core"
    pallas.core_barrier "core"
  }
  return
}

// -----

// A barrier may be reported to by its thread, or by what ends later.

!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK-LABEL: func.func @barriers
func.func @barriers(%p: i1) {
  %g = pallas.empty_ref : !pallas.ref<8x64xf16, gmem>
  %s = pallas.empty_ref : !pallas.ref<8x64xf16, smem>
  // CHECK: pallas.run_scoped (%[[B:.*]]: {{.*}}) {
  pallas.run_scoped (%b: !bar) {
    // CHECK-NEXT: pallas.check_arrival thread "scoped ref 0" %[[B]] by "pallas.barrier_arrive"
    // CHECK-NEXT: pallas.barrier_arrive
    pallas.barrier_arrive %b : !bar
    // CHECK-NEXT: pallas.barrier_wait
    // CHECK-NEXT: pallas.check_phase %[[B]]
    pallas.barrier_wait %b : !bar
    // CHECK-NEXT: pallas.check_copy_gmem_to_smem %{{.*}} to %{{.*}} signals %[[B]] from "a ref" to "a ref"
    // CHECK-NEXT: pallas.check_arrival "scoped ref 0" %[[B]] by "pallas.copy_gmem_to_smem"
    // CHECK-NEXT: pallas.copy_gmem_to_smem
    pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<8x64xf16, gmem>, !pallas.ref<8x64xf16, smem>, !bar
    // CHECK-NEXT: pallas.barrier_wait_parity
    // CHECK-NEXT: pallas.check_phase parity %[[B]]
    pallas.barrier_wait_parity %b, %p : !bar
    // CHECK-NEXT: pallas.check_follow_products %[[B]]
    // CHECK-NEXT: pallas.check_arrival "scoped ref 0" %[[B]] by "pallas.tcgen05_commit"
    // CHECK-NEXT: pallas.tcgen05_commit
    pallas.tcgen05_commit %b : !bar
    // A test that finds the phase under way orders nothing.
    // CHECK-NEXT: %[[DONE:.*]] = pallas.barrier_test
    // CHECK-NEXT: scf.if %[[DONE]] {
    // CHECK-NEXT: pallas.check_phase %[[B]]
    // CHECK-NEXT: }
    %done = pallas.barrier_test %b : !bar
    // CHECK-NEXT: %[[ODD:.*]] = pallas.barrier_test
    // CHECK-NEXT: scf.if %[[ODD]] {
    // CHECK-NEXT: pallas.check_phase parity %[[B]]
    %odd = pallas.barrier_test %b parity %p : !bar
  }
  return
}

// -----

// Copies are reported ahead of them, with the semaphores and the device that
// they name.

!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!x = !pallas.ref<8x128xf32, hbm>
!rows = !pallas.ref<3x128xf32, hbm>
!k = !pallas.ref<3xi32, vmem>

// CHECK-LABEL: func.func @copies
func.func @copies(%n: i32) {
  %x = pallas.empty_ref : !x
  %y = pallas.empty_ref : !rows
  // CHECK: pallas.run_scoped (%[[K:[^:]*]]: {{.*}}, %[[D:[^:]*]]: {{.*}}, %[[E:[^:]*]]: {{.*}}) {
  pallas.run_scoped (%k: !k, %d: !dma, %e: !dma) {
    // CHECK-NEXT: pallas.check_dma_start %[[X:.*]] to %[[X]] signals %[[D]] source_signals %[[E]] device mesh(%[[N:.*]]) axes ["x"] core %[[N]] add from "a ref" to "a ref" :
    // CHECK-NEXT: pallas.dma_start %[[X]]
    pallas.dma_start %x to %x signals %d source_signals %e device mesh(%n) axes ["x"] core %n {add} : !x, !x, !dma, !dma
    %rows = pallas.slice_ref %x[gather(%k : !k), :] : !x
    // CHECK: pallas.check_dma_start {{.*}} from "a ref" to "a ref" indices(%[[K]] : !pallas.ref<3xi32, vmem>) ["scoped ref 0"] :
    pallas.dma_start %rows to %y signals %d : !rows, !rows, !dma
  }
  return
}

// -----

// Which copy to several blocks writes to which of them is not known, so each
// waits for all.

!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK-LABEL: func.func @multicast
func.func @multicast(%p: i1) {
  %g = pallas.empty_ref : !pallas.ref<8x64xf16, gmem>
  pallas.core_map <gpu, [<cluster "c" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8x64xf16, smem>, %b: !bar) {
      // CHECK: scf.if %{{.*}} {
      // CHECK-NEXT: pallas.check_copy_gmem_to_smem %{{.*}} collective ["c"] from "a ref" to "scoped ref 0"
      // CHECK-NEXT: pallas.check_arrival
      // CHECK-NEXT: }
      // CHECK-NEXT: pallas.copy_gmem_to_smem {{.*}} collective ["c"] {pallas.arrives_together}
      pallas.copy_gmem_to_smem %g to %s signals %b if %p collective ["c"] : !pallas.ref<8x64xf16, gmem>, !pallas.ref<8x64xf16, smem>, !bar
    }
  }
  return
}

// -----

// A product reads its matrices from its start on. Those of warpgroups are a
// group each. One that makes a value has a number, by which reads name it.

!a = !pallas.ref<64x64xf16, smem>
!b = !pallas.ref<64x128xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK-LABEL: func.func @products
func.func @products(%v: tensor<64x128xf32>, %t: tensor<64x64xf16>, %p: i1) {
  %b = pallas.empty_ref : !b
  // CHECK: %[[B:.*]] = pallas.empty_ref
  // CHECK-NEXT: %[[A:.*]] = pallas.empty_ref
  %a = pallas.empty_ref : !a
  // CHECK-NEXT: pallas.check_product reads %[[A]], %[[B]] number 1 names ["a ref", "a ref"] by "pallas.wgmma"
  // CHECK-NEXT: pallas.check_commit products
  // CHECK-NEXT: pallas.wgmma
  %s = pallas.wgmma %v, %a, %b : tensor<64x128xf32>, !a, !b
  // A matrix that is a value was read before. The accumulator is handed on.
  // CHECK-NEXT: pallas.check_product reads %[[B]] number 2 names ["a ref"] by "pallas.wgmma"
  // CHECK-NEXT: pallas.check_commit products
  // CHECK-NEXT: pallas.wgmma
  %u = pallas.wgmma %s, %t, %b : tensor<64x128xf32>, tensor<64x64xf16>, !b
  // CHECK-NEXT: pallas.check_accumulator [2]
  // CHECK-NEXT: arith.addf
  %w = arith.addf %u, %v : tensor<64x128xf32>
  // CHECK: pallas.check_product reads %[[A]], %[[B]] updates %[[ACC:.*]] names ["a ref", "a ref", "ref 0"] by "pallas.wgmma_ref" :
  // CHECK-NEXT: pallas.check_commit products
  // CHECK-NEXT: pallas.wgmma_ref %[[ACC]]
  %x = pallas.run_state (%acc: !pallas.accumulator<64x128xf32> = %v : tensor<64x128xf32>) {
    pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !a, !b
  }
  // CHECK: pallas.run_scoped (%[[T:[^:]*]]: {{.*}}, %[[BAR:[^:]*]]: {{.*}}) {
  pallas.run_scoped (%acc: !pallas.ref<64x128xf32, tmem>, %bar: !bar) {
    // CHECK-NEXT: pallas.check_product reads %[[A]], %[[B]] updates %[[T]] accumulate %{{.*}} signals %[[BAR]] names ["a ref", "a ref", "scoped ref 0"] by "pallas.tcgen05_mma"
    // CHECK-NEXT: pallas.check_arrival "scoped ref 1" %[[BAR]] by "pallas.tcgen05_mma"
    // CHECK-NEXT: pallas.tcgen05_mma
    pallas.tcgen05_mma %acc, %a, %b accumulate %p signals %bar : !pallas.ref<64x128xf32, tmem>, !a, !b, !bar
  }
  return
}

// -----

// Tensors have no clamps, so an index outside becomes 0 behind its check.

// CHECK-LABEL: func.func @tensors
func.func @tensors(%x: tensor<8xf32>, %i: index) -> f32 {
  // CHECK: pallas.check_tensor_bounds %[[INSIDE:.*]] by "tensor.extract"
  // CHECK: %[[SAFE:.*]] = arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : index
  // CHECK: tensor.extract %{{.*}}[%[[SAFE]]]
  %0 = tensor.extract %x[%i] : tensor<8xf32>
  return %0 : f32
}

// -----

// Messages name the ref that the kernel uses. Where it uses both of an input
// and the output that is the same memory, both names stay; else one is enough.

// CHECK-LABEL: func.func @names
func.func @names(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0 -> 0]
      kernel on <tensorcore, [<core "c" = 1>]> (%xr: !pallas.ref<8xf32, hbm>, %or: !pallas.ref<8xf32, hbm>) {
    // CHECK: pallas.check_access read "input 0"
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, hbm>
    // CHECK: pallas.check_access write "output 0"
    pallas.swap %or[...], %v : !pallas.ref<8xf32, hbm>, tensor<8xf32>
  }
  %1 = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0 -> 0]
      kernel on <tensorcore, [<core "c" = 1>]> (%xr: !pallas.ref<8xf32, hbm>, %or: !pallas.ref<8xf32, hbm>) {
    // CHECK: pallas.check_access read "output 0"
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, hbm>
    // CHECK: pallas.check_access write "output 0"
    pallas.swap %xr[...], %v : !pallas.ref<8xf32, hbm>, tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The first thread asks for all of them.

!answer = !pallas.ref<16xi8, smem>
!both = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: func.func @questions
// CHECK: pallas.run_scoped (%[[M:.*]]: {{.*}}, %[[B:.*]]: {{.*}})
// CHECK-NEXT: pallas.check_arrival thread "scoped ref 1" %[[B]] by "pallas.try_cluster_cancel"
// CHECK-NEXT: %[[W:.*]] = pallas.axis_index "wg"
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[W]], %{{.*}} : i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[NO:.*]] = arith.constant false
// CHECK-NEXT: pallas.check_product reads %[[M]] updates %[[M]] accumulate %[[NO]] signals %[[B]] names ["scoped ref 0", "scoped ref 0"] by "pallas.try_cluster_cancel"
// CHECK-NEXT: }
// CHECK-NEXT: pallas.try_cluster_cancel
// CHECK: pallas.check_contents read "scoped ref 0" %[[M]] by "pallas.query_cluster_cancel"
// CHECK-NEXT: %[[I:.*]], %[[FOUND:.*]] = pallas.query_cluster_cancel
// CHECK-NEXT: %[[NONE:.*]] = pallas.check_unwritten "the index of work that was not found" by "pallas.query_cluster_cancel" : i32
// CHECK-NEXT: arith.select %[[FOUND]], %[[I]], %[[NONE]] : i32
// A thread that asks alone is the first one.
// CHECK-NEXT: pallas.check_arrival thread "scoped ref 1" %[[B]] by "pallas.try_cluster_cancel"
// CHECK-NEXT: %[[ALONE:.*]] = arith.constant false
// CHECK-NEXT: pallas.check_product reads %[[M]] updates %[[M]] accumulate %[[ALONE]] signals %[[B]] names ["scoped ref 0", "scoped ref 0"] by "pallas.try_cluster_cancel"
// CHECK-NEXT: pallas.try_cluster_cancel
func.func @questions() {
  pallas.mpmd_map
      kernel @questions on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> () {
    pallas.run_scoped (%m: !answer, %b: !both) collective ["wg"] {
      pallas.try_cluster_cancel %m signals %b : !answer, !both
      pallas.barrier_wait %b : !both
      %i, %found = pallas.query_cluster_cancel %m along ["i"] : !answer
      pallas.try_cluster_cancel %m signals %b collective [] : !answer, !both
    }
  }
  return
}

// -----

// A pipeline fills its buffers with the part of a block that its array has.

// CHECK-LABEL: func.func @pipeline
// CHECK-SAME: %[[SLOT:.*]]: i32, %[[ROWS:.*]]: i32)
// CHECK: pallas.run_scoped (%[[X:.*]]: !pallas.ref<40x128xf32, any>, %[[BUFFER:.*]]: !pallas.ref<2x16x128xf32, vmem>,
// CHECK: pallas.check_access padding "scoped ref 1" %[[BUFFER]][%[[SLOT]], :, ds(0, 128)] by "pallas.dma_start"
// CHECK-NEXT: pallas.check_dma_start
// CHECK-NEXT: pallas.dma_start
// CHECK-NOT: check_access
// CHECK: pallas.dma_start
// CHECK-NOT: check_access
// CHECK: return
func.func @pipeline(%slot: i32, %rows: i32) {
  pallas.run_scoped (%x: !pallas.ref<40x128xf32, any>, %b: !pallas.ref<2x16x128xf32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %part = pallas.slice_ref %x[ds(0, %rows), :] : !pallas.ref<40x128xf32, any>
    %filled = pallas.slice_ref %b[%slot, ds(0, %rows), ds(0, 128)] : !pallas.ref<2x16x128xf32, vmem>
    pallas.dma_start %part to %filled signals %s {pallas.fills_buffer} : !pallas.ref<?x128xf32, any>, !pallas.ref<?x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_start %part to %filled signals %s : !pallas.ref<?x128xf32, any>, !pallas.ref<?x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}
