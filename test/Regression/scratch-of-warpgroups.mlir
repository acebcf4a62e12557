// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The bug: a warpgroup that was ahead took scratch memory where another one was still at work: in a
// scope that both share, or in its part of other scratch memory, whose parts began elsewhere. A scope
// that makes no memory gave scratch memory back at its end, too.

!x = !pallas.ref<2x128xf32, gmem>

// No barrier of the block is behind the last scope, where nothing follows.

// CHECK-LABEL: module @scopes
// CHECK: gpu.barrier
// CHECK: slice_smem"() <{offset = 0 : i32}>
// CHECK: vector_store
// CHECK: gpu.barrier
// CHECK: slice_smem"() <{alias_id = 0 : i32, offset = 0 : i32}>
// CHECK: gpu.barrier
// CHECK-NEXT: slice_smem"() <{offset = [[OFFSET:.*]] : i32}>
// CHECK-NOT: gpu.barrier
// CHECK-LABEL: module @parts
func.func @behind_scope(%x: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<2x128xf32>)
    out(tensor<2x128xf32>)
    kernel @scopes on <gpu, [<thread "wg" = 2>]>(%xr: !x, %or: !x) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %v = pallas.get %xr[%wg, :] : !x
    pallas.run_scoped (%s: !pallas.ref<2x128xf32, smem>) collective ["wg"] {
      pallas.swap %s[%wg, :], %v : !pallas.ref<2x128xf32, smem>, tensor<128xf32>
      %w = pallas.get %s[%wg, :] : !pallas.ref<2x128xf32, smem>
      pallas.swap %or[%wg, :], %w : !x, tensor<128xf32>
    }
    %product = pallas.reduce <mul> %v dims [0] : tensor<128xf32>
    pallas.swap %or[%wg, %c0], %product : !x, f32
    pallas.run_scoped (%s: !pallas.ref<2x128xf32, smem>) collective ["wg"] {
      pallas.swap %s[%wg, :], %v : !pallas.ref<2x128xf32, smem>, tensor<128xf32>
    }
  }
  return %0 : tensor<2x128xf32>
}

// The second operation has smaller parts, and memory of its own; the third one has the parts of the
// first.

// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 0 : i32}> : () -> memref<2x512xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 4096 : i32}> : () -> memref<2x512xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 8192 : i32}> : () -> memref<2x128xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 9216 : i32}> : () -> memref<2x128xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 0 : i32}> : () -> memref<2x512xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 4096 : i32}> : () -> memref<2x512xf32
func.func @of_other_sizes(%x: tensor<2x128xf32>, %y: tensor<2x512xf32>) -> (tensor<2x128xf32>, tensor<2x512xf32>) {
  %0:2 = pallas.mpmd_map
    in(%x : tensor<2x128xf32>)
    in(%y : tensor<2x512xf32>)
    out(tensor<2x128xf32>)
    out(tensor<2x512xf32>)
    kernel @parts on <gpu, [<thread "wg" = 2>]>(%xr: !x, %yr: !pallas.ref<2x512xf32, gmem>, %or: !x, %pr: !pallas.ref<2x512xf32, gmem>) {
    %wg = pallas.axis_index "wg"
    %v = pallas.get %xr[%wg, :] : !x
    %w = pallas.get %yr[%wg, :] : !pallas.ref<2x512xf32, gmem>
    %0 = pallas.cumulative <sum> %w dim 0 : tensor<512xf32>
    %1 = pallas.cumulative <sum> %v dim 0 : tensor<128xf32>
    %2 = pallas.cumulative <sum> %0 dim 0 : tensor<512xf32>
    pallas.swap %or[%wg, :], %1 : !x, tensor<128xf32>
    pallas.swap %pr[%wg, :], %2 : !pallas.ref<2x512xf32, gmem>, tensor<512xf32>
  }
  return %0#0, %0#1 : tensor<2x128xf32>, tensor<2x512xf32>
}

// CHECK-LABEL: module @behind_accumulator
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 0 : i32}> : () -> memref<2x512xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 4096 : i32}> : () -> memref<2x512xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 8192 : i32}> : () -> memref<2x128xf32
// CHECK: slice_smem"() <{alias_id = {{.*}}, offset = 9216 : i32}> : () -> memref<2x128xf32
func.func @behind_accumulator(%x: tensor<2x128xf32>, %y: tensor<2x512xf32>) -> (tensor<2x128xf32>, tensor<2x512xf32>) {
  %0:2 = pallas.mpmd_map
    in(%x : tensor<2x128xf32>)
    in(%y : tensor<2x512xf32>)
    out(tensor<2x128xf32>)
    out(tensor<2x512xf32>)
    kernel @behind_accumulator on <gpu, [<thread "wg" = 2>]>(%xr: !x, %yr: !pallas.ref<2x512xf32, gmem>, %or: !x, %pr: !pallas.ref<2x512xf32, gmem>) {
    %wg = pallas.axis_index "wg"
    %v = pallas.get %xr[%wg, :] : !x
    %w = pallas.get %yr[%wg, :] : !pallas.ref<2x512xf32, gmem>
    pallas.run_scoped (%acc: !pallas.accumulator<64x64xf32>) {
      %0 = pallas.cumulative <sum> %w dim 0 : tensor<512xf32>
      pallas.swap %pr[%wg, :], %0 : !pallas.ref<2x512xf32, gmem>, tensor<512xf32>
    }
    %1 = pallas.cumulative <sum> %v dim 0 : tensor<128xf32>
    pallas.swap %or[%wg, :], %1 : !x, tensor<128xf32>
  }
  return %0#0, %0#1 : tensor<2x128xf32>, tensor<2x512xf32>
}
