// RUN: pallas-opt %s --convert-pallas-to-cpu --split-input-file | FileCheck %s

// A copy happens where it starts, and its semaphore counts the bytes. A wait for more than there
// is can never succeed, so it is an error of the run. At the end the semaphore must be zero.

// CHECK-LABEL: func.func @dma(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x128xf32>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x128xf32>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%{{.*}} : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8x128xf32> to memref<8x128xf32>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %{{.*}} : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C:.*]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%{{.*}}) : (!llvm.ptr, i32, i32) -> ()
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC3]][] : memref<i32>
// CHECK: llvm.call @pallas_rt_check_semaphores(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, !llvm.ptr) -> ()
// CHECK: return
func.func @dma(%v: tensor<8x128xf32>) {
  %a = pallas.new_ref %v : tensor<8x128xf32> -> !pallas.ref<8x128xf32, hbm>
  pallas.run_scoped (%b: !pallas.ref<8x128xf32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %a to %b signals %d : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %b signals %d : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

// CHECK-LABEL: func.func @semaphores(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%{{.*}} : i32) outs(%[[ALLOC]] : memref<i32>)
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[ARG:.*]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD3]], %[[ARG]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%{{.*}}) : (!llvm.ptr, i32, i32) -> ()
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD3]], %[[ARG]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC]][] : memref<i32>
// CHECK: llvm.call @pallas_rt_check_semaphores(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, !llvm.ptr) -> ()
// CHECK: return %[[LOAD2]] : i32
func.func @semaphores(%n: i32) -> i32 {
  %o = pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>) -> i32 {
    pallas.semaphore_signal %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
    %v = pallas.semaphore_read %s : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.yield %v : i32
  }
  return %o : i32
}

// -----

// The barrier semaphore belongs to the device, so the runtime holds it.

// CHECK-LABEL: func.func @get_barrier_semaphore(
// CHECK: llvm.call @pallas_rt_barrier_semaphore(%{{.*}}) : (i32) -> !llvm.ptr
// CHECK: llvm.call @pallas_rt_signal(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> ()
// CHECK: return
func.func @get_barrier_semaphore(%n: i32) {
  %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
  pallas.semaphore_signal %s, %n : !pallas.ref<!pallas.barrier_semaphore, semaphore>
  return
}

// -----

// A wait takes the arrivals that it waited for.

// CHECK-LABEL: func.func @barriers(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%{{.*}} : i32) outs(%[[ALLOC]] : memref<i32>)
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %{{.*}} : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C:.*]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%{{.*}}) : (!llvm.ptr, i32, i32) -> ()
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI2:.*]] = arith.cmpi sge, %[[LOAD3]], %[[C3:.*]] : i32
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[REST:.*]] = arith.subi %[[LOAD3]], %[[C3]] : i32
// CHECK: memref.store %[[REST]], %[[ALLOC]][] : memref<i32>
// CHECK: return %[[CMPI2]] : i1
func.func @barriers() -> i1 {
  %o = pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>) -> i1 {
    pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    %done = pallas.barrier_test %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.yield %done : i1
  }
  return %o : i1
}

// CHECK-LABEL: func.func @wait_for_parity
// CHECK-SAME: %[[PARITY:.*]]: i1
// CHECK: %[[EXTUI:.*]] = arith.extui %[[PARITY]] : i1 to i32
// CHECK: llvm.call @pallas_rt_wait_parity(%{{.*}}, %{{.*}}, %[[EXTUI]], %{{.*}}) : (!llvm.ptr, i64, i32, !llvm.ptr) -> i64
func.func @wait_for_parity(%parity: i1) {
  pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.barrier_wait_parity %b, %parity : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.yield
  }
  return
}

// The runtime yields the arrivals that are new to the task, or -1.

// CHECK-LABEL: func.func @test_parity
// CHECK-SAME: %[[PARITY:.*]]: i1
// CHECK: %[[EXTUI:.*]] = arith.extui %[[PARITY]] : i1 to i32
// CHECK: %[[NEW:.*]] = llvm.call @pallas_rt_test_parity(%{{.*}}, %{{.*}}, %[[EXTUI]]) : (!llvm.ptr, i64, i32) -> i64
// CHECK: %[[DONE:.*]] = arith.cmpi sge, %[[NEW]], %{{.*}} : i64
// CHECK: return %[[DONE]] : i1
func.func @test_parity(%parity: i1) -> i1 {
  %o = pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) -> i1 {
    pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    %done = pallas.barrier_test %b parity %parity : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    pallas.yield %done : i1
  }
  return %o : i1
}
