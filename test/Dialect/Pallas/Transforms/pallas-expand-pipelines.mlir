// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-expand-pipelines | FileCheck %s
// RUN: pallas-opt %s --pallas-expand-pipelines="tile-rows=8 tile-columns=128" | FileCheck %s --check-prefix=TILES
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(480, dtype=np.float32).reshape(30, 16))"
// RUN: pallas-run %s --entry=double --in %t/x.npy --diff-passes=pallas-expand-pipelines | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// Two buffers of an input take turns: while the body works at one point, the
// block of the next one is copied. The last block ends with the array.
// CHECK-LABEL: func.func @double
// CHECK: pallas.run_scoped (%[[X:.*]]: !pallas.ref<2x8x16xf32, vmem>, %{{.*}}: !pallas.ref<2x!pallas.dma_semaphore, semaphore>, %[[O:.*]]: !pallas.ref<2x8x16xf32, vmem>
// CHECK: pallas.dma_start
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[AHEAD:.*]] = arith.cmpi slt, %[[I]]
// CHECK: scf.if %[[AHEAD]]
// CHECK: arith.constant 6 : i32
// CHECK: pallas.dma_start
// CHECK: pallas.dma_wait
// CHECK: %[[WINDOW:.*]] = pallas.slice_ref %[[X]][
// CHECK: pallas.get %[[WINDOW]]
// CHECK: pallas.dma_start
// CHECK: scf.if
// CHECK: pallas.dma_wait
// CHECK: pallas.dma_wait

// Where memory moves tiles it goes on to the end of the last one.
// TILES-NOT: arith.constant 6 : i32

func.func @double(%x: tensor<30x16xf32>) -> tensor<30x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<30x16xf32>) block<[30, 16], any>
      out(tensor<30x16xf32>) block<[30, 16], any>
      kernel(%xr: !pallas.ref<30x16xf32, any>, %or: !pallas.ref<30x16xf32, any>) {
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<30x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<30x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>, %b: !pallas.ref<8x16xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x16xf32, vmem>
      %w = arith.addf %v, %v : tensor<8x16xf32>
      pallas.swap %b[...], %w : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
  }
  return %o : tensor<30x16xf32>
}

