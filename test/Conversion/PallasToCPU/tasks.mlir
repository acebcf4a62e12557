// RUN: pallas-opt %s --split-input-file --pallas-meshes-to-loops --convert-pallas-to-cpu --canonicalize --cse | FileCheck %s

// Tasks that wait for each other run at the same time: each iteration is a task of the runtime,
// which switches to another one where a task waits.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+34]]:5)\00")
// CHECK-LABEL: func.func @waiting_cores(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<2xi32>)
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xi32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<2xi32>, memref<2xi32>) -> ()
// CHECK: scf.forall (%[[ARG:[^ :,)]*]]) in (2) {
// CHECK: %[[REMUI:.*]] = arith.remui %[[ARG]], %[[C2]] : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[REMUI]] : index to i32
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[REMUI]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[REMUI]], %[[C2]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[REMUI]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C1]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]]] [1] [1] : memref<2xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: memref.store %[[CAST]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_core_barrier(%[[C0_I64]], %[[C0_I64]])
// CHECK: llvm.call @pallas_rt_arrive(%[[CALL]])
// CHECK: llvm.call @pallas_rt_wait_barrier(%[[CALL]], %[[C2_I64]], %[[ADDRESS]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC]][0] [1] [1] : memref<2xi32> to memref<i32, strided<[]>>
// CHECK: %[[LOAD:.*]] = memref.load %[[SUBVIEW2]][] : memref<i32, strided<[]>>
// CHECK: memref.store %[[LOAD]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<2xi32> to tensor<2xi32>
// CHECK: return %[[TO_TENSOR]] : tensor<2xi32>
func.func @waiting_cores(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = pallas.new_ref %x : tensor<2xi32> -> !pallas.ref<2xi32, smem>
  pallas.core_map <sc_scalar, [<core "core" = 2>]> () {
    %i = pallas.axis_index "core"
    pallas.swap %r[%i], %i : !pallas.ref<2xi32, smem>, i32
    pallas.core_barrier "core"
    %v = pallas.get %r[0] : !pallas.ref<2xi32, smem>
    pallas.swap %r[%i], %v : !pallas.ref<2xi32, smem>, i32
  }
  %o = pallas.freeze %r : !pallas.ref<2xi32, smem>
  return %o : tensor<2xi32>
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore>

// A semaphore that several tasks see is signaled and waited for by the runtime.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+26]]:7)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+21]]:22)\00")
// CHECK-LABEL: func.func @shared_semaphore(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: linalg.fill ins(%[[C0_I32]] : i32) outs(%[[ALLOC]] : memref<i32>)
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<i32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_share(%[[INTTOPTR]], %[[C4_I64]], %[[C1_I64]], %[[C0_I64]], %[[C1_I32]], %[[ADDRESS2]])
// CHECK: scf.forall (%{{[^ :,)]*}}) in (2) {
// CHECK: llvm.call @pallas_rt_signal(%[[INTTOPTR]], %[[C1_I32]])
// CHECK: llvm.call @pallas_rt_wait(%[[INTTOPTR]], %[[C1_I32]], %[[C1_I32]], %[[ADDRESS]])
// CHECK: llvm.call @pallas_rt_unshare(%[[INTTOPTR]])
// CHECK: return
func.func @shared_semaphore() {
  pallas.run_scoped (%s: !sem) {
    pallas.core_map <sc_scalar, [<core "core" = 2>]> () {
      %one = arith.constant 1 : i32
      pallas.semaphore_signal %s, %one : !sem
      pallas.semaphore_wait %s, %one : !sem
    }
  }
  return
}

// -----

!r = !pallas.ref<4x4xi32, smem>

// Several axes are one loop each; the index of an axis is its variable.

// CHECK-LABEL: func.func @two_axes(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4x4xi32>)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4_I32:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x4xi32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<4x4xi32>, memref<4x4xi32>) -> ()
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK: scf.for %[[ARG2:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[ARG]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[ARG]], %[[C4]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[ARG]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C3]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[ARG2]], %[[C0]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[ARG2]], %[[C4]] : index
// CHECK: %[[SELECT2:.*]] = arith.select %[[CMPI2]], %[[ADDI2]], %[[ARG2]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[SELECT2]], %[[C3]] : index
// CHECK: %[[MAXSI2:.*]] = arith.maxsi %[[MINSI2]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]], %[[MAXSI2]]] [1, 1] [1, 1] : memref<4x4xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: memref.store %[[C4_I32]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<4x4xi32> to tensor<4x4xi32>
// CHECK: return %[[TO_TENSOR]] : tensor<4x4xi32>
func.func @two_axes(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %r = pallas.new_ref %x : tensor<4x4xi32> -> !r
  pallas.core_map <sc_vector, [<core "core" = 2>, <subcore "subcore" = 4>]> () {
    %i = pallas.axis_index "core"
    %j = pallas.axis_index "subcore"
    %n = pallas.axis_size "subcore"
    pallas.swap %r[%i, %j], %n : !r, i32
  }
  %o = pallas.freeze %r : !r
  return %o : tensor<4x4xi32>
}

// -----

!x = !pallas.ref<8xf32, hbm>

// A call on a mesh runs its kernel on each core; arrays are memory of the device.

// CHECK-LABEL: func.func @mpmd_map(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>)
// CHECK: %[[TO_BUFFER:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[TO_BUFFER]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR2]] : tensor<8xf32>
func.func @mpmd_map(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>)
      kernel @copy on <sc_scalar, [<core "core" = 1>]> (%xr: !x, %or: !x) {
    %v = pallas.get %xr[...] : !x
    pallas.swap %or[...], %v : !x, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

!x = !pallas.ref<8xf32, hbm>
!sem = !pallas.ref<!pallas.semaphore, semaphore>

// Kernels that don't wait for each other run one after the other, and so do the subcores of one.

// CHECK-LABEL: func.func @two_meshes(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[CST:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[CST2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[TO_BUFFER:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[TO_BUFFER]], %[[ALLOC]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][0] [1] [1] : memref<8xf32> to memref<f32, strided<[]>>
// CHECK: memref.store %[[CST2]], %[[SUBVIEW]][] : memref<f32, strided<[]>>
// CHECK: scf.for %{{[^ :,)]*}} = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC]][1] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: 1>>
// CHECK: memref.store %[[CST]], %[[SUBVIEW2]][] : memref<f32, strided<[], offset: 1>>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @two_meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0 -> 0]
      kernel @first on <sc_scalar, [<core "core" = 1>]> (%xr: !x, %or: !x) {
    %v = arith.constant 1.0 : f32
    pallas.swap %or[0], %v : !x, f32
  }
      kernel @second on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 2>]> (%xr: !x, %or: !x) {
    %v = arith.constant 2.0 : f32
    pallas.swap %or[1], %v : !x, f32
  }
  return %o : tensor<8xf32>
}

// -----

!s = !pallas.ref<8xi32, smem>
!b = !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>

// The blocks of a cluster share the barrier, so the runtime gives all of them the same memory.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+27]]:7)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+24]]:24)\00")
// CHECK-LABEL: func.func @cluster_barrier(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[UNDEF:.*]] = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C2_I32:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: scf.forall (%{{[^ :,)]*}}) in (2) {
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_begin_collective(%[[C0_I64]], %[[C0_I64]], %[[C2_I64]], %[[C4_I64]], %[[C2_I32]], %[[ADDRESS2]])
// CHECK: %[[INSERTVALUE:.*]] = llvm.insertvalue %[[CALL]], %[[UNDEF]][0] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[INSERTVALUE2:.*]] = llvm.insertvalue %[[CALL]], %[[INSERTVALUE]][1] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[INSERTVALUE3:.*]] = llvm.insertvalue %[[C0_I64]], %[[INSERTVALUE2]][2] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %[[INSERTVALUE3]] : !llvm.struct<(ptr, ptr, i64)> to memref<i32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[UNREALIZED_CONVERSION_CAST]] : memref<i32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_arrive(%[[INTTOPTR]])
// CHECK: llvm.call @pallas_rt_wait_barrier(%[[INTTOPTR]], %[[C2_I64]], %[[ADDRESS]])
// CHECK: llvm.call @pallas_rt_end_collective(%[[INTTOPTR]])
// CHECK: return
func.func @cluster_barrier() {
  pallas.core_map <gpu, [<grid "b" = 1>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%b: !b) {
      pallas.barrier_arrive %b : !b
      pallas.barrier_wait %b : !b
    }
  }
  return
}

