// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Operations with regions.

// CHECK-LABEL: @custom
func.func @custom(%v: vector<64x128xf32>, %s: memref<64x128xf32, #gpu.address_space<workgroup>>, %i: i32) {
  // CHECK: "mosaic_gpu.custom_primitive"(%{{.*}}, %{{.*}}, %{{.*}}) <{in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 128], 2>], in_transforms = {{\[\[}}]], out_layouts = [#mosaic_gpu.WGSplatFragLayout<[64, 128]>]}> ({
  %0 = "mosaic_gpu.custom_primitive"(%v, %s, %i) <{in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 128], 2>], in_transforms = [[]], out_layouts = [#mosaic_gpu.WGSplatFragLayout<[64, 128]>]}> ({
  // CHECK: ^bb0(%{{.*}}: vector<64x128xf32>, %{{.*}}: memref<64x128xf32, #gpu.address_space<workgroup>>, %{{.*}}: i32):
  ^bb0(%a: vector<64x128xf32>, %b: memref<64x128xf32, #gpu.address_space<workgroup>>, %c: i32):
    // CHECK: mosaic_gpu.return %{{.*}} : vector<64x128xf32>
    mosaic_gpu.return %a : vector<64x128xf32>
  }) : (vector<64x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>, i32) -> vector<64x128xf32>
  return
}

// CHECK-LABEL: @warps
func.func @warps(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // CHECK: "mosaic_gpu.warp_map"(%{{.*}}) ({
  "mosaic_gpu.warp_map"(%b) ({
  ^bb0(%0: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>):
    // CHECK: "mosaic_gpu.arrive"
    "mosaic_gpu.arrive"(%0) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  // CHECK: }) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  }) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}
