// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func @contractions
func.func @contractions(%a: tensor<8x16xbf16>, %b: tensor<16x32xbf16>, %c: tensor<8x32xf32>, %q: tensor<2x8x16xf32>,
                        %v: tensor<16xi8>) {
  // CHECK: pallas.dot_general %{{.*}}, %{{.*}} contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xf32>
  %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xf32>
  // CHECK: pallas.dot_general %{{.*}}, %{{.*}} acc %{{.*}} contract [1] x [0] precision highest
  %1 = pallas.dot_general %a, %b acc %c contract [1] x [0] precision highest
      : tensor<8x16xbf16>, tensor<16x32xbf16>, tensor<8x32xf32> -> tensor<8x32xf32>
  // CHECK: contract [2] x [2] batch [0] x [0]
  %2 = pallas.dot_general %q, %q contract [2] x [2] batch [0] x [0] : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  // CHECK: contract [0] x [0] unsigned_lhs unsigned_rhs : tensor<16xi8>, tensor<16xi8> -> i32
  %3 = pallas.dot_general %v, %v contract [0] x [0] unsigned_lhs unsigned_rhs : tensor<16xi8>, tensor<16xi8> -> i32
  // CHECK: contract [0] x [0] unsigned_lhs : tensor<16xi8>, tensor<16xi8> -> f32
  %4 = pallas.dot_general %v, %v contract [0] x [0] unsigned_lhs : tensor<16xi8>, tensor<16xi8> -> f32
  // CHECK: contract [0] x [1] unsigned_lhs : tensor<16xi8>, tensor<8x16xbf16> -> tensor<8xf16>
  %5 = pallas.dot_general %v, %a contract [0] x [1] unsigned_lhs : tensor<16xi8>, tensor<8x16xbf16> -> tensor<8xf16>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<8x128xf32>, %i: tensor<16xi32>, %m: tensor<16xi1>) {
  // CHECK: pallas.reduce <max> %{{.*}} dims [1] : tensor<8x128xf32>
  %0 = pallas.reduce <max> %x dims [1] : tensor<8x128xf32>
  // CHECK: pallas.reduce <add> %{{.*}} dims [0, 1] : tensor<8x128xf32>
  %1 = pallas.reduce <add> %x dims [0, 1] : tensor<8x128xf32>
  // CHECK: pallas.arg_reduce <min> %{{.*}} dim 1 to i32 : tensor<8x128xf32>
  %2 = pallas.arg_reduce <min> %x dim 1 to i32 : tensor<8x128xf32>
  // CHECK: pallas.cumulative <sum> %{{.*}} dim 0 reverse : tensor<8x128xf32>
  %3 = pallas.cumulative <sum> %x dim 0 reverse : tensor<8x128xf32>
  // CHECK: pallas.scan_count %{{.*}} mask %{{.*}}
  %4:2 = pallas.scan_count %i mask %m : tensor<16xi32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
  // CHECK: pallas.mask_reduce <first> %{{.*}} : tensor<16xi1>
  %5 = pallas.mask_reduce <first> %m : tensor<16xi1>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<8x128xf32>, %row: tensor<128xf32>, %s: f32, %n: i32) {
  // CHECK: pallas.iota 1 : tensor<8x128xi32>
  %0 = pallas.iota 1 : tensor<8x128xi32>
  // CHECK: pallas.broadcast %{{.*}} dims [1] : tensor<128xf32> -> tensor<8x128xf32>
  %1 = pallas.broadcast %row dims [1] : tensor<128xf32> -> tensor<8x128xf32>
  // CHECK: pallas.broadcast %{{.*}} : f32 -> tensor<8x128xf32>
  %2 = pallas.broadcast %s : f32 -> tensor<8x128xf32>
  // CHECK: pallas.transpose %{{.*}}, [1, 0] : tensor<8x128xf32>
  %3 = pallas.transpose %x, [1, 0] : tensor<8x128xf32>
  // CHECK: pallas.reshape %{{.*}} : tensor<8x128xf32> -> tensor<1024xf32>
  %4 = pallas.reshape %x : tensor<8x128xf32> -> tensor<1024xf32>
  // CHECK: pallas.bitcast %{{.*}} dim 0 : tensor<8x128xf32> -> tensor<16x128xbf16>
  %5 = pallas.bitcast %x dim 0 : tensor<8x128xf32> -> tensor<16x128xbf16>
  // CHECK: pallas.bitcast %{{.*}} : f32 -> i32
  %6 = pallas.bitcast %s : f32 -> i32
  // CHECK: pallas.rev %{{.*}} dims [0] : tensor<8x128xf32>
  %7 = pallas.rev %x dims [0] : tensor<8x128xf32>
  // CHECK: pallas.roll %{{.*}} by %{{.*}} dim 1 stride 2 along 0 : tensor<8x128xf32>
  %8 = pallas.roll %x by %n dim 1 stride 2 along 0 : tensor<8x128xf32>
  return
}

