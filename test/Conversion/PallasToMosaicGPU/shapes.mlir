// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=counts | FileCheck %s --check-prefix=COUNTS
// RUN: pallas-run %s --no-cache --entry=shapes | FileCheck %s --check-prefix=SHAPES
// RUN: pallas-run %s --no-cache --entry=layouts | FileCheck %s --check-prefix=LAYOUTS
// printed.py runs what they become.

// The compiler counts in i32, from where each type is one conversion away; along
// a dimension of size 1 there is nothing to count.

// CHECK-LABEL: module @counts
// CHECK: %[[ROWS:.*]] = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<4x32xi32>
// CHECK: %[[I:.*]] = mosaic_gpu.layout_cast x(%[[ROWS]] : vector<4x32xi32>)
// CHECK: %[[COLUMNS:.*]] = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<4x32xi32>
// CHECK: %[[J:.*]] = mosaic_gpu.layout_cast x(%[[COLUMNS]] : vector<4x32xi32>)
// CHECK: arith.trunci %[[J]] : vector<4x32xi32> to vector<4x32xi8>
// CHECK: arith.extui %[[J]] : vector<4x32xi32> to vector<4x32xi64>
// CHECK: arith.sitofp %[[I]] : vector<4x32xi32> to vector<4x32xbf16>
// COUNTS: rows {{\[\[}}0 0 0 {{.*}} 0] [1 1 1 {{.*}} [3 3 3 {{.*}} 3]]
// COUNTS: bytes {{\[\[}}0 1 2 3 {{.*}} 30 31] [0 1 2
// COUNTS: words {{\[\[}}0 1 2 3 {{.*}} 30 31] [0 1 2
// COUNTS: floats {{\[\[}}0 0 0 {{.*}} 0] [1 1 1 {{.*}} [3 3 3 {{.*}} 3]]
func.func @counts() {
  pallas.mpmd_map
      kernel @counts on <gpu, [<grid "i" = 1>]> () {
    %rows = pallas.iota 0 : tensor<4x32xi32>
    %bytes = pallas.iota 1 : tensor<4x32xi8>
    %words = pallas.iota 1 : tensor<4x32xi64>
    %floats = pallas.iota 0 : tensor<4x32xbf16>
    pallas.debug_print "rows {}" %rows : tensor<4x32xi32>
    pallas.debug_print "bytes {}" %bytes : tensor<4x32xi8>
    pallas.debug_print "words {}" %words : tensor<4x32xi64>
    pallas.debug_print "floats {}" %floats : tensor<4x32xbf16>
  }
  return
}

// A vector that is spread over all lanes in its order keeps its elements in any
// shape; one that is not goes through memory. What one scalar fills is spread
// from it, through any number of dimensions of size 1.

// CHECK-LABEL: module @shapes
// CHECK: %[[FLAT:.*]] = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<256xi32>
// CHECK: vector.shape_cast %[[FLAT]] : vector<256xi32> to vector<16x16xi32>
// CHECK: %[[FEW:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<24xi32>)
// CHECK: "mosaic_gpu.vector_store"(%[[FEW]], %[[MEMORY:.*]]) <
// CHECK: %[[VIEW:.*]] = memref.expand_shape %[[MEMORY]] {{\[\[}}0, 1]] output_shape [4, 6]
// CHECK: "mosaic_gpu.vector_load"(%[[VIEW]]) {{.*}} -> vector<4x6xi32>
// CHECK: %[[SCALAR:.*]] = memref.load
// CHECK: vector.broadcast %[[SCALAR]] : i32 to vector<8x8xi32>
// CHECK: vector.broadcast %[[SCALAR]] : i32 to vector<8xi32>
// SHAPES: square {{\[\[}}0 1 2 {{.*}} 15] [16 17 {{.*}} 255]]
// SHAPES: few {{\[\[}}0 1 2 3 4 5] [6 7 8 9 10 11] [12 13 14 15 16 17] [18 19 20 21 22 23]]
// SHAPES: splat {{\[\[}}5 6 7 8 9 10 11 12] [5 6
// SHAPES: unit [5 6 7 8 9 10 11 12]
func.func @shapes() {
  pallas.mpmd_map
      kernel @shapes on <gpu, [<grid "i" = 1>]> () {
    %flat = pallas.iota 0 : tensor<256xi32>
    %row = pallas.reshape %flat : tensor<256xi32> -> tensor<1x256xi32>
    %two = pallas.reshape %row : tensor<1x256xi32> -> tensor<2x128xi32>
    %one = tensor.collapse_shape %two [[0, 1]] : tensor<2x128xi32> into tensor<256xi32>
    %square = tensor.expand_shape %one [[0, 1]] output_shape [16, 16] : tensor<256xi32> into tensor<16x16xi32>
    pallas.debug_print "square {}" %square : tensor<16x16xi32>
    %list = pallas.iota 0 : tensor<24xi32>
    %few = pallas.reshape %list : tensor<24xi32> -> tensor<4x6xi32>
    pallas.debug_print "few {}" %few : tensor<4x6xi32>
    pallas.run_scoped (%s: !pallas.ref<1xi32, smem>) {
      %c5 = arith.constant 5 : i32
      pallas.swap %s[0], %c5 : !pallas.ref<1xi32, smem>, i32
      %five = pallas.get %s[0] : !pallas.ref<1xi32, smem>
      %splat = tensor.splat %five : tensor<8x8xi32>
      %columns = pallas.iota 1 : tensor<8x8xi32>
      %sum = arith.addi %splat, %columns : tensor<8x8xi32>
      pallas.debug_print "splat {}" %sum : tensor<8x8xi32>
      %unit = tensor.splat %five : tensor<1x1xi32>
      %list1 = pallas.reshape %unit : tensor<1x1xi32> -> tensor<1xi32>
      %spread = pallas.broadcast %list1 dims [0] : tensor<1xi32> -> tensor<8xi32>
      %places = pallas.iota 0 : tensor<8xi32>
      %more = arith.addi %spread, %places : tensor<8xi32>
      pallas.debug_print "unit {}" %more : tensor<8xi32>
    }
  }
  return
}

