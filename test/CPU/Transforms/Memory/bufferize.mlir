// RUN: pallas-opt %s --pallas-cpu-expand-switches --pallas-cpu-fold-stored-reshapes --pallas-cpu-bufferize --pallas-cpu-forward-to-results | FileCheck %s

// What a case of a switch yields may be memory of somebody else, who must not
// see what is written to the result.
// CHECK-LABEL: func.func @switch
// CHECK-SAME: %[[X:.*]]: memref<16xf32>, %[[O:.*]]: memref<16xf32>
func.func @switch(%x: memref<16xf32>, %o: memref<16xf32>, %i: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %x restrict : memref<16xf32> to tensor<16xf32>
  // CHECK-NOT: scf.index_switch
  // CHECK: scf.if
  // CHECK-NOT: memref.store %{{.*}}, %[[X]]
  // CHECK: return
  %r = scf.index_switch %i -> tensor<16xf32>
  case 0 {
    scf.yield %t : tensor<16xf32>
  }
  case 3 {
    %n = tensor.insert %v into %t[%i] : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  default {
    %e = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%v : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    scf.yield %f : tensor<16xf32>
  }
  %w = tensor.insert %v into %r[%c0] : tensor<16xf32>
  bufferization.materialize_in_destination %w in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// A switch between scalars stays.
// CHECK-LABEL: func.func @scalars
func.func @scalars(%i: index, %a: f32, %b: f32) -> f32 {
  // CHECK: scf.index_switch
  %r = scf.index_switch %i -> f32
  case 0 {
    scf.yield %a : f32
  }
  default {
    scf.yield %b : f32
  }
  return %r : f32
}

// Two carried values that start as one empty tensor are two all the same.
// CHECK-LABEL: func.func @one_start
func.func @one_start(%o: memref<2xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-COUNT-2: memref.alloc() {{.*}}: memref<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %b = %e) -> (tensor<4xf32>, tensor<4xf32>) {
    %w = arith.addf %v, %v : f32
    %x = tensor.insert %v into %a[%i] : tensor<4xf32>
    %y = tensor.insert %w into %b[%i] : tensor<4xf32>
    scf.yield %x, %y : tensor<4xf32>, tensor<4xf32>
  }
  %p = tensor.extract %r#0[%c0] : tensor<4xf32>
  %q = tensor.extract %r#1[%c0] : tensor<4xf32>
  memref.store %p, %o[%c0] : memref<2xf32>
  memref.store %q, %o[%c1] : memref<2xf32>
  return
}

// A value that is stored twice is computed in a place that keeps it for both
// stores, and in memory of its own where neither does.
// CHECK-LABEL: func.func @stored_twice
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>,
func.func @stored_twice(%a: memref<8xf32>, %b: memref<8xf32>, %v: f32) {
  // CHECK: linalg.fill {{.*}} outs(%[[A]] :
  // CHECK: memref.copy %[[A]], %[[B]]
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %f in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %f in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @changed_between
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>,
func.func @changed_between(%a: memref<8xf32>, %b: memref<8xf32>, %v: f32, %i: index) {
  // CHECK: linalg.fill {{.*}} outs(%[[B]] :
  // CHECK-NEXT: memref.copy %[[B]], %[[A]]
  // CHECK-NEXT: memref.store {{.*}} %[[A]]
  // CHECK-NEXT: return
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %f in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  memref.store %v, %a[%i] : memref<8xf32>
  bufferization.materialize_in_destination %f in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @both_changed_between
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>,
func.func @both_changed_between(%a: memref<8xf32>, %b: memref<8xf32>, %v: f32, %i: index) {
  // CHECK: %[[F:.*]] = memref.alloc()
  // CHECK: linalg.fill {{.*}} outs(%[[F]] :
  // CHECK-DAG: memref.copy %[[F]], %[[A]]
  // CHECK-DAG: memref.copy %[[F]], %[[B]]
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %f in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  memref.store %v, %a[%i] : memref<8xf32>
  memref.store %v, %b[%i] : memref<8xf32>
  bufferization.materialize_in_destination %f in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// What a branch updates in the place of the carried value stays there.
// CHECK-LABEL: func.func @carried_or_updated
func.func @carried_or_updated(%o: memref<16xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %{{.*}}) -> (memref<16xf32>)
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: %[[R:.*]] = scf.if
  // CHECK-NEXT: memref.store %{{.*}}, %[[B]]
  // CHECK-NEXT: scf.yield %[[B]]
  // CHECK-NEXT: else
  // CHECK-NEXT: scf.yield %[[B]]
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %[[R]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %f) -> tensor<16xf32> {
    %is = arith.cmpi eq, %i, %c1 : index
    %c = scf.if %is -> tensor<16xf32> {
      %w = tensor.insert %v into %b[%i] : tensor<16xf32>
      scf.yield %w : tensor<16xf32>
    } else {
      scf.yield %b : tensor<16xf32>
    }
    scf.yield %c : tensor<16xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// Two values that a branch lets change places stay in their places where they
// do not change them.
// CHECK-LABEL: func.func @carried_or_swapped
func.func @carried_or_swapped(%o: memref<16xf32>, %p: memref<16xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = arith.addf %v, %v : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %g = linalg.fill ins(%w : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (memref<16xf32>, memref<16xf32>)
  // CHECK: %[[R:.*]]:2 = scf.if
  // CHECK: memref.copy %[[B]], %[[COPY_B:.*]] :
  // CHECK: memref.copy %[[A]], %[[COPY_A:.*]] :
  // CHECK: scf.yield %[[COPY_B]], %[[COPY_A]]
  // CHECK: else
  // CHECK-NEXT: scf.yield %[[A]], %[[B]]
  // CHECK: memref.copy %[[R]]#0, %[[A]]
  // CHECK: memref.copy %[[R]]#1, %[[B]]
  // CHECK: scf.yield %[[A]], %[[B]]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f, %b = %g) -> (tensor<16xf32>, tensor<16xf32>) {
    %is = arith.cmpi eq, %i, %c1 : index
    %c:2 = scf.if %is -> (tensor<16xf32>, tensor<16xf32>) {
      scf.yield %b, %a : tensor<16xf32>, tensor<16xf32>
    } else {
      scf.yield %a, %b : tensor<16xf32>, tensor<16xf32>
    }
    scf.yield %c#0, %c#1 : tensor<16xf32>, tensor<16xf32>
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %p : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// Parts that make up a stored value are computed where it is stored, all but the
// first one.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: %[[X:.*]]: memref<16xf32>, %[[M:.*]]: memref<32xf32>
// CHECK: linalg.exp ins(%[[X]] : memref<16xf32>)
// CHECK: memref.copy %{{.*}} : memref<16xf32
// CHECK: %[[B:.*]] = memref.subview %[[M]][16] [16] [1]
// CHECK: linalg.abs ins(%[[X]] : memref<16xf32>) outs(%[[B]]
// CHECK: memref.copy %[[M]], %[[M]]
// CHECK: return
func.func @parts(%x: memref<16xf32>, %m: memref<32xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<16xf32> to tensor<16xf32>
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %all = tensor.empty() : tensor<32xf32>
  %a = linalg.exp ins(%t : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %1 = tensor.insert_slice %a into %all[0] [16] [1] : tensor<16xf32> into tensor<32xf32>
  %b = linalg.abs ins(%t : tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %2 = tensor.insert_slice %b into %1[16] [16] [1] : tensor<16xf32> into tensor<32xf32>
  bufferization.materialize_in_destination %2 in restrict writable %m : (tensor<32xf32>, memref<32xf32>) -> ()
  return
}

// A value that is stored in another shape is computed in the memory that it
// goes to.

// CHECK-LABEL: func.func @stored_in_another_shape
// CHECK-SAME: %[[X:.*]]: memref<16x4xf32>, %[[Y:.*]]: memref<64xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[ROWS:.*]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [16, 4] : memref<64xf32> into memref<16x4xf32>
// CHECK: linalg.exp ins(%[[X]] : memref<16x4xf32>) outs(%[[ROWS]] : memref<16x4xf32>)
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @stored_in_another_shape(%x: memref<16x4xf32>, %y: memref<64xf32>) {
  %a = bufferization.to_tensor %x restrict : memref<16x4xf32> to tensor<16x4xf32>
  %empty = tensor.empty() : tensor<16x4xf32>
  %e = linalg.exp ins(%a : tensor<16x4xf32>) outs(%empty : tensor<16x4xf32>) -> tensor<16x4xf32>
  %flat = tensor.collapse_shape %e [[0, 1]] : tensor<16x4xf32> into tensor<64xf32>
  bufferization.materialize_in_destination %flat in restrict writable %y : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}

// Rows that lie apart are no single dimension.

// CHECK-LABEL: func.func @stored_in_rows
// CHECK: memref.alloc() {{.*}} : memref<64xf32>
// CHECK: memref.copy
func.func @stored_in_rows(%x: memref<64xf32>, %y: memref<16x4xf32, strided<[8, 1]>>) {
  %a = bufferization.to_tensor %x restrict : memref<64xf32> to tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %e = linalg.exp ins(%a : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %rows = tensor.expand_shape %e [[0, 1]] output_shape [16, 4] : tensor<64xf32> into tensor<16x4xf32>
  bufferization.materialize_in_destination %rows in restrict writable %y : (tensor<16x4xf32>, memref<16x4xf32, strided<[8, 1]>>) -> ()
  return
}
