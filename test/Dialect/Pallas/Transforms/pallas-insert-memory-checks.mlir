// RUN: pallas-opt %s --pallas-insert-checks --pallas-grids-to-loops --pallas-meshes-to-loops --pallas-insert-memory-checks | FileCheck %s
// RUN: not pallas-opt %s --pallas-insert-memory-checks 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not pallas-opt %s --pallas-insert-checks --pallas-insert-memory-checks --pallas-insert-memory-checks 2>&1 | FileCheck %s --check-prefix=TWICE

// The checker hears of memory where it begins, of copies behind them, and of what scopes leave where they end.

// BEFORE: error: 'builtin.module' op has no checks of its accesses; run pallas-insert-checks before
// TWICE: error: 'builtin.module' op has checks of its memory already; run pallas-insert-memory-checks once

!s = !pallas.ref<8xf32, vmem>
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// Arrays of a call; the last block of the input is partial, so that is padded. The output that is
// aliased to an input starts as written.

// CHECK: module attributes {pallas.has_checks, pallas.has_memory_checks}
// CHECK-LABEL: func.func @call(
// CHECK: %[[X:.*]] = pallas.operand_ref "input 0"
// CHECK-NEXT: pallas.check_memory written "input 0" %[[X]] : !pallas.ref<10xf32, any>
// CHECK-NEXT: %[[P:.*]] = pallas.pad_ref %[[X]] low [0]
// CHECK-NEXT: pallas.check_memory padding "a padded array" %[[P]] : !pallas.ref<12xf32, any>
// CHECK-NEXT: pallas.check_same_contents %[[X]] to %[[P]] low [0]
// CHECK-NEXT: %[[O:.*]] = pallas.result_ref "output 0" of %[[X]]
// CHECK-NEXT: pallas.check_memory written "output 0" %[[O]]
// CHECK: pallas.run_scoped (%[[S:.*]]: !pallas.ref<8xf32, vmem>, %[[N:.*]]: !pallas.ref<!pallas.semaphore, semaphore>)
// CHECK-NEXT: pallas.check_memory new unwritten "scratch 0" %[[S]]
// CHECK-NEXT: pallas.check_memory new written "scratch 1" %[[N]]
// CHECK-NEXT: pallas.check_buffers_begin [!pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.semaphore, semaphore>]
// CHECK: pallas.check_buffers_end [!pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.semaphore, semaphore>]
// CHECK-NEXT: pallas.check_semaphores_end "scratch 1" %[[N]] by "pallas.pallas_call"
// CHECK-NEXT: }
// CHECK: pallas.unpad_ref %[[Q:.*]] low [0] to %[[O]]
// CHECK-NEXT: pallas.check_same_contents %[[Q]] to %[[O]] low [0]
func.func @call(%x: tensor<10xf32>) -> tensor<10xf32> {
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<10xf32>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<10xf32>) block<[4], vmem> map(%i) -> (%i)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>, %s: !s, %n: !sem) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<10xf32>
}

// Memory of functions. That of a name is reported once, in front of all that get it. A view with
// other elements is a copy of its ref.

