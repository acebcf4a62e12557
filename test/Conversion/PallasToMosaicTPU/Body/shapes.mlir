// RUN: pallas-opt %s --pallas-to-mosaic-tpu -o %t.mlir && FileCheck %s < %t.mlir
// RUN: pallas-opt %t.mlir --convert-mosaic-tpu-to-pallas | FileCheck %s --check-prefix=RAISED

// Contractions, reductions and changes of shape.

// CHECK: func.func @shapes(
// RAISED: pallas.pallas_call @shapes
func.func @f(%x: tensor<8x128xf32>, %y: tensor<128x256xf32>, %a: tensor<8x128xi32>, %u: tensor<8x128xi8>) -> (tensor<8x256xf32>, tensor<8x8xi32>, tensor<8x128xf32>, tensor<8xi32>) {
  %o:4 = pallas.pallas_call @shapes grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      in(%y : tensor<128x256xf32>) block<[128, 256], vmem>
      in(%a : tensor<8x128xi32>) block<[8, 128], vmem>
      in(%u : tensor<8x128xi8>) block<[8, 128], vmem>
      out(tensor<8x256xf32>) block<[8, 256], vmem>
      out(tensor<8x8xi32>) block<[8, 8], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8xi32>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %yr: !pallas.ref<128x256xf32, vmem>, %ar: !pallas.ref<8x128xi32, vmem>, %ur: !pallas.ref<8x128xi8, vmem>,
             %o0: !pallas.ref<8x256xf32, vmem>, %o1: !pallas.ref<8x8xi32, vmem>, %o2: !pallas.ref<8x128xf32, vmem>, %o3: !pallas.ref<8xi32, vmem>) {
    // CHECK: %[[X:.*]] = vector.load
    // RAISED: %[[X:.*]] = pallas.get
    %xv = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %yv = pallas.get %yr[...] : !pallas.ref<128x256xf32, vmem>
    %zero = arith.constant dense<0.0> : tensor<8x256xf32>
    %acc = pallas.get %o0[...] : !pallas.ref<8x256xf32, vmem>
    // CHECK: tpu.matmul %[[X]], %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false}
    // RAISED: pallas.dot_general %[[X]], %{{.*}} contract [1] x [0] precision {{ *}}highest
    %dot = pallas.dot_general %xv, %yv contract [1] x [0] precision highest : tensor<8x128xf32>, tensor<128x256xf32> -> tensor<8x256xf32>
    %sum = arith.addf %acc, %dot : tensor<8x256xf32>
    pallas.swap %o0[...], %sum : !pallas.ref<8x256xf32, vmem>, tensor<8x256xf32>
    %av = pallas.get %ar[...] : !pallas.ref<8x128xi32, vmem>
    // Products of bytes add up to those of integers.
    // CHECK: tpu.matmul %{{.*}} : vector<8x128xi8>, vector<8x128xi8>, vector<8x8xi32>
    // CHECK: arith.shli
    // RAISED: pallas.dot_general %{{.*}} contract [1] x [1] : tensor<8x128xi8>
    %ints = pallas.dot_general %av, %av contract [1] x [1] : tensor<8x128xi32>, tensor<8x128xi32> -> tensor<8x8xi32>
    pallas.swap %o1[...], %ints : !pallas.ref<8x8xi32, vmem>, tensor<8x8xi32>
    // CHECK: %[[T:.*]] = tpu.transpose %[[X]], [1, 0] : vector<8x128xf32> -> vector<128x8xf32>
    // RAISED: pallas.transpose %[[X]], [1, 0]
    %t = pallas.transpose %xv, [1, 0] : tensor<8x128xf32>
    %back = pallas.transpose %t, [1, 0] : tensor<128x8xf32>
    %c3 = arith.constant 3 : i32
    // CHECK: %[[ROLLED:.*]] = tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 1
    // RAISED: pallas.roll %{{.*}} by %{{.*}} dim 1
    %rolled = pallas.roll %back by %c3 dim 1 : tensor<8x128xf32>
    // CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[ROLLED]] {offsets = [0, 0], sizes = [8, 64]
    // RAISED: %[[LOW:.*]] = tensor.extract_slice
    %low = tensor.extract_slice %rolled[0, 0] [8, 64] [1, 1] : tensor<8x128xf32> to tensor<8x64xf32>
    // CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[ROLLED]] {offsets = [0, 64]
    // RAISED: %[[HIGH:.*]] = tensor.extract_slice
    %high = tensor.extract_slice %rolled[0, 64] [8, 64] [1, 1] : tensor<8x128xf32> to tensor<8x64xf32>
    // CHECK: %[[SWAPPED:.*]] = tpu.concatenate %[[HIGH]], %[[LOW]] in 1
    // RAISED: tensor.concat dim(1) %[[HIGH]], %[[LOW]]
    %swapped = tensor.concat dim(1) %high, %low : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x128xf32>
    // CHECK: tpu.reduce_index %[[SWAPPED]] {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>}
    // RAISED: pallas.arg_reduce <max> %{{.*}} dim 1 to i32
    %best = pallas.arg_reduce <max> %swapped dim 1 to i32 : tensor<8x128xf32>
    // CHECK: %[[I:.*]] = tpu.iota {dimensions = array<i32: 1>}
    // RAISED: pallas.iota 1
    %i = pallas.iota 1 : tensor<8x128xi32>
    // CHECK: %[[TAKEN:.*]] = tpu.dynamic_gather %[[SWAPPED]][%[[I]]] in [1]
    // RAISED: pallas.take_along
    %taken = pallas.take_along %swapped at %i dim 1 : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xf32>
    // CHECK: vector.multi_reduction <maximumf>, %[[TAKEN]]
    // RAISED: pallas.reduce <max>
    %rows = pallas.reduce <max> %taken dims [1] : tensor<8x128xf32>
    // CHECK: vector.shape_cast %{{.*}} : vector<8xf32> to vector<8x1xf32>
    // CHECK: vector.broadcast %{{.*}} : vector<8x1xf32> to vector<8x128xf32>
    // RAISED: pallas.broadcast %{{.*}} dims [0, 1]
    %wide = pallas.broadcast %rows dims [0] : tensor<8xf32> -> tensor<8x128xf32>
    pallas.swap %o2[...], %wide : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    %uv = pallas.get %ur[...] : !pallas.ref<8x128xi8, vmem>
    // Unsigned numbers are compared as signed ones.
    // CHECK: arith.xori
    // CHECK: vector.multi_reduction <maxsi>
    // CHECK: arith.xori
    // RAISED: pallas.reduce <max>
    %top = pallas.reduce <umax> %uv dims [1] : tensor<8x128xi8>
    %w = arith.extui %top : tensor<8xi8> to tensor<8xi32>
    %s = arith.addi %best, %w : tensor<8xi32>
    pallas.swap %o3[...], %s : !pallas.ref<8xi32, vmem>, tensor<8xi32>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<8x256xf32>, tensor<8x8xi32>, tensor<8x128xf32>, tensor<8xi32>
}
