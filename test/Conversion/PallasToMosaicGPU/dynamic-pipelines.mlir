// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --pallas-expand-gpu-pipelines --convert-pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu -o /dev/null

// The number of steps is known at run time: each of the first copies, and what
// follows the last step, is for steps that exist.

!all = !pallas.ref<128x64xf32, gmem>
!counts = !pallas.ref<2xi32, gmem>
!block = !pallas.ref<16x64xf32, smem>

// CHECK-LABEL: module @scale
// CHECK: %[[STEPS:.*]] = memref.load
// CHECK: arith.cmpi sgt, %[[STEPS]], %c0_i32{{.*}} : i32
// CHECK: scf.index_switch
// CHECK: mosaic_gpu.async_load
// CHECK: arith.cmpi sgt, %[[STEPS]], %c1_i32{{.*}} : i32
// CHECK: scf.index_switch
// CHECK: mosaic_gpu.async_load
// CHECK: scf.for {{.*}} to %[[STEPS]]
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: arith.cmpi slt, %{{.*}}, %[[STEPS]]
// CHECK: mosaic_gpu.async_load
func.func @scale(%n: tensor<2xi32>, %x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = pallas.mpmd_map
      in(%n : tensor<2xi32>) in(%x : tensor<128x64xf32>)
      out(tensor<128x64xf32>)
      kernel @scale on <gpu, [<grid "i" = 1>]> (%c: !counts, %g: !all, %o: !all) {
    %c0 = arith.constant 0 : i32
    %steps = pallas.get %c[0] : !counts
    pallas.emit_pipeline grid(%steps)
      in(%g : !all) block<[16, 64], smem> map(%i) -> (%i, 0)
      out(%o : !all) block<[16, 64], smem> map(%i) -> (%i, 0)
      attributes {maxConcurrentSteps = 2 : i64}
      kernel(%i: i32, %xr: !block, %or: !block) {
      %v = pallas.get %xr[...] : !block
      %w = arith.addf %v, %v : tensor<16x64xf32>
      pallas.swap %or[...], %w : !block, tensor<16x64xf32>
    }
  }
  return %0 : tensor<128x64xf32>
}

// Rows of blocks, of which each gives a sum: `changes` along the first
// dimension only, and both sizes are known at run time.
// CHECK-LABEL: module @sums
// CHECK: %[[ROWS:.*]] = memref.load
// CHECK: %[[COLUMNS:.*]] = memref.load
// CHECK: %[[STEPS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK-COUNT-3: mosaic_gpu.async_load
// CHECK: %[[STEPS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK: scf.for {{.*}} to %[[STEPS]]
// CHECK: arith.divsi %{{.*}}, %[[COLUMNS]]
func.func @sums(%n: tensor<2xi32>, %x: tensor<128x64xf32>) -> tensor<32x64xf32> {
  %0 = pallas.mpmd_map
      in(%n : tensor<2xi32>) in(%x : tensor<128x64xf32>)
      out(tensor<32x64xf32>)
      kernel @sums on <gpu, [<grid "i" = 1>]> (%c: !counts, %g: !all, %o: !pallas.ref<32x64xf32, gmem>) {
    %rows = pallas.get %c[0] : !counts
    %columns = pallas.get %c[1] : !counts
    pallas.emit_pipeline grid(%rows, %columns)
      in(%g : !all) block<[16, 64], smem> map(%i, %j) {
        %first = arith.muli %i, %columns : i32
        %row = arith.addi %first, %j : i32
        %c0 = arith.constant 0 : i32
        pallas.yield %row, %c0 : i32, i32
      }
      out(%o : !pallas.ref<32x64xf32, gmem>) block<[16, 64], smem> map(%i, %j) -> (%i, 0)
      attributes {maxConcurrentSteps = 3 : i64}
      kernel(%i: i32, %j: i32, %xr: !block, %or: !block) {
      %v = pallas.get %xr[...] : !block
      %c0 = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %j, %c0 : i32
      scf.if %isFirst {
        pallas.swap %or[...], %v : !block, tensor<16x64xf32>
      } else {
        %before = pallas.get %or[...] : !block
        %sum = arith.addf %before, %v : tensor<16x64xf32>
        pallas.swap %or[...], %sum : !block, tensor<16x64xf32>
      }
    }
  }
  return %0 : tensor<32x64xf32>
}

// One warpgroup copies; the sum of all steps is what the pipeline carries.
// CHECK-LABEL: module @specialized
// CHECK: scf.index_switch
// CHECK: nvvm.setmaxregister decrease 40
// CHECK-COUNT-3: mosaic_gpu.async_load
// CHECK: %[[END:.*]] = arith.subi %{{.*}}, %c1_i32{{.*}} : i32
// CHECK: scf.for {{.*}} to %[[END]]
func.func @specialized(%n: tensor<2xi32>, %x: tensor<128x64xf32>) -> tensor<16x64xf32> {
  %0 = pallas.mpmd_map
      in(%n : tensor<2xi32>) in(%x : tensor<128x64xf32>)
      out(tensor<16x64xf32>)
      kernel @specialized on <gpu, [<grid "i" = 1>, <thread "wg" = 2>]> (%c: !counts, %g: !all, %o: !pallas.ref<16x64xf32, gmem>) {
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %steps = pallas.get %c[0] : !counts
    %sum = pallas.emit_pipeline grid(%steps)
      in(%g : !all) block<[16, 64], smem, pipeline = <3, delay_release 1>> map(%i) -> (%i, 0)
      carry(%zero : tensor<16x64xf32>)
      attributes {maxConcurrentSteps = 3 : i64, numComputeWarpgroups = 1 : i64}
      kernel(%i: i32, %xr: !block, %before: tensor<16x64xf32>) {
      %v = pallas.get %xr[...] : !block
      %w = arith.addf %before, %v : tensor<16x64xf32>
      pallas.yield %w : tensor<16x64xf32>
    }
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %computes = arith.cmpi eq, %wg, %c0 : i32
    scf.if %computes {
      pallas.swap %o[...], %sum : !pallas.ref<16x64xf32, gmem>, tensor<16x64xf32>
    }
  }
  return %0 : tensor<16x64xf32>
}
