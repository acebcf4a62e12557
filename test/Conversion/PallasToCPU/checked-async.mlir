// RUN: pallas-opt %s --split-input-file --pallas-insert-checks --pallas-meshes-to-loops --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// With checks, a copy is reported where it starts and again where it is waited for: in between its
// memory must not be used.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+50]]:3\0Apallas.run_scoped\0Ascoped ref 1\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+51]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+50]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+48]]:5\0Apallas.dma_start\0Aa ref\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+45]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @dma(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[C32_I64:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C32_I32:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS5]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<8xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<i32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_copy_begin(%[[ADDRESS4]], %{{.*}})
// CHECK: llvm.call @pallas_check_copy_part(%[[ADDRESS4]], %[[C0_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_copy_end(%[[CAST3]], %[[C0_I64]], %[[C32_I64]])
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C32_I32]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C32_I32]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS3]], %[[LOAD2]], %[[C32_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C32_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC3]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait(%[[ADDRESS2]], %[[CAST3]], %[[C32_I64]])
// CHECK: llvm.call @pallas_check_semaphores_end(%[[ADDRESS]], %[[CAST3]], %[[C4_I64]], %[[C0_I64]])
// CHECK: return
func.func @dma(%v: tensor<8xf32>) {
  %a = pallas.new_ref %v : tensor<8xf32> -> !pallas.ref<8xf32, hbm>
  pallas.run_scoped (%b: !pallas.ref<8xf32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %a to %b signals %d : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %b signals %d : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

// Signals and waits order tasks, so the runtime hears of both, with the count.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+40]]:8\0Apallas.run_scoped\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+42]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("loc(\22{{.*}}\22:[[#@LINE+41]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+38]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("scoped ref 0\00")
// CHECK-LABEL: func.func @semaphores(
// CHECK-SAME: %[[ARG0:[^:]*]]: i32)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C1048576_I64:.*]] = arith.constant 1048576 : i64
// CHECK-DAG: %[[CM1048576_I64:.*]] = arith.constant -1048576 : i64
// CHECK-DAG: %[[C100_I64:.*]] = arith.constant 100 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC]] : memref<i32>)
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<i32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS5]], %[[C0_I64]], %[[C2_I64]], %[[C1_I64]], %[[C100_I64]], %[[C1048576_I64]], %[[CM1048576_I64]], %[[CAST]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[EXTSI:.*]] = arith.extsi %[[ARG0]] : i32 to i64
// CHECK: llvm.call @pallas_check_signal(%[[ADDRESS4]], %[[CAST]], %[[EXTSI]])
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[ARG0]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[ARG0]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS3]], %[[LOAD2]], %[[ARG0]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[ARG0]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait(%[[ADDRESS2]], %[[CAST]], %[[EXTSI]])
// CHECK: llvm.call @pallas_check_semaphores_end(%[[ADDRESS]], %[[CAST]], %[[C4_I64]], %[[C0_I64]])
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

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+47]]:13\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+45]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("loc(\22{{.*}}\22:[[#@LINE+44]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+42]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("scoped ref 0\00")
// CHECK-LABEL: func.func @barriers(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C2_I32:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C1048576_I64:.*]] = arith.constant 1048576 : i64
// CHECK-DAG: %[[CM1048576_I64:.*]] = arith.constant -1048576 : i64
// CHECK-DAG: %[[C100_I64:.*]] = arith.constant 100 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC]] : memref<i32>)
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<i32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS5]], %[[C0_I64]], %[[C2_I64]], %[[C1_I64]], %[[C100_I64]], %[[C1048576_I64]], %[[CM1048576_I64]], %[[CAST]], %[[C4_I64]], %[[C0_I64]])
// CHECK: llvm.call @pallas_check_signal(%[[ADDRESS4]], %[[CAST]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_arrival(%{{.*}}, %[[CAST]], %[[C2_I64]])
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C1_I32]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C2_I32]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS3]], %[[LOAD2]], %[[C2_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C2_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait_for_phase(%[[ADDRESS2]], %[[CAST]], %[[C2_I64]])
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI2:.*]] = arith.cmpi sge, %[[LOAD3]], %[[C2_I32]] : i32
// CHECK: memref.store %{{.*}}, %[[ALLOC]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait_for_phase(%[[ADDRESS]], %[[CAST]], %[[C2_I64]])
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