// CHECK-LABEL: func.func @refs(
// CHECK-NEXT: %[[G:.*]] = pallas.get_global "shared"
// CHECK-NEXT: pallas.check_memory new unwritten "memory \22shared\22" %[[G]] : !pallas.ref<8xf32, vmem>
// CHECK-NOT: check_memory
// CHECK: %[[A:.*]] = pallas.new_ref
// CHECK-NEXT: pallas.check_memory new unwritten "a ref" %[[A]]
// CHECK-NEXT: pallas.check_contents write "a ref" %[[A]]
// CHECK: %[[E:.*]] = pallas.empty_ref
// CHECK-NEXT: pallas.check_memory new unwritten "a ref" %[[E]]
// CHECK: %[[V:.*]] = pallas.bitcast_ref %[[E]] : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
// CHECK-NEXT: pallas.check_packed_view %[[V]] of %[[E]]
// CHECK: pallas.bitcast_ref %[[E]] : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<4x8xi32, vmem>
// CHECK-NEXT: pallas.run_state (%[[STATE:.*]]: !pallas.ref<f32, smem> =
// CHECK-NEXT: pallas.check_memory new unwritten "ref 0" %[[STATE]]
// CHECK-NEXT: pallas.check_contents write "ref 0" %[[STATE]]
// CHECK: pallas.get_global "shared"
// CHECK-NOT: check_memory
// CHECK: return
func.func @refs(%x: tensor<8xf32>, %n: f32) {
  %g = pallas.get_global "shared" : !s
  %a = pallas.new_ref %x : tensor<8xf32> -> !s
  %e = pallas.empty_ref : !pallas.ref<4x8xf32, vmem>
  %v = pallas.bitcast_ref %e : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
  %w = pallas.bitcast_ref %e : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<4x8xi32, vmem>
  %0 = pallas.run_state (%r: !pallas.ref<f32, smem> = %n : f32) {}
  %h = pallas.get_global "shared" : !s
  return
}

// Semaphores of a function end with it.

// CHECK-LABEL: func.func @semaphores_of_a_function(
// CHECK-NEXT: %[[S:.*]] = pallas.get_global "done"
// CHECK-NEXT: pallas.check_memory new written "memory \22done\22" %[[S]]
// CHECK-NEXT: pallas.get_global "done"
// CHECK-NEXT: pallas.check_semaphores_end "memory \22done\22" %[[S]] by "pallas.get_global" : !pallas.ref<!pallas.semaphore, semaphore>
// CHECK-NEXT: return
func.func @semaphores_of_a_function() {
  %s = pallas.get_global "done" : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// Cores share what a scope is collective about: the last one that leaves ends it. Others name the rest,
// so the blocks leave together.

// CHECK-LABEL: func.func @cluster(
// CHECK: pallas.run_scoped (%[[ALL:.*]]: !pallas.ref<8xf32, smem>) collective ["w"]
// CHECK-NEXT: pallas.check_memory new shared unwritten "scoped ref 0" %[[ALL]]
// CHECK-NOT: check_buffers_begin
// CHECK: pallas.cluster_ref
// CHECK-NEXT: pallas.check_cluster_sync arrive 2 threads
// CHECK-NEXT: pallas.cluster_sync threads
// CHECK-NEXT: pallas.check_cluster_sync leave 2 threads
// CHECK-NEXT: pallas.check_memory_end %[[ALL]]
// CHECK-NEXT: }
func.func @cluster() {
  pallas.core_map <gpu, [<cluster "c" = 2>, <thread "w" = 2>]> () {
    pallas.core_barrier "w"
    %i = arith.constant 0 : i32
    pallas.run_scoped (%s: !pallas.ref<8xf32, smem>) collective ["w"] {
      %r = pallas.cluster_ref %s, "c" = %i : !pallas.ref<8xf32, smem>
    }
  }
  return
}

// Tasks have an instance each, which they report themselves; one that all share is reported around them.

// CHECK-LABEL: func.func @tasks(
// CHECK: pallas.task_scope first_axis 0 {{.*}}(%[[S:.*]]: !pallas.ref<8xf32, vmem> of {{.*}}, %[[N:.*]]: !pallas.ref<!pallas.semaphore, semaphore> of
// CHECK-NEXT: pallas.check_memory new unwritten "ref 0" %[[S]]
// CHECK-NEXT: pallas.check_memory new written "ref 1" %[[N]]
// CHECK-NOT: check_buffers
// CHECK: scf.forall
// CHECK: pallas.check_core_begin(%{{.*}}) scratch [!pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.semaphore, semaphore>]
// CHECK: } {pallas.axes =
// CHECK-NEXT: pallas.check_semaphores_end "ref 1" %[[N]] by "pallas.core_map"
// CHECK-NEXT: }
func.func @tasks() {
  pallas.core_map <tensorcore, [<core "c" = 2>]> (%s: !s, %n: !sem) {
    pallas.core_barrier "c"
  }
  return
}
