// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Views of memrefs.

// CHECK-LABEL: @slice
func.func @slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<1x8x128xf32, #tpu.memory_space<hbm>>
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<1x8x128xf32, #tpu.memory_space<hbm>>
  // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] <%{{.*}}> : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<?x8x128xf32, #tpu.memory_space<hbm>>
  %1 = tpu.memref_slice %m[%n, %n, %n] <%n> : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<?x8x128xf32, #tpu.memory_space<hbm>>
  // CHECK: tpu.memref_squeeze %{{.*}} : memref<1x8x128xf32, #tpu.memory_space<hbm>> -> memref<8x128xf32, #tpu.memory_space<hbm>>
  %2 = tpu.memref_squeeze %0 : memref<1x8x128xf32, #tpu.memory_space<hbm>> -> memref<8x128xf32, #tpu.memory_space<hbm>>
  return
}

// CHECK-LABEL: @reshape
func.func @reshape(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>) {
  // CHECK: tpu.memref_reshape %{{.*}} : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<512x128xf32, #tpu.memory_space<hbm>>
  %0 = tpu.memref_reshape %m : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<512x128xf32, #tpu.memory_space<hbm>>
  // CHECK: tpu.memref_bitcast %{{.*}} : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<1024x128xbf16, #tpu.memory_space<hbm>>
  %1 = tpu.memref_bitcast %0 : memref<512x128xf32, #tpu.memory_space<hbm>> -> memref<1024x128xbf16, #tpu.memory_space<hbm>>
  return
}

// CHECK-LABEL: @reshape_tiled
func.func @reshape_tiled(%m: memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>>) {
  // CHECK: tpu.memref_reshape %{{.*}} : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>> -> memref<2x32x128xf32, #tpu.tiled<(8,128),[4,1,1]>>
  %0 = tpu.memref_reshape %m : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>> -> memref<2x32x128xf32, #tpu.tiled<(8,128),[4,1,1]>>
  return
}

// CHECK-LABEL: @assume_multiple
func.func @assume_multiple(%n: i32, %i: index) {
  // CHECK: tpu.assume_multiple %{{.*}}, 8 : i32
  %0 = tpu.assume_multiple %n, 8 : i32
  // CHECK: tpu.assume_multiple %{{.*}}, 128 : index
  %1 = tpu.assume_multiple %i, 128 : index
  return
}
