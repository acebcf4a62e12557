// RUN: pallas-opt %s --pallas-discharge-state --verify-diagnostics
// RUN: not pallas-run %s --no-cache 2>&1 | FileCheck %s

// Programs that run at once on a GPU would share the accumulator in turns here.
// CHECK: keeps an accumulator over the sequential dimension 0, in each step of which the parallel dimension 1 has several programs that share it here; put sequential dimensions last
func.func @turns() -> tensor<128x64xf32> {
  // expected-error @below {{keeps an accumulator over the sequential dimension 0, in each step of which the parallel dimension 1 has several programs}}
  %0 = pallas.pallas_call grid(3, 2)
    out(tensor<128x64xf32>) block<[64, 64], default> map(%k, %i) -> (%i, 0)
    semantics [sequential, parallel]
    attributes {compilerParams = [#pallas.gpu_params<maxConcurrentSteps = 2>]}
    kernel(%or: !pallas.ref<64x64xf32, default>, %acc: !pallas.accumulator<64x64xf32>) {
    %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x64xf32> -> tensor<64x64xf32>
    %old = pallas.swap %or[...], %v : !pallas.ref<64x64xf32, default>, tensor<64x64xf32>
  }
  return %0 : tensor<128x64xf32>
}
