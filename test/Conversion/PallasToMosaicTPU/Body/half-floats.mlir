// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s
// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s --check-prefix=CALL

// Memory holds f16 as bits, registers as f32; results are rounded. Products
// need more digits than bf16 has.

// CHECK-LABEL: func.func @halves
// CHECK-SAME: memref<16x16xi16, #tpu.memory_space<vmem>>
// CHECK: %[[BITS:.*]] = vector.load %{{.*}} vector<16x16xi16>
// CHECK: arith.extui %[[BITS]] : vector<16x16xi16> to vector<16x16xi32>
// CHECK: %[[SUM:.*]] = arith.addf %[[X:.*]], %[[X]] : vector<16x16xf32>
// CHECK: tpu.bitcast %[[SUM]] : vector<16x16xf32> -> vector<16x16xi32>
// CHECK: %[[MAX:.*]] = arith.maximumf %{{.*}}, %[[X]]
// CHECK-NEXT: arith.constant
// CHECK-NEXT: tpu.matmul %[[MAX]], %[[X]], {{.*}}precision = #tpu.contract_precision<fp32>
// CHECK: arith.trunci %{{.*}} : vector<16x16xi32> to vector<16x16xi16>
// CHECK: func.func @f
// CHECK: pallas.bitcast %{{.*}} : tensor<16x16xf16> -> tensor<16x16xi16>
// CALL: "stablehlo.bitcast_convert"(%{{.*}}) : (tensor<16x16xf16>) -> tensor<16x16xi16>
// CALL: "stablehlo.custom_call"
// CALL: "stablehlo.bitcast_convert"(%{{.*}}) : (tensor<16x16xi16>) -> tensor<16x16xf16>
func.func @f(%x: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %o = pallas.pallas_call @halves grid()
      in(%x : tensor<16x16xf16>) block<[16, 16], vmem>
      out(tensor<16x16xf16>) block<[16, 16], vmem>
      kernel(%xr: !pallas.ref<16x16xf16, vmem>, %or: !pallas.ref<16x16xf16, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<16x16xf16, vmem>
    %s = arith.addf %a, %a : tensor<16x16xf16>
    %m = arith.maximumf %s, %a : tensor<16x16xf16>
    %p = pallas.dot_general %m, %a contract [1] x [0] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %h = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xf16>
    pallas.swap %or[...], %h : !pallas.ref<16x16xf16, vmem>, tensor<16x16xf16>
  }
  return %o : tensor<16x16xf16>
}

// Arithmetic whose users are arithmetic still rounds to f16.

// CHECK: func.func @chain
// CHECK: %[[SQUARE:.*]] = arith.mulf
// CHECK: tpu.bitcast %[[SQUARE]] : vector<8x128xf32> -> vector<8x128xi32>
// CHECK: %[[TWICE:.*]] = arith.addf %[[HALF:.*]], %[[HALF]]
// CHECK: tpu.bitcast %[[TWICE]]
func.func @g(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @chain grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %b = arith.mulf %a, %a : tensor<8x128xf32>
    %h = arith.truncf %b : tensor<8x128xf32> to tensor<8x128xf16>
    %s = arith.addf %h, %h : tensor<8x128xf16>
    %w = arith.extf %s : tensor<8x128xf16> to tensor<8x128xf32>
    %c = arith.addf %w, %b : tensor<8x128xf32>
    pallas.swap %or[...], %c : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