// CHECK-LABEL: func.func @gathers
func.func @gathers(%x: tensor<8x128xf32>, %i: tensor<3x1xi32>, %u: tensor<3x128xf32>, %k: tensor<8x4xi32>, %keys: tensor<8xi32>,
                   %vals: tensor<8xf32>) {
  // CHECK: pallas.gather %{{.*}} at %{{.*}} offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 128] mode fill
  %0 = pallas.gather %x at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 128] mode fill
      : tensor<8x128xf32>, tensor<3x1xi32> -> tensor<3x128xf32>
  // CHECK: pallas.take_along %{{.*}} at %{{.*}} dim 1 : tensor<8x128xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
  %1 = pallas.take_along %x at %k dim 1 : tensor<8x128xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
  // CHECK: pallas.scatter combining <add> %{{.*}} at %{{.*}}, %{{.*}} window [1] inserted [0] batching [] x [] map [0]
  %2 = pallas.scatter combining <add> %x at %i, %u window [1] inserted [0] batching [] x [] map [0]
      : tensor<8x128xf32>, tensor<3x1xi32>, tensor<3x128xf32>
  // CHECK: pallas.scatter %{{.*}} at
  %3 = pallas.scatter %x at %i, %u window [1] inserted [0] batching [] x [] map [0]
      : tensor<8x128xf32>, tensor<3x1xi32>, tensor<3x128xf32>
  // CHECK: pallas.sort %{{.*}}, %{{.*}} dim 0 stable unsigned : tensor<8xi32>, tensor<8xf32> -> tensor<8xi32>, tensor<8xf32>
  %4:2 = pallas.sort %keys, %vals dim 0 stable unsigned : tensor<8xi32>, tensor<8xf32> -> tensor<8xi32>, tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @packing
func.func @packing(%x: tensor<8x128xf32>, %w: tensor<8x128xi32>, %n: i32) {
  // CHECK: pallas.reciprocal %{{.*}} approx : tensor<8x128xf32>
  %0 = pallas.reciprocal %x approx : tensor<8x128xf32>
  // CHECK: pallas.stochastic_round %{{.*}} bits %{{.*}} : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xbf16>
  %1 = pallas.stochastic_round %x bits %w : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xbf16>
  // CHECK: pallas.pack_elementwise %{{.*}}, %{{.*}} as bf16
  %2 = pallas.pack_elementwise %x, %x as bf16 : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x128xi32>
  // CHECK: pallas.unpack_elementwise %{{.*}}[1] as bf16
  %3 = pallas.unpack_elementwise %w[1] as bf16 : tensor<8x128xi32> -> tensor<8x128xf32>
  // CHECK: pallas.multiple_of %{{.*}}, [8] : i32
  %4 = pallas.multiple_of %n, [8] : i32
  // CHECK: pallas.max_contiguous %{{.*}}, [1, 128] : tensor<8x128xi32>
  %5 = pallas.max_contiguous %w, [1, 128] : tensor<8x128xi32>
  // CHECK: pallas.optimization_barrier %{{.*}}, %{{.*}} : tensor<8x128xf32>, i32 -> tensor<8x128xf32>, i32
  %6:2 = pallas.optimization_barrier %x, %n : tensor<8x128xf32>, i32 -> tensor<8x128xf32>, i32
  return
}
