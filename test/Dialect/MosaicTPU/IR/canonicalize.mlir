// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @whole_views
// CHECK-SAME: (%[[M:.*]]: memref<8x128xf32>)
// CHECK-NEXT: return %[[M]], %[[M]], %[[M]], %[[M]], %[[M]]
func.func @whole_views(%m: memref<8x128xf32>) -> (memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>) {
  %z = arith.constant 0 : i32
  %0 = tpu.memref_slice %m[%z, %z] : memref<8x128xf32> -> memref<8x128xf32>
  %1 = tpu.memref_squeeze %m : memref<8x128xf32> -> memref<8x128xf32>
  %2 = tpu.memref_reshape %m : memref<8x128xf32> -> memref<8x128xf32>
  %3 = tpu.memref_bitcast %m : memref<8x128xf32> -> memref<8x128xf32>
  %4 = tpu.reinterpret_cast %m : memref<8x128xf32> -> memref<8x128xf32>
  return %0, %1, %2, %3, %4 : memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>
}

// -----

// CHECK-LABEL: @part_stays
// CHECK: tpu.memref_slice
func.func @part_stays(%m: memref<8x128xf32>, %n: i32) -> memref<8x128xf32> {
  %z = arith.constant 0 : i32
  %0 = tpu.memref_slice %m[%n, %z] : memref<8x128xf32> -> memref<8x128xf32>
  return %0 : memref<8x128xf32>
}

// -----

// CHECK-LABEL: @same_vectors
// CHECK-SAME: (%[[V:.*]]: vector<8x128xf32>)
// CHECK-NEXT: return %[[V]], %[[V]], %[[V]], %[[V]], %[[V]]
func.func @same_vectors(%v: vector<8x128xf32>) -> (vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>) {
  %z = arith.constant 0 : i32
  %0 = tpu.transpose %v, [0, 1] : vector<8x128xf32> -> vector<8x128xf32>
  %1 = tpu.reshape %v : vector<8x128xf32> -> vector<8x128xf32>
  %2 = tpu.bitcast %v : vector<8x128xf32> -> vector<8x128xf32>
  %3 = tpu.repeat %v, 0 x 1 : vector<8x128xf32> -> vector<8x128xf32>
  %4 = tpu.dynamic_rotate %v by %z dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return %0, %1, %2, %3, %4 : vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>
}

// -----

// A strided rotation by zero still moves elements.
// CHECK-LABEL: @strided_rotation_stays
// CHECK: tpu.dynamic_rotate
func.func @strided_rotation_stays(%v: vector<8x128xf32>) -> vector<8x128xf32> {
  %z = arith.constant 0 : i32
  %0 = tpu.dynamic_rotate %v by %z dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return %0 : vector<8x128xf32>
}

// -----

// CHECK-LABEL: @assume_multiple
// CHECK-SAME: (%[[N:.*]]: i32)
// CHECK-DAG: %[[C:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[A:.*]] = tpu.assume_multiple %[[N]], 8 : i32
// CHECK: return %[[C]], %[[N]], %[[A]]
func.func @assume_multiple(%n: i32) -> (i32, i32, i32) {
  %c = arith.constant 16 : i32
  %0 = tpu.assume_multiple %c, 8 : i32
  %1 = tpu.assume_multiple %n, 1 : i32
  %2 = tpu.assume_multiple %n, 8 : i32
  return %0, %1, %2 : i32, i32, i32
}

// -----

// CHECK-LABEL: @dim_of_slice
// CHECK-SAME: (%{{.*}}: memref<64x8x128xf32>, %[[N:.*]]: i32)
// CHECK-DAG: %[[C:.*]] = arith.constant 8 : index
// CHECK: %[[D:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[E:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: return %[[D]], %[[C]], %[[E]]
func.func @dim_of_slice(%m: memref<64x8x128xf32>, %n: i32) -> (index, index, index) {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tpu.memref_slice %m[%z, %z, %z] <%n> : memref<64x8x128xf32> -> memref<?x1x128xf32>
  %1 = tpu.memref_squeeze %0 : memref<?x1x128xf32> -> memref<?x128xf32>
  %2 = tpu.memref_slice %m[%z, %z, %z] <%n> : memref<64x8x128xf32> -> memref<?x8x128xf32>
  %3 = memref.dim %1, %c0 : memref<?x128xf32>
  %4 = memref.dim %2, %c1 : memref<?x8x128xf32>
  %5 = memref.dim %2, %c0 : memref<?x8x128xf32>
  return %3, %4, %5 : index, index, index
}

