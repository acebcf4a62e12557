// RUN: pallas-opt %s --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// Each check becomes calls of the checker with the view that an access by the
// same indexer has. The site has the place, the accessor and the name.

module attributes {pallas.has_checks, pallas.has_memory_checks} {

// A slice as a whole: its indices as the kernel names them, then what is read.

// CHECK-DAG: llvm.mlir.global internal constant @[[SITE:.*]]("{{.*}}:[[#@LINE+11]]:3\0Apallas.get\0Ainput 0\00")
// CHECK-LABEL: func.func @slice(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[SITE]]
// CHECK-DAG: %[[READ:.*]] = arith.constant 1 : i64
// CHECK: %[[INDEX:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[START:.*]] = arith.index_cast %[[INDEX]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS]], %{{.*}}, %{{.*}}, %[[START]],
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1] : memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[READ]],
func.func @slice(%i: i32) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_access read "input 0" %r[ds(%i, 4)] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// Elements that a mask selects, one by one: bounds only where one is outside,
// and an access only where it is inside.

// CHECK-LABEL: func.func @masked(
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %{{.*}} {
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi uge
// CHECK: scf.if %[[OUTSIDE]] {
// CHECK: llvm.call @pallas_check_bounds
// CHECK: scf.if %[[INSIDE]] {
// CHECK: llvm.call @pallas_check_access
func.func @masked(%i: i32, %m: tensor<4xi1>) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_access write "output 0" %r[ds(%i, 4)] mask %m outside dropped by "pallas.masked_swap" : !pallas.ref<8xf32, vmem>, tensor<4xi1>
  return
}

// Elements that may lie outside are no finding there.

// CHECK-LABEL: func.func @allowed(
// CHECK-NOT: pallas_check_bounds
// CHECK: llvm.call @pallas_check_access
// CHECK-NOT: pallas_check_bounds
// CHECK: return
func.func @allowed(%i: i32) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_access read "input 0" %r[ds(%i, 4)] outside allowed by "pallas.masked_load" : !pallas.ref<8xf32, vmem>
  return
}

// CHECK-LABEL: func.func @bounds(
// CHECK: llvm.call @pallas_check_bounds
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.call @pallas_check_bounds
// CHECK-NOT: pallas_check_access
// CHECK: return
func.func @bounds(%i: i32, %at: tensor<3xi32>) {
  %r = pallas.empty_ref : !pallas.ref<8x4xf32, vmem>
  pallas.check_bounds "scratch 0" %r[%i, :] : !pallas.ref<8x4xf32, vmem>
  pallas.check_bounds "scratch 0" %r[gather(%at : tensor<3xi32>), :] : !pallas.ref<8x4xf32, vmem>
  return
}

// CHECK-LABEL: func.func @contents(
// CHECK-DAG: %[[WRITE:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_check_access(%{{.*}}, %[[WRITE]],
func.func @contents() {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_contents write "a ref" %r by "pallas.new_ref" : !pallas.ref<8xf32, vmem>
  return
}

// CHECK-LABEL: func.func @tensor(
// CHECK-SAME: %[[IN:.*]]: i1
// CHECK: %[[OUT:.*]] = arith.xori %[[IN]]
// CHECK: scf.if %[[OUT]] {
// CHECK: llvm.call @pallas_check_tensor_bounds
func.func @tensor(%inside: i1) {
  pallas.check_tensor_bounds %inside by "tensor.extract"
  return
}

// CHECK-LABEL: func.func @async(
// CHECK-DAG: %[[READ:.*]] = arith.constant 1 : i64
// CHECK: llvm.call @pallas_check_tensor_memory(%{{.*}}, %[[READ]],
func.func @async() {
  %r = pallas.empty_ref : !pallas.ref<8xf32, tmem>
  pallas.check_contents read async "scratch 0" %r by "pallas.async_load_tmem" : !pallas.ref<8xf32, tmem>
  return
}

