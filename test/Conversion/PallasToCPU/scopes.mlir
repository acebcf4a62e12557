// RUN: pallas-opt %s --pallas-meshes-to-loops --convert-pallas-to-cpu --split-input-file | FileCheck %s

// The state is memory that starts as a copy of the operand; its last contents are the result.

// CHECK-LABEL: func.func @run_state(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[TO_TENSOR]], %{{.*}} : tensor<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ADDF]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR2]] : tensor<8xf32>
func.func @run_state(%v: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.run_state (%s: !pallas.ref<8xf32, vmem> = %v : tensor<8xf32>) {
    pallas.addupdate %s[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// What a ref holds when it is frozen is its memory, as nothing uses the ref afterwards.

// CHECK-LABEL: func.func @lifetime(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @lifetime(%v: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.swap %0[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  %1 = pallas.freeze %0 : !pallas.ref<8xf32, vmem>
  return %1 : tensor<8xf32>
}

// -----

// Memory lives as long as the function, so freeing it leaves nothing.

// CHECK-LABEL: func.func @free_ref(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: return
func.func @free_ref(%v: tensor<8xf32>) {
  %0 = pallas.new_ref %v : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  pallas.swap %0[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  pallas.free_ref %0 : !pallas.ref<8xf32, vmem>
  return
}

// -----

// A ref that nothing writes to is the memory of an argument without other uses.

// CHECK-LABEL: func.func @read_only(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[R:.*]] = bufferization.to_buffer %[[X]] read_only : tensor<8xf32> to memref<8xf32>
// CHECK-NEXT: %[[V:.*]] = bufferization.to_tensor %[[R]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[W:.*]] = bufferization.to_tensor %[[R]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: return %[[V]], %[[W]]
func.func @read_only(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
  %w = pallas.freeze %r : !pallas.ref<8xf32, vmem>
  return %v, %w : tensor<8xf32>, tensor<8xf32>
}

// -----

// Other memory of a value may get another value while the ref is there.

// CHECK-LABEL: func.func @used_value(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>)
// CHECK: %[[R:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[R]]
func.func @used_value(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %y = tensor.insert %one into %x[%c0] : tensor<8xf32>
  %v = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
  return %v, %y : tensor<8xf32>, tensor<8xf32>
}

// -----

// In a loop, what follows freeze in the text is not all that follows it.

// CHECK-LABEL: func.func @frozen_in_loop(
// CHECK: %[[R:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: scf.for
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: memref.copy %[[R]], %[[COPY]]
// CHECK-NEXT: bufferization.to_tensor %[[COPY]] restrict writable : memref<8xf32> to tensor<8xf32>
func.func @frozen_in_loop(%x: tensor<8xf32>, %c0: index, %c1: index, %n: index) -> tensor<8xf32> {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  %o = scf.for %i = %c0 to %n step %c1 iter_args(%last = %x) -> (tensor<8xf32>) {
    pallas.swap %r[...], %last : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %v = pallas.freeze %r : !pallas.ref<8xf32, vmem>
    scf.yield %v : tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// The cores of a mesh that do not wait for each other run one after the other.

// CHECK-LABEL: func.func @core_map(
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ALLOC]] : (tensor<4xi32>, memref<4xi32>) -> ()
// CHECK: scf.for %[[ARG:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[ARG]] : index to i32
// CHECK: arith.index_cast %[[INDEX_CAST]] : i32 to index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%{{.*}}] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: memref.store %[[INDEX_CAST]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: bufferization.to_tensor %[[ALLOC]] restrict : memref<4xi32> to tensor<4xi32>
func.func @core_map(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = pallas.new_ref %x : tensor<4xi32> -> !pallas.ref<4xi32, smem>
  pallas.core_map <tensorcore, [<core "x" = 4>]> () {
    %i = pallas.axis_index "x"
    pallas.swap %r[%i], %i : !pallas.ref<4xi32, smem>, i32
  }
  %o = pallas.freeze %r : !pallas.ref<4xi32, smem>
  return %o : tensor<4xi32>
}
