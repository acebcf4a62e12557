// RUN: pallas-opt %s --pallas-cpu-forward-to-results | FileCheck %s

// CHECK-LABEL: func.func @forwarded
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>
// CHECK-NEXT: linalg.exp ins(%[[X]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK-NEXT: return
func.func @forwarded(%x: memref<8xf32>, %r: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  memref.copy %a, %r : memref<8xf32> to memref<8xf32>
  return
}

// Something else reads the result, so it must hold its old elements until then.
// CHECK-LABEL: func.func @read_before
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @read_before(%x: memref<8xf32>, %r: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.add ins(%x, %r : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  memref.copy %a, %r : memref<8xf32> to memref<8xf32>
  return
}

// A view of the allocation is used behind the copy.
// CHECK-LABEL: func.func @used_later
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @used_later(%r: memref<8xf32>, %v: f32, %i: index) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<8xf32>)
  %view = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %a, %r : memref<8xf32> to memref<8xf32>
  memref.store %v, %view[%i] : memref<4xf32, strided<[1], offset: 4>>
  return
}

// An allocation that is copied to two results goes to neither of them.
// CHECK-LABEL: func.func @copied_twice
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-COUNT-2: memref.copy %[[A]]
// CHECK-NEXT: return
func.func @copied_twice(%r: memref<8xf32>, %s: memref<8xf32>, %v: f32) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<8xf32>)
  memref.copy %a, %r : memref<8xf32> to memref<8xf32>
  memref.copy %a, %s : memref<8xf32> to memref<8xf32>
  return
}
