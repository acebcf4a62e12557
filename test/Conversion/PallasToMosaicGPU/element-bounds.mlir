// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Accesses element by element that leave their ref. Plain slices and indices
// move inside, as do index arrays that are read; what index arrays write
// outside is dropped, and elements of masked accesses stay in place.

// CHECK-LABEL: module @kernel
// A slice with a stride moves as a whole: 128 - 1 - 31 * 3.
// CHECK: %[[FROM_END:.*]] = arith.addi %[[I:.*]], %c128_i32
// CHECK: arith.select %{{.*}}, %[[FROM_END]], %[[I]]
// CHECK: %[[LOW:.*]] = arith.minsi %{{.*}}, %c34_i32
// CHECK: %[[MOVED:.*]] = arith.maxsi %[[LOW]], %c0_i32
// CHECK: %[[INSIDE:.*]] = arith.index_cast %[[MOVED]] : i32 to index
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.store
// An array that is read.
// CHECK: scf.for
// CHECK: %[[WRAPPED:.*]] = arith.select
// CHECK: %[[NEAR:.*]] = arith.minsi %[[WRAPPED]], %c127
// CHECK: arith.maxsi %[[NEAR]], %c0
// CHECK-NOT: scf.if
// CHECK: memref.store
// One that is written.
// CHECK: scf.for
// CHECK: arith.select
// CHECK: arith.cmpi ule
// CHECK: scf.if
// CHECK: memref.store
// The slice that is written.
// CHECK: scf.for
// CHECK: arith.addi %[[INSIDE]]
// CHECK-NOT: scf.if
// CHECK: memref.store
// Elements in place.
// CHECK: %[[START:.*]] = arith.index_cast %[[I]]
// CHECK: scf.for
// CHECK: %[[PLACE:.*]] = arith.addi %[[START]]
// CHECK: arith.cmpi ule, %[[PLACE]], %c127
// CHECK: scf.if
func.func @bounds(%x: tensor<128xf32>, %n: tensor<4xi32>, %i: tensor<8xi32>) -> (tensor<32xf32>, tensor<8xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0:5 = pallas.pallas_call grid(1)
    in(%x : tensor<128xf32>) block<[128], default>
    in(%n : tensor<4xi32>) block<[4], default>
    in(%i : tensor<8xi32>) block<[8], default>
    out(tensor<32xf32>) block<[32], default>
    out(tensor<8xf32>) block<[8], default>
    out(tensor<128xf32>) block<[128], default>
    out(tensor<128xf32>) block<[128], default>
    out(tensor<128xf32>) block<[128], default>
    kernel(%xr: !pallas.ref<128xf32, default>, %nr: !pallas.ref<4xi32, default>, %ir: !pallas.ref<8xi32, default>, %strided: !pallas.ref<32xf32, default>, %gathered: !pallas.ref<8xf32, default>, %scattered: !pallas.ref<128xf32, default>, %spread: !pallas.ref<128xf32, default>, %kept: !pallas.ref<128xf32, default>) {
    %start = pallas.get %nr[0] : !pallas.ref<4xi32, default>
    %v = pallas.get %xr[ds(%start, 32, 3)] : !pallas.ref<128xf32, default>
    pallas.swap %strided[...], %v : !pallas.ref<32xf32, default>, tensor<32xf32>
    %at = pallas.get %ir[...] : !pallas.ref<8xi32, default>
    %w = pallas.get %xr[gather(%at : tensor<8xi32>)] : !pallas.ref<128xf32, default>
    pallas.swap %gathered[...], %w : !pallas.ref<8xf32, default>, tensor<8xf32>
    %zeros = arith.constant dense<0.0> : tensor<128xf32>
    pallas.swap %scattered[...], %zeros : !pallas.ref<128xf32, default>, tensor<128xf32>
    %ones = arith.constant dense<1.0> : tensor<8xf32>
    pallas.swap %scattered[gather(%at : tensor<8xi32>)], %ones : !pallas.ref<128xf32, default>, tensor<8xf32>
    pallas.swap %spread[...], %zeros : !pallas.ref<128xf32, default>, tensor<128xf32>
    pallas.swap %spread[ds(%start, 32, 3)], %v : !pallas.ref<128xf32, default>, tensor<32xf32>
    pallas.swap %kept[...], %zeros : !pallas.ref<128xf32, default>, tensor<128xf32>
    %mask = arith.constant dense<true> : tensor<32xi1>
    pallas.masked_swap %kept[ds(%start, 32)], %v mask %mask : !pallas.ref<128xf32, default>, tensor<32xf32>, tensor<32xi1>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<32xf32>, tensor<8xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
