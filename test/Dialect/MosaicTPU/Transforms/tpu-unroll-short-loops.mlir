// RUN: pallas-opt %s --tpu-unroll-short-loops=chip=v5e | FileCheck %s

// A few short iterations are written out; a hundred become twenty of five.
// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.for
// CHECK-COUNT-4: arith.addf
// CHECK: arith.constant 5 : i32
// CHECK: scf.for
// CHECK-COUNT-5: arith.mulf
// CHECK-NOT: arith.mulf
func.func @few(%v: vector<8x128xf32>) -> vector<8x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c100 = arith.constant 100 : i32
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %v) -> vector<8x128xf32> : i32 {
    %t = arith.addf %s, %s : vector<8x128xf32>
    scf.yield %t : vector<8x128xf32>
  }
  %product = scf.for %i = %c0 to %c100 step %c1 iter_args(%s = %sum) -> vector<8x128xf32> : i32 {
    %t = arith.mulf %s, %s : vector<8x128xf32>
    scf.yield %t : vector<8x128xf32>
  }
  return %product : vector<8x128xf32>
}

// Iterations that wait stay, and so do those that the compiler overlaps.
// CHECK-LABEL: func.func @waits
// CHECK: scf.for
// CHECK: tpu.sem_wait
// CHECK: scf.for
// CHECK: sc.parallel_access
func.func @waits(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %m: memref<4xi32, #tpu.memory_space<smem>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    tpu.sem_wait %s, %c1 : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  }
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %at = arith.index_cast %i : i32 to index
    memref.store %i, %m[%at] : memref<4xi32, #tpu.memory_space<smem>>
  } {sc.parallel_access}
  return
}
