// RUN: pallas-opt %s --mosaic-gpu-hoist-splats --mosaic-gpu-flatten-reductions --mosaic-gpu-separate-positions --mosaic-gpu-assign-layouts | FileCheck %s

// Fewer elements than lanes: the powers of two of the last dimensions are spread over
// lanes, and the warps hold the same.
// CHECK-LABEL: func.func @few
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}>
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[V]] : vector<4x8xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}4, 8], [1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-3, -2], vector_dim = -1>}
// CHECK: %[[S:.*]] = arith.addf %[[L]], %[[L]]
// CHECK: "mosaic_gpu.vector_store"(%[[S]]
func.func @few(%m: memref<4x8xf32>) {
  %v = "mosaic_gpu.vector_load"(%m) : (memref<4x8xf32>) -> vector<4x8xf32>
  %s = arith.addf %v, %v : vector<4x8xf32>
  "mosaic_gpu.vector_store"(%s, %m) <{multimem = false}> : (vector<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// Sizes that are odd stay in registers; what lanes leave is spread over warps.
// CHECK-LABEL: func.func @shapes
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<12x12xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}4, 4], [1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-3, -2, #mosaic_gpu.Replicated<times = 2>], vector_dim = -1>}
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<3xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [#mosaic_gpu.Replicated<times = 32>], vector_dim = -1>}
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<3x64xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}1, 64], [32], [1]], warp_dims = [-3, #mosaic_gpu.Replicated<times = 2>], lane_dims = [-2], vector_dim = -1>}
func.func @shapes(%a: memref<12x12xf32>, %b: memref<3xf32>, %c: memref<3x64xf32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<12x12xf32>) -> vector<12x12xf32>
  "mosaic_gpu.vector_store"(%0, %a) <{multimem = false}> : (vector<12x12xf32>, memref<12x12xf32>) -> ()
  %1 = "mosaic_gpu.vector_load"(%b) : (memref<3xf32>) -> vector<3xf32>
  "mosaic_gpu.vector_store"(%1, %b) <{multimem = false}> : (vector<3xf32>, memref<3xf32>) -> ()
  %2 = "mosaic_gpu.vector_load"(%c) : (memref<3x64xf32>) -> vector<3x64xf32>
  "mosaic_gpu.vector_store"(%2, %c) <{multimem = false}> : (vector<3x64xf32>, memref<3x64xf32>) -> ()
  return
}

// A vector that has a layout keeps it.
// CHECK-LABEL: func.func @settled
// CHECK-COUNT-1: layout_cast
// CHECK-NOT: layout_cast
func.func @settled(%d: memref<64xf32>) {
  %3 = "mosaic_gpu.vector_load"(%d) : (memref<64xf32>) -> vector<64xf32>
  %4 = mosaic_gpu.layout_cast x(%3 : vector<64xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>}
  "mosaic_gpu.vector_store"(%4, %d) <{multimem = false}> : (vector<64xf32>, memref<64xf32>) -> ()
  return
}

// The compiler could infer this one, but not beside the layouts of others.
// CHECK-LABEL: func.func @mixed
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) : (memref<8x128xi8>)
// CHECK: mosaic_gpu.layout_cast x(%[[V]] : vector<8x128xi8>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[8, 128], 4>}
func.func @mixed(%a: memref<8x128xi8>, %b: memref<8x128xf32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<8x128xi8>) -> vector<8x128xi8>
  %1 = arith.sitofp %0 : vector<8x128xi8> to vector<8x128xf32>
  "mosaic_gpu.vector_store"(%1, %b) <{multimem = false}> : (vector<8x128xf32>, memref<8x128xf32>) -> ()
  return
}

