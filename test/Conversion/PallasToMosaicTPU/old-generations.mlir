// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v4 | FileCheck %s --check-prefix=V4
// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v5e | FileCheck %s --check-prefix=V5E

// Generation 4 has no masks for narrow elements: what the compiler would join to
// one stays apart.

// V4: %[[M:.*]] = arith.cmpf ogt
// V4: %[[WIDE:.*]] = arith.extui %[[M]] : vector<32x128xi1> to vector<32x128xi32>
// V4: %[[BITS:.*]] = tpu.bitcast %[[WIDE]] : vector<32x128xi32> -> vector<32x128xf32>
// V4: %[[APART:.*]] = tpu.bitcast %[[BITS]] : vector<32x128xf32> -> vector<32x128xi32>
// V4: arith.trunci %[[APART]] : vector<32x128xi32> to vector<32x128xi8>
// V5E: %[[WIDE:.*]] = arith.extui
// V5E-NEXT: arith.trunci %[[WIDE]]
func.func @f(%x: tensor<32x128xf32>) -> tensor<32x128xi8> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<32x128xf32>)
      out(tensor<32x128xi8>)
      kernel(%xr: !pallas.ref<32x128xf32, default>, %or: !pallas.ref<32x128xi8, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x128xf32, default>
    %zero = arith.constant dense<0.0> : tensor<32x128xf32>
    %m = arith.cmpf ogt, %v, %zero : tensor<32x128xf32>
    %b = arith.extui %m : tensor<32x128xi1> to tensor<32x128xi8>
    pallas.swap %or[...], %b : !pallas.ref<32x128xi8, default>, tensor<32x128xi8>
  }
  return %o : tensor<32x128xi8>
}

// Nor does it take elements from other sublanes: rows are tried one by one.

// V4-LABEL: func.func @rows
// V4-NOT: tpu.dynamic_gather
// V4-COUNT-8: vector.extract_strided_slice
// V4: return
// V5E-LABEL: func.func @rows
// V5E: tpu.dynamic_gather
func.func @g(%x: tensor<8x128xf32>, %i: tensor<8x128xi32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @rows grid()
      in(%x : tensor<8x128xf32>)
      in(%i : tensor<8x128xi32>)
      out(tensor<8x128xf32>)
      kernel(%xr: !pallas.ref<8x128xf32, default>, %ir: !pallas.ref<8x128xi32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %at = pallas.get %ir[...] : !pallas.ref<8x128xi32, default>
    %t = pallas.take_along %v at %at dim 0 : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xf32>
    pallas.swap %or[...], %t : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
