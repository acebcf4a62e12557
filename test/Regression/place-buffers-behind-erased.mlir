// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-place-buffers{stack-bytes=1024}))" | FileCheck %s

// The bug: views were inserted before an allocation that had been erased.

// Buffers that the function begins with disappear while the places of others
// are still to be made.

// CHECK-LABEL: func.func @first
// CHECK-NEXT: %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<24576xi8>
// CHECK-NEXT: %[[A:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.view %[[ALL]][%[[A]]][] : memref<24576xi8> to memref<1024xf32>
// CHECK-NEXT: %[[B:.*]] = arith.constant 4096 : index
// CHECK-NEXT: memref.view %[[ALL]][%[[B]]][] : memref<24576xi8> to memref<2048xf32>
// CHECK-NEXT: %[[C:.*]] = arith.constant 12288 : index
// CHECK-NEXT: memref.view %[[ALL]][%[[C]]][] : memref<24576xi8> to memref<3072xf32>
// CHECK: memref.dealloc %[[ALL]]
func.func @first(%i: index, %v: f32) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<2048xf32>
  %c = memref.alloc() : memref<3072xf32>
  memref.store %v, %a[%i] : memref<1024xf32>
  memref.store %v, %b[%i] : memref<2048xf32>
  memref.store %v, %c[%i] : memref<3072xf32>
  return
}
