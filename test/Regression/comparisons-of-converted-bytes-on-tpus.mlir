// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// The bug: the compiler for TPUs compares integers for converted ones, and scalar units know 32 bits only.

// CHECK-LABEL: func.func @positive
// CHECK: %[[SIGNED:.*]] = arith.shrsi %{{.*}} : i32
// CHECK: arith.sitofp %[[SIGNED]] : i32 to f32
// CHECK: %[[UNSIGNED:.*]] = arith.andi %{{.*}}, %c255_i32
// CHECK: arith.sitofp %[[UNSIGNED]] : i32 to f32
func.func @f(%x: tensor<32x128xi8>) -> tensor<32x128xi8> {
  %o = pallas.pallas_call @positive grid()
      in(%x : tensor<32x128xi8>) block<[32, 128], vmem>
      out(tensor<32x128xi8>) block<[32, 128], vmem>
      kernel(%xr: !pallas.ref<32x128xi8, vmem>, %or: !pallas.ref<32x128xi8, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x128xi8, vmem>
    %n = pallas.get %xr[0, 0] : !pallas.ref<32x128xi8, vmem>
    %zero = arith.constant 0.0 : f32
    %real = arith.sitofp %n : i8 to f32
    %some = arith.cmpf ogt, %real, %zero : f32
    %size = arith.uitofp %n : i8 to f32
    %many = arith.cmpf ogt, %size, %real : f32
    %both = arith.andi %some, %many : i1
    %r = scf.if %both -> tensor<32x128xi8> {
      %d = arith.addi %v, %v : tensor<32x128xi8>
      scf.yield %d : tensor<32x128xi8>
    } else {
      scf.yield %v : tensor<32x128xi8>
    }
    pallas.swap %or[...], %r : !pallas.ref<32x128xi8, vmem>, tensor<32x128xi8>
  }
  return %o : tensor<32x128xi8>
}
