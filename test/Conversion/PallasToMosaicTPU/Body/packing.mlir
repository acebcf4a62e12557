// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pack(
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[C:.*]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[PACK_ELEMENTWISE:.*]] = tpu.pack_elementwise %[[LOAD]], %[[LOAD]] {target_type = bf16} : vector<8x128xf32>, vector<8x128xf32> -> vector<8x128xi32>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[PACK_ELEMENTWISE]] {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>,
func.func @pack(%x: tensor<8x128xf32>) -> tensor<8x128xi32> {
  %o = pallas.pallas_call @pack grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xi32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %v = pallas.pack_elementwise %a, %a as bf16 : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x128xi32>
    pallas.swap %or[...], %v : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

// -----

// CHECK-LABEL: func.func @unpack(
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[C:.*]], %[[C]]] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>
// CHECK: %[[UNPACK_ELEMENTWISE:.*]] = tpu.unpack_elementwise %[[LOAD]], 1 {source_type = bf16} : vector<8x128xi32> -> vector<8x128xf32>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[UNPACK_ELEMENTWISE]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
func.func @unpack(%x: tensor<8x128xi32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @unpack grid()
      in(%x : tensor<8x128xi32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xi32, vmem>
    %v = pallas.unpack_elementwise %a[1] as bf16 : tensor<8x128xi32> -> tensor<8x128xf32>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// CHECK-LABEL: func.func @round(
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[C:.*]], %[[C]]] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
// CHECK: %[[LOAD2:.*]] = vector.load %{{.*}}[%[[C]], %[[C]]] : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>
// CHECK: %[[STOCHASTIC_CONVERT:.*]] = tpu.stochastic_convert %[[LOAD]], %[[LOAD2]] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xbf16>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[STOCHASTIC_CONVERT]] {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>,
func.func @round(%x: tensor<16x128xf32>, %bits: tensor<16x128xi32>) -> tensor<16x128xbf16> {
  %o = pallas.pallas_call @round grid()
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      in(%bits : tensor<16x128xi32>) block<[16, 128], vmem>
      out(tensor<16x128xbf16>) block<[16, 128], vmem>
      kernel(%xr: !pallas.ref<16x128xf32, vmem>, %br: !pallas.ref<16x128xi32, vmem>, %or: !pallas.ref<16x128xbf16, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<16x128xf32, vmem>
    %b = pallas.get %br[...] : !pallas.ref<16x128xi32, vmem>
    %v = pallas.stochastic_round %a bits %b : tensor<16x128xf32>, tensor<16x128xi32> -> tensor<16x128xbf16>
    pallas.swap %or[...], %v : !pallas.ref<16x128xbf16, vmem>, tensor<16x128xbf16>
  }
  return %o : tensor<16x128xbf16>
}

// -----

// Multiples are hints that Mosaic takes, too; other hints leave nothing.

// CHECK-LABEL: func.func @hints(
// CHECK: %[[ASSUME_MULTIPLE:.*]] = tpu.assume_multiple %{{.*}}, 8 : i32
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[ASSUME_MULTIPLE]] : i32 to index
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[INDEX_CAST]], %[[C:.*]]] : memref<64x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[LOAD]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
func.func @hints(%x: tensor<64x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @hints grid(8)
      in(%x : tensor<64x128xf32>) block<[64, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<64x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %i = pallas.program_id 0
    %m = pallas.multiple_of %i, [8] : i32
    %c = pallas.max_contiguous %m, [8] : i32
    %b = pallas.optimization_barrier %c : i32 -> i32
    %v = pallas.get %xr[ds(%b, 8), :] : !pallas.ref<64x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