// CHECK-LABEL: func.func @waits(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_check_commit_copies(%[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_commit_stores(%[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_commit_products(%[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_copies(%[[TWO]], %[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_copies(%[[ZERO]], %[[ONE]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_products(%[[TWO]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_tensor_memory(%[[ONE]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_tensor_memory(%[[TWO]])
func.func @waits() {
  pallas.check_commit copies
  pallas.check_commit stores
  pallas.check_commit products
  pallas.check_wait copies pending 2
  pallas.check_wait sources pending 0
  pallas.check_wait products pending 2
  pallas.check_tensor_memory_wait loads
  pallas.check_tensor_memory_wait stores
  return
}

// Signals reach the semaphore of another device; a wait for a copy is for its
// bytes.

// CHECK-LABEL: func.func @semaphores(
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 32 : i64
// CHECK: %[[OFFSET:.*]] = llvm.call @pallas_rt_peer_offset
// CHECK: arith.addi %{{.*}}, %[[OFFSET]] : i64
// CHECK: llvm.call @pallas_check_signal
// CHECK: llvm.call @pallas_check_wait
// CHECK: llvm.call @pallas_check_wait(%{{.*}}, %{{.*}}, %[[BYTES]])
func.func @semaphores(%n: i32) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.check_semaphore_signal %s, %n device logical(%n) : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.check_semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.check_dma_wait %r signals %d : !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// Both sides of a barrier of cores name one place.

// CHECK-LABEL: func.func @cores(
// CHECK-DAG: %[[SITE:.*]] = arith.constant -4 : i64
// CHECK-DAG: %[[ALL:.*]] = arith.constant 3 : i64
// CHECK: llvm.call @pallas_rt_core_barrier(%[[SITE]],
// CHECK: llvm.call @pallas_check_signal
// CHECK: llvm.call @pallas_rt_core_barrier(%[[SITE]],
// CHECK: llvm.call @pallas_check_wait(%{{.*}}, %{{.*}}, %[[ALL]])
func.func @cores(%i: i32) {
  pallas.on_core <tensorcore, [<core "x" = 3>]>(%i) {
    pallas.check_core_barrier arrive 3 "x"
    pallas.check_core_barrier leave 3 "x"
  }
  return
}

// CHECK-LABEL: func.func @barriers(
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_check_signal(%{{.*}}, %{{.*}}, %[[ONE]])
// CHECK: llvm.call @pallas_check_arrival(%{{.*}}, %{{.*}}, %[[TWO]])
// CHECK-NOT: pallas_check_signal
// CHECK: llvm.call @pallas_check_arrival
// CHECK: llvm.call @pallas_check_wait_for_phase(%{{.*}}, %{{.*}}, %[[TWO]])
// CHECK: %[[NEW:.*]] = llvm.call @pallas_rt_new_arrivals
// CHECK: llvm.call @pallas_check_wait_for_phase(%{{.*}}, %{{.*}}, %[[NEW]])
func.func @barriers() {
  pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>) {
    pallas.check_arrival thread "scoped ref 0" %b by "pallas.barrier_arrive" : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.check_arrival "scoped ref 0" %b by "pallas.copy_gmem_to_smem" : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.check_phase %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.check_phase parity %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  }
  return
}

// A copy of a view is one part, and one through indices has a part for each
// element.

