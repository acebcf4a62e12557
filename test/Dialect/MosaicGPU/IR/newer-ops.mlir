// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Forms of jaxlib 0.12.0.1.

// CHECK-LABEL: @barriers
func.func @barriers(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %n: i32, %c: i1) {
  // CHECK: mosaic_gpu.arrive_expect_tx barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %{{.*}}
  mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %n
  // CHECK: "mosaic_gpu.arrive"(%{{.*}}, %{{.*}}) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.arrive"(%b, %c) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  // CHECK: "mosaic_gpu.tcgen05_commit_arrive"(%{{.*}}, %{{.*}}) <{collective = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.tcgen05_commit_arrive"(%b, %c) <{collective = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// CHECK-LABEL: @copies
func.func @copies(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %c: i1) {
  // CHECK: "mosaic_gpu.async_load"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 1, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i1, i32) -> ()
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i, %c, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 1, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i1, i32) -> ()
  // CHECK: "mosaic_gpu.async_load"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = [], oob_fill_mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i32, i32) -> ()
  "mosaic_gpu.async_load"(%g, %s, %i, %i) <{collective = [], oob_fill_mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// CHECK-LABEL: @vectors
func.func @vectors(%v: vector<64x128xf32>, %t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // CHECK: %{{.*}} = mosaic_gpu.layout_cast x(%{{.*}} : vector<64x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>, strict = true}
  %0 = mosaic_gpu.layout_cast x(%v : vector<64x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>, strict = true}
  // CHECK: %{{.*}} = mosaic_gpu.vector_concat(%{{.*}}, %{{.*}} : vector<64x128xf32>, vector<64x128xf32>) {dimension = 0 : i32} -> vector<128x128xf32>
  %1 = mosaic_gpu.vector_concat(%v, %v : vector<64x128xf32>, vector<64x128xf32>) {dimension = 0 : i32} -> vector<128x128xf32>
  // CHECK: %{{.*}} = "mosaic_gpu.async_load_tmem"(%{{.*}}) <{reduce = 1 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> (vector<128x128xf32>, vector<128xf32>)
  %2:2 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 1 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> (vector<128x128xf32>, vector<128xf32>)
  // CHECK: %{{.*}} = "mosaic_gpu.slice_tmem"(%{{.*}}) <{alias_id = 1 : i64, offset = 64 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  %3 = "mosaic_gpu.slice_tmem"(%t) <{alias_id = 1 : i64, offset = 64 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  // CHECK: %{{.*}} = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i64, offset = 8192 : i32}> : () -> memref<8x!mosaic_gpu.b6x16_p32<f6E2M3FN>, #gpu.address_space<workgroup>>
  %4 = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i64, offset = 8192 : i32}> : () -> memref<8x!mosaic_gpu.b6x16_p32<f6E2M3FN>, #gpu.address_space<workgroup>>
  // CHECK: %{{.*}} = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x!mosaic_gpu.p2b6<f6E3M2FN>, #gpu.address_space<workgroup>>
  %5 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x!mosaic_gpu.p2b6<f6E3M2FN>, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: @layout
func.func @layout(%s: memref<64x128xf32, #gpu.address_space<workgroup>>) {
  // CHECK: "mosaic_gpu.print_layout"(%{{.*}}) <{format = "s"}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.print_layout"(%s) <{format = "s"}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// CHECK-LABEL: @scopes
func.func @scopes(%n: i32) {
  // CHECK: "mosaic_gpu.alloca_scope"() ({
  %0 = "mosaic_gpu.alloca_scope"() ({
    // CHECK: "mosaic_gpu.alloc_smem"() <{alignment = 1024 : i64}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.alloc_smem"() <{alignment = 1024 : i64}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
    // CHECK: "mosaic_gpu.alloca_scope.return"(%{{.*}}) : (i32) -> ()
    "mosaic_gpu.alloca_scope.return"(%n) : (i32) -> ()
  }) : () -> i32
  // CHECK: "mosaic_gpu.run_scoped"() <{buffer_attrs = [#mosaic_gpu.smem_alloc<alignment = 1024 : i64>, #mosaic_gpu.smem_alloc]}> ({
  %2 = "mosaic_gpu.run_scoped"() <{buffer_attrs = [#mosaic_gpu.smem_alloc<alignment = 1024 : i64>, #mosaic_gpu.smem_alloc]}> ({
  ^bb0(%a: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<8xi32, #gpu.address_space<workgroup>>):
    // CHECK: mosaic_gpu.return %{{.*}} : i32
    mosaic_gpu.return %n : i32
  }) : () -> i32
  return
}
