// RUN: pallas-opt %s --split-input-file --verify-diagnostics --pallas-to-mosaic-tpu | FileCheck %s

// What goes through a transposed view goes to the ref, and the value is
// transposed.

// CHECK-LABEL: func.func @read
// CHECK: %[[V:.*]] = vector.load %arg0[%{{.*}}, %{{.*}}] : memref<32x16xf32, #tpu.memory_space<vmem>>, vector<32x8xf32>
// CHECK: tpu.transpose %[[V]], [1, 0] : vector<32x8xf32> -> vector<8x32xf32>
func.func @f(%x: tensor<32x16xf32>) -> tensor<8x32xf32> {
  %o = pallas.pallas_call @read grid()
      in(%x : tensor<32x16xf32>)
      out(tensor<8x32xf32>)
      kernel(%xr: !pallas.ref<32x16xf32, default>, %or: !pallas.ref<8x32xf32, default>) {
    %t = pallas.transpose_ref %xr, [1, 0] : !pallas.ref<32x16xf32, default> -> !pallas.ref<16x32xf32, default>
    %v = pallas.get %t[ds(8, 8), :] : !pallas.ref<16x32xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x32xf32, default>, tensor<8x32xf32>
  }
  return %o : tensor<8x32xf32>
}

// -----

// Views of views: two transpositions that cancel each other leave none.

// CHECK-LABEL: func.func @twice
// CHECK-NOT: tpu.transpose
// CHECK: return
func.func @f(%x: tensor<32x16xf32>) -> tensor<32x8xf32> {
  %o = pallas.pallas_call @twice grid()
      in(%x : tensor<32x16xf32>)
      out(tensor<32x8xf32>)
      kernel(%xr: !pallas.ref<32x16xf32, default>, %or: !pallas.ref<32x8xf32, default>) {
    %t = pallas.transpose_ref %xr, [1, 0] : !pallas.ref<32x16xf32, default> -> !pallas.ref<16x32xf32, default>
    %half = pallas.slice_ref %t[ds(8, 8), :] : !pallas.ref<16x32xf32, default>
    %back = pallas.transpose_ref %half, [1, 0] : !pallas.ref<8x32xf32, default> -> !pallas.ref<32x8xf32, default>
    %v = pallas.get %back[...] : !pallas.ref<32x8xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<32x8xf32, default>, tensor<32x8xf32>
  }
  return %o : tensor<32x8xf32>
}

// -----

// A copy is as many copies as there are rows that lie elsewhere.

// CHECK-LABEL: func.func @copies
// CHECK-COUNT-18: tpu.enqueue_dma
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c6_i32
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c3_i32
// CHECK: tpu.memref_slice %{{.*}}[%[[I]], %{{.*}}, %{{.*}}] : memref<6x3x128xf32{{.*}} -> memref<1x3x128xf32
// CHECK: tpu.memref_slice %{{.*}}[%[[J]], %{{.*}}] : memref<3x128xf32{{.*}} -> memref<1x128xf32
// CHECK: tpu.memref_slice %{{.*}}[%[[J]], %{{.*}}, %{{.*}}] : memref<3x6x128xf32{{.*}} -> memref<1x6x128xf32
// CHECK: tpu.memref_slice %{{.*}}[%[[I]], %{{.*}}] : memref<6x128xf32{{.*}} -> memref<1x128xf32
// CHECK: tpu.wait_dma2
func.func @f(%x: tensor<3x6x128xf32>) -> tensor<6x3x128xf32> {
  %o = pallas.pallas_call @copies grid()
      in(%x : tensor<3x6x128xf32>) block<[3, 6, 128], any>
      out(tensor<6x3x128xf32>) block<[6, 3, 128], vmem>
      kernel(%xr: !pallas.ref<3x6x128xf32, any>, %or: !pallas.ref<6x3x128xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %t = pallas.transpose_ref %xr, [1, 0, 2] : !pallas.ref<3x6x128xf32, any> -> !pallas.ref<6x3x128xf32, any>
    pallas.dma_start %t to %or signals %sem : !pallas.ref<6x3x128xf32, any>, !pallas.ref<6x3x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %t to %or signals %sem : !pallas.ref<6x3x128xf32, any>, !pallas.ref<6x3x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<6x3x128xf32>
}

// -----

func.func @f(%x: tensor<32x16xf32>) {
  pallas.pallas_call grid()
      in(%x : tensor<32x16xf32>) block<[32, 16], any>
      kernel(%xr: !pallas.ref<32x16xf32, any>, %b: !pallas.ref<16x32xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-note @below {{transposed here}}
    %t = pallas.transpose_ref %xr, [1, 0] : !pallas.ref<32x16xf32, any> -> !pallas.ref<16x32xf32, any>
    // expected-error @below {{takes a transposed view, but where memory is seen in one order only what reads, writes and slices refs can, and copies where the last dimension stays the last; copy the ref and transpose the value}}
    pallas.dma_start %t to %b signals %sem : !pallas.ref<16x32xf32, any>, !pallas.ref<16x32xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

// Copies that differ in a later index alone share the address up to there.

// CHECK-LABEL: func.func @pages
// CHECK: %[[A:.*]] = tpu.memref_slice %[[X:.*]][%[[HEAD:[^,]*]], %{{.*}}, %{{.*}}, %{{.*}}] : memref<4x8x8x128xf32, {{.*}} -> memref<1x8x8x128xf32
// CHECK-NEXT: %[[H:.*]] = tpu.memref_squeeze %[[A]] : {{.*}} -> memref<8x8x128xf32
// CHECK-NEXT: %[[P:.*]] = tpu.memref_slice %[[H]][%{{[^,]*}}, %{{.*}}, %{{.*}}] : memref<8x8x128xf32, {{.*}} -> memref<1x8x128xf32
// CHECK-NEXT: tpu.memref_squeeze %[[P]] : {{.*}} -> memref<8x128xf32
func.func @f(%x: tensor<4x8x8x128xf32>) {
  pallas.pallas_call @pages grid(4, 8)
      in(%x : tensor<4x8x8x128xf32>) block<[4, 8, 8, 128], any>
      kernel(%xr: !pallas.ref<4x8x8x128xf32, any>, %b: !pallas.ref<8x128xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %head = pallas.program_id 0
    %page = pallas.program_id 1
    %part = pallas.slice_ref %xr[%head, %page, :, :] : !pallas.ref<4x8x8x128xf32, any>
    pallas.dma_start %part to %b signals %sem : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %part to %b signals %sem : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}
