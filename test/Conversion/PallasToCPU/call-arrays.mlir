// RUN: pallas-opt %s --convert-pallas-to-cpu --canonicalize --split-input-file | FileCheck %s

// An operand is the memory of its tensor, and so is a result: neither is copied. An aliased result
// starts as a copy of its operand.

// CHECK-LABEL: func.func @arrays(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>)
// CHECK: %[[A:.*]] = bufferization.to_buffer %[[X]] read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[O:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[P]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: %[[V:.*]] = bufferization.to_tensor %[[A]] restrict
// CHECK-NEXT: bufferization.materialize_in_destination %[[V]] in restrict writable %[[O]]
// CHECK-NEXT: %[[R:.*]] = bufferization.to_tensor %[[O]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[S:.*]] = bufferization.to_tensor %[[P]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: return %[[R]], %[[S]]
func.func @arrays(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = pallas.operand_ref "input 0" %x : tensor<8xf32> -> !pallas.ref<8xf32, any>
  %o = pallas.result_ref "output 0" : !pallas.ref<8xf32, any>
  %p = pallas.result_ref "output 1" of %a as !pallas.ref<8xf32, any> : !pallas.ref<8xf32, any>
  %v = pallas.get %a[...] : !pallas.ref<8xf32, any>
  pallas.swap %o[...], %v : !pallas.ref<8xf32, any>, tensor<8xf32>
  %r = pallas.ref_value %o : !pallas.ref<8xf32, any> -> tensor<8xf32>
  %s = pallas.ref_value %p : !pallas.ref<8xf32, any> -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// Semaphores are counts, which start at zero.

// CHECK-LABEL: func.func @semaphores() -> tensor<2xi32>
// CHECK: %[[O:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xi32>
// CHECK-NEXT: linalg.fill ins(%c0_i32 : i32) outs(%[[O]] : memref<2xi32>)
// CHECK-NEXT: %[[R:.*]] = bufferization.to_tensor %[[O]] restrict : memref<2xi32> to tensor<2xi32>
// CHECK-NEXT: return %[[R]]
func.func @semaphores() -> tensor<2x!pallas.semaphore> {
  %o = pallas.result_ref "output 0" : !pallas.ref<2x!pallas.semaphore, any>
  %r = pallas.ref_value %o : !pallas.ref<2x!pallas.semaphore, any> -> tensor<2x!pallas.semaphore>
  return %r : tensor<2x!pallas.semaphore>
}

// -----

// Other devices find memory that is shared. They meet before it is theirs no more.

// CHECK-LABEL: func.func @shared(
// CHECK: %[[O:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: llvm.call @pallas_rt_share(
// CHECK: llvm.call @pallas_rt_signal(
// CHECK: llvm.call @pallas_rt_meet(
// CHECK: llvm.call @pallas_rt_unshare(
func.func @shared(%other: i32, %n: i32) -> tensor<8xf32> {
  %o = pallas.result_ref "output 0" : !pallas.ref<8xf32, any>
  pallas.share_refs %o : !pallas.ref<8xf32, any>
  pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>) {
    pallas.semaphore_signal %s, %n device logical(%other) : !pallas.ref<!pallas.semaphore, semaphore>
  }
  pallas.unshare_refs %o together : !pallas.ref<8xf32, any>
  %r = pallas.ref_value %o : !pallas.ref<8xf32, any> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A partial block is a copy of what the array has of it; that of an output goes back.

// CHECK-LABEL: func.func @edges(
// CHECK-SAME: %{{.*}}: tensor<10xf32>, %[[I:.*]]: index)
// CHECK-DAG: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[IN:.*]] = scf.if %{{.*}} -> (memref<8xf32, strided<[1], offset: ?>>) {
// CHECK: memref.subview
// CHECK: } else {
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: linalg.fill ins(%[[NAN]] : f32) outs(%[[COPY]] : memref<8xf32>)
// CHECK: memref.copy
// CHECK: } {pallas.edge = "input"}
// CHECK: %[[OUT:.*]] = scf.if %{{.*}} -> (memref<8xf32, strided<[1], offset: ?>>) {
// CHECK: } else {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: memref.cast
// CHECK-NEXT: scf.yield
// CHECK: } {pallas.edge = "output"}
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT]]
// CHECK: %[[IS_COPY:.*]] = arith.cmpi slt, %{{.*}}, %c8 : index
// CHECK: scf.if %[[IS_COPY]] {
// CHECK: memref.copy
func.func @edges(%x: tensor<10xf32>, %i: index) -> tensor<10xf32> {
  %a = pallas.operand_ref "input 0" %x : tensor<10xf32> -> !pallas.ref<10xf32, any>
  %o = pallas.result_ref "output 0" : !pallas.ref<10xf32, any>
  %v = pallas.edge_window %a[%i : index] block<[8], vmem> copied filled : !pallas.ref<10xf32, any>
  %w = pallas.edge_window %o[%i : index] block<[8], vmem> output : !pallas.ref<10xf32, any>
  %t = pallas.get %v[...] : !pallas.ref<8xf32, vmem>
  pallas.swap %w[...], %t : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  pallas.write_edge %w : !pallas.ref<8xf32, vmem>
  %r = pallas.ref_value %o : !pallas.ref<10xf32, any> -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// Without padding, a padded array is a copy; without contents, nothing is copied.

// CHECK-LABEL: func.func @copies(
// CHECK: %[[X:.*]] = bufferization.to_buffer
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: memref.copy %[[X]], %[[COPY]]
// CHECK-NEXT: %[[PADDED:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[PADDED]] : memref<12xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copies(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<12xf32>) {
  %a = pallas.operand_ref "input 0" %x : tensor<8xf32> -> !pallas.ref<8xf32, any>
  %c = pallas.pad_ref %a low [0] : !pallas.ref<8xf32, any> -> !pallas.ref<8xf32, any>
  %p = pallas.pad_ref %a low [0] uninitialized : !pallas.ref<8xf32, any> -> !pallas.ref<12xf32, any>
  %r = pallas.ref_value %c : !pallas.ref<8xf32, any> -> tensor<8xf32>
  %s = pallas.ref_value %p : !pallas.ref<12xf32, any> -> tensor<12xf32>
  return %r, %s : tensor<8xf32>, tensor<12xf32>
}
