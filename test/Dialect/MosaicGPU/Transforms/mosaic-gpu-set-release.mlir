// RUN: pallas-opt %s --mosaic-gpu-set-release=release=0.12.0.1 | FileCheck %s --check-prefix=NEW
// RUN: pallas-opt %s --mosaic-gpu-set-release=release=0.12.0.1 | pallas-opt --mosaic-gpu-set-release | FileCheck %s --check-prefix=OLD

// NEW-LABEL: @arrival
// NEW: %[[BYTES:.*]] = arith.constant 16384 : i32
// NEW: mosaic_gpu.arrive_expect_tx barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %[[BYTES]]
// NEW: operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>
// NEW: alias_id = 3 : i64
// OLD-LABEL: @arrival
// OLD: mosaic_gpu.arrive_expect_tx barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 16384
// OLD: operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>
// OLD: alias_id = 3 : i32
func.func @arrival(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %g: memref<256xf32>, %s: memref<64xf32, #gpu.address_space<workgroup>>, %i: i32) -> memref<64xf32, #gpu.address_space<workgroup>> {
  mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 16384
  "mosaic_gpu.async_load"(%g, %s, %b, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, slice_lengths = array<i64: 64>}> : (memref<256xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  %0 = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i32, offset = 0 : i32}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
  return %0 : memref<64xf32, #gpu.address_space<workgroup>>
}

// What only forbids casts may go.
// OLD-LABEL: @strict
// OLD: mosaic_gpu.layout_cast
// OLD-NOT: strict
func.func @strict(%v: vector<64x128xf32>) -> vector<64x128xf32> {
  %0 = mosaic_gpu.layout_cast x(%v : vector<64x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>, strict = true}
  return %0 : vector<64x128xf32>
}
