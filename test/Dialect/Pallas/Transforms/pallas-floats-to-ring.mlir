// RUN: pallas-opt %s --pallas-floats-to-ring --split-input-file --verify-diagnostics --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func @sums
// CHECK-SAME: (%[[X:.*]]: tensor<4xi32>, %[[Y:.*]]: tensor<4xi16>) -> tensor<4xi16>
func.func @sums(%x: tensor<4xf32>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[Y]] : tensor<4xi16> to tensor<4xi32>
  %wide = arith.extf %y : tensor<4xbf16> to tensor<4xf32>
  // CHECK: arith.muli %[[X]], %[[WIDE]] : tensor<4xi32>
  %a = arith.mulf %x, %wide : tensor<4xf32>
  // CHECK: arith.addi
  %b = arith.addf %a, %x : tensor<4xf32>
  // CHECK: arith.subi
  %c = arith.subf %b, %wide : tensor<4xf32>
  // CHECK: arith.maxsi
  %d = arith.maximumf %c, %x : tensor<4xf32>
  // CHECK: pallas.reduce <add> %{{.*}} dims [0] : tensor<4xi32>
  %e = pallas.reduce <add> %d dims [0] : tensor<4xf32>
  %f = pallas.broadcast %e : f32 -> tensor<4xf32>
  // CHECK: arith.trunci %{{.*}} : tensor<4xi32> to tensor<4xi16>
  %g = arith.truncf %f : tensor<4xf32> to tensor<4xbf16>
  return %g : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func.func @constants
func.func @constants() -> (f32, f32, f32, tensor<3xf16>) {
  // CHECK: arith.constant -3 : i32
  %a = arith.constant -3.0 : f32
  // CHECK: arith.constant -2147483648 : i32
  %b = arith.constant 0xFF800000 : f32
  // What is no integer has its bits mixed.
  // CHECK-NOT: arith.constant 0
  // CHECK: arith.constant {{.*}} : i32
  %c = arith.constant 0.5 : f32
  // CHECK: arith.constant dense<[0, 1, 32767]> : tensor<3xi16>
  %d = arith.constant dense<[0.0, 1.0, 0x7C00]> : tensor<3xf16>
  return %a, %b, %c, %d : f32, f32, f32, tensor<3xf16>
}

// -----

// CHECK-LABEL: func.func @functions
// CHECK-SAME: %[[X:.*]]: i16, %[[Y:.*]]: i16
func.func @functions(%x: f16, %y: f16) -> (f16, f16, f16, i1) {
  // A power of 3: the first bit of the exponent gives 3 or 1.
  // CHECK: arith.andi %[[X]], %{{.*}} : i16
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i16
  %a = math.exp %x : f16
  // CHECK: arith.ori
  // CHECK: arith.muli %[[X]], %{{.*}} : i16
  %b = arith.divf %x, %y : f16
  // CHECK-NOT: math.tanh
  %c = math.tanh %x : f16
  // CHECK: arith.cmpi slt, %[[X]], %[[Y]] : i16
  %d = arith.cmpf olt, %x, %y : f16
  return %a, %b, %c, %d : f16, f16, f16, i1
}

// -----

// CHECK-LABEL: func.func @kernel
// CHECK: in(%{{.*}} : tensor<16x4xi32>) block<[8, 4], vmem>
// CHECK: kernel(%{{.*}}: !pallas.ref<8x4xi32, vmem>
func.func @kernel(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2) in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x4xf32, vmem>, %or: !pallas.ref<8x4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x4xf32, vmem>, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// -----

func.func @asks_for_nan(%x: f32) -> i1 {
  // expected-error @+1 {{has no meaning in the ring of integers, which replaces floats; leave it out, or compare floats}}
  %n = arith.cmpf uno, %x, %x : f32
  return %n : i1
}

// -----

func.func @narrow(%x: tensor<4xf4E2M1FN>) -> tensor<4xf4E2M1FN> {
  // expected-error @+1 {{has no meaning in the ring}}
  return %x : tensor<4xf4E2M1FN>
}

// -----

func.func @foreign(%x: tensor<4xf32>) {
  // expected-error @+1 {{'foreign.touch' op is not registered, so what it makes of floats is not known; load its dialect, or compare floats}}
  "foreign.touch"(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @foreign_constant() -> i32 {
  // expected-error @+1 {{'foreign.round' op is not registered}}
  %i = "foreign.round"() {of = 1.5 : f32} : () -> i32
  return %i : i32
}

// -----

// CHECK-LABEL: func.func @foreign_integers
func.func @foreign_integers(%x: tensor<4xi32>) {
  // CHECK: "foreign.touch"(%{{.*}}) : (tensor<4xi32>) -> ()
  "foreign.touch"(%x) : (tensor<4xi32>) -> ()
  return
}