// -----

!x = !pallas.ref<16x8xf32, hbm>
!o = !pallas.ref<4x8xf32, hbm>
!k = !pallas.ref<4xi32, vmem>
!a = !pallas.ref<4x8xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

// A copy of rows that indices name is one copy per row; all are waited for at once.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+118]]:3\0Apallas.run_scoped\0Ascoped ref 2\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+121]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+120]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+118]]:5\0Apallas.dma_start\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+117]]:5\0Apallas.dma_start\0Aa ref\0Ascoped ref 1\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+115]]:13\0Apallas.slice_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("{{.*}}:[[#@LINE+113]]:5\0Apallas.swap\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT8:.*]]("scoped ref 2\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT9:.*]]("scoped ref 1\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT10:.*]]("scoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT11:.*]]("{{.*}}:[[#@LINE+107]]:9\0Apallas.new_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT12:.*]]("a ref\00")
// CHECK-LABEL: func.func @gather_copy(
// CHECK-SAME: %[[ARG:[^:]*]]: tensor<16x8xf32>, %[[ARG2:[^:]*]]: tensor<4xi32>)
// CHECK-DAG: %[[C128_I64:.*]] = arith.constant 128 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C128_I32:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ADDRESS8:.*]] = llvm.mlir.addressof @[[TEXT11]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG]] in restrict writable %[[ALLOC]] : (tensor<16x8xf32>, memref<16x8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<16x8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS8]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C2_I64]], %[[C16_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC4]] : memref<i32>)
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<4xi32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<4x8xf32> -> index
// CHECK: %{{.*}} = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC4]] : memref<i32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER4]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS7]], %[[C2_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: bufferization.materialize_in_destination %[[ARG2]] in restrict writable %[[ALLOC2]] : (tensor<4xi32>, memref<4xi32>) -> ()
// CHECK: scf.for %[[ARG3:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: scf.for %[[ARG4:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] {
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC2]][%[[ARG3]]] : memref<4xi32>
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[LOAD]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi uge, %[[CAST4]], %[[C16]] : index
// CHECK: scf.if %[[CMPI]] {
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[CAST4]] : index to i64
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[ARG4]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS6]], %[[C2_I64]], %[[C0_I64]], %[[CAST5]], %[[C1_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]], %[[CAST6]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: llvm.call @pallas_check_copy_begin(%[[ADDRESS5]], %[[C0_I64]])
// CHECK: llvm.call @pallas_check_copy_indices(%[[ADDRESS4]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG5:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: scf.for %[[ARG6:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] {
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC2]][%[[ARG5]]] : memref<4xi32>
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[LOAD2]] : i32 to index
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[CAST7]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST7]], %[[C16]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI2]], %[[ADDI]], %[[CAST7]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C15]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[ARG6]], %[[C7]] : index
// CHECK: %[[MAXSI2:.*]] = arith.maxsi %[[MINSI2]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]], %[[MAXSI2]]] [1, 1] [1, 1] : memref<16x8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC3]][%[[ARG5]], %[[ARG6]]] [1, 1] [1, 1] : memref<4x8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER5:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER5]], %[[MULI]] : index
// CHECK: %[[CAST8:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: %{{.*}}, %[[META2:.*]] = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER6:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI2:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[POINTER6]], %[[MULI2]] : index
// CHECK: %[[CAST9:.*]] = arith.index_cast %[[ADDI3]] : index to i64
// CHECK: llvm.call @pallas_check_copy_part(%[[ADDRESS5]], %[[C0_I64]], %[[CAST8]], %[[C4_I64]], %[[C0_I64]], %[[CAST9]], %[[C4_I64]], %[[C0_I64]])
// CHECK: llvm.call @pallas_check_copy_end(%[[CAST3]], %[[C0_I64]], %[[C128_I64]])
// CHECK: scf.for %[[ARG7:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: scf.for %[[ARG8:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] {
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOC2]][%[[ARG7]]] : memref<4xi32>
// CHECK: %[[CAST10:.*]] = arith.index_cast %[[LOAD3]] : i32 to index
// CHECK: %[[CMPI3:.*]] = arith.cmpi slt, %[[CAST10]], %[[C0]] : index
// CHECK: %[[ADDI4:.*]] = arith.addi %[[CAST10]], %[[C16]] : index
// CHECK: %[[SELECT2:.*]] = arith.select %[[CMPI3]], %[[ADDI4]], %[[CAST10]] : index
// CHECK: %[[MINSI3:.*]] = arith.minsi %[[SELECT2]], %[[C15]] : index
// CHECK: %[[MAXSI3:.*]] = arith.maxsi %[[MINSI3]], %[[C0]] : index
// CHECK: %[[MINSI4:.*]] = arith.minsi %[[ARG8]], %[[C7]] : index
// CHECK: %[[MAXSI4:.*]] = arith.maxsi %[[MINSI4]], %[[C0]] : index
// CHECK: %[[LOAD4:.*]] = memref.load %[[ALLOC]][%[[MAXSI3]], %[[MAXSI4]]] : memref<16x8xf32>
// CHECK: memref.store %[[LOAD4]], %[[ALLOC3]][%[[ARG7]], %[[ARG8]]] : memref<4x8xf32>
// CHECK: %[[LOAD5:.*]] = memref.load %[[ALLOC4]][] : memref<i32>
// CHECK: %[[ADDI5:.*]] = arith.addi %[[LOAD5]], %[[C128_I32]] : i32
// CHECK: memref.store %[[ADDI5]], %[[ALLOC4]][] : memref<i32>
// CHECK: %[[LOAD6:.*]] = memref.load %[[ALLOC4]][] : memref<i32>
// CHECK: %[[CMPI4:.*]] = arith.cmpi slt, %[[LOAD6]], %[[C128_I32]] : i32
// CHECK: scf.if %[[CMPI4]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS3]], %[[LOAD6]], %[[C128_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD6]], %[[C128_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC4]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait(%[[ADDRESS2]], %[[CAST3]], %[[C128_I64]])
// CHECK: llvm.call @pallas_check_semaphores_end(%[[ADDRESS]], %[[CAST3]], %[[C4_I64]], %[[C0_I64]])
// CHECK: return
func.func @gather_copy(%x: tensor<16x8xf32>, %ids: tensor<4xi32>) {
  %xr = pallas.new_ref %x : tensor<16x8xf32> -> !x
  pallas.run_scoped (%k: !k, %a: !a, %done: !dma) {
    pallas.swap %k[...], %ids : !k, tensor<4xi32>
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    pallas.dma_start %rows to %a signals %done : !o, !a, !dma
    pallas.dma_wait %rows to %a signals %done : !o, !a, !dma
  }
  return
}