// Lanes share a row, which they reduce without memory; warps share the rows.
// The sums lie where the rows did.
// CHECK-LABEL: func.func @rows
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<64x64xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}4, 32], [1]], warp_dims = [-3], lane_dims = [-2], vector_dim = -1>}
// CHECK: %[[SUM:.*]] = vector.multi_reduction <add>
// CHECK: %[[W:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}>
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[W]] : vector<64xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}4], [1]], warp_dims = [-2], lane_dims = [#mosaic_gpu.Replicated<times = 32>], vector_dim = -1>}
// CHECK: arith.mulf %[[SUM]], %[[L]]
func.func @rows(%b: memref<64x64xf32>, %c: memref<64xf32>) {
  %1 = "mosaic_gpu.vector_load"(%b) : (memref<64x64xf32>) -> vector<64x64xf32>
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %2 = vector.multi_reduction <add>, %1, %zero [1] : vector<64x64xf32> to vector<64xf32>
  %3 = "mosaic_gpu.vector_load"(%c) : (memref<64xf32>) -> vector<64xf32>
  %4 = arith.mulf %2, %3 : vector<64xf32>
  "mosaic_gpu.vector_store"(%4, %c) <{multimem = false}> : (vector<64xf32>, memref<64xf32>) -> ()
  return
}

// Columns: each lane adds what it has, so warps share columns, too.
// CHECK-LABEL: func.func @columns
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<64x128xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}1, 128], [32], [1]], warp_dims = [-3], lane_dims = [-2], vector_dim = -1>}
func.func @columns(%b: memref<64x128xf32>, %c: memref<128xf32>) {
  %1 = "mosaic_gpu.vector_load"(%b) : (memref<64x128xf32>) -> vector<64x128xf32>
  %zero = arith.constant dense<0.0> : vector<128xf32>
  %2 = vector.multi_reduction <add>, %1, %zero [0] : vector<64x128xf32> to vector<128xf32>
  "mosaic_gpu.vector_store"(%2, %c) <{multimem = false}> : (vector<128xf32>, memref<128xf32>) -> ()
  return
}

// Two shapes have the same rows, and columns of one class take the same lanes.
// CHECK-LABEL: func.func @shared
// CHECK: layout_cast x(%{{.*}} : vector<16x64xf32>) {new_layout = #[[LAYOUT:.*]]<{{\[\[}}4, 32], [1]], warp_dims = [-3], lane_dims = [-2], vector_dim = -1>}
// CHECK: layout_cast x(%{{.*}} : vector<16x32xf32>) {new_layout = #[[LAYOUT]]<{{\[\[}}4, 32], [1]], warp_dims = [-3], lane_dims = [-2], vector_dim = -1>}
func.func @shared(%a: memref<16x64xf32>, %b: memref<16x32xf32>) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<16x64xf32>) -> vector<16x64xf32>
  %1 = vector.multi_reduction <add>, %0, %zero [1] : vector<16x64xf32> to vector<16xf32>
  %2 = mosaic_gpu.broadcast_in_dim(%1 : vector<16xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<16x32xf32>
  "mosaic_gpu.vector_store"(%2, %b) <{multimem = false}> : (vector<16x32xf32>, memref<16x32xf32>) -> ()
  return
}

