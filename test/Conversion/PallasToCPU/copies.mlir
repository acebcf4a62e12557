// RUN: pallas-opt %s --split-input-file --pallas-grids-to-loops --convert-pallas-to-cpu --canonicalize --cse | FileCheck %s

!x = !pallas.ref<16x8xf32, hbm>
!o = !pallas.ref<4x8xf32, hbm>
!k = !pallas.ref<4xi32, vmem>
!a = !pallas.ref<4x8xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

// Rows that indices name are copied one by one. An index counts from the end once, and is moved
// inside.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+31]]:38)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+34]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16x8xf32>, %[[ARG1:[^:]*]]: tensor<4xi32>)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C128_I32:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<16x8xf32>, memref<16x8xf32>) -> ()
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: bufferization.materialize_in_destination %[[ARG1]] in restrict writable %[[ALLOC2]] : (tensor<4xi32>, memref<4xi32>) -> ()
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C128_I32]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C128_I32]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS2]], %[[LOAD2]], %[[C128_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C128_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<i32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_check_semaphores(%[[INTTOPTR]], %[[C1_I64]], %[[ADDRESS]])
// CHECK: return
func.func @gather(%x: tensor<16x8xf32>, %ids: tensor<4xi32>) {
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

!x = !pallas.ref<16x8xf32, hbm>
!o = !pallas.ref<4x8xf32, hbm>
!k = !pallas.ref<4xi32, vmem>
!a = !pallas.ref<4x8xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

// A copy that adds updates each element of the target.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+52]]:30)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+55]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-LABEL: func.func @scatter_add(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16x8xf32>, %[[ARG1:[^:]*]]: tensor<4x8xf32>, %[[ARG2:[^:]*]]: tensor<4xi32>)
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C128_I32:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<16x8xf32>, memref<16x8xf32>) -> ()
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG1]] in restrict writable %[[ALLOC2]] : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC4]] : memref<i32>)
// CHECK: bufferization.materialize_in_destination %[[ARG2]] in restrict writable %[[ALLOC3]] : (tensor<4xi32>, memref<4xi32>) -> ()
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: scf.for %[[ARG3:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] {
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][%[[ARG]]] : memref<4xi32>
// CHECK: %[[CAST:.*]] = arith.index_cast %[[LOAD]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST]], %[[C16]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi ult, %[[SELECT]], %[[C16]] : index
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC2]][%[[ARG]], %[[ARG3]]] : memref<4x8xf32>
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOC]][%[[SELECT]], %[[ARG3]]] : memref<16x8xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[LOAD3]], %[[LOAD2]] : f32
// CHECK: memref.store %[[ADDF]], %[[ALLOC]][%[[SELECT]], %[[ARG3]]] : memref<16x8xf32>
// CHECK: %[[LOAD4:.*]] = memref.load %[[ALLOC4]][] : memref<i32>
// CHECK: %[[ADDI2:.*]] = arith.addi %[[LOAD4]], %[[C128_I32]] : i32
// CHECK: memref.store %[[ADDI2]], %[[ALLOC4]][] : memref<i32>
// CHECK: %[[LOAD5:.*]] = memref.load %[[ALLOC4]][] : memref<i32>
// CHECK: %[[CMPI3:.*]] = arith.cmpi slt, %[[LOAD5]], %[[C128_I32]] : i32
// CHECK: scf.if %[[CMPI3]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS2]], %[[LOAD5]], %[[C128_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD5]], %[[C128_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC4]][] : memref<i32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC4]] : memref<i32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST2]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_check_semaphores(%[[INTTOPTR]], %[[C1_I64]], %[[ADDRESS]])
// CHECK: return
func.func @scatter_add(%x: tensor<16x8xf32>, %v: tensor<4x8xf32>, %ids: tensor<4xi32>) {
  %xr = pallas.new_ref %x : tensor<16x8xf32> -> !x
  %a = pallas.new_ref %v : tensor<4x8xf32> -> !a
  pallas.run_scoped (%k: !k, %done: !dma) {
    pallas.swap %k[...], %ids : !k, tensor<4xi32>
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    pallas.dma_start %a to %rows signals %done {add} : !a, !o, !dma
    pallas.dma_wait %a to %rows signals %done : !a, !o, !dma
  }
  return
}

// -----

!a = !pallas.ref<8xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

