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

// Sixteen iterations of forty operations, as over the parts of a block of keys in
// attention, are written out, too.
// CHECK-LABEL: func.func @sixteen
// CHECK-NOT: scf.for
// CHECK-COUNT-640: arith.subf
// CHECK: return
func.func @sixteen(%v: vector<8x128xf32>) -> vector<8x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %v) -> vector<8x128xf32> : i32 {
    %t0 = arith.subf %s, %v : vector<8x128xf32>
    %t1 = arith.subf %t0, %v : vector<8x128xf32>
    %t2 = arith.subf %t1, %v : vector<8x128xf32>
    %t3 = arith.subf %t2, %v : vector<8x128xf32>
    %t4 = arith.subf %t3, %v : vector<8x128xf32>
    %t5 = arith.subf %t4, %v : vector<8x128xf32>
    %t6 = arith.subf %t5, %v : vector<8x128xf32>
    %t7 = arith.subf %t6, %v : vector<8x128xf32>
    %t8 = arith.subf %t7, %v : vector<8x128xf32>
    %t9 = arith.subf %t8, %v : vector<8x128xf32>
    %t10 = arith.subf %t9, %v : vector<8x128xf32>
    %t11 = arith.subf %t10, %v : vector<8x128xf32>
    %t12 = arith.subf %t11, %v : vector<8x128xf32>
    %t13 = arith.subf %t12, %v : vector<8x128xf32>
    %t14 = arith.subf %t13, %v : vector<8x128xf32>
    %t15 = arith.subf %t14, %v : vector<8x128xf32>
    %t16 = arith.subf %t15, %v : vector<8x128xf32>
    %t17 = arith.subf %t16, %v : vector<8x128xf32>
    %t18 = arith.subf %t17, %v : vector<8x128xf32>
    %t19 = arith.subf %t18, %v : vector<8x128xf32>
    %t20 = arith.subf %t19, %v : vector<8x128xf32>
    %t21 = arith.subf %t20, %v : vector<8x128xf32>
    %t22 = arith.subf %t21, %v : vector<8x128xf32>
    %t23 = arith.subf %t22, %v : vector<8x128xf32>
    %t24 = arith.subf %t23, %v : vector<8x128xf32>
    %t25 = arith.subf %t24, %v : vector<8x128xf32>
    %t26 = arith.subf %t25, %v : vector<8x128xf32>
    %t27 = arith.subf %t26, %v : vector<8x128xf32>
    %t28 = arith.subf %t27, %v : vector<8x128xf32>
    %t29 = arith.subf %t28, %v : vector<8x128xf32>
    %t30 = arith.subf %t29, %v : vector<8x128xf32>
    %t31 = arith.subf %t30, %v : vector<8x128xf32>
    %t32 = arith.subf %t31, %v : vector<8x128xf32>
    %t33 = arith.subf %t32, %v : vector<8x128xf32>
    %t34 = arith.subf %t33, %v : vector<8x128xf32>
    %t35 = arith.subf %t34, %v : vector<8x128xf32>
    %t36 = arith.subf %t35, %v : vector<8x128xf32>
    %t37 = arith.subf %t36, %v : vector<8x128xf32>
    %t38 = arith.subf %t37, %v : vector<8x128xf32>
    %t39 = arith.subf %t38, %v : vector<8x128xf32>
    scf.yield %t39 : vector<8x128xf32>
  }
  return %sum : vector<8x128xf32>
}
