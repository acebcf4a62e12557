// A call whose blocks take too much shared memory is told so without the name of what it became.
// RUN: not pallas-opt %s --pallas-to-mosaic-gpu 2>&1 | FileCheck %s --implicit-check-not=mpmd_map

!x = !pallas.ref<256x256xf32, smem>

// CHECK: shared-memory-of-calls.mlir:[[@LINE+2]]:{{[0-9]+}}: error: the kernel takes {{[0-9]+}} bytes of shared memory; a block of sm_90a has 232448
func.func @copy(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = pallas.pallas_call grid(1) in(%x : tensor<256x256xf32>) block<[256, 256], smem>
      out(tensor<256x256xf32>) block<[256, 256], smem> kernel(%xr: !x, %or: !x) {
    %v = pallas.get %xr[...] : !x
    %old = pallas.swap %or[...], %v : !x, tensor<256x256xf32>
  }
  return %0 : tensor<256x256xf32>
}
