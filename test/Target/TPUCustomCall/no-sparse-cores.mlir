// RUN: not pallas-translate --to-tpu-custom-call --chip v5e %s 2>&1 | FileCheck %s
// RUN: not pallas-translate --to-tpu-custom-call --chip v6e %s 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: pallas-translate --to-tpu-custom-call --chip v5p %s | FileCheck %s --check-prefix=TAKEN
// RUN: not pallas-opt --pallas-check-target=tpu:v5e %s 2>&1 | FileCheck %s

// CHECK: 'pallas.mpmd_map' op runs on SparseCores, which v5e doesn't have; compile for v5p, v6e, tpu7x
// SMALL: runs on 4 cores along axis "c", but v6e has 2; use a smaller mesh
// TAKEN: DEVICE_TYPE_SPARSECORE
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<64xf32>)
      out(tensor<64xf32>)
      kernel on <sc_scalar, [<core "c" = 4>]>(%xr: !pallas.ref<64xf32, hbm>, %or: !pallas.ref<64xf32, hbm>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %xr to %or signals %sem : !pallas.ref<64xf32, hbm>, !pallas.ref<64xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %xr to %or signals %sem : !pallas.ref<64xf32, hbm>, !pallas.ref<64xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<64xf32>
}
