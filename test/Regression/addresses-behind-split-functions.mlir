// RUN: pallas-opt %s --pallas-cpu-split-functions=part-size=2 | FileCheck %s

// The bug: memory whose address later parts of a long function use moved into the first part, and ended
// with it. Semaphores of kernels that were split were overwritten.

// CHECK-LABEL: func.func @long
// CHECK: memref.alloc() : memref<i32>
// CHECK: call @long_part_0
// CHECK: call @long_part_1
// CHECK: func.func private @long_part_1
// CHECK: func.func private @long_part_0
// CHECK-NOT: memref.alloc
func.func @long(%out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %v = arith.constant 1.0 : f32
  %semaphore = memref.alloc() : memref<i32>
  memref.store %zero, %semaphore[] : memref<i32>
  %address = memref.extract_aligned_pointer_as_index %semaphore : memref<i32> -> index
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %out[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %out[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %out[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %out[%i] : memref<8xf32>
  }
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  llvm.call @pallas_rt_signal(%pointer, %zero) : (!llvm.ptr, i32) -> ()
  return
}
llvm.func @pallas_rt_signal(!llvm.ptr, i32)