// Pairs of elements of a row: their dimensions are one class, which stays in
// registers.
// CHECK-LABEL: func.func @pairs
// CHECK: layout_cast x(%{{.*}} : vector<16x16xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}1, 1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [#mosaic_gpu.Replicated<times = 32>], vector_dim = -1>}
func.func @pairs(%a: memref<16xf32>, %b: memref<16x16xf32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<16xf32>) -> vector<16xf32>
  %1 = mosaic_gpu.broadcast_in_dim(%0 : vector<16xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<16x16xf32>
  %2 = mosaic_gpu.broadcast_in_dim(%0 : vector<16xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<16x16xf32>
  %3 = arith.mulf %1, %2 : vector<16x16xf32>
  "mosaic_gpu.vector_store"(%3, %b) <{multimem = false}> : (vector<16x16xf32>, memref<16x16xf32>) -> ()
  return
}

// One vector counts rows and columns: each gets its own.
// CHECK-LABEL: func.func @positions
// CHECK-COUNT-2: "mosaic_gpu.broadcasted_iota"
// CHECK: layout_cast x(%{{.*}} : vector<16x16xi32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}8, 16], [2, 16], [1]], warp_dims = [-5], lane_dims = [-3, -2], vector_dim = -1>}
func.func @positions(%b: memref<16x16xi32>) {
  %0 = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<16xi32>
  %one = arith.constant dense<1> : vector<16xi32>
  %next = arith.addi %0, %one : vector<16xi32>
  %1 = mosaic_gpu.broadcast_in_dim(%0 : vector<16xi32>) {broadcast_dimensions = array<i64: 0>} -> vector<16x16xi32>
  %2 = mosaic_gpu.broadcast_in_dim(%next : vector<16xi32>) {broadcast_dimensions = array<i64: 1>} -> vector<16x16xi32>
  %3 = arith.maxsi %1, %2 : vector<16x16xi32>
  "mosaic_gpu.vector_store"(%3, %b) <{multimem = false}> : (vector<16x16xi32>, memref<16x16xi32>) -> ()
  return
}

// Tiles lie within a slice that starts at column 24.
// CHECK-LABEL: func.func @slice
// CHECK: layout_cast x(%{{.*}} : vector<16x64xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}16, 8], [4, 8], [1]], warp_dims = [-5], lane_dims = [-3, -2], vector_dim = -1>}
func.func @slice(%a: memref<16x64xf32>, %b: memref<16x32xf32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<16x64xf32>) -> vector<16x64xf32>
  %1 = vector.extract_strided_slice %0 {offsets = [0, 24], sizes = [16, 32], strides = [1, 1]} : vector<16x64xf32> to vector<16x32xf32>
  "mosaic_gpu.vector_store"(%1, %b) <{multimem = false}> : (vector<16x32xf32>, memref<16x32xf32>) -> ()
  return
}

// A group has one layout, also when a loop carries it. What is computed from
// others is not cast.
// CHECK-LABEL: func.func @group
// CHECK: "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}> : (memref<8x20xf32>)
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<8x20xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}8, 4], [1]], {{.*}} lane_dims = [-3, -2], vector_dim = -1>}
// CHECK: "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}> : (memref<8xf32>)
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<8xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}8], [1]], {{.*}} lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>}
// CHECK: %[[B:.*]] = mosaic_gpu.broadcast_in_dim
// CHECK: mosaic_gpu.layout_cast x(%[[B]]
// CHECK-NOT: layout_cast
func.func @group(%a: memref<8x20xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<8x20xf32>) -> vector<8x20xf32>
  %1 = "mosaic_gpu.vector_load"(%b) : (memref<8xf32>) -> vector<8xf32>
  %2 = mosaic_gpu.broadcast_in_dim(%1 : vector<8xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<8x20xf32>
  %3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %0) -> vector<8x20xf32> : i32 {
    %y = arith.addf %x, %2 : vector<8x20xf32>
    scf.yield %y : vector<8x20xf32>
  }
  "mosaic_gpu.vector_store"(%3, %a) <{multimem = false}> : (vector<8x20xf32>, memref<8x20xf32>) -> ()
  return
}

// Equal elements are stored by the lanes of a layout.
// CHECK-LABEL: func.func @splat
// CHECK: %[[S:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<8xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}8], [1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>}
// CHECK: "mosaic_gpu.vector_store"(%[[S]]
func.func @splat(%a: memref<8xf32>) {
  %0 = arith.constant dense<1.0> : vector<8xf32>
  "mosaic_gpu.vector_store"(%0, %a) <{multimem = false}> : (vector<8xf32>, memref<8xf32>) -> ()
  return
}

