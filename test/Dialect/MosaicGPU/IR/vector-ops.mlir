// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Vectors.

// CHECK-LABEL: @memory
func.func @memory(%s: memref<64x128xf32, #gpu.address_space<workgroup>>, %g: memref<64x128xf32>, %v: vector<64x128xf32>) {
  // CHECK: %{{.*}} = "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  %0 = "mosaic_gpu.vector_load"(%s) <{optimized = false}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  // CHECK: %{{.*}} = "mosaic_gpu.vector_load"(%{{.*}}) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  %1 = "mosaic_gpu.vector_load"(%s) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  // CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %{{.*}}) <{multimem = false}> : (vector<64x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<64x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>) -> ()
  // CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %{{.*}}) <{atomic_type = 0 : i32, multimem = true, optimized = false}> : (vector<64x128xf32>, memref<64x128xf32>) -> ()
  "mosaic_gpu.vector_store"(%v, %g) <{atomic_type = 0 : i32, multimem = true, optimized = false}> : (vector<64x128xf32>, memref<64x128xf32>) -> ()
  // CHECK: %{{.*}} = "mosaic_gpu.multimem_load_reduce"(%{{.*}}) <{reduction_type = 0 : i32}> : (memref<64x128xf32>) -> vector<64x128xf32>
  %2 = "mosaic_gpu.multimem_load_reduce"(%g) <{reduction_type = 0 : i32}> : (memref<64x128xf32>) -> vector<64x128xf32>
  return
}

// CHECK-LABEL: @layouts
func.func @layouts(%v: vector<64x128xf32>, %s: memref<64x128xf32, #gpu.address_space<workgroup>>) {
  // CHECK: %{{.*}} = mosaic_gpu.layout_cast x(%{{.*}} : vector<64x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>}
  %0 = mosaic_gpu.layout_cast x(%v : vector<64x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>}
  // CHECK: %{{.*}} = mosaic_gpu.layout_cast x(%{{.*}} : vector<64x128xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
  %1 = mosaic_gpu.layout_cast x(%v : vector<64x128xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
  // CHECK: "mosaic_gpu.print_layout"(%{{.*}}) <{format = "v"}> : (vector<64x128xf32>) -> ()
  "mosaic_gpu.print_layout"(%v) <{format = "v"}> : (vector<64x128xf32>) -> ()
  return
}

// CHECK-LABEL: @shapes
func.func @shapes(%r: vector<128xf32>, %v: vector<64x128xf32>) {
  // CHECK: %{{.*}} = mosaic_gpu.broadcast_in_dim(%{{.*}} : vector<128xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<64x128xf32>
  %0 = mosaic_gpu.broadcast_in_dim(%r : vector<128xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<64x128xf32>
  // CHECK: %{{.*}} = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x128xi32>
  %1 = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x128xi32>
  // CHECK: %{{.*}} = "mosaic_gpu.optimization_barrier"(%{{.*}}) : (vector<64x128xf32>) -> vector<64x128xf32>
  %2 = "mosaic_gpu.optimization_barrier"(%v) : (vector<64x128xf32>) -> vector<64x128xf32>
  // CHECK: "mosaic_gpu.debug_print"(%{{.*}}) <{format = "v = {}"}> : (vector<64x128xf32>) -> ()
  "mosaic_gpu.debug_print"(%v) <{format = "v = {}"}> : (vector<64x128xf32>) -> ()
  return
}

// CHECK-LABEL: @multiples
func.func @multiples(%i: index, %n: i32) {
  // CHECK: %{{.*}} = mosaic_gpu.assume_multiple %{{.*}}, 64 : index
  %0 = mosaic_gpu.assume_multiple %i, 64 : index
  // CHECK: %{{.*}} = mosaic_gpu.assume_multiple %{{.*}}, 8 : i32
  %1 = mosaic_gpu.assume_multiple %n, 8 : i32
  return
}
