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
