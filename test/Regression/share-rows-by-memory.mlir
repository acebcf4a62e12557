// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-share-rows{cpu=x86-64-v3 cache-bytes=16384},pallas-cpu-interchange-rows{cpu=x86-64-v3}))" --split-input-file | FileCheck %s

// The bug: rows of a buffer were known by the buffer alone, though operations go along different
// dimensions of it.

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d0, d1)>
#middle = affine_map<(d0, d1, d2) -> (d1)>

// One sum goes through the first dimension of what both read, the other one
// through the second, so iteration i sees x[i, :, :] and x[:, i, :].

// CHECK-LABEL: func.func @two_axes
// CHECK-SAME: %[[X:[^:]*]]: memref<16x16x128xf32>,
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c16
// CHECK: %[[ROW:.*]] = memref.subview %[[X]][%[[I]], 0, 0] [1, 16, 128]
// CHECK: %[[COLUMN:.*]] = memref.subview %[[X]][0, %[[I]], 0] [16, 1, 128]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : memref<16x128xf32, strided<[128, 1], offset: ?>>)
// CHECK: linalg.generic {{.*}} ins(%[[COLUMN]] : memref<16x128xf32, strided<[2048, 1], offset: ?>>)
func.func @two_axes(%x: memref<16x16x128xf32>, %a: memref<16x16xf32>, %b: memref<16xf32>) {
  linalg.generic {indexing_maps = [#id, #last], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<16x16x128xf32>) outs(%a : memref<16x16xf32>) {
    ^bb0(%e: f32, %o: f32):
      %r = arith.addf %o, %e : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #middle], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : memref<16x16x128xf32>) outs(%b : memref<16xf32>) {
    ^bb0(%e: f32, %o: f32):
      %r = arith.addf %o, %e : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swapped = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#last = affine_map<(d0, d1, d2) -> (d0, d1)>

// So does one operation that reads one array in two ways.

// CHECK-LABEL: func.func @two_operands
// CHECK-SAME: %[[X:[^:]*]]: memref<16x16x128xf32>,
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c16
// CHECK: %[[ROW:.*]] = memref.subview %[[X]][%[[I]], 0, 0] [1, 16, 128]
// CHECK: %[[COLUMN:.*]] = memref.subview %[[X]][0, %[[I]], 0] [16, 1, 128]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %c16
// CHECK-DAG: %[[A:.*]] = memref.subview %[[ROW]][%[[K]], 0] [1, 128]
// CHECK-DAG: %[[B:.*]] = memref.subview %[[COLUMN]][%[[K]], 0] [1, 128]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] :
func.func @two_operands(%x: memref<16x16x128xf32>, %y: memref<16x16x128xf32>, %a: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#id, #swapped, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %x : memref<16x16x128xf32>, memref<16x16x128xf32>) outs(%y : memref<16x16x128xf32>) {
    ^bb0(%e: f32, %f: f32, %o: f32):
      %r = arith.subf %e, %f : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #last], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : memref<16x16x128xf32>) outs(%a : memref<16x16xf32>) {
    ^bb0(%e: f32, %o: f32):
      %r = arith.addf %o, %e : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swapped = affine_map<(d0, d1, d2) -> (d1, d0, d2)>

// So do programs on windows side by side.

// CHECK-LABEL: func.func @narrow_two_operands
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %c8
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c4
// CHECK: %[[WINDOW:.*]] = memref.subview %{{.*}}[0, 0, %{{.*}}] [8, 8, 64]
// CHECK: memref.subview %[[WINDOW]][%[[ROW]], 0, 0] [1, 8, 64]
// CHECK: memref.subview %[[WINDOW]][0, %[[ROW]], 0] [8, 1, 64]
func.func @narrow_two_operands(%x: memref<8x8x256xf32>, %y: memref<8x8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %s = arith.muli %j, %c64 : index
    %in = memref.subview %x[0, 0, %s] [8, 8, 64] [1, 1, 1] : memref<8x8x256xf32> to memref<8x8x64xf32, strided<[2048, 256, 1], offset: ?>>
    %out = memref.subview %y[0, 0, %s] [8, 8, 64] [1, 1, 1] : memref<8x8x256xf32> to memref<8x8x64xf32, strided<[2048, 256, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #swapped, #id], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%in, %in : memref<8x8x64xf32, strided<[2048, 256, 1], offset: ?>>, memref<8x8x64xf32, strided<[2048, 256, 1], offset: ?>>)
        outs(%out : memref<8x8x64xf32, strided<[2048, 256, 1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %r = arith.subf %a, %b : f32
        linalg.yield %r : f32
    }
  }
  return
}
