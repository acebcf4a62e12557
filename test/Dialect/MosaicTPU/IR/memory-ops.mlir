// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Loads and stores: values print after the base, an absent mask leaves a comma.

// CHECK-LABEL: @vector_load
func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<128xi1>) {
  // CHECK: tpu.vector_load %{{.*}}[%{{.*}}, %{{.*}}] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  // CHECK: tpu.vector_load %{{.*}}[%{{.*}}, %{{.*}}] masked %{{.*}} {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<128xi1>
  %1 = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, vector<128xi1>
  return
}

// CHECK-LABEL: @vector_store
func.func @vector_store(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>, %k: vector<16x128xi1>) {
  // CHECK: tpu.vector_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
  tpu.vector_store %m[%i, %i], %v {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  // CHECK: tpu.vector_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} masked %{{.*}} {add = true, strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<16x128xi1>
  tpu.vector_store %m[%i, %i], %v masked %k {add = true, strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<16x128xi1>
  return
}

// CHECK-LABEL: @strided
func.func @strided(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // CHECK: tpu.strided_load %{{.*}}[%{{.*}}, %{{.*}}] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  %0 = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  // CHECK: tpu.strided_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  tpu.strided_store %m[%i, %i], %0 {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  return
}

// CHECK-LABEL: @indexed
func.func @indexed(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %x: vector<16xi32>, %k: vector<16xi1>) {
  // CHECK: tpu.vector_load_idx %{{.*}}[%{{.*}}, %{{.*}}] : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>,
  %0 = tpu.vector_load_idx %m[%x, %x] : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, 
  // CHECK: tpu.vector_load_idx %{{.*}}[%{{.*}}, %{{.*}}] masked %{{.*}} : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
  %1 = tpu.vector_load_idx %m[%x, %x] masked %k : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
  // CHECK: tpu.vector_store_idx %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {add = true} : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>,
  tpu.vector_store_idx %m[%x, %x], %0 {add = true} : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, 
  // CHECK: tpu.vector_store_idx %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} masked %{{.*}} : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
  tpu.vector_store_idx %m[%x, %x], %1 masked %k : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
  return
}