// -----

!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
!s = !pallas.ref<2xi32, smem>

// Warpgroups of a block share the memory of this scope, so it comes from the runtime, too.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("loc(\22{{.*}}\22:[[#@LINE+58]]:7)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("loc(\22{{.*}}\22:[[#@LINE+53]]:32)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("loc(\22{{.*}}\22:[[#@LINE+52]]:24)\00")
// CHECK-LABEL: func.func @collective_scope(
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[UNDEF:.*]] = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C2_I32:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[UNDEF2:.*]] = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: scf.forall (%[[ARG:[^ :,)]*]]) in (2) {
// CHECK: %[[REMUI:.*]] = arith.remui %[[ARG]], %[[C2]] : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[REMUI]] : index to i32
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_begin_collective(%[[C0_I64]], %[[C0_I64]], %[[C2_I64]], %[[C8_I64]], %[[C0_I32]], %[[ADDRESS3]])
// CHECK: %[[INSERTVALUE:.*]] = llvm.insertvalue %[[CALL]], %[[UNDEF2]][0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[INSERTVALUE2:.*]] = llvm.insertvalue %[[CALL]], %[[INSERTVALUE]][1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[INSERTVALUE3:.*]] = llvm.insertvalue %[[C0_I64]], %[[INSERTVALUE2]][2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[INSERTVALUE4:.*]] = llvm.insertvalue %[[C2_I64]], %[[INSERTVALUE3]][3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[INSERTVALUE5:.*]] = llvm.insertvalue %[[C1_I64]], %[[INSERTVALUE4]][4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %[[INSERTVALUE5]] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<2xi32>
// CHECK: %[[CALL2:.*]] = llvm.call @pallas_rt_begin_collective(%[[C1_I64]], %[[C0_I64]], %[[C2_I64]], %[[C4_I64]], %[[C2_I32]], %[[ADDRESS2]])
// CHECK: %[[INSERTVALUE6:.*]] = llvm.insertvalue %[[CALL2]], %[[UNDEF]][0] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[INSERTVALUE7:.*]] = llvm.insertvalue %[[CALL2]], %[[INSERTVALUE6]][1] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[INSERTVALUE8:.*]] = llvm.insertvalue %[[C0_I64]], %[[INSERTVALUE7]][2] : !llvm.struct<(ptr, ptr, i64)>
// CHECK: %[[UNREALIZED_CONVERSION_CAST2:.*]] = builtin.unrealized_conversion_cast %[[INSERTVALUE8]] : !llvm.struct<(ptr, ptr, i64)> to memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[REMUI]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[REMUI]], %[[C2]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[REMUI]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C1]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[UNREALIZED_CONVERSION_CAST]][%[[MAXSI]]] [1] [1] : memref<2xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: memref.store %[[CAST]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[UNREALIZED_CONVERSION_CAST2]] : memref<i32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[INTTOPTR:.*]] = llvm.inttoptr %[[CAST2]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_arrive(%[[INTTOPTR]])
// CHECK: llvm.call @pallas_rt_wait_barrier(%[[INTTOPTR]], %[[C2_I64]], %[[ADDRESS]])
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[UNREALIZED_CONVERSION_CAST]] : memref<2xi32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[INTTOPTR2:.*]] = llvm.inttoptr %[[CAST3]] : i64 to !llvm.ptr
// CHECK: llvm.call @pallas_rt_end_collective(%[[INTTOPTR2]])
// CHECK: llvm.call @pallas_rt_end_collective(%[[INTTOPTR]])
// CHECK: return
func.func @collective_scope() {
  pallas.core_map <gpu, [<grid "x" = 1>, <thread "wg" = 2>]> () {
    pallas.run_scoped (%s: !s, %b: !bar) collective ["wg"] {
      %i = pallas.axis_index "wg"
      pallas.swap %s[%i], %i : !s, i32
      pallas.barrier_arrive %b : !bar
      pallas.barrier_wait %b : !bar
    }
  }
  return
}