// -----

!g = !pallas.ref<8x8xf16, gmem>
!s = !pallas.ref<8x8xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// Copies of GPUs end by a barrier, or by a wait for a group. Stores to shared memory are seen by
// copies only after a commit.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+61]]:5\0Apallas.copy_smem_to_gmem\0Ascoped ref 0\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+60]]:5\0Apallas.copy_smem_to_gmem\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+57]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+56]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+54]]:5\0Apallas.copy_gmem_to_smem\0Aa ref\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+51]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @gpu_copies(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8x8xf16>)
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x8xf16>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8x8xf16>, memref<8x8xf16>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8x8xf16> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS6]], %[[C2_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x8xf16>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<8x8xf16> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<i32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_copy_begin(%[[ADDRESS5]], %{{.*}})
// CHECK: llvm.call @pallas_check_copy_part(%[[ADDRESS5]], %[[C0_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_copy_end(%[[CAST3]], %[[C0_I64]], %[[C1_I64]])
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8x8xf16> to memref<8x8xf16>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C1_I32]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C1_I32]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS4]], %[[LOAD2]], %[[C1_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C1_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC3]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait_for_phase(%[[ADDRESS3]], %[[CAST3]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_commit_stores(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_committed(%[[ADDRESS2]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_copy_begin(%[[ADDRESS]], %{{.*}})
// CHECK: llvm.call @pallas_check_copy_part(%[[ADDRESS]], %[[C0_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_copy_end(%[[C0_I64]], %[[C0_I64]], %[[C0_I64]])
// CHECK: memref.copy %[[ALLOC2]], %[[ALLOC]] : memref<8x8xf16> to memref<8x8xf16>
// CHECK: llvm.call @pallas_check_commit_copies(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_wait_for_copies(%[[C0_I64]], %[[C0_I64]])
// CHECK: return
func.func @gpu_copies(%v: tensor<8x8xf16>) {
  %g = pallas.new_ref %v : tensor<8x8xf16> -> !g
  pallas.run_scoped (%s: !s, %bar: !bar) {
    pallas.copy_gmem_to_smem %g to %s signals %bar : !g, !s, !bar
    pallas.barrier_wait %bar : !bar
    pallas.commit_smem
    pallas.copy_smem_to_gmem %s to %g {commitGroup = false} : !s, !g
    pallas.commit_smem_to_gmem_group
    pallas.wait_smem_to_gmem 0
  }
  return
}

// -----

!acc = !pallas.accumulator<64x64xf32>
!a = !pallas.ref<64x64xf16, smem>

// A product reads its operands until it is waited for.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+61]]:10\0Apallas.accumulator_deref\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+57]]:5\0Apallas.wgmma_ref\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+56]]:5\0Apallas.wgmma_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+55]]:5\0Apallas.wgmma_ref\0Aits accumulator\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+52]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+50]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @wgmma(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<64x64xf16>, %[[ARG1:[^:]*]]: tensor<64x64xf16>)
// CHECK-DAG: %[[C64_I64:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf16>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<64x64xf16>, memref<64x64xf16>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<64x64xf16> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS6]], %[[C2_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf16>
// CHECK: bufferization.materialize_in_destination %[[ARG1]] in restrict writable %[[ALLOC2]] : (tensor<64x64xf16>, memref<64x64xf16>) -> ()
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<64x64xf16> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS5]], %[[C2_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
// CHECK: linalg.fill ins(%[[CST]] : f32) outs(%[[ALLOC3]] : memref<64x64xf32>)
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<64x64xf32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_product_begin(%[[ADDRESS4]], %[[C0_I64]])
// CHECK: llvm.call @pallas_check_committed(%[[ADDRESS3]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_access(%[[ADDRESS3]], %[[C1_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_committed(%[[ADDRESS3]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_access(%[[ADDRESS3]], %[[C1_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_access(%[[ADDRESS2]], %[[C3_I64]], %[[CAST3]], %[[C4_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_end(%[[C0_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC3]] restrict writable : memref<64x64xf32> to tensor<64x64xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<64x64xf16> to tensor<64x64xf16>
// CHECK: %[[TO_TENSOR3:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict : memref<64x64xf16> to tensor<64x64xf16>
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %[[TO_TENSOR2]], %[[TO_TENSOR3]] acc %[[TO_TENSOR]] contract [1] x [0] : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
// CHECK: bufferization.materialize_in_destination %[[DOT_GENERAL]] in restrict writable %[[ALLOC3]] : (tensor<64x64xf32>, memref<64x64xf32>) -> ()
// CHECK: llvm.call @pallas_check_wait_for_products(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_wait_for_products(%[[C0_I64]])
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
// CHECK: memref.copy %[[ALLOC3]], %[[ALLOC4]] : memref<64x64xf32> to memref<64x64xf32>
// CHECK: %[[TO_TENSOR4:.*]] = bufferization.to_tensor %[[ALLOC4]] restrict writable : memref<64x64xf32> to tensor<64x64xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: return %[[TO_TENSOR4]] : tensor<64x64xf32>
func.func @wgmma(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %a = pallas.new_ref %x : tensor<64x64xf16> -> !a
  %b = pallas.new_ref %y : tensor<64x64xf16> -> !a
  %o = pallas.run_scoped (%acc: !acc) -> tensor<64x64xf32> {
    pallas.wgmma_ref %acc, %a, %b : !acc, !a, !a
    pallas.wgmma_commit
    pallas.wgmma_wait 0
    %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
    pallas.yield %v : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// -----

!acc = !pallas.ref<128x64xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// The same holds for products in tensor memory, and for its loads and stores.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+91]]:5\0Apallas.async_store_tmem\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+88]]:10\0Apallas.async_load_tmem\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+86]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+85]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+83]]:5\0Apallas.tcgen05_mma\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+82]]:5\0Apallas.tcgen05_mma\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("{{.*}}:[[#@LINE+81]]:5\0Apallas.tcgen05_mma\0Aits accumulator\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT8:.*]]("{{.*}}:[[#@LINE+78]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT9:.*]]("{{.*}}:[[#@LINE+76]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @tensor_memory(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<128x64xf16>, %[[ARG1:[^:]*]]: tensor<64x64xf16>, %[[ARG2:[^:]*]]: i1)
// CHECK-DAG: %[[C64_I64:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[C128_I64:.*]] = arith.constant 128 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[ADDRESS8:.*]] = llvm.mlir.addressof @[[TEXT8]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS9:.*]] = llvm.mlir.addressof @[[TEXT9]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128x64xf16>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<128x64xf16>, memref<128x64xf16>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<128x64xf16> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS9]], %[[C2_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C128_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf16>
// CHECK: bufferization.materialize_in_destination %[[ARG1]] in restrict writable %[[ALLOC2]] : (tensor<64x64xf16>, memref<64x64xf16>) -> ()
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<64x64xf16> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS8]], %[[C2_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128x64xf32>
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC4]] : memref<i32>)
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<128x64xf32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC4]] : memref<i32> -> index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[POINTER4]] : index to i64
// CHECK: llvm.call @pallas_check_product_begin(%[[ADDRESS7]], %[[C0_I64]])
// CHECK: llvm.call @pallas_check_committed(%[[ADDRESS6]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C128_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_access(%[[ADDRESS6]], %[[C1_I64]], %[[CAST]], %[[C2_I64]], %[[C2_I64]], %[[C128_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_committed(%[[ADDRESS6]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_access(%[[ADDRESS6]], %[[C1_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C64_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: %[[SELECT:.*]] = arith.select %[[ARG2]], %[[C3_I64]], %[[C2_I64]] : i64
// CHECK: llvm.call @pallas_check_product_access(%[[ADDRESS5]], %[[SELECT]], %[[CAST3]], %[[C4_I64]], %[[C2_I64]], %[[C128_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_product_end(%[[CAST4]])
// CHECK: %[[XORI:.*]] = arith.xori %[[ARG2]], %[[TRUE]] : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: linalg.fill ins(%[[CST]] : f32) outs(%[[ALLOC3]] : memref<128x64xf32>)
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC3]] restrict writable : memref<128x64xf32> to tensor<128x64xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<128x64xf16> to tensor<128x64xf16>
// CHECK: %[[TO_TENSOR3:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict : memref<64x64xf16> to tensor<64x64xf16>
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %[[TO_TENSOR2]], %[[TO_TENSOR3]] acc %[[TO_TENSOR]] contract [1] x [0] : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32> -> tensor<128x64xf32>
// CHECK: bufferization.materialize_in_destination %[[DOT_GENERAL]] in restrict writable %[[ALLOC3]] : (tensor<128x64xf32>, memref<128x64xf32>) -> ()
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC4]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C1_I32]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC4]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC4]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C1_I32]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS4]], %[[LOAD2]], %[[C1_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C1_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC4]][] : memref<i32>
// CHECK: llvm.call @pallas_check_wait_for_phase(%[[ADDRESS3]], %[[CAST4]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_tensor_memory(%[[ADDRESS2]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C2_I64]], %[[C128_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC5:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128x64xf32>
// CHECK: memref.copy %[[ALLOC3]], %[[ALLOC5]] : memref<128x64xf32> to memref<128x64xf32>
// CHECK: %[[TO_TENSOR4:.*]] = bufferization.to_tensor %[[ALLOC5]] restrict writable : memref<128x64xf32> to tensor<128x64xf32>
// CHECK: llvm.call @pallas_check_wait_for_tensor_memory(%[[C1_I64]])
// CHECK: llvm.call @pallas_check_tensor_memory(%[[ADDRESS]], %[[C2_I64]], %[[CAST3]], %[[C4_I64]], %[[C2_I64]], %[[C128_I64]], %[[C64_I64]], %[[C64_I64]], %[[C1_I64]])
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR4]] in restrict writable %[[ALLOC3]] : (tensor<128x64xf32>, memref<128x64xf32>) -> ()
// CHECK: llvm.call @pallas_check_wait_for_tensor_memory(%[[C2_I64]])
// CHECK: return %[[TO_TENSOR4]] : tensor<128x64xf32>
func.func @tensor_memory(%x: tensor<128x64xf16>, %y: tensor<64x64xf16>, %onto: i1) -> tensor<128x64xf32> {
  %a = pallas.new_ref %x : tensor<128x64xf16> -> !a
  %b = pallas.new_ref %y : tensor<64x64xf16> -> !b
  %o = pallas.run_scoped (%acc: !acc, %bar: !bar) -> tensor<128x64xf32> {
    pallas.tcgen05_mma %acc, %a, %b accumulate %onto signals %bar : !acc, !a, !b, !bar
    pallas.barrier_wait %bar : !bar
    %v = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.async_store_tmem %v to %acc : tensor<128x64xf32>, !acc
    pallas.commit_tmem
    pallas.yield %v : tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

// -----

!r = !pallas.ref<4xi32, smem>

// The cores of a mesh are tasks: the runtime knows which one runs, and that nothing orders them.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+52]]:8\0Apallas.freeze\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+49]]:5\0Apallas.swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+45]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @mesh(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4xi32>)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<4xi32>, memref<4xi32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<4xi32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_points_begin(%[[C0_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG]] : index to i32
// CHECK: %[[EXTSI:.*]] = arith.extsi %[[CAST2]] : i32 to i64
// CHECK: llvm.call @pallas_check_point_begin(%[[C1_I64]], %[[EXTSI]])
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C4_I64]])
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[ARG]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[ARG]], %[[C4]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[ARG]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C3]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]]] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<i32, strided<[], offset: ?>> -> memref<i32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<i32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: memref.store %[[CAST2]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: llvm.call @pallas_check_point_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_points_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<4xi32> to tensor<4xi32>
// CHECK: return %[[TO_TENSOR]] : tensor<4xi32>
func.func @mesh(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = pallas.new_ref %x : tensor<4xi32> -> !r
  pallas.core_map <tensorcore, [<core "x" = 4>]> () {
    %i = pallas.axis_index "x"
    pallas.swap %r[%i], %i : !r, i32
  }
  %o = pallas.freeze %r : !r
  return %o : tensor<4xi32>
}

// -----

!s = !pallas.ref<8xi32, smem>

// Blocks of a cluster run at the same time; memory of another block is reported as that of its owner.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+61]]:5)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+60]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+62]]:7\0Apallas.swap\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+60]]:12)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+57]]:24)\00")
// CHECK-LABEL: func.func @cluster(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C32_I64:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[BEFORE:.*]] = arith.constant -1 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_device() : () -> i32
// CHECK: llvm.call @pallas_check_points_begin(%[[C0_I64]])
// CHECK: scf.forall (%{{[^ ,)]*}}) in (2) {
// CHECK: %[[REMUI:.*]] = arith.remui %{{[^ ,)]*}}, %[[C2]] : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[REMUI]] : index to i32
// CHECK: %[[EXTSI:.*]] = arith.extsi %[[CAST]] : i32 to i64
// CHECK: llvm.call @pallas_check_point_begin(%[[C2_I64]], %[[C0_I64]], %[[EXTSI]])
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xi32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xi32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST2]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR]], %[[C32_I64]], %[[C1_I64]], %[[C0_I64]], %[[C0_I32]], %[[ADDRESS5]]) : (!llvm.ptr, i64, i64, i64, i32, !llvm.ptr) -> ()
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[REMUI]] : index to i64
// CHECK: %[[CALL2:.*]] = llvm.call @pallas_rt_peer_offset(%[[INTTOPTR]], %[[CALL]], %[[CAST3]], %[[ADDRESS4]]) : (!llvm.ptr, i32, i64, !llvm.ptr) -> i64
// CHECK: %{{.*}} = builtin.unrealized_conversion_cast %[[ALLOC]] : memref<8xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[PTRTOINT:.*]] = llvm.ptrtoint %{{[^ ,)]*}} : !llvm.ptr to i64
// CHECK: %[[ADDI:.*]] = arith.addi %[[PTRTOINT]], %[[CALL2]] : i64
// CHECK: %{{.*}} = llvm.inttoptr %[[ADDI]] : i64 to !llvm.ptr
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %{{[^ ,)]*}} : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<8xi32>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[UNREALIZED_CONVERSION_CAST]][0] [1] [1] : memref<8xi32> to memref<i32, strided<[]>>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<i32, strided<[]>> -> index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: memref.store %[[CAST]], %[[SUBVIEW]][] : memref<i32, strided<[]>>
// CHECK: llvm.call @pallas_rt_core_barrier(%[[BEFORE]], %[[C0_I64]]) : (i64, i64) -> !llvm.ptr
// CHECK: %[[UNREALIZED_CONVERSION_CAST2:.*]] = builtin.unrealized_conversion_cast %{{[^ ,)]*}} : !llvm.struct<(ptr, ptr, i64)> to memref<i32>
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[UNREALIZED_CONVERSION_CAST2]] : memref<i32> -> index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_signal(%[[ADDRESS2]], %[[CAST5]], %[[C1_I64]])
// CHECK: %[[CALL3:.*]] = llvm.call @pallas_rt_core_barrier(%[[C1_I64]], %[[C0_I64]]) : (i64, i64) -> !llvm.ptr
// CHECK: llvm.call @pallas_rt_arrive(%[[CALL3]]) : (!llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_wait_barrier(%[[CALL3]], %[[C2_I64]], %[[ADDRESS]]) : (!llvm.ptr, i64, !llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_core_barrier(%[[BEFORE]], %[[C0_I64]]) : (i64, i64) -> !llvm.ptr
// CHECK: %[[CAST6:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: llvm.call @pallas_check_wait(%[[ADDRESS2]], %[[CAST6]], %[[C2_I64]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR]]) : (!llvm.ptr) -> ()
// CHECK: llvm.call @pallas_check_point_end(%[[C0_I64]])
// CHECK: } {pallas.axes = "c=2"}
// CHECK: llvm.call @pallas_check_points_end(%[[C0_I64]])
// CHECK: return
func.func @cluster() {
  pallas.core_map <gpu, [<grid "b" = 1>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%s: !s) {
      %i = pallas.axis_index "c"
      %r = pallas.cluster_ref %s, "c" = %i : !s
      pallas.swap %r[0], %i : !s, i32
    }
  }
  return
}
