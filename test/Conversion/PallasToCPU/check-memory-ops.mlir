// RUN: pallas-opt %s --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// Checks of memory become calls with its name, what it holds, what it is, values for elements that nothing has
// written, and the memory.

module attributes {pallas.has_checks, pallas.has_memory_checks} {

// Memory is known before others can name it. All instances of scratch are one place.

// CHECK-DAG: llvm.mlir.global internal constant @[[LEFT:.*]]("{{.*}}:[[#@LINE+161]]:11\0Apallas.masked_load\0Awhat its mask leaves out\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[NAME:.*]]("scoped ref 0\00")
// CHECK-LABEL: func.func @memory(
// CHECK-DAG: %[[NAMED:.*]] = llvm.mlir.addressof @[[NAME]]
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: llvm.call @pallas_check_region(%[[NAMED]], %[[ONE]], %[[TWO]],
// CHECK: llvm.call @pallas_check_region(%{{.*}}, %[[ZERO]], %[[TWO]],
// CHECK: llvm.call @pallas_rt_share
// CHECK: llvm.call @pallas_rt_share
// CHECK: llvm.call @pallas_check_buffer(
// CHECK: llvm.call @pallas_rt_peer_offset
// CHECK: llvm.call @pallas_check_buffers_end(%[[ONE]])
// CHECK: llvm.call @pallas_check_semaphores_end(
// CHECK: llvm.call @pallas_rt_unshare
func.func @memory(%n: i32) {
  pallas.run_scoped (%r: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<!pallas.semaphore, semaphore>) {
    pallas.check_memory new unwritten "scoped ref 0" %r : !pallas.ref<8xf32, vmem>
    pallas.check_memory new written "scoped ref 1" %s : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.check_buffers_begin [!pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.semaphore, semaphore>]
    pallas.semaphore_signal %s, %n device logical(%n) : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.check_buffers_end [!pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.semaphore, semaphore>]
    pallas.check_semaphores_end "scoped ref 1" %s by "pallas.run_scoped" : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return
}

// The checker reports what is left of a semaphore that it knows, and the runtime nothing.

// CHECK-LABEL: func.func @reported(
// CHECK: llvm.call @pallas_check_semaphores_end(
// CHECK-NOT: pallas_rt_check_semaphores
// CHECK-LABEL: func.func @not_reported(
// CHECK: llvm.call @pallas_rt_check_semaphores
func.func @reported() {
  pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>) {
    pallas.check_memory new written "a counter" %s : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.check_semaphores_end "scoped ref 0" %s by "pallas.run_scoped" : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return
}
func.func @not_reported() {
  pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>) {
  }
  return
}

// CHECK-LABEL: func.func @tasks(
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x8xf32>
// CHECK: memref.extract_aligned_pointer_as_index %[[ALL]]
// CHECK: llvm.call @pallas_check_region(
func.func @tasks(%i: i32) {
  pallas.task_scope first_axis 0 (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "x" = 3>]>) {
    pallas.check_memory new unwritten "scratch 0" %s : !pallas.ref<8xf32, vmem>
  }
  return
}

// Memory that cores share is flagged, and ends.

// CHECK-LABEL: func.func @shared(
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i64
// CHECK: llvm.call @pallas_rt_begin_collective
// CHECK: llvm.call @pallas_check_region(%{{.*}}, %[[ONE]], %[[THREE]],
// CHECK: llvm.call @pallas_check_region_end(
// CHECK: llvm.call @pallas_rt_end_collective
func.func @shared(%i: i32) {
  pallas.on_core <gpu, [<thread "w" = 2>]>(%i) first_axis 0 first_task 0 {
    pallas.run_scoped (%s: !pallas.ref<8xf32, smem>) collective ["w"] {
      pallas.check_memory new shared unwritten "a shared ref" %s : !pallas.ref<8xf32, smem>
      pallas.check_memory_end %s : !pallas.ref<8xf32, smem>
    }
  }
  return
}

// A copy to padded memory, and one back, are about the part that the array has.

// CHECK-LABEL: func.func @copies(
// CHECK-DAG: %[[PADDING:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : i64
// CHECK: %[[X:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12xf32>
// CHECK: llvm.call @pallas_check_region(%{{.*}}, %[[PADDING]],
// CHECK-DAG: %[[PADDED:.*]] = arith.addi %{{.*}}, %c4{{.*}} : index
// CHECK-DAG: %[[INSIDE:.*]] = arith.index_cast %[[PADDED]] : index to i64
// CHECK-DAG: %[[FROM:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK-DAG: %[[ARRAY:.*]] = arith.index_cast %[[FROM]] : index to i64
// CHECK: llvm.call @pallas_check_same_contents(%[[ARRAY]], %{{.*}}, %{{.*}}, %[[EIGHT]], %{{.*}}, %[[INSIDE]], %{{[^,]*}}, %{{[^,]*}}, %[[EIGHT]],
// CHECK: llvm.call @pallas_check_same_contents(%[[INSIDE]], %{{.*}}, %{{.*}}, %[[EIGHT]], %{{.*}}, %[[ARRAY]],
// CHECK: llvm.call @pallas_check_same_contents(%[[ARRAY]], %{{.*}}, %{{.*}}, %[[EIGHT]], %{{.*}}, %[[ARRAY]],
func.func @copies() {
  %x = pallas.empty_ref : !pallas.ref<8xf32, any>
  %p = pallas.empty_ref : !pallas.ref<12xf32, any>
  pallas.check_memory padding "a padded array" %p : !pallas.ref<12xf32, any>
  pallas.check_same_contents %x to %p low [1] : !pallas.ref<8xf32, any>, !pallas.ref<12xf32, any>
  pallas.check_same_contents %p to %x low [1] : !pallas.ref<12xf32, any>, !pallas.ref<8xf32, any>
  pallas.check_same_contents %x to %x low [0] : !pallas.ref<8xf32, any>, !pallas.ref<8xf32, any>
  return
}

// The widths of both elements tell the bits. Nothing is copied for the check.

// CHECK-LABEL: func.func @packed(
// CHECK-DAG: %[[NARROW:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[WIDE:.*]] = arith.constant 32 : i64
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8x8xbf16>
// CHECK: llvm.call @pallas_check_packed_view(%[[NARROW]], {{.*}}, %[[WIDE]],
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @packed() {
  %r = pallas.empty_ref : !pallas.ref<4x8xf32, vmem>
  %v = pallas.bitcast_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
  pallas.check_packed_view %v of %r : !pallas.ref<8x8xbf16, vmem>, !pallas.ref<4x8xf32, vmem>
  return
}

// Both sides of a cluster_sync name one place.

// CHECK-LABEL: func.func @cluster(
// CHECK-DAG: %[[SITE:.*]] = arith.constant -4 : i64
// CHECK-DAG: %[[ALL:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[BLOCKS:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_rt_core_barrier(%[[SITE]],
// CHECK: llvm.call @pallas_check_signal
// CHECK: llvm.call @pallas_rt_wait_barrier(%{{.*}}, %[[ALL]],
// CHECK: llvm.call @pallas_rt_core_barrier(%[[SITE]],
// CHECK: llvm.call @pallas_check_wait(%{{.*}}, %{{.*}}, %[[ALL]])
// CHECK: llvm.call @pallas_rt_wait_barrier(%{{.*}}, %[[BLOCKS]],
func.func @cluster(%i: i32) {
  pallas.on_core <gpu, [<cluster "c" = 2>, <thread "w" = 3>]>(%i, %i) {
    pallas.check_cluster_sync arrive 3 threads
    pallas.cluster_sync threads
    pallas.check_cluster_sync leave 3 threads
    pallas.cluster_sync
  }
  return
}

// Elements that a load finds are written, and the others are read.

// CHECK-LABEL: func.func @left_out(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[LEFT]]
// CHECK-DAG: %[[READ:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[WRITE:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_check_region(
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[SELECTED:.*]] = tensor.extract
// CHECK: %[[FOUND:.*]] = arith.andi %[[INSIDE]], %[[SELECTED]]
// CHECK: scf.if %[[FOUND]] {
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[WRITE]],
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[READ]],
// CHECK: memref.copy
// CHECK: llvm.call @pallas_check_region_end(
// CHECK: return
func.func @left_out(%i: i32, %m: tensor<4xi1>) -> tensor<4xf32> {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  %left = pallas.check_left_out "what its mask leaves out" %r[ds(%i, 4)] mask %m by "pallas.masked_load" : !pallas.ref<8xf32, vmem>, tensor<4xi1> -> tensor<4xf32>
  return %left : tensor<4xf32>
}

// CHECK-LABEL: func.func @unwritten(
// CHECK: llvm.call @pallas_check_region(
// CHECK: llvm.call @pallas_check_access(
// CHECK: %[[V:.*]] = memref.load
// CHECK: llvm.call @pallas_check_region_end(
// CHECK: return %[[V]]
func.func @unwritten() -> i32 {
  %v = pallas.check_unwritten "no work" by "pallas.query_cluster_cancel" : i32
  return %v : i32
}

}
