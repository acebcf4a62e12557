// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu | FileCheck %s

// Elements are picked from the operand as one row, for as many places at once
// as a register has.

// CHECK-LABEL: func.func @elements
// CHECK: %[[STRIDE:.*]] = arith.constant dense<24> : vector<300xi32>
// CHECK: arith.muli %{{.*}}, %[[STRIDE]]
// CHECK: vector.shape_cast %{{.*}} : vector<1x384xi32> to vector<384xi32>
// CHECK-COUNT-3: tpu.dynamic_gather %{{.*}} in [1] : vector<3x128xf32>, vector<3x128xi32> -> vector<3x128xf32>
// CHECK-NOT: tpu.dynamic_gather
func.func @f(%x: tensor<16x24xf32>, %i: tensor<300x2xi32>) -> tensor<300xf32> {
  %o = pallas.pallas_call @elements grid()
      in(%x : tensor<16x24xf32>) block<[16, 24], vmem>
      in(%i : tensor<300x2xi32>) block<[300, 2], vmem>
      out(tensor<300xf32>) block<[300], vmem>
      kernel(%xr: !pallas.ref<16x24xf32, vmem>, %ir: !pallas.ref<300x2xi32, vmem>, %or: !pallas.ref<300xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<16x24xf32, vmem>
    %at = pallas.get %ir[...] : !pallas.ref<300x2xi32, vmem>
    %g = pallas.gather %a at %at offset [] collapsed [0, 1] batching [] x [] map [0, 1] sizes [1, 1] mode promise_in_bounds : tensor<16x24xf32>, tensor<300x2xi32> -> tensor<300xf32>
    pallas.swap %or[...], %g : !pallas.ref<300xf32, vmem>, tensor<300xf32>
  }
  return %o : tensor<300xf32>
}

// -----

// Many updates are made in a loop, few are written out.

// CHECK-LABEL: func.func @updates
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}) -> (vector<16x24xf32>)
// CHECK-COUNT-2: arith.cmpi eq
// CHECK: arith.addf
// CHECK: arith.select
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK-COUNT-2: arith.select %{{.*}} : vector<16x24xi1>, vector<16x24xf32>
func.func @f(%x: tensor<16x24xf32>, %i: tensor<40x2xi32>, %u: tensor<40xf32>, %v: tensor<2x3xf32>) -> tensor<16x24xf32> {
  %o = pallas.pallas_call @updates grid()
      in(%x : tensor<16x24xf32>) block<[16, 24], vmem>
      in(%i : tensor<40x2xi32>) block<[40, 2], vmem>
      in(%u : tensor<40xf32>) block<[40], vmem>
      in(%v : tensor<2x3xf32>) block<[2, 3], vmem>
      out(tensor<16x24xf32>) block<[16, 24], vmem>
      kernel(%xr: !pallas.ref<16x24xf32, vmem>, %ir: !pallas.ref<40x2xi32, vmem>, %ur: !pallas.ref<40xf32, vmem>, %vr: !pallas.ref<2x3xf32, vmem>, %or: !pallas.ref<16x24xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<16x24xf32, vmem>
    %at = pallas.get %ir[...] : !pallas.ref<40x2xi32, vmem>
    %b = pallas.get %ur[...] : !pallas.ref<40xf32, vmem>
    %c = pallas.get %vr[...] : !pallas.ref<2x3xf32, vmem>
    %s = pallas.scatter combining <add> %a at %at, %b window [] inserted [0, 1] batching [] x [] map [0, 1] : tensor<16x24xf32>, tensor<40x2xi32>, tensor<40xf32>
    %two = tensor.extract_slice %at[0, 0] [2, 2] [1, 1] : tensor<40x2xi32> to tensor<2x2xi32>
    %t = pallas.scatter %s at %two, %c window [1] inserted [0] batching [] x [] map [0, 1] : tensor<16x24xf32>, tensor<2x2xi32>, tensor<2x3xf32>
    pallas.swap %or[...], %t : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
  }
  return %o : tensor<16x24xf32>
}

// -----

// Indices that count from the end are the same modulo a power of two.

// CHECK-LABEL: func.func @fill
// CHECK: %[[INDEX:.*]] = vector.load %arg1
// CHECK: %[[WRAPPED:.*]] = arith.select
// CHECK: %[[MASK:.*]] = arith.constant dense<15>
// CHECK: %[[SAFE:.*]] = arith.andi %[[INDEX]], %[[MASK]]
// CHECK: %[[TAKEN:.*]] = tpu.dynamic_gather %{{.*}}[%[[SAFE]]] in [1]
// CHECK: %[[INSIDE:.*]] = arith.cmpi eq, %[[WRAPPED]], %[[SAFE]]
// CHECK: %[[LEAST:.*]] = arith.constant dense<-2147483648>
// CHECK: arith.select %[[INSIDE]], %[[TAKEN]], %[[LEAST]]
func.func @h(%x: tensor<8x16xi32>, %i: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %o = pallas.pallas_call @fill grid()
      in(%x : tensor<8x16xi32>) block<[8, 16], vmem>
      in(%i : tensor<8x16xi32>) block<[8, 16], vmem>
      out(tensor<8x16xi32>) block<[8, 16], vmem>
      kernel(%xr: !pallas.ref<8x16xi32, vmem>, %ir: !pallas.ref<8x16xi32, vmem>, %or: !pallas.ref<8x16xi32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x16xi32, vmem>
    %at = pallas.get %ir[...] : !pallas.ref<8x16xi32, vmem>
    %zero = arith.constant dense<0> : tensor<8x16xi32>
    %size = arith.constant dense<16> : tensor<8x16xi32>
    %below = arith.cmpi slt, %at, %zero : tensor<8x16xi32>
    %sum = arith.addi %at, %size : tensor<8x16xi32>
    %places = arith.select %below, %sum, %at : tensor<8x16xi1>, tensor<8x16xi32>
    %g = pallas.take_along %a at %places dim 1 mode fill : tensor<8x16xi32>, tensor<8x16xi32> -> tensor<8x16xi32>
    pallas.swap %or[...], %g : !pallas.ref<8x16xi32, vmem>, tensor<8x16xi32>
  }
  return %o : tensor<8x16xi32>
}
