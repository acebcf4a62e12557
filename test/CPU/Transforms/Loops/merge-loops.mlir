// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-merge-loops{cpu=x86-64-v3}))" --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-merge-loops{cpu=x86-64-v3 max-ops=1}))" --split-input-file | FileCheck %s --check-prefix=LIMIT

#id = affine_map<(d0, d1) -> (d0, d1)>

// A value with two users: all three become one, and its memory disappears.

// CHECK-LABEL: func.func @chain
// CHECK-NOT: memref.alloc
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK-NOT: linalg.generic
// CHECK: return

// LIMIT-LABEL: func.func @chain
// LIMIT-COUNT-3: linalg.generic
func.func @chain(%x: memref<8x64xf32>, %out: memref<8x64xf32>, %other: memref<8x64xf32>) {
  %t = memref.alloc() : memref<8x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%t : memref<8x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %x : memref<8x64xf32>, memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %x : memref<8x64xf32>, memref<8x64xf32>) outs(%other : memref<8x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.subf %a, %b : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// The second reads elements that the first has yet to write.

// CHECK-LABEL: func.func @transposed_use
// CHECK-COUNT-2: linalg.generic
func.func @transposed_use(%x: memref<64x64xf32>, %t: memref<64x64xf32>, %out: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%out : memref<64x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Memory that somebody else sees in between keeps its place in time.

// CHECK-LABEL: func.func @seen_in_between
// CHECK: linalg.generic
// CHECK: call @look
// CHECK: linalg.generic
func.func private @look(memref<64xf32>)
func.func @seen_in_between(%x: memref<64xf32>, %t: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
  }
  call @look(%t) : (memref<64xf32>) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#map = affine_map<() -> ()>

// What reads the memory of a loop stays behind it, whatever could be merged.
// CHECK-LABEL: @read_between
func.func @read_between(%x: memref<45xf32>, %o: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c44 = arith.constant 44 : index
  %a = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [#map], iterator_types = []} outs(%a : memref<f32>) {
  ^bb0(%out: f32):
    %v = memref.load %x[%c0] : memref<45xf32>
    linalg.yield %v : f32
  }
  // CHECK: linalg.generic {{.*}} outs(%[[A:.*]] : memref<f32>)
  // CHECK: memref.load %[[A]][]
  %1 = memref.load %a[] : memref<f32>
  %b = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [#map], iterator_types = []} outs(%b : memref<f32>) {
  ^bb0(%out: f32):
    %v = memref.load %x[%c44] : memref<45xf32>
    linalg.yield %v : f32
  }
  // CHECK: linalg.generic {{.*}} outs(%[[B:.*]] : memref<f32>)
  // CHECK: memref.load %[[B]][]
  %2 = memref.load %b[] : memref<f32>
  %3 = arith.addf %1, %2 : f32
  memref.store %3, %o[%c0] : memref<1xf32>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// What repeats rows or columns joins the loop that is going to use it.

// CHECK-LABEL: func.func @scale_and_shift
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @scale_and_shift(%x: memref<8x64xf32>, %s: memref<8xf32>, %b: memref<64xf32>, %out: memref<8x64xf32>) {
  %0 = memref.alloc() : memref<8x64xf32>
  %1 = memref.alloc() : memref<8x64xf32>
  %2 = memref.alloc() : memref<8x64xf32>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<8xf32>) outs(%0 : memref<8x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : memref<8x64xf32>, memref<8x64xf32>) outs(%1 : memref<8x64xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %r = arith.mulf %a, %c : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<64xf32>) outs(%2 : memref<8x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %2 : memref<8x64xf32>, memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %r = arith.addf %a, %c : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A division by 7 traps on no lane and shares the loop of its neighbors; one by
// a value that may be zero can't be masked, and gets a loop of its own.

// CHECK-LABEL: func.func @divisions
// CHECK: linalg.generic
// CHECK: arith.divsi
// CHECK: arith.cmpi slt
// CHECK: arith.maxsi
// CHECK-NOT: linalg.generic
// CHECK: return
// CHECK-LABEL: func.func @division_by_any
// CHECK-COUNT-2: linalg.generic
func.func @divisions(%x: memref<8x64xi32>, %out: memref<8x64xi32>, %other: memref<8x64xi32>) {
  %c7 = arith.constant 7 : i32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xi32>) outs(%out : memref<8x64xi32>) {
    ^bb0(%a: i32, %o: i32):
      %r = arith.divsi %a, %c7 : i32
      linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xi32>) outs(%other : memref<8x64xi32>) {
    ^bb0(%a: i32, %o: i32):
      %less = arith.cmpi slt, %a, %c7 : i32
      %m = arith.maxsi %a, %c7 : i32
      %r = arith.select %less, %a, %m : i32
      linalg.yield %r : i32
  }
  return
}
func.func @division_by_any(%x: memref<8x64xi32>, %by: i32, %out: memref<8x64xi32>, %other: memref<8x64xi32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xi32>) outs(%out : memref<8x64xi32>) {
    ^bb0(%a: i32, %o: i32):
      %r = arith.divsi %a, %by : i32
      linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xi32>) outs(%other : memref<8x64xi32>) {
    ^bb0(%a: i32, %o: i32):
      %r = arith.maxsi %a, %by : i32
      linalg.yield %r : i32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Halves of rows are written by one loop, as nothing that one writes is read or
// written by the other; parts that overlap, or may, are not.

// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[X:[^:]*]]: memref<8x64xf32>
// CHECK-DAG: %[[LEFT:.*]] = memref.subview %{{.*}}[0, 0] [8, 64] [1, 1]
// CHECK-DAG: %[[RIGHT:.*]] = memref.subview %{{.*}}[0, 64] [8, 64] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[LEFT]], %[[RIGHT]] :
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @overlapping_parts
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func @part_at_run_time
// CHECK-COUNT-2: linalg.generic
func.func @halves(%x: memref<8x64xf32>, %out: memref<8x128xf32>) {
  %left = memref.subview %out[0, 0] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1]>>
  %right = memref.subview %out[0, 64] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1], offset: 64>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%left : memref<8x64xf32, strided<[128, 1]>>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%right : memref<8x64xf32, strided<[128, 1], offset: 64>>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.absf %a : f32
      linalg.yield %r : f32
  }
  return
}
func.func @overlapping_parts(%x: memref<8x64xf32>, %out: memref<8x128xf32>) {
  %left = memref.subview %out[0, 0] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1]>>
  %right = memref.subview %out[0, 63] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1], offset: 63>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%left : memref<8x64xf32, strided<[128, 1]>>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%right : memref<8x64xf32, strided<[128, 1], offset: 63>>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.absf %a : f32
      linalg.yield %r : f32
  }
  return
}
func.func @part_at_run_time(%x: memref<8x64xf32>, %out: memref<8x128xf32>, %at: index) {
  %left = memref.subview %out[0, 0] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1]>>
  %right = memref.subview %out[0, %at] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1], offset: ?>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%left : memref<8x64xf32, strided<[128, 1]>>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%right : memref<8x64xf32, strided<[128, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.absf %a : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// What nothing between reads or changes moves behind the maximum, to the
// operation that it shares elements with.

// CHECK-LABEL: func.func @moves_later
// CHECK-NOT: memref.alloc
// CHECK: arith.maximumf
// CHECK: linalg.generic
// CHECK: arith.subf
// CHECK: arith.divf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @moves_later(%x: memref<64x32xf32>, %low: memref<32xf32>, %high: memref<32xf32>, %out: memref<64x32xf32>) {
  %t = memref.alloc() : memref<64x32xf32>
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %low : memref<64x32xf32>, memref<32xf32>) outs(%t : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.subf %a, %b : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%high : memref<32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %a, %o : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %high : memref<64x32xf32>, memref<32xf32>) outs(%out : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Here the operation between reads what the first one writes, or changes what
// it reads.

// CHECK-LABEL: func.func @stays
// CHECK: arith.subf
// CHECK: arith.maximumf
// CHECK: arith.divf
// CHECK-LABEL: func.func @stays_before_a_write
// CHECK: arith.subf
// CHECK: arith.maximumf
// CHECK: arith.divf
func.func @stays(%x: memref<64x32xf32>, %low: memref<32xf32>, %high: memref<32xf32>, %t: memref<64x32xf32>, %out: memref<64x32xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %low : memref<64x32xf32>, memref<32xf32>) outs(%t : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.subf %a, %b : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%t : memref<64x32xf32>) outs(%high : memref<32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %a, %o : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %high : memref<64x32xf32>, memref<32xf32>) outs(%out : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
  }
  return
}
func.func @stays_before_a_write(%x: memref<64x32xf32>, %high: memref<32xf32>, %t: memref<64x32xf32>, %out: memref<64x32xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %high : memref<64x32xf32>, memref<32xf32>) outs(%t : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.subf %a, %b : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%high : memref<32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %a, %o : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %high : memref<64x32xf32>, memref<32xf32>) outs(%out : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
  }
  return
}
