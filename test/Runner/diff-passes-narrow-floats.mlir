// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); [np.save(f'%t/{n}.npy', (r.standard_normal((32, 256)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)) for n in 'xy']"
// RUN: pallas-run %s --in %t/x.npy --in %t/y.npy --diff-passes | FileCheck %s

// CHECK-COUNT-2: no pass changes the answer

// Passes may drop the rounding of the difference; the result tells so in more
// digits than it has.
func.func @roundings(%x: tensor<32x256xbf16>, %y: tensor<32x256xbf16>) -> tensor<32x256xf16> {
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<32x256xbf16>) block<[32, 256], vmem> map(%i) -> (0, 0)
      in(%y : tensor<32x256xbf16>) block<[32, 256], vmem> map(%i) -> (0, 0)
      out(tensor<32x256xf16>) block<[32, 256], vmem> map(%i) -> (0, 0)
      kernel(%xr: !pallas.ref<32x256xbf16, vmem>, %yr: !pallas.ref<32x256xbf16, vmem>, %or: !pallas.ref<32x256xf16, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x256xbf16, vmem>
    %w = pallas.get %yr[...] : !pallas.ref<32x256xbf16, vmem>
    %d = arith.subf %v, %w : tensor<32x256xbf16>
    %p = arith.mulf %d, %w : tensor<32x256xbf16>
    %e = arith.extf %p : tensor<32x256xbf16> to tensor<32x256xf32>
    %t = arith.truncf %e : tensor<32x256xf32> to tensor<32x256xf16>
    pallas.swap %or[...], %t : !pallas.ref<32x256xf16, vmem>, tensor<32x256xf16>
  }
  return %o : tensor<32x256xf16>
}
