// RUN: pallas-opt %s --convert-pallas-to-cpu --split-input-file | FileCheck %s

// A read, an addition and a write of whole tensors.

// CHECK-LABEL: func.func @addupdate(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x128xf32>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<8x128xf32>, memref<8x128xf32>) -> ()
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8x128xf32> to tensor<8x128xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[TO_TENSOR]], %{{.*}} : tensor<8x128xf32>
// CHECK: bufferization.materialize_in_destination %[[ADDF]] in restrict writable %[[ALLOC]] : (tensor<8x128xf32>, memref<8x128xf32>) -> ()
// CHECK: bufferization.to_tensor %[[ALLOC]] restrict : memref<8x128xf32> to tensor<8x128xf32>
func.func @addupdate(%r: tensor<8x128xf32>, %v: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %ref = pallas.new_ref %r : tensor<8x128xf32> -> !pallas.ref<8x128xf32, vmem>
  pallas.addupdate %ref[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  %o = pallas.freeze %ref : !pallas.ref<8x128xf32, vmem>
  return %o : tensor<8x128xf32>
}

// -----

// Programs run in order on one core, so an atomic update is a load and a store. An index
// outside of the ref is moved inside.

// CHECK-LABEL: func.func @atomic_rmw(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xi32>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: %[[MINSI:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %{{.*}} : index
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][%[[MAXSI]]] : memref<16xi32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %{{.*}} : i32
// CHECK: memref.store %[[ADDI]], %[[ALLOC]][%[[MAXSI]]] : memref<16xi32>
// CHECK: memref.store %[[LOAD]], %[[ALLOC2]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC2]][] : memref<i32>
// CHECK: return %[[LOAD2]] : i32
func.func @atomic_rmw(%i: i32, %v: i32) -> i32 {
  %o = pallas.run_scoped (%s: !pallas.ref<16xi32, smem>) -> i32 {
    %old = pallas.atomic_rmw <add> %s[%i], %v : !pallas.ref<16xi32, smem>, i32
    pallas.yield %old : i32
  }
  return %o : i32
}

// -----

// Each element is updated on its own, since indices may repeat.