// A copy to another device signals the semaphore there, and another one here when its source may be
// written again.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+87]]:5)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+85]]:5)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("loc(\22{{.*}}\22:[[#@LINE+83]]:5)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("loc(\22{{.*}}\22:[[#@LINE+80]]:45)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("loc(\22{{.*}}\22:[[#@LINE+79]]:32)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("loc(\22{{.*}}\22:[[#@LINE+75]]:8)\00")
// CHECK-LABEL: func.func @remote(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %{{[^:]*}}: i32)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C32_I32:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C_1_I64:.*]] = arith.constant -1 : i64
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C32_I64:.*]] = arith.constant 32 : i64
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_device()
// CHECK: %[[TO_BUFFER:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[TO_BUFFER]], %[[ALLOC]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR]], %[[C32_I64]], %[[C1_I64]], %[[C0_I64]], %[[C0_I32]], %[[ADDRESS6]])
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<8xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[INTTOPTR2:.*]] = llvm.inttoptr %[[CAST2]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR2]], %[[C32_I64]], %[[C1_I64]], %[[C1_I64]], %[[C0_I32]], %[[ADDRESS6]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC4]] : memref<i32>)
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<i32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: %[[INTTOPTR3:.*]] = llvm.inttoptr %[[CAST3]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR3]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I32]], %[[ADDRESS5]])
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC4]] : memref<i32> -> index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[POINTER4]] : index to i64
// CHECK: %[[INTTOPTR4:.*]] = llvm.inttoptr %[[CAST4]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR4]], %[[C4_I64]], %[[C1_I64]], %[[C3_I64]], %[[C1_I32]], %[[ADDRESS4]])
// CHECK: %[[CALL2:.*]] = llvm.call @pallas_rt_peer_offset(%[[INTTOPTR2]], %[[CALL]], %[[C_1_I64]], %[[ADDRESS3]])
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %[[ALLOC2]] : memref<8xf32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[EXTRACTVALUE:.*]] = llvm.extractvalue %[[UNREALIZED_CONVERSION_CAST]][1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[PTRTOINT:.*]] = llvm.ptrtoint %[[EXTRACTVALUE]] : !llvm.ptr to i64
// CHECK: %[[ADDI:.*]] = arith.addi %[[PTRTOINT]], %[[CALL2]] : i64
// CHECK: %[[INTTOPTR5:.*]] = llvm.inttoptr %[[ADDI]] : i64 to !llvm.ptr
// CHECK: %[[INSERTVALUE:.*]] = llvm.insertvalue %[[INTTOPTR5]], %[[UNREALIZED_CONVERSION_CAST]][1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[UNREALIZED_CONVERSION_CAST2:.*]] = builtin.unrealized_conversion_cast %[[INSERTVALUE]] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<8xf32>
// CHECK: %[[CALL3:.*]] = llvm.call @pallas_rt_peer_offset(%[[INTTOPTR4]], %[[CALL]], %[[C_1_I64]], %[[ADDRESS3]])
// CHECK: %[[UNREALIZED_CONVERSION_CAST3:.*]] = builtin.unrealized_conversion_cast %[[ALLOC4]] : memref<i32> to !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[EXTRACTVALUE2:.*]] = llvm.extractvalue %[[UNREALIZED_CONVERSION_CAST3]][1] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[PTRTOINT2:.*]] = llvm.ptrtoint %[[EXTRACTVALUE2]] : !llvm.ptr to i64
// CHECK: %[[ADDI2:.*]] = arith.addi %[[PTRTOINT2]], %[[CALL3]] : i64
// CHECK: %[[INTTOPTR6:.*]] = llvm.inttoptr %[[ADDI2]] : i64 to !llvm.ptr
// CHECK: %[[INSERTVALUE2:.*]] = llvm.insertvalue %[[INTTOPTR6]], %[[UNREALIZED_CONVERSION_CAST3]][1] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[UNREALIZED_CONVERSION_CAST4:.*]] = builtin.unrealized_conversion_cast %[[INSERTVALUE2]] : !llvm.struct<(ptr, ptr, i64)> to memref<i32>
// CHECK: memref.copy %[[ALLOC]], %[[UNREALIZED_CONVERSION_CAST2]] : memref<8xf32> to memref<8xf32>
// CHECK: llvm.call @pallas_rt_signal(%[[INTTOPTR3]], %[[C32_I32]])
// CHECK: %[[POINTER5:.*]] = memref.extract_aligned_pointer_as_index %[[UNREALIZED_CONVERSION_CAST4]] : memref<i32> -> index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[POINTER5]] : index to i64
// CHECK: %[[INTTOPTR7:.*]] = llvm.inttoptr %[[CAST5]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_signal(%[[INTTOPTR7]], %[[C32_I32]])
// CHECK: llvm.call @pallas_rt_wait(%[[INTTOPTR3]], %[[C32_I32]], %[[C1_I32]], %[[ADDRESS2]])
// CHECK: llvm.call @pallas_rt_wait(%[[INTTOPTR4]], %[[C32_I32]], %[[C1_I32]], %[[ADDRESS]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR3]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR4]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR2]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @remote(%x: tensor<8xf32>, %device: i32) -> tensor<8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !a, %or: !a, %sent: !dma, %received: !dma) {
    %i = pallas.device_id
    pallas.dma_start %xr to %or signals %received source_signals %sent device logical(%i) : !a, !a, !dma, !dma
    pallas.dma_wait %xr to %xr signals %sent : !a, !a, !dma
    pallas.dma_wait %or to %or signals %received : !a, !a, !dma
  }
  return %o : tensor<8xf32>
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore>

