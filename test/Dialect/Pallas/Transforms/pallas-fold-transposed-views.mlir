// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-fold-transposed-views | FileCheck %s
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(96, dtype=np.float32).reshape(12, 8)); np.save('%t/y.npy', np.arange(144, dtype=np.float32).reshape(3, 6, 8))"
// RUN: pallas-run %s --entry=read --in %t/x.npy --diff-passes=pallas-fold-transposed-views | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=copies --in %t/y.npy --diff-passes=pallas-fold-transposed-views | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// The value is transposed in place of the ref.
// CHECK-LABEL: func.func @read
// CHECK-NOT: transpose_ref
// CHECK: %[[V:.*]] = pallas.get %{{.*}}[ds(0, 12), ds(4, 4)] : !pallas.ref<12x8xf32, vmem>
// CHECK: pallas.transpose %[[V]]

// A copy is as many copies as there are rows that lie elsewhere.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: transpose_ref
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c6_i32
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c3_i32
// CHECK: pallas.slice_ref %{{.*}}[%[[I]], %[[J]], :]
// CHECK: pallas.slice_ref %{{.*}}[%[[J]], %[[I]], :]
// CHECK: pallas.dma_start
// CHECK: pallas.dma_wait

func.func @read(%x: tensor<12x8xf32>) -> tensor<4x12xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<12x8xf32>) block<[12, 8], vmem>
      out(tensor<4x12xf32>) block<[4, 12], vmem>
      kernel(%xr: !pallas.ref<12x8xf32, vmem>, %or: !pallas.ref<4x12xf32, vmem>) {
    %t = pallas.transpose_ref %xr, [1, 0] : !pallas.ref<12x8xf32, vmem> -> !pallas.ref<8x12xf32, vmem>
    %v = pallas.get %t[ds(4, 4), :] : !pallas.ref<8x12xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4x12xf32, vmem>, tensor<4x12xf32>
  }
  return %o : tensor<4x12xf32>
}

func.func @copies(%x: tensor<3x6x8xf32>) -> tensor<6x3x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<3x6x8xf32>) block<[3, 6, 8], any>
      out(tensor<6x3x8xf32>) block<[6, 3, 8], any>
      kernel(%xr: !pallas.ref<3x6x8xf32, any>, %or: !pallas.ref<6x3x8xf32, any>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %t = pallas.transpose_ref %xr, [1, 0, 2] : !pallas.ref<3x6x8xf32, any> -> !pallas.ref<6x3x8xf32, any>
    pallas.dma_start %t to %or signals %sem : !pallas.ref<6x3x8xf32, any>, !pallas.ref<6x3x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %t to %or signals %sem : !pallas.ref<6x3x8xf32, any>, !pallas.ref<6x3x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<6x3x8xf32>
}

