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

// Columns are laid along lanes through the diagonal of a square, and rows are cut
// one by one.

// V4-LABEL: func.func @columns
// V4: %[[SUMS:.*]] = vector.multi_reduction <add>, %{{.*}} [1] : vector<16x64xf32> to vector<16xf32>
// V4: %[[COLUMN:.*]] = vector.shape_cast %[[SUMS]] : vector<16xf32> to vector<16x1xf32>
// V4: tpu.bitcast %[[COLUMN]]
// V4: vector.broadcast %{{.*}} : vector<16x1xi32> to vector<16x16xi32>
// V4: arith.cmpi eq
// V4: vector.multi_reduction <add>, %{{.*}} [0] : vector<16x16xi32> to vector<16xi32>
// V4: vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [1, 16], {{.*}} : vector<1x64xf32> to vector<1x16xf32>
// V4-COUNT-3: vector.extract_strided_slice %{{.*}} vector<1x64xf32> to vector<1x16xf32>
// V4: tpu.concatenate {{.*}} in 1
// V5E-LABEL: func.func @columns
// V5E-NOT: vector<16x16xi32>
// V5E: vector.shape_cast %{{.*}} : vector<1x64xf32> to vector<1x4x16xf32>
func.func @h(%x: tensor<16x64xf32>) -> (tensor<16xf32>, tensor<1x4x16xf32>) {
  %o:2 = pallas.pallas_call @columns grid()
      in(%x : tensor<16x64xf32>)
      out(tensor<16xf32>)
      out(tensor<1x4x16xf32>)
      kernel(%xr: !pallas.ref<16x64xf32, default>, %sr: !pallas.ref<16xf32, default>, %rr: !pallas.ref<1x4x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x64xf32, default>
    %s = pallas.reduce <add> %v dims [1] : tensor<16x64xf32>
    pallas.swap %sr[...], %s : !pallas.ref<16xf32, default>, tensor<16xf32>
    %row = pallas.get %xr[ds(0, 1), :] : !pallas.ref<16x64xf32, default>
    %cut = pallas.reshape %row : tensor<1x64xf32> -> tensor<1x4x16xf32>
    pallas.swap %rr[...], %cut : !pallas.ref<1x4x16xf32, default>, tensor<1x4x16xf32>
  }
  return %o#0, %o#1 : tensor<16xf32>, tensor<1x4x16xf32>
}

// Bytes are joined within tiles in 32 bits.

// V4-LABEL: func.func @bytes
// V4: tpu.concatenate {{.*}} : vector<1x128xi32>, vector<63x128xi32> -> vector<64x128xi32>
// V4: tpu.concatenate {{.*}} : vector<32x128xi8>, vector<32x128xi8> -> vector<64x128xi8>
// V5E-LABEL: func.func @bytes
// V5E: tpu.concatenate {{.*}} : vector<1x128xi8>, vector<63x128xi8> -> vector<64x128xi8>
func.func @j(%x: tensor<64x128xi8>) -> tensor<64x128xi8> {
  %o = pallas.pallas_call @bytes grid()
      in(%x : tensor<64x128xi8>)
      out(tensor<64x128xi8>)
      kernel(%xr: !pallas.ref<64x128xi8, default>, %or: !pallas.ref<64x128xi8, default>) {
    %a = pallas.get %xr[ds(63, 1), :] : !pallas.ref<64x128xi8, default>
    %b = pallas.get %xr[ds(0, 63), :] : !pallas.ref<64x128xi8, default>
    %ab = tensor.concat dim(0) %a, %b : (tensor<1x128xi8>, tensor<63x128xi8>) -> tensor<64x128xi8>
    %c = pallas.get %xr[ds(32, 32), :] : !pallas.ref<64x128xi8, default>
    %d = pallas.get %xr[ds(0, 32), :] : !pallas.ref<64x128xi8, default>
    %cd = tensor.concat dim(0) %c, %d : (tensor<32x128xi8>, tensor<32x128xi8>) -> tensor<64x128xi8>
    %r = arith.xori %ab, %cd : tensor<64x128xi8>
    pallas.swap %or[...], %r : !pallas.ref<64x128xi8, default>, tensor<64x128xi8>
  }
  return %o : tensor<64x128xi8>
}