// The place of a device on the mesh of devices is a number that the runtime computes.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+64]]:5)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+61]]:76)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("loc(\22{{.*}}\22:[[#@LINE+57]]:8)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("loc(\22{{.*}}\22:[[#@LINE+60]]:10)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("x\00")
// CHECK-LABEL: func.func @remote_signal(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %{{[^:]*}}: i32)
// CHECK-DAG: %[[C_1_I64:.*]] = arith.constant -1 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C32_I64:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_device()
// CHECK: %[[CALL2:.*]] = llvm.call @pallas_rt_axis_index(%[[ADDRESS5]], %[[ADDRESS4]])
// CHECK: %[[TO_BUFFER:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[TO_BUFFER]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR]], %[[C32_I64]], %[[C1_I64]], %[[C0_I64]], %[[C0_I32]], %[[ADDRESS3]])
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[INTTOPTR2:.*]] = llvm.inttoptr %[[CAST2]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR2]], %[[C32_I64]], %[[C1_I64]], %[[C1_I64]], %[[C0_I32]], %[[ADDRESS3]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC2]] : memref<i32>)
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<i32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: %[[INTTOPTR3:.*]] = llvm.inttoptr %[[CAST3]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR3]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I32]], %[[ADDRESS2]])
// CHECK: %[[CALL3:.*]] = llvm.call @pallas_rt_move_along_axis(%[[CALL]], %[[ADDRESS5]], %[[CALL2]], %[[ADDRESS]])
// CHECK: %[[CALL4:.*]] = llvm.call @pallas_rt_peer_offset(%[[INTTOPTR3]], %[[CALL3]], %[[C_1_I64]], %[[ADDRESS]])
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %[[ALLOC2]] : memref<i32> to !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[EXTRACTVALUE:.*]] = llvm.extractvalue %[[UNREALIZED_CONVERSION_CAST]][1] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[PTRTOINT:.*]] = llvm.ptrtoint %[[EXTRACTVALUE]] : !llvm.ptr to i64
// CHECK: %[[ADDI:.*]] = arith.addi %[[PTRTOINT]], %[[CALL4]] : i64
// CHECK: %[[INTTOPTR4:.*]] = llvm.inttoptr %[[ADDI]] : i64 to !llvm.ptr
// CHECK: %[[INSERTVALUE:.*]] = llvm.insertvalue %[[INTTOPTR4]], %[[UNREALIZED_CONVERSION_CAST]][1] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[UNREALIZED_CONVERSION_CAST2:.*]] = builtin.unrealized_conversion_cast %[[INSERTVALUE]] : !llvm.struct<(ptr, ptr, i64)> to memref<i32>
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[UNREALIZED_CONVERSION_CAST2]] : memref<i32> -> index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[POINTER4]] : index to i64
// CHECK: %[[INTTOPTR5:.*]] = llvm.inttoptr %[[CAST4]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_signal(%[[INTTOPTR5]], %[[CALL2]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[TO_BUFFER]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR3]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR2]])
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR2]] : tensor<8xf32>
func.func @remote_signal(%x: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>, %s: !sem) {
    %i = pallas.axis_index "x"
    pallas.semaphore_signal %s, %i device mesh(%i) axes ["x"] : !sem
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

!g = !pallas.ref<8xf16, gmem>
!s = !pallas.ref<8xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// A predicate guards a copy together with the arrival at its barrier.

// CHECK-LABEL: func.func @predicate(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf16>, %[[ARG1:[^:]*]]: i1)
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<8xf16> to memref<8xf16>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf16>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: scf.if %[[ARG1]] {
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8xf16> to memref<8xf16>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C1_I32]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC3]][] : memref<i32>
// CHECK: return
func.func @predicate(%v: tensor<8xf16>, %p: i1) {
  %g = pallas.new_ref %v : tensor<8xf16> -> !g
  pallas.run_scoped (%s: !s, %bar: !bar) {
    pallas.copy_gmem_to_smem %g to %s signals %bar if %p : !g, !s, !bar
  }
  return
}

