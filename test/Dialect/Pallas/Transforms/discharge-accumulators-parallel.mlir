// RUN: pallas-run %s --entry=run_parallel --diff-passes=pallas-discharge-state | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_parallel --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_parallel --no-cache --out %t.npy
// RUN: %python -c "import numpy; assert (numpy.load('%t.npy') == 192).all()"

// SAME: no pass changes the answer

// An accumulator among the scratch of a call starts at zero in each parallel
// program, and keeps its sum over the steps of the sequential dimension: each
// result is 192 and not the sum over all programs.
func.func @parallel(%x: tensor<128x192xf16>, %y: tensor<192x64xf16>) -> tensor<128x64xf32> {
  %0 = pallas.pallas_call grid(2, 3)
    in(%x : tensor<128x192xf16>) block<[64, 64], default> map(%i, %k) -> (%i, %k)
    in(%y : tensor<192x64xf16>) block<[64, 64], default> map(%i, %k) -> (%k, 0)
    out(tensor<128x64xf32>) block<[64, 64], default> map(%i, %k) -> (%i, 0)
    semantics [parallel, sequential]
    attributes {compilerParams = [#pallas.gpu_params<maxConcurrentSteps = 2>]}
    kernel(%xr: !pallas.ref<64x64xf16, default>, %yr: !pallas.ref<64x64xf16, default>, %or: !pallas.ref<64x64xf32, default>, %acc: !pallas.accumulator<64x64xf32>) {
    pallas.wgmma_ref %acc, %xr, %yr : !pallas.accumulator<64x64xf32>, !pallas.ref<64x64xf16, default>, !pallas.ref<64x64xf16, default>
    %k = pallas.program_id 1
    %c2 = arith.constant 2 : i32
    %last = arith.cmpi eq, %k, %c2 : i32
    scf.if %last {
      %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x64xf32> -> tensor<64x64xf32>
      %old = pallas.swap %or[...], %v : !pallas.ref<64x64xf32, default>, tensor<64x64xf32>
    }
  }
  return %0 : tensor<128x64xf32>
}

func.func @run_parallel() -> tensor<128x64xf32> {
  %x = arith.constant dense<1.0> : tensor<128x192xf16>
  %y = arith.constant dense<1.0> : tensor<192x64xf16>
  %0 = call @parallel(%x, %y) : (tensor<128x192xf16>, tensor<192x64xf16>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}
