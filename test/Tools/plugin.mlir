// The stock mlir-opt has no sanitizer runtime for an instrumented plugin.
// UNSUPPORTED: asan
// RUN: mlir-opt-22 --load-dialect-plugin=%plugin --split-input-file %s | FileCheck %s
// RUN: mlir-opt-22 --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %S/Inputs/scalar.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(canonicalize),pallas-to-llvm)' | FileCheck %s --check-prefix=PASS
// RUN: not mlir-opt-22 --load-dialect-plugin=%plugin %root/examples/broken.mlir --split-input-file 2>&1 | FileCheck %s --check-prefix=BROKEN

// The dialect and the passes work in the stock optimizer.

// CHECK: pallas.pallas_call @copy grid(2)
// PASS: llvm.func @double
// BROKEN: error: 'pallas.pallas_call' op kernel argument 0 is the block of input 0
func.func @copy(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %o = pallas.pallas_call @copy grid(2)
      in(%x : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<16x128xf32>
}
