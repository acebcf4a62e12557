// RUN: pallas-opt %s --pallas-grids-to-loops --pallas-meshes-to-loops --convert-pallas-to-cpu --split-input-file | FileCheck %s

!acc = !pallas.accumulator<64x128xf32>
!b = !pallas.ref<64x128xf16, smem>
!x = !pallas.ref<64x64xf16, smem>

// Products of warpgroups are done where they start, so nothing is left to commit or to wait for.

// CHECK-LABEL: func.func @wgmma_ref(
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[V:.*]] restrict writable : memref<64x128xf32> to tensor<64x128xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<64x128xf16> to tensor<64x128xf16>
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %{{.*}}, %[[TO_TENSOR2]] acc %[[TO_TENSOR]] contract [1] x [0] : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32> -> tensor<64x128xf32>
// CHECK: bufferization.materialize_in_destination %[[DOT_GENERAL]] in restrict writable %[[V]] : (tensor<64x128xf32>, memref<64x128xf32>) -> ()
// CHECK: bufferization.to_tensor %{{.*}} restrict writable : memref<64x128xf32> to tensor<64x128xf32>
func.func @wgmma_ref(%a: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf32> {
  %b = pallas.new_ref %w : tensor<64x128xf16> -> !b
  %o = pallas.run_scoped (%acc: !acc) -> tensor<64x128xf32> {
    pallas.wgmma_ref %acc, %a, %b : !acc, tensor<64x64xf16>, !b
    pallas.wgmma_commit
    pallas.wgmma_wait 0
    %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x128xf32>
    pallas.yield %v : tensor<64x128xf32>
  }
  return %o : tensor<64x128xf32>
}

// -----

!b = !pallas.ref<64x128xf16, smem>
!x = !pallas.ref<64x64xf16, smem>

// CHECK-LABEL: func.func @wgmma(
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<64x64xf16> to tensor<64x64xf16>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<64x128xf16> to tensor<64x128xf16>
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %[[TO_TENSOR]], %[[TO_TENSOR2]] acc %{{.*}} contract [1] x [0] : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32> -> tensor<64x128xf32>
// CHECK: return %[[DOT_GENERAL]] : tensor<64x128xf32>
func.func @wgmma(%acc: tensor<64x128xf32>, %x: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf32> {
  %a = pallas.new_ref %x : tensor<64x64xf16> -> !x
  %b = pallas.new_ref %w : tensor<64x128xf16> -> !b
  %v = pallas.wgmma %acc, %a, %b : tensor<64x128xf32>, !x, !b
  return %v : tensor<64x128xf32>
}

// -----

!acc = !pallas.accumulator<64x128xf32>

// CHECK-LABEL: func.func @accumulator_store(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x128xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[ALLOC]] : memref<64x128xf32>)
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<64x128xf32>, memref<64x128xf32>) -> ()
func.func @accumulator_store(%v: tensor<64x128xf32>) {
  pallas.run_scoped (%acc: !acc) {
    pallas.accumulator_store %acc, %v : !acc, tensor<64x128xf32>
  }
  return
}

// -----

!g = !pallas.ref<64x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// A copy is done where it starts; its barrier counts the arrival, and waiting takes it.

// CHECK-LABEL: func.func @copies(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf16>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf16>
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<64x64xf16> to memref<64x64xf16>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %{{.*}} : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC3]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC3]][] : memref<i32>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD2]], %[[C:.*]] : i32
// CHECK: scf.if %[[CMPI]] {
// CHECK: llvm.call @pallas_rt_short_count(%{{.*}}, %[[LOAD2]], %[[C]]) : (!llvm.ptr, i32, i32) -> ()
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD2]], %[[C]] : i32
// CHECK: memref.store %[[SUBI]], %[[ALLOC3]][] : memref<i32>
// CHECK: memref.copy %[[ALLOC2]], %[[ALLOC]] : memref<64x64xf16> to memref<64x64xf16>
func.func @copies(%v: tensor<64x64xf16>) {
  %g = pallas.new_ref %v : tensor<64x64xf16> -> !g
  pallas.async_prefetch %g : !g
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

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x128xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// Tensor memory is memory. Without accumulation the sum starts from zero.

// CHECK-LABEL: func.func @tensor_memory(
// CHECK: linalg.fill ins(%{{.*}} : i32) outs(%[[V:.*]] : memref<i32>)
// CHECK: %[[XORI:.*]] = arith.xori %{{.*}}, %{{.*}} : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[V2:.*]] : memref<128x128xf32>)
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[V2]] restrict writable : memref<128x128xf32> to tensor<128x128xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<128x64xf16> to tensor<128x64xf16>
// CHECK: %[[TO_TENSOR3:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<64x128xf16> to tensor<64x128xf16>
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %[[TO_TENSOR2]], %[[TO_TENSOR3]] acc %[[TO_TENSOR]] contract [1] x [0] : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32> -> tensor<128x128xf32>
// CHECK: bufferization.materialize_in_destination %[[DOT_GENERAL]] in restrict writable %[[V2]] : (tensor<128x128xf32>, memref<128x128xf32>) -> ()
// CHECK: %[[LOAD:.*]] = memref.load %[[V]][] : memref<i32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %{{.*}} : i32
// CHECK: memref.store %[[ADDI]], %[[V]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[V]][] : memref<i32>
// CHECK: %[[ADDI2:.*]] = arith.addi %[[LOAD2]], %{{.*}} : i32
// CHECK: memref.store %[[ADDI2]], %[[V]][] : memref<i32>
// CHECK: memref.copy %[[V2]], %[[V3:.*]] : memref<128x128xf32> to memref<128x128xf32>
// CHECK: %[[TO_TENSOR4:.*]] = bufferization.to_tensor %[[V3]] restrict writable : memref<128x128xf32> to tensor<128x128xf32>
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR4]] in restrict writable %[[V2]] : (tensor<128x128xf32>, memref<128x128xf32>) -> ()
func.func @tensor_memory(%x: tensor<128x64xf16>, %y: tensor<64x128xf16>, %onto: i1) -> tensor<128x128xf32> {
  %a = pallas.new_ref %x : tensor<128x64xf16> -> !a
  %b = pallas.new_ref %y : tensor<64x128xf16> -> !b
  %o = pallas.run_scoped (%acc: !acc, %bar: !bar) -> tensor<128x128xf32> {
    pallas.tcgen05_mma %acc, %a, %b accumulate %onto signals %bar : !acc, !a, !b, !bar
    pallas.tcgen05_commit %bar : !bar
    %v = pallas.async_load_tmem %acc : !acc -> tensor<128x128xf32>
    pallas.wait_load_tmem
    %l = pallas.layout_cast %v : tensor<128x128xf32> layout "tcgen05"
    pallas.async_store_tmem %l to %acc : tensor<128x128xf32>, !acc
    pallas.commit_tmem
    pallas.yield %l : tensor<128x128xf32>
  }
  return %o : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x64xf32, tmem>
!a = !pallas.ref<128x128xf8E4M3FN, smem>
!b = !pallas.ref<128x64xf8E4M3FN, smem>
!scales = !pallas.ref<128x4xf8E8M0FNU, tmem>
!tiles = !pallas.ref<1x1x32x16xf8E8M0FNU, smem>

// Scales are copied in the order of their rows. Each multiplies a part of a row.

// CHECK-LABEL: func.func @scaled(
// CHECK: %[[SPLIT:.*]] = pallas.reshape %{{.*}} : tensor<1x1x32x16xf8E8M0FNU> -> tensor<1x1x1x32x4x4xf8E8M0FNU>
// CHECK: %[[T:.*]] = pallas.transpose %[[SPLIT]], [0, 2, 4, 3, 1, 5]
// CHECK: %[[ROWS:.*]] = pallas.reshape %[[T]] : {{.*}} -> tensor<128x4xf8E8M0FNU>
// CHECK: bufferization.materialize_in_destination %[[ROWS]] in
// CHECK: %[[L:.*]] = arith.extf %{{.*}} : tensor<128x4xf8E8M0FNU> to tensor<128x4xf32>
// CHECK: pallas.broadcast %{{.*}} dims [0, 1, 2] : tensor<128x4x1xf32> -> tensor<128x4x32xf32>
// CHECK: %[[LHS:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<128x128xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [64, 4] [1, 1] : tensor<128x4xf8E8M0FNU> to tensor<64x4xf8E8M0FNU>
// CHECK: %[[RHS:.*]] = pallas.transpose %{{.*}}, [1, 0] : tensor<64x128xf32>
// CHECK: pallas.dot_general %[[LHS]], %[[RHS]] acc
func.func @scaled(%x: tensor<128x128xf8E4M3FN>, %y: tensor<128x64xf8E4M3FN>, %z: tensor<1x1x32x16xf8E8M0FNU>, %onto: i1) -> tensor<128x64xf32> {
  %a = pallas.new_ref %x : tensor<128x128xf8E4M3FN> -> !a
  %b = pallas.new_ref %y : tensor<128x64xf8E4M3FN> -> !b
  %t = pallas.new_ref %z : tensor<1x1x32x16xf8E8M0FNU> -> !tiles
  %o = pallas.run_scoped (%acc: !acc, %s: !scales) -> tensor<128x64xf32> {
    pallas.async_copy_to_tmem scales %t to %s : !tiles, !scales
    pallas.tcgen05_mma %acc, %a, %b accumulate %onto scales(%s : !scales, %s : !scales) : !acc, !a, !b
    %v = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.yield %v : tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

// -----

// Register counts and launches of dependent grids have no meaning on CPUs.

// CHECK-LABEL: func.func @hints(
// CHECK: return
func.func @hints() {
  pallas.set_max_registers 232 increase
  pallas.grid_dependency launch
  return
}

// -----

!s = !pallas.ref<8xi32, smem>

// The blocks of a cluster wait for each other, so they run at the same time; the memory of
// another block lies at an offset from our own.

// CHECK-LABEL: func.func @cluster_ref(
// CHECK: scf.forall (%{{.*}}) in (2) {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8xi32>
// CHECK: llvm.call @pallas_rt_share(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, i64, i32, !llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_peer_offset(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i64, !llvm.ptr) -> i64
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %{{.*}}[0] [1] [1] : memref<8xi32> to memref<i32, strided<[]>>
// CHECK: memref.store %{{.*}}, %[[SUBVIEW]][] : memref<i32, strided<[]>>
// CHECK: llvm.call @pallas_rt_arrive(%[[V:.*]]) : (!llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_wait_barrier(%[[V]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, !llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_unshare(%{{.*}}) : (!llvm.ptr) -> ()
func.func @cluster_ref() {
  pallas.core_map <gpu, [<grid "b" = 1>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%s: !s) {
      %i = pallas.axis_index "c"
      %r = pallas.cluster_ref %s, "c" = %i : !s
      pallas.swap %r[0], %i : !s, i32
    }
  }
  return
}

// -----

!g = !pallas.ref<8xi32, gmem>

// The memory of another device lies at an offset from our own, which the runtime knows.

// CHECK-LABEL: func.func @remote_ref(
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_device() : () -> i32
// CHECK: llvm.call @pallas_rt_share(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, i64, i32, !llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_share(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, i64, i32, !llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_peer_offset(%{{.*}}, %[[CALL]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i64, !llvm.ptr) -> i64
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<8xi32> to tensor<8xi32>
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR]] in restrict writable %{{.*}} : (tensor<8xi32>, memref<8xi32>) -> ()
// CHECK: llvm.call @pallas_rt_unshare(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_unshare(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: bufferization.to_tensor %{{.*}} restrict : memref<8xi32> to tensor<8xi32>
func.func @remote_ref(%x: tensor<8xi32>, %device: i32) -> tensor<8xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], gmem>
      out(tensor<8xi32>) block<[8], gmem>
      kernel(%xr: !g, %or: !g) {
    %i = pallas.device_id
    %r = pallas.remote_ref %or device logical(%i) : !g
    %v = pallas.get %xr[...] : !g
    pallas.swap %r[...], %v : !g, tensor<8xi32>
  }
  return %o : tensor<8xi32>
}

// -----

!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// Programs have the work that they were started for. A question for more is answered at once: there is none.

// CHECK-LABEL: func.func @launch_control(
// CHECK: linalg.fill ins(%c0_i8 : i8) outs(%[[ANSWER:.*]] : memref<16xi8>)
// CHECK: %[[ARRIVED:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: memref.store %[[ARRIVED]], %{{.*}}[] : memref<i32>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[BYTE:.*]] = memref.load %[[ANSWER]][%c15] : memref<16xi8>
// CHECK: %[[FOUND:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: arith.select %[[FOUND]], %[[ZERO]], %{{.*}} : i32
func.func @launch_control(%own: i32) -> i32 {
  %0 = pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>, %b: !bar) -> i32 {
    pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !bar
    pallas.barrier_wait %b : !bar
    %i, %found = pallas.query_cluster_cancel %answer along ["i"] : !pallas.ref<16xi8, smem>
    %next = arith.select %found, %i, %own : i32
    pallas.yield %next : i32
  }
  return %0 : i32
}
