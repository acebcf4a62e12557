// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// An accumulator is a vector that the loop and the branch carry.
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64x128xf32>
// CHECK: %[[START:.*]] = "mosaic_gpu.optimization_barrier"(%[[ZERO]])
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]]) -> (vector<64x128xf32>)
// CHECK: %[[SUM:.*]] = mosaic_gpu.wgmma accumulator(%[[ACC]] : vector<64x128xf32>) a(%{{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>) b(%{{.*}} : memref<64x128xf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: %[[BRANCH:.*]] = scf.index_switch {{.*}} -> vector<64x128xf32>
// CHECK: case 0 {
// CHECK: scf.yield %[[SUM]]
// CHECK: default {
// CHECK: %[[AGAIN:.*]] = mosaic_gpu.wgmma accumulator(%[[SUM]]
// CHECK: scf.yield %[[AGAIN]]
// CHECK: scf.yield %[[BRANCH]]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: "mosaic_gpu.vector_store"(%[[LOOP]],
func.func @products(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %b: !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %o: !pallas.ref<64x128xf32, smem>, %acc: !pallas.accumulator<64x128xf32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
        pallas.wgmma_wait 1
        %t = arith.cmpi sgt, %i, %c1 : i32
        scf.if %t {
          pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
        }
      }
      %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x128xf32> -> tensor<64x128xf32>
      %old = pallas.swap %o[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

// The operand is transposed by a view; the accumulator starts with a value.
// CHECK: %[[T:.*]] = memref.transpose %{{.*}} (d0, d1) -> (d1, d0)
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"
// CHECK: %[[START:.*]] = "mosaic_gpu.optimization_barrier"(%[[V]])
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[SUM:.*]] = mosaic_gpu.wgmma accumulator(%[[START]] : vector<64x128xf32>) a(%{{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>) b(%[[T]]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: "mosaic_gpu.vector_store"(%[[SUM]],
func.func @state(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %b: !pallas.ref<128x64xf16, smem>, %o: !pallas.ref<64x128xf32, smem>) {
      %t = pallas.transpose_ref %b, [1, 0] : !pallas.ref<128x64xf16, smem> -> !pallas.ref<64x128xf16, smem>
      %v = pallas.get %o[...] : !pallas.ref<64x128xf32, smem>
      %r = pallas.run_state (%acc: !pallas.accumulator<64x128xf32> = %v : tensor<64x128xf32>) {
        pallas.wgmma_ref %acc, %a, %t : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x128xf16, smem>
      }
      %old = pallas.swap %o[...], %r : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

// An accumulator that is stored starts anew; products of values are waited for
// where the kernel says so.
// CHECK-LABEL: module @values
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"
// CHECK: %[[START:.*]] = "mosaic_gpu.optimization_barrier"(%[[V]])
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[SUM:.*]] = mosaic_gpu.wgmma accumulator(%[[START]] : vector<64x128xf32>)
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: %[[AGAIN:.*]] = mosaic_gpu.wgmma accumulator(%{{.*}} : vector<64x128xf32>)
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: "mosaic_gpu.vector_store"(%[[AGAIN]],
func.func @call_values() {
  pallas.mpmd_map
      kernel @values on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %b: !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %o: !pallas.ref<64x128xf32, smem>, %acc: !pallas.accumulator<64x128xf32>) {
      %v = pallas.get %o[...] : !pallas.ref<64x128xf32, smem>
      pallas.accumulator_store %acc, %v : !pallas.accumulator<64x128xf32>, tensor<64x128xf32>
      pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
      %sum = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x128xf32> -> tensor<64x128xf32>
      %more = pallas.wgmma %sum, %a, %b : tensor<64x128xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
      pallas.wgmma_commit
      pallas.wgmma_wait 0
      pallas.swap %o[...], %more : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return
}
