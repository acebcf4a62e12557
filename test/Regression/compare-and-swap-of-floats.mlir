// RUN: pallas-run %s --no-cache | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache | FileCheck %s

// The bug: on CPUs floats were compared as numbers, after discharge as bits, which is what hardware
// compares: zeros of both signs differ, and a NaN equals itself.

func.func @main() {
  pallas.run_scoped (%r: !pallas.ref<2xf32, smem>) {
    %zero = arith.constant -0.0 : f32
    %nan = arith.constant 0x7FC00000 : f32
    pallas.swap %r[0], %zero : !pallas.ref<2xf32, smem>, f32
    pallas.swap %r[1], %nan : !pallas.ref<2xf32, smem>, f32
    %expected = arith.constant 0.0 : f32
    %new = arith.constant 1.0 : f32
    %0 = pallas.atomic_cas %r[0], %expected, %new : !pallas.ref<2xf32, smem>, f32
    %1 = pallas.atomic_cas %r[1], %nan, %new : !pallas.ref<2xf32, smem>, f32
    // CHECK: [-0 1]
    %v = pallas.get %r[...] : !pallas.ref<2xf32, smem>
    pallas.debug_print "{}" %v : tensor<2xf32>
  }
  return
}
