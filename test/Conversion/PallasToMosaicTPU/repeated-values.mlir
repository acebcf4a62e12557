// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The compiler keeps one element for all that repeat it, and some operations have no way on from
// there.

// A bf16 value is reduced in 32 bits along what repeats it, be it rows, be it lanes.
// CHECK-LABEL: func.func @extremes({{.*}}memref
// CHECK: vector.multi_reduction <minimumf>, {{.*}} : vector<8x4x128xf32> to vector<8x128xf32>
// CHECK: vector.multi_reduction <maximumf>, {{.*}} : vector<8x128xf32> to vector<8xf32>
func.func @extremes(%x: tensor<8x128xbf16>) -> (tensor<8x128xbf16>, tensor<8xbf16>) {
  %o:2 = pallas.pallas_call @extremes grid()
      in(%x : tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8xbf16>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8x128xbf16, vmem>, %a: !pallas.ref<8x128xbf16, vmem>, %b: !pallas.ref<8xbf16, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xbf16, vmem>
    %rows = pallas.broadcast %v dims [0, 2] : tensor<8x128xbf16> -> tensor<8x4x128xbf16>
    %min = pallas.reduce <min> %rows dims [1] : tensor<8x4x128xbf16>
    pallas.swap %a[...], %min : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
    %first = tensor.extract_slice %v[0, 0] [8, 1] [1, 1] : tensor<8x128xbf16> to tensor<8x1xbf16>
    %lanes = pallas.broadcast %first dims [0, 1] : tensor<8x1xbf16> -> tensor<8x128xbf16>
    %exp = math.exp %lanes : tensor<8x128xbf16>
    %max = pallas.reduce <max> %exp dims [1] : tensor<8x128xbf16>
    pallas.swap %b[...], %max : !pallas.ref<8xbf16, vmem>, tensor<8xbf16>
  }
  return %o#0, %o#1 : tensor<8x128xbf16>, tensor<8xbf16>
}

// Places of extremes along a leading dimension are looked for in memory, for what a loop carries,
// too: it may repeat elements.
// CHECK-LABEL: func.func @places({{.*}}memref
// CHECK: scf.for
// CHECK: "tpu.region"
// CHECK: vector.load
// CHECK: tpu.reduce_index
func.func @places(%x: tensor<4x8x128xf32>) -> tensor<8x128xi32> {
  %o = pallas.pallas_call @places grid()
      in(%x : tensor<4x8x128xf32>) block<[4, 8, 128], vmem>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<4x8x128xf32, vmem>, %a: !pallas.ref<8x128xi32, vmem>) {
    %ones = arith.constant dense<1.0> : tensor<4x8x128xf32>
    %zeros = arith.constant dense<0> : tensor<8x128xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %r:2 = scf.for %i = %c0 to %c100 step %c1 iter_args(%c = %ones, %p = %zeros) -> (tensor<4x8x128xf32>, tensor<8x128xi32>) {
      %place = pallas.arg_reduce <max> %c dim 0 to i32 : tensor<4x8x128xf32>
      %twice = arith.addf %c, %c : tensor<4x8x128xf32>
      scf.yield %twice, %place : tensor<4x8x128xf32>, tensor<8x128xi32>
    }
    pallas.swap %a[...], %r#1 : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}
