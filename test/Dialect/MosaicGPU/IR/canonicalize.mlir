// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @same_type
// CHECK-SAME: (%[[M:.*]]: memref<8x128xf32, #gpu.address_space<workgroup>>)
// CHECK-NEXT: return %[[M]]
func.func @same_type(%m: memref<8x128xf32, #gpu.address_space<workgroup>>) -> memref<8x128xf32, #gpu.address_space<workgroup>> {
  %0 = "mosaic_gpu.reinterpret_cast"(%m) : (memref<8x128xf32, #gpu.address_space<workgroup>>) -> memref<8x128xf32, #gpu.address_space<workgroup>>
  return %0 : memref<8x128xf32, #gpu.address_space<workgroup>>
}

// -----

// CHECK-LABEL: @cast_of_cast
// CHECK-SAME: (%[[M:.*]]: memref<8x128xf32, #gpu.address_space<workgroup>>)
// CHECK-NEXT: %[[C:.*]] = "mosaic_gpu.reinterpret_cast"(%[[M]]) : (memref<8x128xf32, #gpu.address_space<workgroup>>) -> memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: return %[[C]]
func.func @cast_of_cast(%m: memref<8x128xf32, #gpu.address_space<workgroup>>) -> memref<1024xf32, #gpu.address_space<workgroup>> {
  %0 = "mosaic_gpu.reinterpret_cast"(%m) : (memref<8x128xf32, #gpu.address_space<workgroup>>) -> memref<16x64xf32, #gpu.address_space<workgroup>>
  %1 = "mosaic_gpu.reinterpret_cast"(%0) : (memref<16x64xf32, #gpu.address_space<workgroup>>) -> memref<1024xf32, #gpu.address_space<workgroup>>
  return %1 : memref<1024xf32, #gpu.address_space<workgroup>>
}

// -----

// CHECK-LABEL: @cast_of_slice
// CHECK-NEXT: %[[S:.*]] = "mosaic_gpu.slice_smem"() <{alias_id = 2 : i32, offset = 1024 : i32}> : () -> memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: return %[[S]]
func.func @cast_of_slice() -> memref<1024xf32, #gpu.address_space<workgroup>> {
  %0 = "mosaic_gpu.slice_smem"() <{alias_id = 2 : i32, offset = 1024 : i32}> : () -> memref<16x64xf32, #gpu.address_space<workgroup>>
  %1 = "mosaic_gpu.reinterpret_cast"(%0) : (memref<16x64xf32, #gpu.address_space<workgroup>>) -> memref<1024xf32, #gpu.address_space<workgroup>>
  return %1 : memref<1024xf32, #gpu.address_space<workgroup>>
}

// -----

// CHECK-LABEL: @cast_in_warps
// CHECK-SAME: (%[[M:.*]]: memref<1x8xf32, #gpu.address_space<workgroup>>)
// CHECK-NEXT: %[[C:.*]] = "mosaic_gpu.reinterpret_cast"(%[[M]]) : (memref<1x8xf32, #gpu.address_space<workgroup>>) -> memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: "mosaic_gpu.warp_map"(%[[C]]) ({
// CHECK-NEXT: ^bb0(%[[A:.*]]: memref<8xf32, #gpu.address_space<workgroup>>):
// CHECK: memref.load %[[A]][
func.func @cast_in_warps(%m: memref<1x8xf32, #gpu.address_space<workgroup>>) {
  "mosaic_gpu.warp_map"(%m) ({
  ^bb0(%a: memref<1x8xf32, #gpu.address_space<workgroup>>):
    %i = arith.constant 0 : index
    %0 = "mosaic_gpu.reinterpret_cast"(%a) : (memref<1x8xf32, #gpu.address_space<workgroup>>) -> memref<8xf32, #gpu.address_space<workgroup>>
    %1 = memref.load %0[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %1, %0[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  }) : (memref<1x8xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

// Another use of the argument keeps the cast inside.
// CHECK-LABEL: @other_use
// CHECK-SAME: (%[[M:.*]]: memref<1x8xf32, #gpu.address_space<workgroup>>)
// CHECK: "mosaic_gpu.warp_map"(%[[M]]) ({
func.func @other_use(%m: memref<1x8xf32, #gpu.address_space<workgroup>>) {
  "mosaic_gpu.warp_map"(%m) ({
  ^bb0(%a: memref<1x8xf32, #gpu.address_space<workgroup>>):
    %i = arith.constant 0 : index
    %0 = "mosaic_gpu.reinterpret_cast"(%a) : (memref<1x8xf32, #gpu.address_space<workgroup>>) -> memref<8xf32, #gpu.address_space<workgroup>>
    %1 = memref.load %0[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %1, %a[%i, %i] : memref<1x8xf32, #gpu.address_space<workgroup>>
  }) : (memref<1x8xf32, #gpu.address_space<workgroup>>) -> ()
  return
}
