// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Elements that a mask selects, that an array names or that lie apart are
// accessed one by one. Booleans are bytes in memory.

// CHECK-LABEL: module @kernel
// CHECK: %[[M:.*]] = "mosaic_gpu.vector_load"(%[[MASK:.*]]) {{.*}} -> vector<8x16xi8>
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[M]] : vector<8x16xi8>)
// CHECK: %[[BITS:.*]] = arith.cmpi ne, %[[L]], %{{.*}} : vector<8x16xi8>
// CHECK: %[[STORED:.*]] = arith.extui %[[BITS]] : vector<8x16xi1> to vector<8x16xi8>
// CHECK: "mosaic_gpu.vector_store"(%[[STORED]], %[[SPILLED:.*]])
// CHECK: scf.for
// CHECK: %[[BYTE:.*]] = memref.load
// CHECK: %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]], %c0_i8 : i8
// CHECK: %[[E:.*]] = scf.if %[[BIT]] -> (f32)
// CHECK: memref.load
// CHECK: memref.store %[[E]]
// Nothing is written where the mask is false.
// CHECK: scf.if %{{.*}} {
// CHECK: memref.store
// An array names the rows; an index beyond the ref reads the nearest one.
// CHECK: arith.minsi %{{.*}}, %c7 : index
// CHECK: arith.muli %{{.*}}, %c2 : index
func.func @accesses(%x: tensor<8x16xf32>, %m: tensor<8x16xi1>, %i: tensor<4xi32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<8x8xf32>, tensor<8x16xi1>) {
  %0:5 = pallas.pallas_call grid(1)
    in(%x : tensor<8x16xf32>) block<[8, 16], default>
    in(%m : tensor<8x16xi1>) block<[8, 16], default>
    in(%i : tensor<4xi32>) block<[4], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<4x16xf32>) block<[4, 16], default>
    out(tensor<8x8xf32>) block<[8, 8], default>
    out(tensor<8x16xi1>) block<[8, 16], default>
    kernel(%xr: !pallas.ref<8x16xf32, default>, %mr: !pallas.ref<8x16xi1, default>, %ir: !pallas.ref<4xi32, default>, %or: !pallas.ref<8x16xf32, default>, %wr: !pallas.ref<8x16xf32, default>, %gr: !pallas.ref<4x16xf32, default>, %sr: !pallas.ref<8x8xf32, default>, %br: !pallas.ref<8x16xi1, default>) {
    %mask = pallas.get %mr[...] : !pallas.ref<8x16xi1, default>
    %minus = arith.constant dense<-1.0> : tensor<8x16xf32>
    %loaded = pallas.masked_load %xr[...] mask %mask other %minus : !pallas.ref<8x16xf32, default>, tensor<8x16xi1>, other tensor<8x16xf32>
    pallas.swap %or[...], %loaded : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %wr[...], %minus : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    pallas.masked_swap %wr[...], %v mask %mask : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>, tensor<8x16xi1>
    %at = pallas.get %ir[...] : !pallas.ref<4xi32, default>
    %rows = pallas.get %xr[gather(%at : tensor<4xi32>), :] : !pallas.ref<8x16xf32, default>
    pallas.swap %gr[...], %rows : !pallas.ref<4x16xf32, default>, tensor<4x16xf32>
    %apart = pallas.get %xr[:, ds(1, 8, 2)] : !pallas.ref<8x16xf32, default>
    pallas.swap %sr[...], %apart : !pallas.ref<8x8xf32, default>, tensor<8x8xf32>
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    %positive = arith.cmpf ogt, %v, %zero : tensor<8x16xf32>
    pallas.swap %br[...], %positive : !pallas.ref<8x16xi1, default>, tensor<8x16xi1>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<8x8xf32>, tensor<8x16xi1>
}
