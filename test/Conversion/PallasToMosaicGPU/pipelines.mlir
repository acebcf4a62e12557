// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --pallas-expand-gpu-pipelines --convert-pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu -o /dev/null

// A pipeline in a kernel: the blocks of two steps are under way, and each step
// sends for the block that its slot holds next.
// CHECK-LABEL: module @scale
// CHECK: gpu.launch
// CHECK-COUNT-2: mosaic_gpu.async_load
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: mosaic_gpu.vector_load
// CHECK: mosaic_gpu.vector_store
// CHECK: mosaic_gpu.async_store
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: mosaic_gpu.async_load
// CHECK: nvvm.cp.async.bulk.wait_group 0
func.func @scale(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<128x64xf32>)
      out(tensor<128x64xf32>)
      kernel @scale on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<128x64xf32, gmem>, %o: !pallas.ref<128x64xf32, gmem>) {
    %c4 = arith.constant 4 : i32
    %block = pallas.axis_index "i"
    %first = arith.muli %block, %c4 : i32
    pallas.emit_pipeline grid(4)
      in(%g : !pallas.ref<128x64xf32, gmem>) block<[16, 64], smem> map(%i) {
        %row = arith.addi %i, %first : i32
        %c0 = arith.constant 0 : i32
        pallas.yield %row, %c0 : i32, i32
      }
      out(%o : !pallas.ref<128x64xf32, gmem>) block<[16, 64], smem> map(%i) {
        %row = arith.addi %i, %first : i32
        %c0 = arith.constant 0 : i32
        pallas.yield %row, %c0 : i32, i32
      }
      attributes {maxConcurrentSteps = 2 : i64}
      kernel(%i: i32, %xr: !pallas.ref<16x64xf32, smem>, %or: !pallas.ref<16x64xf32, smem>) {
      %v = pallas.get %xr[...] : !pallas.ref<16x64xf32, smem>
      %w = arith.addf %v, %v : tensor<16x64xf32>
      pallas.swap %or[...], %w : !pallas.ref<16x64xf32, smem>, tensor<16x64xf32>
    }
  }
  return %0 : tensor<128x64xf32>
}

// One warpgroup copies, the other computes; it says when it is done with a
// slot. The sum of all steps is what the pipeline carries.
// CHECK-LABEL: module @specialized
// CHECK: gpu.launch
// CHECK: "mosaic_gpu.initialize_barrier"(%{{.*}}) <{arrival_count = 1 : i64, num_barriers = 3
// CHECK: "mosaic_gpu.initialize_barrier"(%{{.*}}) <{arrival_count = 1 : i64, num_barriers = 3
// CHECK: scf.index_switch
// CHECK: nvvm.setmaxregister decrease 40
// CHECK-COUNT-3: mosaic_gpu.async_load
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: mosaic_gpu.async_load
// CHECK: default
// CHECK: nvvm.setmaxregister increase 256
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: mosaic_gpu.vector_load
// CHECK: "mosaic_gpu.arrive"
func.func @specialized(%x: tensor<128x64xf32>) -> tensor<16x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<128x64xf32>)
      out(tensor<16x64xf32>)
      kernel @specialized on <gpu, [<grid "i" = 1>, <thread "wg" = 2>]> (%g: !pallas.ref<128x64xf32, gmem>, %o: !pallas.ref<16x64xf32, gmem>) {
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %sum = pallas.emit_pipeline grid(8)
      in(%g : !pallas.ref<128x64xf32, gmem>) block<[16, 64], smem, pipeline = <3, delay_release 1>> map(%i) -> (%i, 0)
      carry(%zero : tensor<16x64xf32>)
      attributes {maxConcurrentSteps = 3 : i64, numComputeWarpgroups = 1 : i64}
      kernel(%i: i32, %xr: !pallas.ref<16x64xf32, smem>, %c: tensor<16x64xf32>) {
      %v = pallas.get %xr[...] : !pallas.ref<16x64xf32, smem>
      %w = arith.addf %c, %v : tensor<16x64xf32>
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
