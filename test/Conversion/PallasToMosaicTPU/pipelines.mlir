// RUN: pallas-opt %s --split-input-file --verify-diagnostics --pallas-to-mosaic-tpu | FileCheck %s

// Two windows of an input take turns; an output goes back after each point.

// CHECK-LABEL: func.func @double
// CHECK: %[[X:.*]] = memref.alloca() : memref<2x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.sem_alloc : memref<2x!tpu.dma_semaphore
// CHECK: %[[O:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.enqueue_dma
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tpu.enqueue_dma
// CHECK: tpu.wait_dma2
// CHECK: vector.load %[[X]]
// CHECK: tpu.vector_store %[[O]]
// CHECK: tpu.enqueue_dma
// CHECK: tpu.wait_dma2
func.func @f(%x: tensor<32x256xf32>) -> tensor<32x256xf32> {
  %o = pallas.pallas_call @double grid()
      in(%x : tensor<32x256xf32>) block<[32, 256], any>
      out(tensor<32x256xf32>) block<[32, 256], any>
      kernel(%xr: !pallas.ref<32x256xf32, any>, %or: !pallas.ref<32x256xf32, any>) {
    pallas.emit_pipeline grid(4, 2)
        in(%xr : !pallas.ref<32x256xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
        out(%or : !pallas.ref<32x256xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
        kernel(%i: i32, %j: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
      %w = arith.addf %v, %v : tensor<8x128xf32>
      pallas.swap %b[...], %w : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<32x256xf32>
}

// -----

func.func @f(%x: tensor<30x128xf32>) -> tensor<30x128xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<30x128xf32>) block<[30, 128], any>
      out(tensor<30x128xf32>) block<[30, 128], any>
      kernel(%xr: !pallas.ref<30x128xf32, any>, %or: !pallas.ref<30x128xf32, any>) {
    // expected-error @below {{has blocks of 8 along dimension 0, which has 30; on TPUs they must divide it}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<30x128xf32, any>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return %o : tensor<30x128xf32>
}
