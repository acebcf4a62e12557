// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | FileCheck %s

// Block i of the result is block idx[i] of the input.

// CHECK-LABEL: func.func @gather
func.func @gather(%idx: tensor<4xi32>, %x: tensor<64x128xf32>) -> tensor<32x128xf32> {
  // CHECK: prefetch(%{{.*}} : tensor<4xi32>)
  // CHECK-NEXT: in(%{{.*}} : tensor<64x128xf32>) block<[8, 128], vmem, origin = "args[1]"> map(%[[I:.*]], %[[IDX:.*]]) {
  // CHECK-NEXT:   %[[B:.*]] = pallas.get %[[IDX]][%[[I]]] : !pallas.ref<4xi32, smem>
  %o = pallas.pallas_call @gather grid(4)
      prefetch(%idx : tensor<4xi32>)
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem, origin = "args[1]"> map(%i, %idx_ref) {
        %b = pallas.get %idx_ref[%i] : !pallas.ref<4xi32, smem>
        %c0 = arith.constant 0 : i32
        pallas.yield %b, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%idx_ref: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<8x128xf32, vmem>,
             %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}