// -----

// CHECK-LABEL: @add_to_matmul
// CHECK-SAME: (%[[A:.*]]: vector<8x16xf32>, %[[B:.*]]: vector<16x8xf32>, %[[C:.*]]: vector<8x8xf32>)
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[C]], %[[C]]
// CHECK-NEXT: %[[R:.*]] = tpu.matmul %[[A]], %[[B]], %[[S]]
// CHECK-NEXT: return %[[R]]
func.func @add_to_matmul(%a: vector<8x16xf32>, %b: vector<16x8xf32>, %c: vector<8x8xf32>) -> vector<8x8xf32> {
  %z = arith.constant dense<0.0> : vector<8x8xf32>
  %0 = tpu.matmul %a, %b, %z {transpose_lhs_hint = false} : vector<8x16xf32>, vector<16x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  %1 = arith.mulf %c, %c : vector<8x8xf32>
  %2 = arith.addf %1, %0 : vector<8x8xf32>
  return %2 : vector<8x8xf32>
}

// -----

// CHECK-LABEL: @add_to_integer_matmul
// CHECK-SAME: (%[[A:.*]]: vector<8x16xi8>, %[[B:.*]]: vector<16x8xi8>, %[[C:.*]]: vector<8x8xi32>)
// CHECK-NEXT: tpu.matmul %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: return
func.func @add_to_integer_matmul(%a: vector<8x16xi8>, %b: vector<16x8xi8>, %c: vector<8x8xi32>) -> vector<8x8xi32> {
  %z = arith.constant dense<0> : vector<8x8xi32>
  %0 = tpu.matmul %a, %b, %z {transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x8xi8>, vector<8x8xi32> -> vector<8x8xi32>
  %1 = arith.addi %0, %c : vector<8x8xi32>
  return %1 : vector<8x8xi32>
}

// -----

// A product with two uses would be computed twice.
// CHECK-LABEL: @shared_product_stays
// CHECK: tpu.matmul
// CHECK: arith.addf
// CHECK: arith.addf
func.func @shared_product_stays(%a: vector<8x8xf32>, %c: vector<8x8xf32>) -> (vector<8x8xf32>, vector<8x8xf32>) {
  %z = arith.constant dense<0.0> : vector<8x8xf32>
  %0 = tpu.matmul %a, %a, %z {transpose_lhs_hint = false} : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  %1 = arith.addf %0, %c : vector<8x8xf32>
  %2 = arith.addf %0, %a : vector<8x8xf32>
  return %1, %2 : vector<8x8xf32>, vector<8x8xf32>
}

// -----

// What other cores see stays, what nobody uses goes.
// CHECK-LABEL: @effects
// CHECK-NEXT: "tpu.prng_set_seed_32"
// CHECK-NEXT: tpu.sem_signal
// CHECK-NEXT: return
func.func @effects(%s: memref<!tpu.semaphore>, %m: memref<8x128xf32>, %v: vector<8x128xf32>, %n: i32, %i: index) {
  "tpu.prng_set_seed_32"(%n) : (i32) -> ()
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<8x128xf32>, vector<8x128xf32>,
  %1 = tpu.iota {dimensions = array<i32: 0>} : vector<8x128xi32>
  %2 = tpu.iteration_bound 0 : i32
  tpu.sem_signal %s, %n : memref<!tpu.semaphore>
  return
}

// -----

// CHECK-LABEL: @nothing_to_reduce
// CHECK-SAME: (%[[V:.*]]: vector<8x1xf32>, %[[W:.*]]: vector<8x128xbf16>
// CHECK-NEXT: return %[[V]], %[[W]]
func.func @nothing_to_reduce(%v: vector<8x1xf32>, %w: vector<8x128xbf16>) -> (vector<8x1xf32>, vector<8x128xbf16>) {
  %0 = tpu.reduce <maxf>, %v [1] : vector<8x1xf32> -> vector<8x1xf32>
  %1 = tpu.reduce_precision %w {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : vector<8x128xbf16> -> vector<8x128xbf16>
  return %0, %1 : vector<8x1xf32>, vector<8x128xbf16>
}

// -----

// CHECK-LABEL: @fewer_bits_stay
// CHECK: tpu.reduce_precision
func.func @fewer_bits_stay(%w: vector<8x128xbf16>) -> vector<8x128xbf16> {
  %0 = tpu.reduce_precision %w {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : vector<8x128xbf16> -> vector<8x128xbf16>
  return %0 : vector<8x128xbf16>
}

// -----

// CHECK-LABEL: @annotations
// CHECK-SAME: (%[[M:.*]]: memref<8x128xf32>)
// CHECK-NEXT: %[[A:.*]] = tpu.annotate %[[M]] {no_store = true}
// CHECK-NEXT: return %[[M]], %[[A]]
func.func @annotations(%m: memref<8x128xf32>) -> (memref<8x128xf32>, memref<8x128xf32>) {
  %0 = tpu.annotate %m : memref<8x128xf32>
  %1 = tpu.annotate %m {no_store = true} : memref<8x128xf32>
  return %0, %1 : memref<8x128xf32>, memref<8x128xf32>
}

// -----

// The compiler decides where memory in any space is.
// CHECK-LABEL: @memory_spaces
// CHECK-DAG: %[[T:.*]] = arith.constant true
// CHECK-DAG: %[[F:.*]] = arith.constant false
// CHECK: %[[A:.*]] = tpu.memref_memory_space_is
// CHECK: return %[[T]], %[[F]], %[[T]], %[[F]], %[[A]]
func.func @memory_spaces(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %a: memref<8x128xf32, #tpu.memory_space<any>>) -> (i1, i1, i1, i1, i1) {
  %0 = tpu.memref_memory_space_is %m, <vmem> : memref<8x128xf32, #tpu.memory_space<vmem>>
  %1 = tpu.memref_memory_space_is %m, <hbm> : memref<8x128xf32, #tpu.memory_space<vmem>>
  %2 = tpu.memref_memory_space_is %m, <vmem, tc> : memref<8x128xf32, #tpu.memory_space<vmem>>
  %3 = tpu.memref_memory_space_is %m, <vmem, sc_vector_subcore> : memref<8x128xf32, #tpu.memory_space<vmem>>
  %4 = tpu.memref_memory_space_is %a, <vmem> : memref<8x128xf32, #tpu.memory_space<any>>
  return %0, %1, %2, %3, %4 : i1, i1, i1, i1, i1
}

// -----

// Without a layout the compiler chooses the tiles.
// CHECK-LABEL: @tile_sizes
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: %[[S:.*]] = tpu.tile_size %{{.*}}, 0
// CHECK: return %[[C1]], %[[C8]], %[[C128]], %[[S]]
func.func @tile_sizes(%m: memref<4x16x128xf32, #tpu.tiled<(8,128),[2,1,1]>>, %n: memref<16x128xf32>) -> (i32, i32, i32, i32) {
  %0 = tpu.tile_size %m, 0 : memref<4x16x128xf32, #tpu.tiled<(8,128),[2,1,1]>>
  %1 = tpu.tile_size %m, 1 : memref<4x16x128xf32, #tpu.tiled<(8,128),[2,1,1]>>
  %2 = tpu.tile_size %m, 2 : memref<4x16x128xf32, #tpu.tiled<(8,128),[2,1,1]>>
  %3 = tpu.tile_size %n, 0 : memref<16x128xf32>
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
