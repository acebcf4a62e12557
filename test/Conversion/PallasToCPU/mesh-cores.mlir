// RUN: pallas-opt %s --convert-pallas-to-cpu --canonicalize --split-input-file | FileCheck %s

// The body of a core is all that is left of it. A random generator belongs to the core.

// CHECK-LABEL: func.func @core(
// CHECK-SAME: %[[I:.*]]: i32)
// CHECK: %[[STATE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xi32>
// CHECK: memref.store %{{.*}}, %[[STATE]][%c0]
// CHECK: %[[STATE2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xi32>
// CHECK: memref.store %{{.*}}, %[[STATE2]][%c0]
// CHECK: return
func.func @core(%i: i32) {
  pallas.on_core <tensorcore, [<core "c" = 2>]>(%i) {
    pallas.prng_seed %i
  }
  pallas.on_core <tensorcore, [<core "c" = 2>]>(%i) {
    pallas.prng_seed %i
  }
  return
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore@sc_vector>
!vmem = !pallas.ref<8xf32, vmem>

// Instances of scratch lie one behind the other. A scalar core names that of a subcore by its
// coordinates: the number of the instance, which the runtime turns into an address.

// CHECK-LABEL: func.func @scratch(
// CHECK-SAME: %[[C:.*]]: i32, %[[S:.*]]: i32,
// CHECK: %[[SEMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xi32>
// CHECK: linalg.fill ins(%c0_i32 : i32) outs(%[[SEMS]] : memref<32xi32>)
// CHECK: llvm.call @pallas_rt_share(%{{.*}}, %c4_i64, %c32_i64,
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x8xf32>
// CHECK: llvm.call @pallas_rt_share(%{{.*}}, %c32_i64, %c2_i64,
// CHECK: %[[AT:.*]] = arith.index_cast %[[C]] : i32 to index
// CHECK: %[[OWN:.*]] = memref.subview %[[ALL]][%[[AT]], 0] [1, 8] [1, 1] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OWN]]
// CHECK: %[[SUBCORE:.*]] = arith.index_cast %[[S]] : i32 to index
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c16
// CHECK: %[[INSTANCE:.*]] = arith.addi %[[FIRST]], %[[SUBCORE]] : index
// CHECK: %[[POINT:.*]] = arith.index_cast %[[INSTANCE]] : index to i64
// CHECK: llvm.call @pallas_rt_peer_offset(%{{.*}}, %{{.*}}, %[[POINT]],
// CHECK: llvm.call @pallas_rt_signal(
// CHECK: llvm.call @pallas_rt_unshare(
// CHECK: llvm.call @pallas_rt_unshare(
func.func @scratch(%c: i32, %s: i32, %x: tensor<8xf32>) {
  %one = arith.constant 1 : i32
  pallas.task_scope first_axis 0 (%sem: !sem of <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>, %v: !vmem of <sc_scalar, [<core "c" = 2>]>) {
    pallas.on_core <sc_scalar, [<core "c" = 2>]>(%c) first_axis 0 first_task 0 {
      %own = pallas.core_scratch %v : !vmem
      pallas.swap %own[...], %x : !vmem, tensor<8xf32>
      %other = pallas.core_scratch %sem : !sem
      pallas.semaphore_signal %other, %one device mesh(%s) axes ["s"] : !sem
    }
  }
  return
}