// What is computed of splats alone is computed once. So are its reductions: a sum is a product.
// CHECK-LABEL: func.func @splats
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[V:.*]] = vector.broadcast %[[S]] : f32 to vector<15xf32>
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[V]] : vector<15xf32>)
// CHECK: "mosaic_gpu.vector_store"(%[[L]]
// CHECK: %[[T:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[R:.*]] = arith.addf %[[T]], %{{.*}} : f32
// CHECK: vector.broadcast %[[R]] : f32 to vector<5xf32>
// CHECK-NOT: multi_reduction
func.func @splats(%x: f32, %a: memref<15xf32>, %b: memref<5xf32>) {
  %c1 = arith.constant dense<1.0> : vector<15xf32>
  %0 = vector.broadcast %x : f32 to vector<15xf32>
  %1 = arith.addf %0, %c1 : vector<15xf32>
  "mosaic_gpu.vector_store"(%1, %a) <{multimem = false}> : (vector<15xf32>, memref<15xf32>) -> ()
  %c2 = arith.constant dense<2.0> : vector<5xf32>
  %2 = vector.broadcast %x : f32 to vector<5x7xf32>
  %3 = vector.multi_reduction <add>, %2, %c2 [1] : vector<5x7xf32> to vector<5xf32>
  "mosaic_gpu.vector_store"(%3, %b) <{multimem = false}> : (vector<5xf32>, memref<5xf32>) -> ()
  return
}

// So is what folds since loads of one value are one.
// CHECK-LABEL: func.func @differences
// CHECK-NOT: arith.subi
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<4x33xi32>
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[ZERO]] : vector<4x33xi32>)
// CHECK: "mosaic_gpu.vector_store"(%[[L]]
func.func @differences(%a: memref<4x33xi32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<4x33xi32>) -> vector<4x33xi32>
  %1 = arith.subi %0, %0 : vector<4x33xi32>
  "mosaic_gpu.vector_store"(%1, %a) <{multimem = false}> : (vector<4x33xi32>, memref<4x33xi32>) -> ()
  return
}

// The compiler stores 384 splats of 32 bits in pairs, of which 128 lanes would have one and a half.
// CHECK-LABEL: func.func @uneven_splats
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<8x48xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[8, 48], 1>}
// CHECK: "mosaic_gpu.vector_store"(%[[L]]
// CHECK-NOT: layout_cast
func.func @uneven_splats(%a: memref<8x48xf32>, %b: memref<8x32xf32>) {
  %0 = arith.constant dense<0.0> : vector<8x48xf32>
  "mosaic_gpu.vector_store"(%0, %a) <{multimem = false}> : (vector<8x48xf32>, memref<8x48xf32>) -> ()
  %1 = arith.constant dense<0.0> : vector<8x32xf32>
  "mosaic_gpu.vector_store"(%1, %b) <{multimem = false}> : (vector<8x32xf32>, memref<8x32xf32>) -> ()
  return
}

// A loop that starts from a splat, and adds splats, has a layout from there on; a branch yields it.
// CHECK-LABEL: func.func @loops
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<15xf32>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[L]])
// CHECK: %[[IF:.*]] = scf.if
// CHECK: mosaic_gpu.layout_cast x(%[[IF]] : vector<15xf32>)
func.func @loops(%a: memref<15xf32>, %n: index, %c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant dense<0.0> : vector<15xf32>
  %1 = vector.broadcast %x : f32 to vector<15xf32>
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %0) -> (vector<15xf32>) {
    %3 = arith.addf %s, %1 : vector<15xf32>
    scf.yield %3 : vector<15xf32>
  }
  "mosaic_gpu.vector_store"(%2, %a) <{multimem = false}> : (vector<15xf32>, memref<15xf32>) -> ()
  %4 = scf.if %c -> (vector<15xf32>) {
    scf.yield %0 : vector<15xf32>
  } else {
    scf.yield %1 : vector<15xf32>
  }
  "mosaic_gpu.vector_store"(%4, %a) <{multimem = false}> : (vector<15xf32>, memref<15xf32>) -> ()
  return
}

