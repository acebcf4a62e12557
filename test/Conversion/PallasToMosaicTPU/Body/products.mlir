// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// The compiler widens one of two factors itself; it has no digits to split
// then, so products of full precision are of one type.

// CHECK-LABEL: func.func @mixed
// CHECK-NOT: arith.extf
// CHECK: tpu.matmul {{.*}} : vector<8x128xf32>, vector<128x128xbf16>, vector<8x128xf32>
// CHECK: %[[WIDE:.*]] = arith.extf {{.*}} : vector<128x128xbf16> to vector<128x128xf32>
// CHECK: tpu.matmul %{{.*}}, %[[WIDE]], {{.*}}precision = #tpu.contract_precision<fp32>
func.func @f(%x: tensor<8x128xf32>, %y: tensor<128x128xbf16>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @mixed grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      in(%y : tensor<128x128xbf16>) block<[128, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %yr: !pallas.ref<128x128xbf16, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<128x128xbf16, vmem>
    %fast = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x128xf32>, tensor<128x128xbf16> -> tensor<8x128xf32>
    %exact = pallas.dot_general %fast, %b contract [1] x [0] precision highest : tensor<8x128xf32>, tensor<128x128xbf16> -> tensor<8x128xf32>
    pallas.swap %or[...], %exact : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// Signed bytes beside bf16 and f32 are widened by the compiler. Bytes without a
// sign, and bytes beside narrow floats, become bf16, which has all of them.

// CHECK-LABEL: func.func @bytes
// CHECK: tpu.matmul {{.*}} : vector<32x128xbf16>, vector<128x128xi8>, vector<32x128xf32>
// CHECK: arith.extui %{{.*}} : vector<128x128xi8> to vector<128x128xi32>
// CHECK: arith.truncf %{{.*}} : vector<128x128xf32> to vector<128x128xbf16>
// CHECK: tpu.matmul {{.*}} : vector<32x128xbf16>, vector<128x128xbf16>, vector<32x128xf32>
// CHECK: arith.extf %{{.*}} : vector<32x128xf8E5M2> to vector<32x128xbf16>
// CHECK: arith.extsi %{{.*}} : vector<128x128xi8> to vector<128x128xi32>
// CHECK: tpu.matmul {{.*}} : vector<32x128xbf16>, vector<128x128xbf16>, vector<32x128xf32>
func.func @g(%x: tensor<32x128xbf16>, %w: tensor<128x128xi8>, %n: tensor<32x128xf8E5M2>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @bytes grid()
      in(%x : tensor<32x128xbf16>) in(%w : tensor<128x128xi8>) in(%n : tensor<32x128xf8E5M2>) out(tensor<32x128xf32>)
      kernel(%xr: !pallas.ref<32x128xbf16, default>, %wr: !pallas.ref<128x128xi8, default>, %nr: !pallas.ref<32x128xf8E5M2, default>,
             %or: !pallas.ref<32x128xf32, default>) {
    %a = pallas.get %xr[...] : !pallas.ref<32x128xbf16, default>
    %b = pallas.get %wr[...] : !pallas.ref<128x128xi8, default>
    %c = pallas.get %nr[...] : !pallas.ref<32x128xf8E5M2, default>
    %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<32x128xbf16>, tensor<128x128xi8> -> tensor<32x128xf32>
    %1 = pallas.dot_general %a, %b acc %0 contract [1] x [0] unsigned_rhs : tensor<32x128xbf16>, tensor<128x128xi8>, tensor<32x128xf32> -> tensor<32x128xf32>
    %2 = pallas.dot_general %c, %b acc %1 contract [1] x [0] : tensor<32x128xf8E5M2>, tensor<128x128xi8>, tensor<32x128xf32> -> tensor<32x128xf32>
    pallas.swap %or[...], %2 : !pallas.ref<32x128xf32, default>, tensor<32x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// Integers of one product come to the wider type of both. Those that the unit
// has no type for are split into digits, unless the sum is a float.

// CHECK-LABEL: func.func @integers
// CHECK: %[[BYTES:.*]] = arith.trunci %{{.*}} : vector<128x128xi32> to vector<128x128xi8>
// CHECK: tpu.matmul %{{.*}}, %[[BYTES]], {{.*}} : vector<32x128xi8>, vector<128x128xi8>, vector<32x128xi32>
// CHECK: arith.sitofp %{{.*}} : vector<32x128xi32> to vector<32x128xf32>
// CHECK: tpu.matmul {{.*}}precision = #tpu.contract_precision<fp32>{{.*}} : vector<32x128xf32>, vector<128x128xf32>, vector<32x128xf32>
func.func @h(%x: tensor<32x128xi8>, %w: tensor<128x128xi4>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @integers grid()
      in(%x : tensor<32x128xi8>) in(%w : tensor<128x128xi4>) out(tensor<32x128xf32>)
      kernel(%xr: !pallas.ref<32x128xi8, default>, %wr: !pallas.ref<128x128xi4, default>, %or: !pallas.ref<32x128xf32, default>) {
    %a = pallas.get %xr[...] : !pallas.ref<32x128xi8, default>
    %b = pallas.get %wr[...] : !pallas.ref<128x128xi4, default>
    %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<32x128xi8>, tensor<128x128xi4> -> tensor<32x128xi32>
    %1 = pallas.dot_general %0, %b contract [1] x [0] : tensor<32x128xi32>, tensor<128x128xi4> -> tensor<32x128xf32>
    pallas.swap %or[...], %1 : !pallas.ref<32x128xf32, default>, tensor<32x128xf32>
  }
  return %o : tensor<32x128xf32>
}