// CHECK-LABEL: func.func @atomic_rmw_of_vector(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: scf.for %[[ARG:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %{{.*}}[%[[ARG]]] : tensor<16xf32>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][%[[V:.*]]] : memref<16xf32>
// CHECK: %[[MAXIMUMF:.*]] = arith.maximumf %[[LOAD]], %[[EXTRACT]] : f32
// CHECK: memref.store %[[MAXIMUMF]], %[[ALLOC]][%[[V]]] : memref<16xf32>
// CHECK: memref.store %[[LOAD]], %[[ALLOC2]][%[[ARG]]] : memref<16xf32>
// CHECK: bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<16xf32> to tensor<16xf32>
func.func @atomic_rmw_of_vector(%v: tensor<16xf32>) {
  pallas.run_scoped (%s: !pallas.ref<16xf32, gmem>) {
    %old = pallas.atomic_rmw <max> %s[...], %v : !pallas.ref<16xf32, gmem>, tensor<16xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @atomic_cas(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xi32>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][3] [1] [1] : memref<16xi32> to memref<i32, strided<[], offset: 3>>
// CHECK: %[[LOAD:.*]] = memref.load %[[SUBVIEW]][] : memref<i32, strided<[], offset: 3>>
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %[[LOAD]], %{{.*}} : i32
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %{{.*}}, %[[LOAD]] : i32
// CHECK: memref.store %[[SELECT]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: 3>>
func.func @atomic_cas(%cmp: i32, %v: i32) -> i32 {
  %o = pallas.run_scoped (%s: !pallas.ref<16xi32, smem>) -> i32 {
    %old = pallas.atomic_cas %s[3], %cmp, %v : !pallas.ref<16xi32, smem>, i32
    pallas.yield %old : i32
  }
  return %o : i32
}

// -----

// A transposed view is the same memory with other strides.

// CHECK-LABEL: func.func @transpose_ref(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[TRANSPOSE:.*]] = memref.transpose %[[ALLOC]] (d0, d1) -> (d1, d0) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[TRANSPOSE]][2, 0] [1, 4] [1, 1] : memref<8x4xf32, strided<[1, 8]>> to memref<4xf32, strided<[8], offset: 2>>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[SUBVIEW]] : (tensor<4xf32>, memref<4xf32, strided<[8], offset: 2>>) -> ()
func.func @transpose_ref(%v: tensor<4xf32>) {
  pallas.run_scoped (%r: !pallas.ref<4x8xf32, vmem>) {
    %t = pallas.transpose_ref %r, [1, 0] : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x4xf32, vmem>
    pallas.swap %t[2, :], %v : !pallas.ref<8x4xf32, vmem>, tensor<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @reshape_ref(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[COLLAPSE_SHAPE:.*]] = memref.collapse_shape %[[ALLOC]] {{\[\[}}0, 1]] : memref<4x8xf32> into memref<32xf32>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[COLLAPSE_SHAPE]] : (tensor<32xf32>, memref<32xf32>) -> ()
func.func @reshape_ref(%v: tensor<32xf32>) {
  pallas.run_scoped (%r: !pallas.ref<4x8xf32, vmem>) {
    %t = pallas.reshape_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<32xf32, vmem>
    pallas.swap %t[...], %v : !pallas.ref<32xf32, vmem>, tensor<32xf32>
  }
  return
}

// -----

// Rows that are not dense are split, and those before them joined.
// CHECK-LABEL: func.func @reshape_strided_ref(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [8, 2, 4], strides: [32, 4, 1] : memref<f32> to memref<8x2x4xf32, strided<[32, 4, 1], offset: ?>>
func.func @reshape_strided_ref(%v: tensor<8x2x4xf32>) {
  pallas.run_scoped (%r: !pallas.ref<4x2x32xf32, vmem>) {
    %s = pallas.slice_ref %r[:, :, ds(8, 8)] : !pallas.ref<4x2x32xf32, vmem>
    %t = pallas.reshape_ref %s : !pallas.ref<4x2x8xf32, vmem> -> !pallas.ref<8x2x4xf32, vmem>
    pallas.swap %t[...], %v : !pallas.ref<8x2x4xf32, vmem>, tensor<8x2x4xf32>
  }
  return
}

// -----

// A view with narrower elements is a copy: each word becomes two halves.

// CHECK-LABEL: func.func @bitcast_ref(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x8xbf16>
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %[[ALLOC]] : memref<4x8xf32> to memref<4x8xi32>
// CHECK: %[[UNREALIZED_CONVERSION_CAST2:.*]] = builtin.unrealized_conversion_cast %[[ALLOC2]] : memref<8x8xbf16> to memref<8x8xi16>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[UNREALIZED_CONVERSION_CAST2]][0, 0] [4, 8] [2, 1] : memref<8x8xi16> to memref<4x8xi16, strided<[16, 1]>>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[UNREALIZED_CONVERSION_CAST]] : memref<4x8xi32>) outs(%[[SUBVIEW]] : memref<4x8xi16, strided<[16, 1]>>) {
// CHECK: %[[SHRUI:.*]] = arith.shrui %[[V:.*]], %{{.*}} : i32
// CHECK: %[[TRUNCI:.*]] = arith.trunci %[[SHRUI]] : i32 to i16
// CHECK: linalg.yield %[[TRUNCI]] : i16
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[UNREALIZED_CONVERSION_CAST2]][1, 0] [4, 8] [2, 1] : memref<8x8xi16> to memref<4x8xi16, strided<[16, 1], offset: 8>>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[UNREALIZED_CONVERSION_CAST]] : memref<4x8xi32>) outs(%[[SUBVIEW2]] : memref<4x8xi16, strided<[16, 1], offset: 8>>) {
// CHECK: %[[SHRUI2:.*]] = arith.shrui %[[V]], %{{.*}} : i32
// CHECK: %[[TRUNCI2:.*]] = arith.trunci %[[SHRUI2]] : i32 to i16
// CHECK: linalg.yield %[[TRUNCI2]] : i16
// CHECK: bufferization.to_tensor %[[ALLOC2]] restrict : memref<8x8xbf16> to tensor<8x8xbf16>
func.func @bitcast_ref() -> tensor<8x8xbf16> {
  %o = pallas.run_scoped (%r: !pallas.ref<4x8xf32, vmem>) -> tensor<8x8xbf16> {
    %t = pallas.bitcast_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
    %v = pallas.get %t[...] : !pallas.ref<8x8xbf16, vmem>
    pallas.yield %v : tensor<8x8xbf16>
  }
  return %o : tensor<8x8xbf16>
}