// Rows that begin at odd elements are moved in single ones, and columns of every 48 in 8.
// CHECK-LABEL: func.func @gaps
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<16x32xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[16, 32], 1>}
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<16x32xi8>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[16, 32], 4>}
func.func @gaps(%a: memref<16x32xf32, strided<[33, 1]>>, %b: memref<16x32xi8, strided<[36, 1]>>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<16x32xf32, strided<[33, 1]>>) -> vector<16x32xf32>
  "mosaic_gpu.vector_store"(%0, %a) <{multimem = false}> : (vector<16x32xf32>, memref<16x32xf32, strided<[33, 1]>>) -> ()
  %1 = "mosaic_gpu.vector_load"(%b) : (memref<16x32xi8, strided<[36, 1]>>) -> vector<16x32xi8>
  "mosaic_gpu.vector_store"(%1, %b) <{multimem = false}> : (vector<16x32xi8>, memref<16x32xi8, strided<[36, 1]>>) -> ()
  return
}

// Lanes have three of these bytes each, which the compiler does not convert at once.
// CHECK-LABEL: func.func @triples
// CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<3x128xf8E5M2>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[3, 128], 1>}
func.func @triples(%a: memref<3x128xf8E5M2>, %b: memref<3x128xf32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<3x128xf8E5M2>) -> vector<3x128xf8E5M2>
  %1 = arith.extf %0 : vector<3x128xf8E5M2> to vector<3x128xf32>
  "mosaic_gpu.vector_store"(%1, %b) <{multimem = false}> : (vector<3x128xf32>, memref<3x128xf32>) -> ()
  return
}

// Memory is plain where a vector has it in tiles of lanes, and another one in turn.
// CHECK-LABEL: func.func @mixed_memory
// CHECK: %[[M:.*]] = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}>
// CHECK: %[[K:.*]] = "mosaic_gpu.with_transforms"(%[[M]]) <{transforms = []}>
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 512 : i32}>
// CHECK-NOT: with_transforms
// CHECK: memref.subview %[[K]]
// CHECK: "mosaic_gpu.vector_load"(%[[K]])
func.func @mixed_memory() {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x16xf32, #gpu.address_space<workgroup>>
  %n = "mosaic_gpu.slice_smem"() <{offset = 512 : i32}> : () -> memref<8x16xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[0, 0] [8, 8] [1, 1] : memref<8x16xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>
  %0 = "mosaic_gpu.vector_load"(%p) : (memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>) -> vector<8x8xf32>
  "mosaic_gpu.vector_store"(%0, %p) <{multimem = false}> : (vector<8x8xf32>, memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>) -> ()
  %1 = "mosaic_gpu.vector_load"(%m) : (memref<8x16xf32, #gpu.address_space<workgroup>>) -> vector<8x16xf32>
  "mosaic_gpu.vector_store"(%1, %n) <{multimem = false}> : (vector<8x16xf32>, memref<8x16xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// Unless the source asks for a layout of tiles, which may need tiles of memory.
// CHECK-LABEL: func.func @given_tiles
// CHECK-NOT: with_transforms
func.func @given_tiles() {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x16xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[0, 0] [8, 8] [1, 1] : memref<64x16xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>
  %0 = "mosaic_gpu.vector_load"(%p) : (memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>) -> vector<8x8xf32>
  "mosaic_gpu.vector_store"(%0, %p) <{multimem = false}> : (vector<8x8xf32>, memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>) -> ()
  %1 = "mosaic_gpu.vector_load"(%m) : (memref<64x16xf32, #gpu.address_space<workgroup>>) -> vector<64x16xf32>
  %2 = mosaic_gpu.layout_cast x(%1 : vector<64x16xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
  "mosaic_gpu.vector_store"(%2, %m) <{multimem = false}> : (vector<64x16xf32>, memref<64x16xf32, #gpu.address_space<workgroup>>) -> ()
  return
}
