// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s

// The condition writes shared memory, which conditions of loops may not. It is
// computed in front of the loop, and at the end of the body for the next turn.

// CHECK-LABEL: func.func @count(
// CHECK: %[[S:[a-z0-9]+]]: !pallas.ref<i32, smem>) {
// CHECK: pallas.swap %[[S]][...], %[[ZERO:.*]] :
// CHECK: %[[FIRST:.*]] = arith.cmpi slt
// CHECK: %[[N:.*]] = scf.while (%[[MORE:.*]] = %[[FIRST]], %[[I:.*]] = %[[ZERO]]) : (i1, i32) -> i32 {
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[I]] : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[J:.*]]: i32):
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[J]],
// CHECK-NEXT: pallas.swap %[[S]][...], %[[NEXT]] :
// CHECK: %[[AGAIN:.*]] = arith.cmpi slt
// CHECK-NEXT: scf.yield %[[AGAIN]], %[[NEXT]] : i1, i32
// CHECK: pallas.swap %[[S]][...], %[[N]] :
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  func.func @count_mosaic_gpu(%x: memref<128x32xf32>, %o: memref<128x32xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c4_i32 = arith.constant 4 : i32
    %bytes = arith.constant 1024 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
      %n = scf.while (%i = %c0_i32) : (i32) -> i32 {
        memref.store %i, %s[] : memref<i32, #gpu.address_space<workgroup>>
        %v = memref.load %s[] : memref<i32, #gpu.address_space<workgroup>>
        %more = arith.cmpi slt, %v, %c4_i32 : i32
        scf.condition(%more) %i : i32
      } do {
      ^bb0(%i: i32):
        %j = arith.addi %i, %c1_i32 : i32
        scf.yield %j : i32
      }
      memref.store %n, %s[] : memref<i32, #gpu.address_space<workgroup>>
      gpu.terminator
    }
    return
  }
}