// CHECK-LABEL: func.func @copies(
// CHECK: llvm.call @pallas_check_copy_begin
// CHECK: llvm.call @pallas_check_copy_part
// CHECK: llvm.call @pallas_check_copy_end
// CHECK: llvm.call @pallas_check_copy_begin
// CHECK: llvm.call @pallas_check_copy_indices
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.call @pallas_check_copy_part
// CHECK: llvm.call @pallas_check_copy_end
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copies() {
  %x = pallas.empty_ref : !pallas.ref<8x4xf32, hbm>
  %y = pallas.empty_ref : !pallas.ref<3x4xf32, hbm>
  pallas.run_scoped (%k: !pallas.ref<3xi32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.check_dma_start %x to %x signals %d from "input 0" to "input 0"
        : !pallas.ref<8x4xf32, hbm>, !pallas.ref<8x4xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %rows = pallas.slice_ref %x[gather(%k : !pallas.ref<3xi32, vmem>), :] : !pallas.ref<8x4xf32, hbm>
    pallas.check_dma_start %rows to %y signals %d from "input 0" to "output 0" indices(%k : !pallas.ref<3xi32, vmem>) ["scoped ref 0"]
        : !pallas.ref<3x4xf32, hbm>, !pallas.ref<3x4xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// A box that leaves its array writes zeros, and copies what lies inside.

// CHECK-LABEL: func.func @boxes(
// CHECK: scf.if %{{.*}} {
// CHECK: llvm.call @pallas_check_copy_begin
// CHECK: llvm.call @pallas_check_copy_part
// CHECK: llvm.call @pallas_check_copy_end
// CHECK: } else {
// CHECK: llvm.call @pallas_check_access
// CHECK: llvm.call @pallas_check_copy_begin
// CHECK: llvm.call @pallas_check_copy_part
// CHECK: llvm.call @pallas_check_copy_end
// CHECK: }
// CHECK: llvm.call @pallas_check_committed
// CHECK: llvm.call @pallas_check_copy_begin
// CHECK-NOT: memref.copy
// CHECK: return
func.func @boxes(%i: i32) {
  %x = pallas.empty_ref : !pallas.ref<16x64xf16, gmem>
  %o = pallas.empty_ref : !pallas.ref<8x64xf16, gmem>
  pallas.run_scoped (%s: !pallas.ref<8x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    %box = pallas.slice_ref %x[ds(%i, 8), :] : !pallas.ref<16x64xf16, gmem>
    pallas.check_copy_gmem_to_smem %box to %s signals %b from "input 0" to "scoped ref 0"
        : !pallas.ref<8x64xf16, gmem>, !pallas.ref<8x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.check_copy_smem_to_gmem %s to %o from "scoped ref 0" to "output 0"
        : !pallas.ref<8x64xf16, smem>, !pallas.ref<8x64xf16, gmem>
  }
  return
}

// Matrices in shared memory have to be committed. Whether the accumulator is
// read is known at run time.

// CHECK-LABEL: func.func @products(
// CHECK-SAME: %[[P:.*]]: i1
// CHECK-DAG: %[[READ:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[WRITE:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[UPDATE:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[BEFORE:.*]] = arith.constant -2 : i64
// CHECK: llvm.call @pallas_check_product_begin(%{{.*}}, %{{.*}})
// CHECK: llvm.call @pallas_check_committed
// CHECK: llvm.call @pallas_check_product_access(%{{[^,]*}}, %[[READ]],
// CHECK: %[[KIND:.*]] = arith.select %[[P]], %[[UPDATE]], %[[WRITE]] : i64
// CHECK: llvm.call @pallas_check_product_access(%{{[^,]*}}, %[[KIND]],
// CHECK: llvm.call @pallas_check_product_end
// CHECK: llvm.call @pallas_check_accumulator(%{{.*}}, %[[READ]])
// CHECK-NEXT: llvm.call @pallas_check_accumulator(%{{.*}}, %[[BEFORE]])
// CHECK: llvm.call @pallas_check_follow_products
func.func @products(%p: i1) {
  pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %acc: !pallas.ref<64x64xf32, tmem>,
      %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.check_product reads %a updates %acc accumulate %p signals %b names ["scoped ref 0", "scoped ref 1"] by "pallas.tcgen05_mma"
        : !pallas.ref<64x64xf16, smem> updates !pallas.ref<64x64xf32, tmem> signals !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.check_accumulator [1, -2]
    pallas.check_follow_products %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// Arrays that programs on different cores access.

// CHECK-LABEL: func.func @shared(
// CHECK: llvm.call @pallas_check_grid_begin(
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[POINTER]]
// CHECK: llvm.call @pallas_check_shared_arrays(%c1_i64, %[[ADDRESS]], %c4_i64, %c1_i64, %c8_i64, %c1_i64)
func.func @shared() {
  %r = pallas.empty_ref : !pallas.ref<8xf32, any>
  pallas.check_grid_begin "rows" windows [] shared(%r : !pallas.ref<8xf32, any>) by "pallas.pallas_call"
  pallas.check_grid_end windows []
  return
}

// A grid that is a loop: while it runs, the core has memory for its windows. A block starts where
// its index says, even out of bounds.

// CHECK-LABEL: func.func @grid(
// CHECK: llvm.call @pallas_check_buffer(
// CHECK: llvm.call @pallas_check_grid_begin(
// CHECK: scf.for %[[IV:.*]] =
// CHECK: %[[ID:.*]] = arith.index_cast %[[IV]] : index to i64
// CHECK: llvm.call @pallas_check_program(%{{.*}}, %[[ID]])
// CHECK: %[[BLOCK:.*]] = arith.muli %{{.*}}, %c4
// CHECK: memref.subview
// CHECK: %[[START:.*]] = arith.index_cast %[[BLOCK]] : index to i64
// CHECK: llvm.call @pallas_check_window(%{{.*}}, %[[START]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}})
// CHECK: llvm.call @pallas_check_grid_end(
// CHECK: llvm.call @pallas_check_buffers_end(
func.func @grid(%n: index, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pallas.empty_ref : !pallas.ref<8xf32, any>
  pallas.check_grid_begin "scale" windows [!pallas.ref<4xf32, vmem>, !pallas.ref<4xf32, hbm>] by "pallas.emit_pipeline"
  scf.for %i = %c0 to %n step %c1 {
    pallas.check_program(%i)
    %w = pallas.window %r[%k : i32] block<[4], vmem> : !pallas.ref<8xf32, any>
    pallas.check_window 0 "input 0" %w of %r[%k : i32] block<[4], vmem> buffered by "pallas.emit_pipeline" : !pallas.ref<4xf32, vmem>, !pallas.ref<8xf32, any>
  }
  pallas.check_grid_end windows [!pallas.ref<4xf32, vmem>, !pallas.ref<4xf32, hbm>]
  return
}

// Cores of a mesh begin and end, and what the others of them see of scratch ends behind all.

// CHECK-LABEL: func.func @mesh(
// CHECK-SAME: %[[I:.*]]: i32)
// CHECK: llvm.call @pallas_check_points_begin(
// CHECK: %[[ID:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: llvm.call @pallas_check_point_begin(%{{.*}}, %[[ID]])
// CHECK: llvm.call @pallas_check_buffer(
// CHECK: llvm.call @pallas_check_buffers_end(
// CHECK: llvm.call @pallas_check_point_end(
// CHECK: llvm.call @pallas_check_points_end(
func.func @mesh(%i: i32) {
  pallas.check_cores_begin
  pallas.task_scope first_axis 0 (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "x" = 3>]>) {
    pallas.on_core <tensorcore, [<core "x" = 3>]>(%i) first_axis 0 first_task 0 {
      pallas.check_core_begin(%i) scratch [!pallas.ref<8xf32, vmem>]
      pallas.check_core_end scratch [!pallas.ref<8xf32, vmem>]
    }
  }
  pallas.check_cores_end
  return
}

// A call: programs on other cores have no scratch in common. What an input and its output hold is
// one array on devices. Behind the loops, all of an output is written, and no semaphore is left.

// CHECK-LABEL: func.func @call(
// CHECK: llvm.call @pallas_check_alias(
// CHECK: llvm.call @pallas_check_program(
// CHECK: llvm.call @pallas_check_parallel(
// CHECK: llvm.call @pallas_rt_barrier_semaphore(
// CHECK: llvm.call @pallas_check_semaphores_end(
// CHECK: llvm.call @pallas_check_output(
func.func @call(%x: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %a = pallas.operand_ref "input 0" %x : tensor<8xf32> -> !pallas.ref<8xf32, any>
  %o = pallas.result_ref "output 0" of %a as !pallas.ref<8xf32, any> hidden : !pallas.ref<8xf32, any>
  pallas.run_scoped (%s: !pallas.ref<8xf32, vmem>) {
    pallas.check_alias %a, %o buffered : !pallas.ref<8xf32, any>, !pallas.ref<8xf32, any>
    pallas.check_program(%i) parallel(%i) scratch(%s : !pallas.ref<8xf32, vmem>)
  }
  pallas.check_barrier_end 3 by "pallas.pallas_call"
  pallas.check_output "output 0" %o block [4] by "pallas.pallas_call" : !pallas.ref<8xf32, any>
  %v = pallas.ref_value %o : !pallas.ref<8xf32, any> -> tensor<8xf32>
  return %v : tensor<8xf32>
}

}
