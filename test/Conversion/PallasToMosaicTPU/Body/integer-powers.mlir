// RUN: pallas-opt %s --pallas-check-target=tpu:v5e --pallas-to-mosaic-tpu | FileCheck %s
// RUN: pallas-opt %s --pallas-check-target=tpu:v6e --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The base decides which units compute a power, though the exponent is the last
// operand and an integer.

// CHECK-LABEL: func.func @power_of_float
// CHECK: %[[X:.*]] = vector.load
// CHECK-NOT: math.fpowi
// CHECK: arith.mulf %[[X]], %[[X]]
// CHECK-NOT: math.fpowi
// CHECK: tpu.vector_store
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @power_of_float grid(1)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (0, 0)
      out(tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (0, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %c = arith.constant dense<3> : tensor<8x128xi32>
    %p = math.fpowi %v, %c : tensor<8x128xf32>, tensor<8x128xi32>
    pallas.swap %or[...], %p : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
