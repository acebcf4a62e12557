// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-place-buffers{stack-bytes=1024}))" | FileCheck %s

// The bug: memory that code frees was given another place, so an address inside of a block was
// freed.

// Memory that is freed has its place, such as that of this pass: the address of
// another place could not be freed.

// CHECK-LABEL: func.func @freed
// CHECK: %[[SMALL:.*]] = memref.alloc() : memref<16xf32>
// CHECK: %[[LARGE:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NOT: memref.view
// CHECK: memref.dealloc %[[SMALL]]
// CHECK: %[[CAST:.*]] = memref.cast %[[LARGE]]
// CHECK: memref.dealloc %[[CAST]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @freed(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<16xf32>
  %large = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %small[%c0] : memref<16xf32>
  memref.store %v, %large[%c0] : memref<?xf32>
  memref.dealloc %small : memref<16xf32>
  %cast = memref.cast %large : memref<?xf32> to memref<*xf32>
  memref.dealloc %cast : memref<*xf32>
  return
}
