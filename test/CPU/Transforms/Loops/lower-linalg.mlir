// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-linalg{cpu=x86-64}))" --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-linalg{cpu=x86-64-v4}))" --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-linalg{cpu=x86-64-v3}))" --split-input-file | FileCheck %s --check-prefix=AVX2

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// A transposed input is read by squares, which are transposed in registers.

// CHECK-LABEL: func.func @transpose
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store
func.func @transpose(%x: memref<8x12xf32>, %y: memref<12x8xf32>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x12xf32>) outs(%y : memref<12x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// Where there are 32 registers of 64 bytes, rows of squares of narrow elements
// are lines of the cache.

// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-8: vector.load %{{.*}}, vector<8xbf16>
// WIDE-LABEL: func.func @narrow
// WIDE-COUNT-32: vector.load %{{.*}}, vector<32xbf16>
// WIDE-COUNT-160: vector.shuffle
// WIDE-NOT: vector.shuffle
// WIDE-COUNT-32: vector.store %{{.*}}, vector<32xbf16>
func.func @narrow(%x: memref<64x96xbf16>, %y: memref<96x64xbf16>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x96xbf16>) outs(%y : memref<96x64xbf16>) {
    ^bb0(%a: bf16, %o: bf16):
      linalg.yield %a : bf16
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// Other inputs are read along the output.

// CHECK-LABEL: func.func @add
// CHECK-COUNT-8: vector.shuffle
// CHECK: vector.load
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: vector.store
func.func @add(%x: memref<8x12xf32>, %b: memref<12x8xf32>, %y: memref<12x8xf32>) {
  linalg.generic {indexing_maps = [#transposed, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<8x12xf32>, memref<12x8xf32>) outs(%y : memref<12x8xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %r = arith.addf %a, %c : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// Where there are no whole squares, elements are gathered.

// CHECK-LABEL: func.func @ragged
// CHECK-NOT: vector.shuffle
// CHECK: memref.load
func.func @ragged(%x: memref<8x7xf32>, %y: memref<7x8xf32>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x7xf32>) outs(%y : memref<7x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  }
  return
}

// -----

// Short rows are reduced as many at once as there are lanes; what is left over
// goes one by one.

// CHECK-LABEL: func.func @short_rows
// CHECK: scf.for
// CHECK: %[[ALL:.*]] = vector.load %{{.*}} : memref<10x3xf32>, vector<12xf32>
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [0, 3, 6, 9]
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [1, 4, 7, 10]
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [2, 5, 8, 11]
// CHECK: vector.store
// CHECK: scf.for
// CHECK: memref.load
// Fewer rows than lanes are not.
// WIDE-LABEL: func.func @short_rows
// WIDE-NOT: vector.shuffle
func.func @short_rows(%x: memref<10x3xf32>, %y: memref<10xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<10x3xf32>) outs(%y : memref<10xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %a, %o : f32
      linalg.yield %r : f32
  }
  return
}

// -----

// Where masked stores are slow, a store that keeps some lanes is one of all
// lanes first. Halves have no masked stores.

// CHECK-LABEL: func.func @kept_lanes
// CHECK-NOT: scf.if
// WIDE-LABEL: func.func @kept_lanes
// WIDE-NOT: scf.if
// AVX2-LABEL: func.func @kept_lanes
// AVX2: %[[CHOSEN:.*]] = arith.select %[[MASK:.*]], %[[NEW:.*]], %{{.*}} : vector<8xi1>
// AVX2: %[[ALL:.*]] = vector.reduction <and>, %[[MASK]] : vector<8xi1> into i1
// AVX2-NEXT: scf.if %[[ALL]] {
// AVX2-NEXT: vector.store %[[NEW]], %[[Y:.*]][%[[I:.*]]] : memref<64xf32>, vector<8xf32>
// AVX2-NEXT: } else {
// AVX2-NEXT: vector.store %[[CHOSEN]], %[[Y]][%[[I]]]
func.func @kept_lanes(%n: i32, %x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %at = arith.index_cast %i : index to i32
      %twice = arith.addf %a, %a : f32
      %more = arith.mulf %twice, %a : f32
      %again = arith.mulf %more, %twice : f32
      %other = arith.subf %again, %more : f32
      %sum = arith.addf %other, %a : f32
      %inside = arith.cmpi slt, %at, %n : i32
      %r = arith.select %inside, %sum, %o : f32
      linalg.yield %r : f32
  }
  return
}

// -----

// AVX2-LABEL: func.func @kept_halves
// AVX2-NOT: scf.if
func.func @kept_halves(%n: i16, %x: memref<64xi16>, %y: memref<64xi16>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xi16>) outs(%y : memref<64xi16>) {
    ^bb0(%a: i16, %o: i16):
      %less = arith.cmpi slt, %a, %n : i16
      %r = arith.select %less, %a, %o : i16
      linalg.yield %r : i16
  }
  return
}

// -----

// Short rows that lie pages apart are fetched ahead, with AVX2. An extremum of
// floats is three bounds later, for which four registers each are left.

// AVX2-LABEL: func.func @far_rows
// AVX2: scf.for %[[I:[a-z0-9]+]] = {{.*}} -> (vector<32xf32>)
// AVX2: %[[LATER:.*]] = arith.addi %[[I]], %c16
// AVX2: memref.prefetch %{{.*}}[%[[LATER]], %{{.*}}], read, locality<2>, data
// AVX2: memref.prefetch %{{.*}}[%[[LATER]], %{{.*}}], read, locality<2>, data
// AVX2-NOT: memref.prefetch
// AVX2: arith.maximumf %{{.*}} : vector<32xf32>
// AVX2: scf.for %[[I:[a-z0-9]+]] =
// AVX2: %[[LATER:.*]] = arith.addi %[[I]], %c16
// AVX2-COUNT-2: memref.prefetch %{{.*}}[%[[LATER]], %{{.*}}], read, locality<2>, data
// AVX2: %[[FILLED:.*]] = arith.addi %[[I]], %c16
// AVX2-COUNT-2: memref.prefetch %{{.*}}[%[[FILLED]], %{{.*}}], write, locality<2>, data
// AVX2: return
// WIDE-LABEL: func.func @far_rows
// WIDE-NOT: memref.prefetch
// WIDE: arith.maximumf %{{.*}} : vector<32xf32>
func.func @far_rows(%x: memref<1024x32xf32, strided<[1024, 1]>>, %m: memref<32xf32>, %y: memref<1024x32xf32, strided<[1024, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<1024x32xf32, strided<[1024, 1]>>) outs(%m : memref<32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.maximumf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1024x32xf32, strided<[1024, 1]>>) outs(%y : memref<1024x32xf32, strided<[1024, 1]>>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// Rows in one piece, and few of them, need no fetching, however far they are
// apart.

// AVX2-LABEL: func.func @near_rows
// AVX2-NOT: memref.prefetch
// AVX2: return
func.func @near_rows(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %z: memref<64x64xf32, strided<[1024, 1]>>, %w: memref<8x64xf32, strided<[32768, 1]>>) {
  linalg.exp ins(%x : memref<4096x64xf32>) outs(%y : memref<4096x64xf32>)
  linalg.exp ins(%z : memref<64x64xf32, strided<[1024, 1]>>) outs(%z : memref<64x64xf32, strided<[1024, 1]>>)
  linalg.exp ins(%w : memref<8x64xf32, strided<[32768, 1]>>) outs(%w : memref<8x64xf32, strided<[32768, 1]>>)
  return
}

// -----

// Short rows are written many at once. What there is once for each is computed
// before it is repeated.

// AVX2-LABEL: func.func @short_rows
// AVX2: scf.for %[[J:.*]] = %{{.*}} to %c64{{.*}} step %c8
// AVX2: %[[SCALE:.*]] = vector.load %{{.*}}[%{{.*}}, %[[J]]] : memref<16x64xf32>, vector<8xf32>
// AVX2: %[[ALL:.*]] = vector.load %{{.*}}[%{{.*}}, %[[J]], %c0{{.*}}] : memref<16x64x2xf32>, vector<16xf32>
// AVX2: %[[EXP:.*]] = math.exp %[[SCALE]] : vector<8xf32>
// AVX2: %[[TWICE:.*]] = vector.shuffle %[[EXP]], %[[EXP]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// AVX2: %[[Y:.*]] = arith.mulf %[[TWICE]], %[[ALL]] : vector<16xf32>
// AVX2: vector.store %[[Y]], %{{.*}}[%{{.*}}, %[[J]], %c0{{.*}}] : memref<16x64x2xf32>, vector<16xf32>
// AVX2-NOT: memref.load
func.func @short_rows(%scale: memref<16x64xf32>, %x: memref<16x64x2xf32>, %y: memref<16x64x2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scale, %x : memref<16x64xf32>, memref<16x64x2xf32>) outs(%y : memref<16x64x2xf32>) {
    ^bb0(%s: f32, %a: f32, %o: f32):
      %e = math.exp %s : f32
      %p = arith.mulf %e, %a : f32
      linalg.yield %p : f32
  }
  return
}

// -----

// Places in a short row are constants. Rows behind the last vector are written
// element by element.

// AVX2-LABEL: func.func @interleaved_rows
// AVX2: %[[PLACES:.*]] = arith.constant dense<[0, 1, 2, 0, 1, 2,
// AVX2: arith.addi %{{.*}}, %[[PLACES]] : vector<24xindex>
// AVX2: scf.for %{{.*}} = %{{.*}} to %c64{{.*}} step %c8
// AVX2: arith.select %{{.*}} : vector<24xi1>, vector<24xf32>
// AVX2: vector.store %{{.*}} : memref<70x3xf32>, vector<24xf32>
// AVX2: scf.for %[[I:.*]] = %c64{{.*}} to %c70
// AVX2: scf.for %[[K:.*]] = %c0{{.*}} to %c3
// AVX2: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[K]]] : memref<70x3xf32>
func.func @interleaved_rows(%x: memref<70xf32>, %y: memref<70xf32>, %z: memref<70x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<70xf32>, memref<70xf32>) outs(%z : memref<70x3xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %c1 = arith.constant 1 : index
      %place = linalg.index 1 : index
      %is = arith.cmpi eq, %place, %c1 : index
      %r = arith.select %is, %a, %b : f32
      linalg.yield %r : f32
  }
  return
}

// -----

// Every second element is taken from vectors of all of them, which end with the
// last one that is wanted. Behind the last whole vector, elements are read one
// by one.

// AVX2-LABEL: func.func @every_second
// AVX2: %[[LOW:.*]] = vector.load %{{.*}} : memref<32xf32, strided<[1], offset: ?>>, vector<32xf32>
// AVX2: %[[FIRST:.*]] = vector.shuffle %[[LOW]], %[[LOW]] [32, 34, 36,
// AVX2: %[[AT:.*]] = arith.addi %{{.*}}, %c31{{.*}} : index
// AVX2: memref.reinterpret_cast %{{.*}} to offset: [%[[AT]]], sizes: [32], strides: [1]
// AVX2: %[[HIGH:.*]] = vector.load %{{.*}} : memref<32xf32, strided<[1], offset: ?>>, vector<32xf32>
// AVX2: vector.shuffle %[[FIRST]], %[[HIGH]] [0, 1, 2,{{.*}} 14, 15, 33, 35, 37,
// AVX2: memref.load
// AVX2-LABEL: func.func @every_fifth
// AVX2-NOT: vector.load
// AVX2: return
func.func @every_second(%x: memref<40xf32, strided<[2], offset: 1>>, %y: memref<40xf32>) {
  linalg.exp ins(%x : memref<40xf32, strided<[2], offset: 1>>) outs(%y : memref<40xf32>)
  return
}
func.func @every_fifth(%x: memref<40xf32, strided<[5], offset: 1>>, %y: memref<40xf32>) {
  linalg.exp ins(%x : memref<40xf32, strided<[5], offset: 1>>) outs(%y : memref<40xf32>)
  return
}

// -----

// What the body reads side by side is a vector, also behind a start that all
// lanes have, and masked behind the last whole one. A choice that a row has in
// common stays one condition.

// AVX2-LABEL: func.func @rows_at_places
// AVX2: %[[ROW:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<4xindex>
// AVX2: scf.for %[[J:.*]] = %{{.*}} to %c64{{.*}} step %c32
// AVX2: %[[AT:.*]] = arith.addi %[[ROW]], %[[J]] : index
// AVX2: %[[ROWS:.*]] = vector.load %{{.*}}[%[[ROW]], %[[AT]]] : memref<8x128xf32>, vector<32xf32>
// AVX2: arith.select %{{.*}}, %[[ROWS]], %{{.*}} : vector<32xf32>
// AVX2: vector.maskedload %{{.*}} : memref<8x128xf32>
// AVX2-LABEL: func.func @columns_at_places
// AVX2-COUNT-32: memref.load %{{.*}} : memref<128x8xf32>
// AVX2: vector.from_elements
// AVX2: return
func.func @rows_at_places(%x: memref<8x128xf32>, %places: memref<4xindex>, %chosen: memref<4xi1>, %y: memref<4x72xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%places, %chosen : memref<4xindex>, memref<4xi1>) outs(%y : memref<4x72xf32>) {
  ^bb0(%place: index, %isChosen: i1, %out: f32):
    %j = linalg.index 1 : index
    %at = arith.addi %place, %j : index
    %v = memref.load %x[%place, %at] : memref<8x128xf32>
    %zero = arith.constant 0.0 : f32
    %r = arith.select %isChosen, %v, %zero : f32
    linalg.yield %r : f32
  }
  return
}
func.func @columns_at_places(%x: memref<128x8xf32>, %places: memref<4xindex>, %y: memref<4x32xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%places : memref<4xindex>) outs(%y : memref<4x32xf32>) {
  ^bb0(%place: index, %out: f32):
    %j = linalg.index 1 : index
    %v = memref.load %x[%j, %place] : memref<128x8xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

// The rest of a row is one masked vector where no lane can trap: a remainder by
// 7 is masked, one by what may be zero is not.

// AVX2-LABEL: func.func @remainders
// AVX2: vector.create_mask
// AVX2: arith.remsi %{{.*}} : vector<
// AVX2: return
// AVX2-LABEL: func.func @remainders_by_any
// AVX2-NOT: vector.create_mask
// AVX2: arith.remsi %{{.*}} : i32
// AVX2: return
func.func @remainders(%x: memref<13xi32>, %z: memref<13xi32>) {
  %c7 = arith.constant 7 : i32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<13xi32>) outs(%z : memref<13xi32>) {
    ^bb0(%a: i32, %o: i32):
      %r = arith.remsi %a, %c7 : i32
      linalg.yield %r : i32
  }
  return
}
func.func @remainders_by_any(%x: memref<13xi32>, %y: memref<13xi32>, %z: memref<13xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %y : memref<13xi32>, memref<13xi32>) outs(%z : memref<13xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %r = arith.remsi %a, %b : i32
      linalg.yield %r : i32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// The squares of a line of the cache come one after the other, along both
// dimensions that have as many.

// CHECK-LABEL: func.func @lines
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c24{{.*}} step %c12
// CHECK: %[[END:.*]] = arith.addi %[[I]], %c16
// CHECK: scf.for %{{.*}} = %[[I]] to %[[END]] step %c4
// CHECK: %[[STOP:.*]] = arith.addi %[[J]], %c12
// CHECK: scf.for %{{.*}} = %[[J]] to %[[STOP]] step %c4

// AVX2-LABEL: func.func @lines
// AVX2: scf.for %[[I:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// AVX2: scf.for %[[J:.*]] = %c0{{.*}} to %c24{{.*}} step %c8
// AVX2: %[[END:.*]] = arith.addi %[[I]], %c16
// AVX2: scf.for %{{.*}} = %[[I]] to %[[END]] step %c8
// AVX2-NOT: scf.for
func.func @lines(%x: memref<24x32xf32>, %y: memref<32x24xf32>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<32x24xf32>) outs(%x : memref<24x32xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// Elements of the output may be numbers of the machine's width.

// CHECK-LABEL: func.func @transpose_to_index
// WIDE-LABEL: func.func @transpose_to_index
// AVX2-LABEL: func.func @transpose_to_index
// CHECK: arith.index_cast {{.*}} : vector<4xi32> to vector<4xindex>
// CHECK: vector.store
func.func @transpose_to_index(%x: memref<64x64xi32>, %y: memref<64x64xindex>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xi32>) outs(%y : memref<64x64xindex>) {
    ^bb0(%a: i32, %o: index):
      %r = arith.index_cast %a : i32 to index
      linalg.yield %r : index
  }
  return
}
