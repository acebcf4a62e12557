// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gather_rows
func.func @gather_rows(%a: tensor<64x128xf32>, %i: tensor<4x1xi32>) -> tensor<4x128xf32> {
  // CHECK: scf.for
  // CHECK: arith.minsi
  // CHECK: arith.maxsi
  // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<128xf32>
  // CHECK: tensor.insert_slice
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 128]
    : tensor<64x128xf32>, tensor<4x1xi32> -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

// CHECK-LABEL: func.func @take_along
func.func @take_along(%a: tensor<64x128xf32>, %i: tensor<4x128xi32>) -> tensor<4x128xf32> {
  // CHECK-NOT: scf.for
  // CHECK: linalg.generic
  // CHECK: tensor.extract
  %0 = pallas.take_along %a at %i dim 0 : tensor<64x128xf32>, tensor<4x128xi32>
    -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_add
func.func @scatter_add(%a: tensor<64x128xf32>, %i: tensor<4x1xi32>, %u: tensor<4x128xf32>) -> tensor<64x128xf32> {
  // A window outside is dropped.
  // CHECK: scf.for
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ule
  // CHECK: scf.if %[[INSIDE]]
  // CHECK: arith.addf
  %0 = pallas.scatter combining <add> %a at %i, %u window [1] inserted [0] batching [] x [] map [0]
    : tensor<64x128xf32>, tensor<4x1xi32>, tensor<4x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// The size of the code does not depend on the length.
// CHECK-LABEL: func.func @sort
func.func @sort(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {
  // CHECK: arith.constant 20 : index
  // CHECK-COUNT-4: scf.for
  // CHECK-NOT: scf.for
  %0 = pallas.sort %a dim 0 : tensor<1000000xf32> -> tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
}

// -----

// CHECK-LABEL: func.func @cumsum
func.func @cumsum(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // Along a dimension that isn't the last, whole rows run.
  // CHECK: scf.for {{.*}} -> (tensor<1x64x128xf32>)
  // CHECK: scf.for {{.*}} -> (tensor<128xf32>, tensor<1x64x128xf32>)
  // CHECK: linalg.generic
  %0 = pallas.cumulative <sum> %a dim 0 : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// CHECK-LABEL: func.func @mask_reduce
func.func @mask_reduce(%m: tensor<16xi1>) -> (i32, i32) {
  // CHECK: %[[SIZE:.*]] = arith.constant 16 : i32
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SIZE]])
  // CHECK: arith.minsi
  // CHECK: arith.select
  %0 = pallas.mask_reduce <first> %m : tensor<16xi1>
  // CHECK: scf.for
  // CHECK: arith.extui
  // CHECK: arith.addi
  %1 = pallas.mask_reduce <count> %m : tensor<16xi1>
  return %0, %1 : i32, i32
}

// -----

// CHECK-LABEL: func.func @scan_count
func.func @scan_count(%x: tensor<16xf32>, %m: tensor<16xi1>) -> (tensor<16xi32>, tensor<16xi1>) {
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpi ugt
  // CHECK: tensor.insert %{{.*}} : tensor<16xi32>
  // CHECK: tensor.insert %{{.*}} : tensor<16xi1>
  %0:2 = pallas.scan_count %x mask %m : tensor<16xf32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
  return %0#0, %0#1 : tensor<16xi32>, tensor<16xi1>
}
