// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-reduce-by-rows{cpu=x86-64-v3}))" | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-reduce-by-rows{cpu=x86-64-v3},pallas-cpu-lower-linalg{cpu=x86-64-v3}))" | FileCheck %s --check-prefix=AVX2

// Columns of many rows that lie pages apart are summed up a few rows at a time;
// those of a small array in one go.

// CHECK-LABEL: func.func @long_columns
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c512{{.*}} step %c16
// CHECK: %[[ROWS:.*]] = memref.subview %{{.*}}[%[[I]], 0] [16, 1024] [1, 1]
// CHECK: linalg.reduce ins(%[[ROWS]] {{.*}} dimensions = [0]
// CHECK-LABEL: func.func @short_columns
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @functions_of_columns
// CHECK-NOT: scf.for
// AVX2-LABEL: func.func @long_columns
// AVX2: scf.for %[[I:.*]] = %{{.*}} to %c512{{.*}} step %c16
// AVX2: memref.subview %{{.*}}[%[[I]], 0] [16, 1024] [1, 1]
// AVX2: scf.for %{{.*}} = %{{.*}} to %c1024{{.*}} step %c64
// AVX2: scf.for %{{.*}} = %{{.*}} to %c16{{.*}} step %c1{{.*}} iter_args
// AVX2-LABEL: func.func @short_columns
// AVX2-NOT: memref.subview
// AVX2: scf.for %{{.*}} = %{{.*}} to %c1024{{.*}} step %c64
// AVX2: scf.for %{{.*}} = %{{.*}} to %c32{{.*}} step %c1{{.*}} iter_args
// AVX2-LABEL: func.func @functions_of_columns
// AVX2-NOT: memref.subview
// AVX2: memref.prefetch
func.func @long_columns(%x: memref<512x1024xf32>, %y: memref<1024xf32>) {
  linalg.reduce ins(%x : memref<512x1024xf32>) outs(%y : memref<1024xf32>) dimensions = [0]
    (%a: f32, %o: f32) {
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    }
  return
}
func.func @short_columns(%x: memref<32x1024xf32>, %y: memref<1024xf32>) {
  linalg.reduce ins(%x : memref<32x1024xf32>) outs(%y : memref<1024xf32>) dimensions = [0]
    (%a: f32, %o: f32) {
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    }
  return
}

func.func @functions_of_columns(%x: memref<512x1024xf32>, %y: memref<1024xf32>) {
  linalg.reduce ins(%x : memref<512x1024xf32>) outs(%y : memref<1024xf32>) dimensions = [0]
    (%a: f32, %o: f32) {
      %e = math.exp %a : f32
      %s = arith.addf %e, %o : f32
      linalg.yield %s : f32
    }
  return
}
