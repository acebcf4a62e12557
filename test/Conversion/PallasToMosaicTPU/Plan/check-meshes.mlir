// A chip that is named has to have the cores of a kernel, and enough of them.

// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu=chip=v5e --verify-diagnostics -o /dev/null
// RUN: not pallas-opt %s --split-input-file --pallas-outline-tpu-kernels='chip=v6e check-meshes' 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu=chip=v5p | FileCheck %s
// Without a name the chip is one without SparseCores, and shows what becomes of the kernel.
// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu | FileCheck %s

// SMALL: check-meshes.mlir:[[@LINE+8]]:{{[0-9]+}}: error: {{.*}}runs on 4 cores along axis "c", but v6e has 2; use a smaller mesh
// CHECK-LABEL: module {
// CHECK: module @scalars
// CHECK-SAME: sparse_core_tiling
// CHECK: func.func @scalars(
// CHECK-SAME: tpu.core_type = #tpu.core_type<sc_scalar_subcore>
func.func @scalar_subcores(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{runs on SparseCores, which v5e doesn't have; compile for v5p, v6e, tpu7x}}
  %o = pallas.mpmd_map
      in(%x : tensor<64xf32>)
      out(tensor<64xf32>)
      kernel @scalars on <sc_scalar, [<core "c" = 4>]>(%xr: !pallas.ref<64xf32, hbm>, %or: !pallas.ref<64xf32, hbm>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %xr to %or signals %sem : !pallas.ref<64xf32, hbm>, !pallas.ref<64xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %xr to %or signals %sem : !pallas.ref<64xf32, hbm>, !pallas.ref<64xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<64xf32>
}

// -----

// CHECK-LABEL: module {
// CHECK: module @vectors
// CHECK: func.func @vectors(
// CHECK-SAME: tpu.core_type = #tpu.core_type<sc_vector_subcore>
func.func @vector_subcores(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{runs on SparseCores, which v5e doesn't have; compile for v5p, v6e, tpu7x}}
  %o = pallas.mpmd_map
      in(%x : tensor<64xf32>)
      out(tensor<64xf32>)
      kernel @vectors on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%xr: !pallas.ref<64xf32, hbm>, %or: !pallas.ref<64xf32, hbm>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %xr to %or signals %sem : !pallas.ref<64xf32, hbm>, !pallas.ref<64xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %xr to %or signals %sem : !pallas.ref<64xf32, hbm>, !pallas.ref<64xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<64xf32>
}

// -----

// Cores of that kind are not counted: a chip stands for one of them.
// CHECK-LABEL: module {
// CHECK: module @tensor
// CHECK: func.func @tensor(
func.func @tensor_cores(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      kernel @tensor on <tensorcore, [<core "c" = 2>]>(%xr: !pallas.ref<8x128xf32, hbm>, %or: !pallas.ref<8x128xf32, hbm>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %xr to %or signals %sem : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %xr to %or signals %sem : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}