// -----

!g = !pallas.ref<8xf16, gmem>
!s = !pallas.ref<8xf16, smem>

// A copy that reduces combines each element with that of the target.

// CHECK-LABEL: func.func @reduction(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf16>, %[[ARG1:[^:]*]]: tensor<8xf16>)
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf16>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf16>, memref<8xf16>) -> ()
// CHECK: %[[ALLOC2:.*]] = bufferization.to_buffer %[[ARG1]] read_only : tensor<8xf16> to memref<8xf16>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel"]} ins(%[[ALLOC2]] : memref<8xf16>) outs(%[[ALLOC]] : memref<8xf16>) {
// CHECK: ^bb0(%[[IN:[^ :,)]*]]: f16, %[[OUT:[^ :,)]*]]: f16):
// CHECK: %[[ADDF:.*]] = arith.addf %[[OUT]], %[[IN]] : f16
// CHECK: linalg.yield %[[ADDF]] : f16
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf16> to tensor<8xf16>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf16>
func.func @reduction(%v: tensor<8xf16>, %w: tensor<8xf16>) -> tensor<8xf16> {
  %g = pallas.new_ref %v : tensor<8xf16> -> !g
  %s = pallas.new_ref %w : tensor<8xf16> -> !s
  pallas.copy_smem_to_gmem %s to %g {reduction = #pallas.atomic<add>} : !s, !g
  pallas.wait_smem_to_gmem 0
  %o = pallas.freeze %g : !g
  return %o : tensor<8xf16>
}

// -----

!g = !pallas.ref<20xf16, gmem>
!s = !pallas.ref<8xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// A box that extends past its array is copied as far as the array goes; the rest of the target is
// zero.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+55]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-LABEL: func.func @box(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<20xf16>, %[[ARG1:[^:]*]]: i32)
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[CST:.*]] = arith.constant 0.000000e+00 : f16
// CHECK-DAG: %[[C20:.*]] = arith.constant 20 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<20xf16> to memref<20xf16>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf16>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<i32>)
// CHECK: %[[CAST:.*]] = arith.index_cast %[[ARG1]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST]], %[[C20]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C12]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]]] [8] [1] : memref<20xf16> to memref<8xf16, strided<[1], offset: ?>>
// CHECK: %[[SUBI:.*]] = arith.subi %[[C0]], %[[CAST]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[SUBI]], %[[C8]] : index
// CHECK: %[[MAXSI2:.*]] = arith.maxsi %[[MINSI2]], %[[C0]] : index
// CHECK: %[[SUBI2:.*]] = arith.subi %[[C20]], %[[CAST]] : index
// CHECK: %[[MINSI3:.*]] = arith.minsi %[[SUBI2]], %[[C8]] : index
// CHECK: %[[MAXSI3:.*]] = arith.maxsi %[[MINSI3]], %[[MAXSI2]] : index
// CHECK: %[[SUBI3:.*]] = arith.subi %[[MAXSI3]], %[[MAXSI2]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi eq, %[[SUBI3]], %[[C8]] : index
// CHECK: %[[SUBI4:.*]] = arith.subi %[[C20]], %[[SUBI3]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[CAST]], %[[MAXSI2]] : index
// CHECK: %[[MINSI4:.*]] = arith.minsi %[[ADDI2]], %[[SUBI4]] : index
// CHECK: %[[MAXSI4:.*]] = arith.maxsi %[[MINSI4]], %[[C0]] : index
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC]][%[[MAXSI4]]] [%[[SUBI3]]] [1] : memref<20xf16> to memref<?xf16, strided<[1], offset: ?>>
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[ALLOC2]][%[[MAXSI2]]] [%[[SUBI3]]] [1] : memref<8xf16> to memref<?xf16, strided<[1], offset: ?>>
// CHECK: scf.if %[[CMPI2]] {
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC2]] : memref<8xf16, strided<[1], offset: ?>> to memref<8xf16>
// CHECK: linalg.fill ins(%[[CST]] : f16) outs(%[[ALLOC2]] : memref<8xf16>)
// CHECK: memref.copy %[[SUBVIEW2]], %[[SUBVIEW3]] : memref<?xf16, strided<[1], offset: ?>> to memref<?xf16, strided<[1], offset: ?>>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI3:.*]] = arith.addi %[[LOAD]], %[[C1_I32]] : i32
// CHECK: memref.store %[[ADDI3]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[CMPI3:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C1_I32]] : i32
// CHECK: scf.if %[[CMPI3]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS]], %[[LOAD2]], %[[C1_I32]])
// CHECK: %[[SUBI5:.*]] = arith.subi %[[LOAD2]], %[[C1_I32]] : i32
// CHECK: memref.store %[[SUBI5]], %[[ALLOC3]][] : memref<i32>
// CHECK: return
func.func @box(%v: tensor<20xf16>, %i: i32) {
  %g = pallas.new_ref %v : tensor<20xf16> -> !g
  pallas.run_scoped (%s: !s, %bar: !bar) {
    %box = pallas.slice_ref %g[ds(%i, 8)] : !g
    pallas.copy_gmem_to_smem %box to %s signals %bar : !pallas.ref<8xf16, gmem>, !s, !bar
    pallas.barrier_wait %bar : !bar
  }
  return
}

