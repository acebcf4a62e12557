// RUN: pallas-opt %s --pallas-cpu-interchange-rows=cpu=x86-64-v3 --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Windows side by side are gone through row by row, since the array's rows are
// longer than theirs.

// CHECK-LABEL: func.func @narrow
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %c256
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c4
// CHECK: %[[START:.*]] = arith.muli %[[J]]
// CHECK: %[[WINDOW:.*]] = memref.subview %{{.*}}[0, %[[START]]] [256, 256]
// CHECK: memref.subview %[[WINDOW]][%[[ROW]], 0] [1, 256]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
func.func @narrow(%x: memref<256x1024xf32>, %y: memref<256x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %s = arith.muli %j, %c256 : index
    %in = memref.subview %x[0, %s] [256, 256] [1, 1] : memref<256x1024xf32> to memref<256x256xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[0, %s] [256, 256] [1, 1] : memref<256x1024xf32> to memref<256x256xf32, strided<[1024, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%in : memref<256x256xf32, strided<[1024, 1], offset: ?>>) outs(%out : memref<256x256xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.mulf %a, %a : f32
        linalg.yield %r : f32
    }
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Programs that write to the same place stay in order.

// CHECK-LABEL: func.func @same_place
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @same_place(%x: memref<256x1024xf32>, %y: memref<256x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %s = arith.muli %j, %c256 : index
    %in = memref.subview %x[0, %s] [256, 256] [1, 1] : memref<256x1024xf32> to memref<256x256xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[0, 0] [256, 256] [1, 1] : memref<256x1024xf32> to memref<256x256xf32, strided<[1024, 1]>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%in : memref<256x256xf32, strided<[1024, 1], offset: ?>>) outs(%out : memref<256x256xf32, strided<[1024, 1]>>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
    }
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A program that reads what another one writes stays where it is.

// CHECK-LABEL: func.func @reads_written
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @reads_written(%x: memref<256x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c3 step %c1 {
    %s = arith.muli %j, %c256 : index
    %next = arith.addi %s, %c256 : index
    %in = memref.subview %x[0, %next] [256, 256] [1, 1] : memref<256x1024xf32> to memref<256x256xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %x[0, %s] [256, 256] [1, 1] : memref<256x1024xf32> to memref<256x256xf32, strided<[1024, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%in : memref<256x256xf32, strided<[1024, 1], offset: ?>>) outs(%out : memref<256x256xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
    }
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Every other row of 16 belongs to a program, so two programs write to each.

// CHECK-LABEL: func.func @steps
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @steps(%x: memref<8x64xf32>, %y: memref<1024x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %s = arith.muli %j, %c8 : index
    %out = memref.subview %y[%s, 0] [8, 64] [2, 1] : memref<1024x1024xf32> to memref<8x64xf32, strided<[2048, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<8x64xf32>) outs(%out : memref<8x64xf32, strided<[2048, 1], offset: ?>>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
    }
  }
  return
}
