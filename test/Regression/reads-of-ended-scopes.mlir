// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The bug: the hardware read memory of a scope that had ended, while the next scope, or the next step
// of a loop, wrote there already.

!s = !pallas.ref<64x64xf32, smem>
!g = !pallas.ref<64x64xf32, gmem>
!b = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// The kernel waits behind the scope, or in one of two branches only. Where it waits in the scope, it
// does so once.

// CHECK-LABEL: module @copies
// CHECK: async_store
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: bar.sync $0, 128
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK: scf.index_switch
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK: async_store
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: async_store
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: async_store
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: wait_group
func.func @copies(%x: tensor<64x64xf32>, %n: tensor<1xi1>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<64x64xf32>)
    in(%n : tensor<1xi1>)
    out(tensor<64x64xf32>)
    kernel @copies on <gpu, [<grid "b" = 2>]>(%xr: !g, %nr: !pallas.ref<1xi1, gmem>, %or: !g) {
    %v = pallas.get %xr[...] : !g
    %c0 = arith.constant 0 : i32
    %isSet = pallas.get %nr[%c0] : !pallas.ref<1xi1, gmem>
    pallas.run_scoped (%s: !s) {
      pallas.swap %s[...], %v : !s, tensor<64x64xf32>
      pallas.commit_smem
      pallas.copy_smem_to_gmem %s to %or : !s, !g
    }
    pallas.wait_smem_to_gmem 0
    pallas.run_scoped (%s: !s) {
      scf.if %isSet {
        pallas.copy_smem_to_gmem %s to %or : !s, !g
      } else {
        pallas.wait_smem_to_gmem 0
      }
    }
    pallas.run_scoped (%s: !s) {
      pallas.copy_smem_to_gmem %s to %or {commitGroup = false} : !s, !g
    }
    pallas.run_scoped (%s: !s) {
      pallas.copy_smem_to_gmem %s to %or : !s, !g
      pallas.wait_smem_to_gmem 0 read_only
    }
  }
  return %0 : tensor<64x64xf32>
}

// Each warp waits for its part of a product only, so a reduction whose memory is that of an operand
// waits for all warps.

// CHECK-LABEL: module @products
// CHECK: mosaic_gpu.wgmma
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: bar.sync $0, 128
// CHECK-NEXT: vector.reduction <add>, {{.*}}offset = 0
func.func @products(%x: tensor<64x64xf16>, %y: tensor<128xi32>) -> (tensor<64x64xf32>, tensor<1xi32>) {
  %0:2 = pallas.mpmd_map
    in(%x : tensor<64x64xf16>)
    in(%y : tensor<128xi32>)
    out(tensor<64x64xf32>)
    out(tensor<1xi32>)
    kernel @products on <gpu, [<grid "b" = 2>]>(%xr: !pallas.ref<64x64xf16, gmem>, %yr: !pallas.ref<128xi32, gmem>, %or: !g, %pr: !pallas.ref<1xi32, gmem>) {
    %c0 = arith.constant 0 : i32
    %w = pallas.get %yr[...] : !pallas.ref<128xi32, gmem>
    pallas.run_scoped (%acc: !pallas.accumulator<64x64xf32>, %b: !b) {
      pallas.run_scoped (%s: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %t: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>) {
        pallas.copy_gmem_to_smem %xr to %s signals %b : !pallas.ref<64x64xf16, gmem>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !b
        pallas.barrier_wait %b : !b
        pallas.wgmma_ref %acc, %s, %t : !pallas.accumulator<64x64xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
        pallas.wgmma_commit
      }
      %sum = pallas.reduce <add> %w dims [0] : tensor<128xi32>
      pallas.swap %pr[%c0], %sum : !pallas.ref<1xi32, gmem>, i32
      %r = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x64xf32> -> tensor<64x64xf32>
      pallas.swap %or[...], %r : !g, tensor<64x64xf32>
    }
  }
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<1xi32>
}

// Lanes have written where a copy goes next: under another name, or in the step before. A copy to
// memory that is alone has no fence.

// CHECK-LABEL: module @fences
// CHECK: vector_store
// CHECK: nvvm.fence.proxy
// CHECK: async_load
// CHECK: scf.for
// CHECK: nvvm.fence.proxy
// CHECK: async_load
// CHECK: vector_store
// CHECK-LABEL: module @alone
// CHECK-NOT: nvvm.fence.proxy
func.func @fences(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<64x64xf32>)
    out(tensor<64x64xf32>)
    kernel @fences on <gpu, [<grid "b" = 2>]>(%xr: !g, %or: !g) {
    %v = pallas.get %xr[...] : !g
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    pallas.run_scoped (%s: !s) {
      pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    }
    pallas.run_scoped (%s: !s, %b: !b) {
      pallas.copy_gmem_to_smem %xr to %s signals %b : !g, !s, !b
      pallas.barrier_wait %b : !b
      %w = pallas.get %s[...] : !s
      pallas.swap %or[...], %w : !g, tensor<64x64xf32>
    }
    scf.for %i = %c0 to %c5 step %c1 : i32 {
      pallas.run_scoped (%s: !s, %b: !b) {
        pallas.copy_gmem_to_smem %xr to %s signals %b : !g, !s, !b
        pallas.barrier_wait %b : !b
        pallas.swap %s[...], %v : !s, tensor<64x64xf32>
      }
    }
  }
  return %0 : tensor<64x64xf32>
}

func.func @alone(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<64x64xf32>)
    out(tensor<64x64xf32>)
    kernel @alone on <gpu, [<grid "b" = 2>]>(%xr: !g, %or: !g) {
    pallas.run_scoped (%s: !s, %b: !b) {
      pallas.copy_gmem_to_smem %xr to %s signals %b : !g, !s, !b
      pallas.barrier_wait %b : !b
      %w = pallas.get %s[...] : !s
      pallas.swap %or[...], %w : !g, tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}
