// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Forms of the dialect that jaxlib 0.10.2 does not know yet, and 0.12 does.

// CHECK-LABEL: @precision
func.func @precision(%a: vector<16x128xbf16>, %b: vector<128x256xbf16>, %c: vector<16x256xf32>) {
  // CHECK: tpu.matmul %{{.*}}, %{{.*}}, %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16x3>, transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16x3>, transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// CHECK-LABEL: @matrix_unit_queue
func.func @matrix_unit_queue(%a: vector<16x128xbf16>) {
  // CHECK: tpu.matmul_lhs_fifo %{{.*}} {mxu_index = 0 : i32} : vector<16x128xbf16>
  tpu.matmul_lhs_fifo %a {mxu_index = 0 : i32} : vector<16x128xbf16>
  // CHECK: tpu.matmul_pop_fifo 0 : vector<16x256xf32>
  %0 = tpu.matmul_pop_fifo 0 : vector<16x256xf32>
  return
}

// CHECK-LABEL: @conv
func.func @conv(%x: vector<1x8x8x128xf32>, %k: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>, %b: vector<2x8x128xbf16>, %l: vector<3x32x64xbf16>, %c: vector<2x8x64xf32>) {
  // CHECK: tpu.conv %{{.*}}, %{{.*}}, %{{.*}} {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, precision = #tpu.contract_precision<fp32>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  %0 = tpu.conv %x, %k, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, precision = #tpu.contract_precision<fp32>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  // CHECK: feature_group_count = 4 : i64
  %1 = tpu.conv %b, %l, %c {dimension_numbers = #tpu.conv_dimension_numbers<0, 2, [1], 1, 2, [0], 0, 2, [1]>, feature_group_count = 4 : i64, lhs_dilation = array<i64: 1>, padding = array<i64: 1, 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: true>, window_strides = array<i64: 1>} : vector<2x8x128xbf16>, vector<3x32x64xbf16>, vector<2x8x64xf32> -> vector<2x8x64xf32>
  return
}

// CHECK-LABEL: @reduce_index
func.func @reduce_index(%v: vector<16x128xbf16>) {
  // CHECK: tpu.reduce_index %{{.*}} {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xbf16> -> vector<16xi16>
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xbf16> -> vector<16xi16>
  return
}

// CHECK-LABEL: @reduce
func.func @reduce(%v: vector<16x128xf32>, %i: vector<4x16x128xi32>) {
  // CHECK: tpu.reduce <maxf>, %{{.*}} [1] : vector<16x128xf32> -> vector<16x1xf32>
  %0 = tpu.reduce <maxf>, %v [1] : vector<16x128xf32> -> vector<16x1xf32>
  // CHECK: tpu.reduce <minf>, %{{.*}} [0, 1] : vector<16x128xf32> -> vector<1x1xf32>
  %1 = tpu.reduce <minf>, %v [0, 1] : vector<16x128xf32> -> vector<1x1xf32>
  // CHECK: tpu.reduce <sum>, %{{.*}} [0] : vector<4x16x128xi32> -> vector<1x16x128xi32>
  %2 = tpu.reduce <sum>, %i [0] : vector<4x16x128xi32> -> vector<1x16x128xi32>
  // CHECK: tpu.reduce <minui>, %{{.*}} [2] : vector<4x16x128xi32> -> vector<4x16x1xi32>
  %3 = tpu.reduce <minui>, %i [2] : vector<4x16x128xi32> -> vector<4x16x1xi32>
  return
}

// CHECK-LABEL: @all_reduce
func.func @all_reduce(%v: vector<16x128xf32>, %i: vector<16xi32>) {
  // CHECK: tpu.all_reduce %{{.*}} {dim = 1 : i64, kind = #tpu.reduction_kind<maxf>} : vector<16x128xf32> -> vector<16x128xf32>
  %0 = tpu.all_reduce %v {dim = 1 : i64, kind = #tpu.reduction_kind<maxf>} : vector<16x128xf32> -> vector<16x128xf32>
  // CHECK: tpu.all_reduce %{{.*}} {dim = 0 : i64, kind = #tpu.reduction_kind<minsi>} : vector<16xi32> -> vector<16xi32>
  %1 = tpu.all_reduce %i {dim = 0 : i64, kind = #tpu.reduction_kind<minsi>} : vector<16xi32> -> vector<16xi32>
  return
}

// CHECK-LABEL: @scan
func.func @scan(%v: vector<16xf32>, %k: vector<16xi1>, %w: vector<4x16xi32>, %c: vector<4xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // CHECK: tpu.scan <sum>, %{{.*}} {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  // CHECK: tpu.scan <maxf>, %{{.*}} masked %{{.*}} {dimension = 0 : i64} : vector<16xf32>, vector<16xi1> -> vector<16xf32>
  %1 = tpu.scan <maxf>, %v masked %k {dimension = 0 : i64} : vector<16xf32>, vector<16xi1> -> vector<16xf32>
  // CHECK: tpu.scan <sum>, %{{.*}} {dimension = 0 : i64} : vector<16xi1>,  -> vector<16xi32>
  %2 = tpu.scan <sum>, %k {dimension = 0 : i64} : vector<16xi1>,  -> vector<16xi32>
  // CHECK: tpu.scan <minsi>, %{{.*}} masked %{{.*}} {dimension = 0 : i64} : vector<4x16xi32>, vector<4xi1> -> vector<4x16xi32>
  %3 = tpu.scan <minsi>, %w masked %c {dimension = 0 : i64} : vector<4x16xi32>, vector<4xi1> -> vector<4x16xi32>
  // CHECK: tpu.scan <maxui>, %{{.*}} masked %{{.*}} {dimension = 1 : i64} : vector<4x16xi32>, vector<16xi1> -> vector<4x16xi32>
  %4 = tpu.scan <maxui>, %w masked %k {dimension = 1 : i64} : vector<4x16xi32>, vector<16xi1> -> vector<4x16xi32>
  return
}

// CHECK-LABEL: @elements
func.func @elements(%v: vector<16x128xf32>, %b: vector<16x128xbf16>) {
  // CHECK: tpu.logistic %{{.*}} : vector<16x128xf32> -> vector<16x128xf32>
  %0 = tpu.logistic %v : vector<16x128xf32> -> vector<16x128xf32>
  // CHECK: tpu.logistic %{{.*}} : vector<16x128xbf16> -> vector<16x128xbf16>
  %1 = tpu.logistic %b : vector<16x128xbf16> -> vector<16x128xbf16>
  // CHECK: tpu.reduce_precision %{{.*}} {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : vector<16x128xf32> -> vector<16x128xf32>
  %2 = tpu.reduce_precision %v {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// CHECK-LABEL: @packed_accesses
func.func @packed_accesses(%m: memref<64xf32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<16xi1>, %n: memref<4x64xi16, #tpu.memory_space<vmem>>, %w: vector<4x16xi16>, %l: vector<4x16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // CHECK: tpu.vector_compress_store %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} {compress_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  // CHECK: tpu.vector_compress_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} {add = true, compress_dim = 1 : i32} : memref<4x64xi16, #tpu.memory_space<vmem>>, vector<4x16xi16>, vector<4x16xi1>
  tpu.vector_compress_store %n[%i, %i], %w, %l {add = true, compress_dim = 1 : i32} : memref<4x64xi16, #tpu.memory_space<vmem>>, vector<4x16xi16>, vector<4x16xi1>
  // CHECK: tpu.vector_expand_load %{{.*}}[%{{.*}}], %{{.*}} {expand_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// CHECK-LABEL: @shared_slice
func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // CHECK: tpu.shared_memref_slice %{{.*}} : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
  return
}

// CHECK-LABEL: @views
func.func @views(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %a: memref<16x128xf32, #tpu.memory_space<any>>, %n: i32) {
  // CHECK: tpu.annotate %{{.*}} {no_bank_conflict = true, no_store = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
  %0 = tpu.annotate %m {no_bank_conflict = true, no_store = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.annotate %{{.*}} {no_hazard_no_deps = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
  %1 = tpu.annotate %m {no_hazard_no_deps = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_memory_space_is %{{.*}}, <vmem> : memref<16x128xf32, #tpu.memory_space<any>>
  %2 = tpu.memref_memory_space_is %a, <vmem> : memref<16x128xf32, #tpu.memory_space<any>>
  // CHECK: tpu.memref_memory_space_is %{{.*}}, <vmem, tc> : memref<16x128xf32, #tpu.memory_space<vmem>>
  %3 = tpu.memref_memory_space_is %m, <vmem, tc> : memref<16x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.tile_size %{{.*}}, 0 : memref<16x128xf32, #tpu.memory_space<vmem>>
  %4 = tpu.tile_size %m, 0 : memref<16x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.reinterpret_cast %{{.*}} %{{.*}}<%{{.*}}> [%{{.*}}] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.tiled<(8,128),[?,1]>, #tpu.memory_space<vmem>>
  %5 = tpu.reinterpret_cast %m %n <%n> [%n] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.tiled<(8,128),[?,1]>, #tpu.memory_space<vmem>>
  // CHECK: tpu.reinterpret_cast %{{.*}} [%{{.*}}, %{{.*}}] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xf32, strided<[?, ?]>, #tpu.memory_space<vmem>>
  %6 = tpu.reinterpret_cast %m [%n, %n] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xf32, strided<[?, ?]>, #tpu.memory_space<vmem>>
  return
}

// CHECK-LABEL: @reinterpret_cast
func.func @reinterpret_cast(%m: memref<512x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // CHECK: tpu.reinterpret_cast %{{.*}} : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<64x1024xf32, #tpu.memory_space<hbm>>
  %0 = tpu.reinterpret_cast %m : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<64x1024xf32, #tpu.memory_space<hbm>>
  // CHECK: tpu.reinterpret_cast %{{.*}} %{{.*}} : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<512x128xi32, #tpu.memory_space<hbm>>
  %1 = tpu.reinterpret_cast %m %n : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<512x128xi32, #tpu.memory_space<hbm>>
  // CHECK: tpu.reinterpret_cast %{{.*}} %{{.*}}<%{{.*}}> : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<?x128xf32, #tpu.memory_space<hbm>>
  %2 = tpu.reinterpret_cast %m %n<%n> : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<?x128xf32, #tpu.memory_space<hbm>>
  return
}
