// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file | FileCheck %s

// Views are views of memrefs.

// CHECK-LABEL: func.func @reshape_ref(
// CHECK: %[[MEMREF_RESHAPE:.*]] = tpu.memref_reshape %{{.*}} : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<2x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: %[[LOAD:.*]] = vector.load %[[MEMREF_RESHAPE]][%[[C:.*]], %[[C]], %[[C]]] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, vector<2x8x128xf32>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]], %[[C]]], %[[LOAD]] {strides = array<i32>} : memref<2x8x128xf32, #tpu.memory_space<vmem>>, vector<2x8x128xf32>,
func.func @reshape_ref(%x: tensor<16x128xf32>) -> tensor<2x8x128xf32> {
  %o = pallas.pallas_call @reshape_ref grid()
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<2x8x128xf32>) block<[2, 8, 128], vmem>
      kernel(%xr: !pallas.ref<16x128xf32, vmem>, %or: !pallas.ref<2x8x128xf32, vmem>) {
    %r = pallas.reshape_ref %xr : !pallas.ref<16x128xf32, vmem> -> !pallas.ref<2x8x128xf32, vmem>
    %v = pallas.get %r[...] : !pallas.ref<2x8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<2x8x128xf32, vmem>, tensor<2x8x128xf32>
  }
  return %o : tensor<2x8x128xf32>
}

// -----

// Rows of one tile are tiles of words, so that any shape has them in one order.
// CHECK-LABEL: func.func @reshape_tiles_of_one_row(
// CHECK: tpu.memref_reshape %{{.*}} : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<4x512xf32, #tpu.memory_space<vmem>>
func.func @reshape_tiles_of_one_row(%x: tensor<16x128xf32>) -> tensor<4x512xf32> {
  %o = pallas.pallas_call @reshape_tiles_of_one_row grid()
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<4x512xf32>) block<[4, 512], vmem>
      kernel(%xr: !pallas.ref<16x128xf32, vmem>, %or: !pallas.ref<4x512xf32, vmem>) {
    %r = pallas.reshape_ref %xr : !pallas.ref<16x128xf32, vmem> -> !pallas.ref<4x512xf32, vmem>
    %v = pallas.get %r[...] : !pallas.ref<4x512xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4x512xf32, vmem>, tensor<4x512xf32>
  }
  return %o : tensor<4x512xf32>
}

// -----

// Whole tiles of a part that lies in one piece, then other groups of these.
// CHECK-LABEL: func.func @reshape_part_twice(
// CHECK: %[[SLICE:.*]] = tpu.memref_slice %{{.*}} : memref<4x16x256xbf16, #tpu.memory_space<vmem>> -> memref<2x16x256xbf16, #tpu.memory_space<vmem>>
// CHECK: %[[ALL:.*]] = tpu.memref_reshape %[[SLICE]] : memref<2x16x256xbf16, #tpu.memory_space<vmem>> -> memref<32x256xbf16, #tpu.memory_space<vmem>>
// CHECK: tpu.memref_reshape %[[ALL]] : memref<32x256xbf16, #tpu.memory_space<vmem>> -> memref<4x8x256xbf16, #tpu.memory_space<vmem>>
func.func @reshape_part_twice(%x: tensor<4x16x256xbf16>) -> tensor<4x8x256xbf16> {
  %o = pallas.pallas_call @reshape_part_twice grid()
      in(%x : tensor<4x16x256xbf16>) block<[4, 16, 256], vmem>
      out(tensor<4x8x256xbf16>) block<[4, 8, 256], vmem>
      kernel(%xr: !pallas.ref<4x16x256xbf16, vmem>, %or: !pallas.ref<4x8x256xbf16, vmem>) {
    %p = pallas.slice_ref %xr[ds(2, 2), :, :] : !pallas.ref<4x16x256xbf16, vmem>
    %a = pallas.reshape_ref %p : !pallas.ref<2x16x256xbf16, vmem> -> !pallas.ref<32x256xbf16, vmem>
    %r = pallas.reshape_ref %a : !pallas.ref<32x256xbf16, vmem> -> !pallas.ref<4x8x256xbf16, vmem>
    %v = pallas.get %r[...] : !pallas.ref<4x8x256xbf16, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4x8x256xbf16, vmem>, tensor<4x8x256xbf16>
  }
  return %o : tensor<4x8x256xbf16>
}

// -----

// Rows of one tile that fill words, in a buffer that is one tile wide.
// CHECK-LABEL: func.func @reshape_rows_of_one_tile(
// CHECK: %[[SLICE:.*]] = tpu.memref_slice %{{.*}} : memref<32x64xbf16, #tpu.memory_space<vmem>> -> memref<2x64xbf16, #tpu.memory_space<vmem>>
// CHECK: tpu.memref_reshape %[[SLICE]] : memref<2x64xbf16, #tpu.memory_space<vmem>> -> memref<1x2x64xbf16, #tpu.memory_space<vmem>>
func.func @reshape_rows_of_one_tile(%x: tensor<32x64xbf16>) -> tensor<1x2x64xbf16> {
  %o = pallas.pallas_call @reshape_rows_of_one_tile grid()
      in(%x : tensor<32x64xbf16>) block<[32, 64], vmem>
      out(tensor<1x2x64xbf16>) block<[1, 2, 64], vmem>
      kernel(%xr: !pallas.ref<32x64xbf16, vmem>, %or: !pallas.ref<1x2x64xbf16, vmem>) {
    %p = pallas.slice_ref %xr[ds(8, 2), :] : !pallas.ref<32x64xbf16, vmem>
    %r = pallas.reshape_ref %p : !pallas.ref<2x64xbf16, vmem> -> !pallas.ref<1x2x64xbf16, vmem>
    %v = pallas.get %r[...] : !pallas.ref<1x2x64xbf16, vmem>
    pallas.swap %or[...], %v : !pallas.ref<1x2x64xbf16, vmem>, tensor<1x2x64xbf16>
  }
  return %o : tensor<1x2x64xbf16>
}

// -----

// CHECK-LABEL: func.func @bitcast_ref(
// CHECK: %[[MEMREF_BITCAST:.*]] = tpu.memref_bitcast %{{.*}} : memref<8x128xi32, #tpu.memory_space<vmem>> -> memref<16x128xbf16, #tpu.memory_space<vmem>>
// CHECK: %[[LOAD:.*]] = vector.load %[[MEMREF_BITCAST]][%[[C:.*]], %[[C]]] : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[LOAD]] {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>,
func.func @bitcast_ref(%x: tensor<8x128xi32>) -> tensor<16x128xbf16> {
  %o = pallas.pallas_call @bitcast_ref grid()
      in(%x : tensor<8x128xi32>) block<[8, 128], vmem>
      out(tensor<16x128xbf16>) block<[16, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi32, vmem>, %or: !pallas.ref<16x128xbf16, vmem>) {
    %r = pallas.bitcast_ref %xr : !pallas.ref<8x128xi32, vmem> -> !pallas.ref<16x128xbf16, vmem>
    %v = pallas.get %r[...] : !pallas.ref<16x128xbf16, vmem>
    pallas.swap %or[...], %v : !pallas.ref<16x128xbf16, vmem>, tensor<16x128xbf16>
  }
  return %o : tensor<16x128xbf16>
}