// -----

!a = !pallas.ref<4x8xf32, hbm>
!b = !pallas.ref<8xf32, vmem>
!dmas = !pallas.ref<4x!pallas.dma_semaphore, semaphore>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

// A semaphore of an array is an element of the memory of its counts.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+42]]:30)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+45]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-LABEL: func.func @semaphore_array(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4x8xf32>, %[[ARG1:[^:]*]]: i32)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C32_I32:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC3]] : memref<4xi32>)
// CHECK: %[[CAST:.*]] = arith.index_cast %[[ARG1]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST]], %[[C4]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C3]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]], 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC3]][%[[MAXSI]]] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC2]] : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
// CHECK: %[[LOAD:.*]] = memref.load %[[SUBVIEW2]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[ADDI2:.*]] = arith.addi %[[LOAD]], %[[C32_I32]] : i32
// CHECK: memref.store %[[ADDI2]], %[[SUBVIEW2]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[LOAD2:.*]] = memref.load %[[SUBVIEW2]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C32_I32]] : i32
// CHECK: scf.if %[[CMPI2]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS2]], %[[LOAD2]], %[[C32_I32]])
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C32_I32]] : i32
// CHECK: memref.store %[[SUBI]], %[[SUBVIEW2]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<4xi32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST2]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_check_semaphores(%[[INTTOPTR]], %[[C4_I64]], %[[ADDRESS]])
// CHECK: return
func.func @semaphore_array(%x: tensor<4x8xf32>, %i: i32) {
  %a = pallas.new_ref %x : tensor<4x8xf32> -> !a
  pallas.run_scoped (%b: !b, %d: !dmas) {
    %row = pallas.slice_ref %a[%i, :] : !a
    %s = pallas.slice_ref %d[%i] : !dmas
    pallas.dma_start %row to %b signals %s : !pallas.ref<8xf32, hbm>, !b, !dma
    pallas.dma_wait %row to %b signals %s : !pallas.ref<8xf32, hbm>, !b, !dma
  }
  return
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore>

// A wait that does not decrement leaves the count.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+23]]:22)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+24]]:5): deadlock: this waits for a semaphore that nothing is left to signal\00")
// CHECK-LABEL: func.func @keep_count(
// CHECK-SAME: %[[ARG0:[^:]*]]: i32)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC]] : memref<i32>)
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[ARG0]] : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[ARG0]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%[[ADDRESS2]], %[[LOAD2]], %[[ARG0]])
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<i32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_check_semaphores(%[[INTTOPTR]], %[[C1_I64]], %[[ADDRESS]])
// CHECK: return
func.func @keep_count(%n: i32) {
  pallas.run_scoped (%s: !sem) {
    pallas.semaphore_signal %s, %n : !sem
    pallas.semaphore_wait %s, %n {decrement = false} : !sem
  }
  return
}
