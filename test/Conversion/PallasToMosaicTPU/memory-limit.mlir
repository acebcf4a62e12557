// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu=chip=v5e | FileCheck %s

// Bytes are computed on in 32 bits: what spills of them is four times as large.

// CHECK: module @bytes
// CHECK-SAME: vmem_limit_bytes = 134217728
func.func @f(%x: tensor<127x256x19xi8>) -> tensor<127x256x19xi8> {
  %o = pallas.pallas_call @bytes grid(2)
      in(%x : tensor<127x256x19xi8>) block<[127, 128, 19], vmem> map(%i) -> (0, %i, 0)
      out(tensor<127x256x19xi8>) block<[127, 128, 19], vmem> map(%i) -> (0, %i, 0)
      kernel(%xr: !pallas.ref<127x128x19xi8, vmem>, %or: !pallas.ref<127x128x19xi8, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<127x128x19xi8, vmem>
    %w = arith.addi %v, %v : tensor<127x128x19xi8>
    pallas.swap %or[...], %w : !pallas.ref<127x128x19xi8, vmem>, tensor<127x128x19xi8>
  }
  return %o : tensor<127x256x19xi8>
}
