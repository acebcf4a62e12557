// RUN: pallas-opt %s --pass-pipeline='builtin.module(func.func(pallas-cpu-fetch-next-rows))' --split-input-file | FileCheck %s

// The exponential takes longest, so that it fetches what the next row reads and writes.

// CHECK-LABEL: func.func @exponentials
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4096
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// CHECK: %[[READ:.*]] = memref.subview %{{.*}}[%[[NEXT]], 0] [1, 1024] [1, 1]
// CHECK: %[[LATER:.*]] = arith.addi %[[ROW]], %c1
// CHECK: %[[WRITTEN:.*]] = memref.subview %{{.*}}[%[[LATER]], 0] [1, 1024] [1, 1]
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %[[J:.*]] =
// CHECK: memref.prefetch %[[READ]][%[[J]]], read, locality<2>, data
// CHECK: %[[SECOND:.*]] = arith.addi %[[J]], %c16
// CHECK-NEXT: memref.prefetch %[[READ]][%[[SECOND]]], read
// CHECK: memref.prefetch %[[WRITTEN]][%[[J]]], read
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @exponentials(%x: memref<4096x1024xf32>, %y: memref<4096x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  scf.for %i = %c0 to %c4096 step %c1 {
    %in = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<4096x1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<4096x1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %largest = scf.for %j = %c0 to %c1024 step %c32 iter_args(%m = %zero) -> vector<32xf32> {
      %v = vector.load %in[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      %n = arith.maximumf %m, %v : vector<32xf32>
      scf.yield %n : vector<32xf32>
    }
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.load %in[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      %d = arith.subf %v, %largest : vector<32xf32>
      %e = math.exp %d : vector<32xf32>
      vector.store %e, %out[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
    }
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.load %out[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      %t = arith.addf %v, %v : vector<32xf32>
      vector.store %t, %out[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
    }
  }
  return
}

// -----

// Blocks of one row each are rows of a loop over programs. A loop of few
// instructions fetches what it reads only.

// CHECK-LABEL: func.func @programs
// CHECK: scf.parallel (%[[PROGRAM:.*]]) =
// CHECK: %[[AT:.*]] = arith.muli %[[PROGRAM]], %c2
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c2
// CHECK: %[[READ:.*]] = memref.subview %{{.*}}[%[[NEXT]], 0] [1, 1024] [1, 1]
// CHECK: scf.for
// CHECK: scf.for %[[J:.*]] =
// CHECK: memref.prefetch %[[READ]][%c0{{.*}}, %[[J]]], read
// CHECK: memref.prefetch %[[READ]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @programs(%x: memref<4096x1024xf32>, %y: memref<4096x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  scf.parallel (%p) = (%c0) to (%c2048) step (%c1) {
    %i = arith.muli %p, %c2 : index
    %in = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<4096x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    %flat = memref.collapse_shape %in [[0, 1]] : memref<1x1024xf32, strided<[1024, 1], offset: ?>> into memref<1024xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<4096x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    %sum = scf.for %j = %c0 to %c1024 step %c32 iter_args(%m = %zero) -> vector<32xf32> {
      %v = vector.load %flat[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      %n = arith.addf %m, %v : vector<32xf32>
      scf.yield %n : vector<32xf32>
    }
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.load %in[%c0, %j] : memref<1x1024xf32, strided<[1024, 1], offset: ?>>, vector<32xf32>
      %d = arith.mulf %v, %sum : vector<32xf32>
      vector.store %d, %out[%c0, %j] : memref<1x1024xf32, strided<[1024, 1], offset: ?>>, vector<32xf32>
    }
    scf.reduce
  }
  return
}

// -----

// A single loop over a row reads ahead by itself, and caches keep arrays of 4 MB.

// CHECK-LABEL: func.func @nothing
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @nothing(%x: memref<4096x1024xf32>, %y: memref<1024x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<4096x1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.load %row[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      vector.store %v, %row[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
    }
  }
  scf.for %i = %c0 to %c1024 step %c1 {
    %row = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<1024x1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.load %row[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      vector.store %v, %row[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
    }
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.load %row[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
      %e = math.exp %v : vector<32xf32>
      vector.store %e, %row[%j] : memref<1024xf32, strided<[1], offset: ?>>, vector<32xf32>
    }
  }
  return
}

// -----

// Rows of indices have no width that is known here.

// CHECK-LABEL: func.func @indices
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @indices(%x: memref<4096x1024xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<4096x1024xindex> to memref<1024xindex, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c1024 step %c8 {
      %v = vector.load %row[%j] : memref<1024xindex, strided<[1], offset: ?>>, vector<8xindex>
      vector.store %v, %row[%j] : memref<1024xindex, strided<[1], offset: ?>>, vector<8xindex>
    }
    scf.for %j = %c0 to %c1024 step %c8 {
      %v = vector.load %row[%j] : memref<1024xindex, strided<[1], offset: ?>>, vector<8xindex>
      vector.store %v, %row[%j] : memref<1024xindex, strided<[1], offset: ?>>, vector<8xindex>
    }
  }
  return
}
