// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-clip-edges))" | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Of a window at the end of an array, what the array has is computed in place.

// CHECK-LABEL: func.func @edge
// CHECK-SAME: %[[X:.*]]: memref<40x50xf32>, %[[OUT:.*]]: memref<40x50xf32>, %[[AT:.*]]: index, %[[ROWS:.*]]: index, %{{.*}}: i1)
// CHECK-NOT: scf.if
// CHECK-DAG: %[[PART:.*]] = memref.subview %[[X]][%[[AT]], 0] [%[[ROWS]], 50] [1, 1]
// CHECK-DAG: %[[FILLED:.*]] = memref.subview %[[OUT]][%[[AT]], 0] [%[[ROWS]], 50] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[PART]] : {{.*}}) outs(%[[FILLED]] :
// CHECK-NOT: scf.if
// CHECK: return
func.func @edge(%x: memref<40x50xf32>, %out: memref<40x50xf32>, %at: index, %rows: index, %fits: i1) {
  %true = arith.constant true
  %in = scf.if %fits -> (memref<16x50xf32, strided<[50, 1], offset: ?>>) {
    %part = memref.subview %x[%at, 0] [16, 50] [1, 1] : memref<40x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %part : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } else {
    %copy = memref.alloc() : memref<16x50xf32>
    %part = memref.subview %x[%at, 0] [%rows, 50] [1, 1] : memref<40x50xf32> to memref<?x50xf32, strided<[50, 1], offset: ?>>
    %own = memref.subview %copy[0, 0] [%rows, 50] [1, 1] : memref<16x50xf32> to memref<?x50xf32, strided<[50, 1]>>
    memref.copy %part, %own : memref<?x50xf32, strided<[50, 1], offset: ?>> to memref<?x50xf32, strided<[50, 1]>>
    %window = memref.cast %copy : memref<16x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %window : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } {pallas.edge = "input"}
  %filled = scf.if %fits -> (memref<16x50xf32, strided<[50, 1], offset: ?>>) {
    %part = memref.subview %out[%at, 0] [16, 50] [1, 1] : memref<40x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %part : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } else {
    %copy = memref.alloc() : memref<16x50xf32>
    %window = memref.cast %copy : memref<16x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %window : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } {pallas.edge = "output"}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%in : memref<16x50xf32, strided<[50, 1], offset: ?>>) outs(%filled : memref<16x50xf32, strided<[50, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.absf %a : f32
      linalg.yield %r : f32
  }
  %is_copy = arith.xori %fits, %true : i1
  scf.if %is_copy {
    %part = memref.subview %out[%at, 0] [%rows, 50] [1, 1] : memref<40x50xf32> to memref<?x50xf32, strided<[50, 1], offset: ?>>
    %own = memref.subview %filled[0, 0] [%rows, 50] [1, 1] : memref<16x50xf32, strided<[50, 1], offset: ?>> to memref<?x50xf32, strided<[50, 1], offset: ?>>
    memref.copy %own, %part : memref<?x50xf32, strided<[50, 1], offset: ?>> to memref<?x50xf32, strided<[50, 1], offset: ?>>
  }
  return
}

// Something sees the array before the results are copied back to it.
// CHECK-LABEL: func.func @read_before_write_back
// CHECK-COUNT-3: scf.if
func.func @read_before_write_back(%x: memref<40x50xf32>, %out: memref<40x50xf32>, %at: index, %rows: index, %fits: i1) {
  %true = arith.constant true
  %in = scf.if %fits -> (memref<16x50xf32, strided<[50, 1], offset: ?>>) {
    %part = memref.subview %x[%at, 0] [16, 50] [1, 1] : memref<40x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %part : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } else {
    %copy = memref.alloc() : memref<16x50xf32>
    %part = memref.subview %x[%at, 0] [%rows, 50] [1, 1] : memref<40x50xf32> to memref<?x50xf32, strided<[50, 1], offset: ?>>
    %own = memref.subview %copy[0, 0] [%rows, 50] [1, 1] : memref<16x50xf32> to memref<?x50xf32, strided<[50, 1]>>
    memref.copy %part, %own : memref<?x50xf32, strided<[50, 1], offset: ?>> to memref<?x50xf32, strided<[50, 1]>>
    %window = memref.cast %copy : memref<16x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %window : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } {pallas.edge = "input"}
  %filled = scf.if %fits -> (memref<16x50xf32, strided<[50, 1], offset: ?>>) {
    %part = memref.subview %out[%at, 0] [16, 50] [1, 1] : memref<40x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %part : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } else {
    %copy = memref.alloc() : memref<16x50xf32>
    %window = memref.cast %copy : memref<16x50xf32> to memref<16x50xf32, strided<[50, 1], offset: ?>>
    scf.yield %window : memref<16x50xf32, strided<[50, 1], offset: ?>>
  } {pallas.edge = "output"}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%in : memref<16x50xf32, strided<[50, 1], offset: ?>>) outs(%filled : memref<16x50xf32, strided<[50, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.absf %a : f32
      linalg.yield %r : f32
  }
  %early = memref.load %out[%at, %at] : memref<40x50xf32>
  memref.store %early, %x[%at, %at] : memref<40x50xf32>
  %is_copy = arith.xori %fits, %true : i1
  scf.if %is_copy {
    %part = memref.subview %out[%at, 0] [%rows, 50] [1, 1] : memref<40x50xf32> to memref<?x50xf32, strided<[50, 1], offset: ?>>
    %own = memref.subview %filled[0, 0] [%rows, 50] [1, 1] : memref<16x50xf32, strided<[50, 1], offset: ?>> to memref<?x50xf32, strided<[50, 1], offset: ?>>
    memref.copy %own, %part : memref<?x50xf32, strided<[50, 1], offset: ?>> to memref<?x50xf32, strided<[50, 1], offset: ?>>
  }
  return
}