// Layouts have names for accumulators, their rows and their columns; any other
// one is an attribute, for the vector without dimensions of size 1. A scalar
// has none.

// CHECK-LABEL: module @layouts
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<64x16xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
// CHECK: %[[ROW:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<64xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>}
// CHECK: %[[COLUMN:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<16xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}8], [2]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [#mosaic_gpu.Replicated<times = 8>, -2], vector_dim = -1>}
// CHECK: mosaic_gpu.broadcast_in_dim(%[[ROW]] : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x16xf32>
// CHECK: mosaic_gpu.broadcast_in_dim(%[[COLUMN]] : vector<16xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<64x16xf32>
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<256xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[256], 2>}
// CHECK-NOT: layout_cast
// CHECK: gpu.printf "one %f\0A"
// LAYOUTS: one 1
// LAYOUTS: corner 78
func.func @layouts() {
  pallas.mpmd_map
      kernel @layouts on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%m: !pallas.ref<64x16xf32, smem>, %r: !pallas.ref<64xf32, smem>, %c: !pallas.ref<16xf32, smem>, %u: !pallas.ref<1x256xf32, smem>) {
      %zeros = arith.constant dense<0.0> : tensor<64x16xf32>
      %rows = pallas.iota 0 : tensor<64xf32>
      %columns = pallas.iota 0 : tensor<16xf32>
      pallas.swap %m[...], %zeros : !pallas.ref<64x16xf32, smem>, tensor<64x16xf32>
      pallas.swap %r[...], %rows : !pallas.ref<64xf32, smem>, tensor<64xf32>
      pallas.swap %c[...], %columns : !pallas.ref<16xf32, smem>, tensor<16xf32>
      %mv = pallas.get %m[...] : !pallas.ref<64x16xf32, smem>
      %ml = pallas.layout_cast %mv : tensor<64x16xf32> layout "WGMMA"
      %rv = pallas.get %r[...] : !pallas.ref<64xf32, smem>
      %rl = pallas.layout_cast %rv : tensor<64xf32> layout "WGMMA_ROW"
      %cv = pallas.get %c[...] : !pallas.ref<16xf32, smem>
      %cl = pallas.layout_cast %cv : tensor<16xf32> layout "WGMMA_COL"
      %rb = pallas.broadcast %rl dims [0] : tensor<64xf32> -> tensor<64x16xf32>
      %cb = pallas.broadcast %cl dims [1] : tensor<16xf32> -> tensor<64x16xf32>
      %half = arith.addf %ml, %rb : tensor<64x16xf32>
      %sum = arith.addf %half, %cb : tensor<64x16xf32>
      pallas.swap %m[...], %sum : !pallas.ref<64x16xf32, smem>, tensor<64x16xf32>
      %wide = pallas.iota 1 : tensor<1x256xf32>
      pallas.swap %u[...], %wide : !pallas.ref<1x256xf32, smem>, tensor<1x256xf32>
      %w = pallas.get %u[...] : !pallas.ref<1x256xf32, smem>
      %wl = pallas.layout_cast %w : tensor<1x256xf32> layout #mosaic_gpu.WGStridedFragLayout<[1, 256], 2>
      pallas.swap %u[...], %wl : !pallas.ref<1x256xf32, smem>, tensor<1x256xf32>
      %f = arith.constant 1.0 : f32
      %one = pallas.layout_cast %f : f32 layout "WGMMA"
      pallas.debug_print "one {}" %one : f32
      %corner = pallas.reduce <max> %sum dims [0, 1] : tensor<64x16xf32>
      pallas.debug_print "corner {}" %corner : f32
    }
  }
  return
}
