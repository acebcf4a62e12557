// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The bug: the compiler for TPUs keeps one lane for rows that repeat it, and has no way from
// there to rows that a reshape joins ("Lane broadcast"). Such rows are joined as lanes and
// repeated then, where new rows hold no whole repetitions; through what is computed from them
// element by element or along other dimensions, too.

// CHECK-LABEL: func.func @kernel
func.func @repeated(%x: tensor<48x2xf32>, %y: tensor<8x16xbf16>) -> (tensor<64x6xf32>, tensor<512x2xbf16>) {
  %o:2 = pallas.pallas_call grid()
      in(%x : tensor<48x2xf32>) block<[48, 2], vmem>
      in(%y : tensor<8x16xbf16>) block<[8, 16], vmem>
      out(tensor<64x6xf32>) block<[64, 6], vmem>
      out(tensor<512x2xbf16>) block<[512, 2], vmem>
      kernel(%xr: !pallas.ref<48x2xf32, vmem>, %yr: !pallas.ref<8x16xbf16, vmem>,
             %a: !pallas.ref<64x6xf32, vmem>, %b: !pallas.ref<512x2xbf16, vmem>) {
    // CHECK: %[[COLUMN:.*]] = vector.shape_cast {{.*}} : vector<96xf32> to vector<96x1xf32>
    // CHECK: %[[ROWS:.*]] = vector.broadcast %[[COLUMN]] : vector<96x1xf32> to vector<96x4xf32>
    // CHECK: %[[EXP:.*]] = math.exp %[[ROWS]] : vector<96x4xf32>
    // CHECK: vector.shape_cast %[[EXP]] : vector<96x4xf32> to vector<1x96x4xf32>
    %v = pallas.get %xr[...] : !pallas.ref<48x2xf32, vmem>
    %repeated = pallas.broadcast %v dims [0, 1] : tensor<48x2xf32> -> tensor<48x2x4xf32>
    %exp = math.exp %repeated : tensor<48x2x4xf32>
    %flat = pallas.reshape %exp : tensor<48x2x4xf32> -> tensor<64x6xf32>
    pallas.swap %a[...], %flat : !pallas.ref<64x6xf32, vmem>, tensor<64x6xf32>
    // Rows that are repeated as well are repeated before they are joined.
    // CHECK: vector.broadcast {{.*}} to vector<8x16x2x1xbf16>
    // CHECK: vector.broadcast {{.*}} : vector<256x1xbf16> to vector<256x4xbf16>
    %w = pallas.get %yr[...] : !pallas.ref<8x16xbf16, vmem>
    %more = pallas.broadcast %w dims [0, 1] : tensor<8x16xbf16> -> tensor<8x16x2x4xbf16>
    %joined = pallas.reshape %more : tensor<8x16x2x4xbf16> -> tensor<512x2xbf16>
    pallas.swap %b[...], %joined : !pallas.ref<512x2xbf16, vmem>, tensor<512x2xbf16>
  }
  return %o#0, %o#1 : tensor<64x6xf32>, tensor<512x2xbf16>
}

// CHECK-LABEL: func.func @kernel
func.func @reduced(%x: tensor<4x32xi32>) -> tensor<64x6xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x32xi32>) block<[4, 32], vmem>
      out(tensor<64x6xi32>) block<[64, 6], vmem>
      kernel(%xr: !pallas.ref<4x32xi32, vmem>, %a: !pallas.ref<64x6xi32, vmem>) {
    // CHECK: vector.multi_reduction <maxsi>, {{.*}} [0] : vector<4x32x3x1xi32> to vector<32x3x1xi32>
    // CHECK: tpu.iota {dimensions = array<i32: 0>} : vector<4x32x3x1xi32>
    // CHECK: vector.multi_reduction <minsi>, {{.*}} [0] : vector<4x32x3x1xi32> to vector<32x3x1xi32>
    // CHECK: vector.broadcast {{.*}} : vector<96x1xi32> to vector<96x4xi32>
    %v = pallas.get %xr[...] : !pallas.ref<4x32xi32, vmem>
    %repeated = pallas.broadcast %v dims [0, 1] : tensor<4x32xi32> -> tensor<4x32x3x4xi32>
    %places = pallas.arg_reduce <max> %repeated dim 0 to i32 : tensor<4x32x3x4xi32>
    %flat = pallas.reshape %places : tensor<32x3x4xi32> -> tensor<64x6xi32>
    pallas.swap %a[...], %flat : !pallas.ref<64x6xi32, vmem>, tensor<64x6xi32>
  }
  return %o : tensor<64x6xi32>
}
