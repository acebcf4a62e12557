// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=shared_loop | FileCheck %s --check-prefix=LOOP
// RUN: pallas-run %s --no-cache --check --entry=arrivals

// A program is a warpgroup: the number of a thread is good for that of its
// warpgroup, to elect one thread, and to share the steps of a loop.

!s = memref<300xi32, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // Shifts and divisions by 128 both yield the number of the warpgroup.
  // CHECK-LABEL: func.func @warpgroups(
  // CHECK: kernel @warpgroups on <gpu, [<grid "x" = 1>, <thread "warpgroup" = 2>]>
  // CHECK: %[[W:.*]] = pallas.axis_index "warpgroup"
  // CHECK: %[[I:.*]] = arith.index_cast %[[W]] : i32 to index
  // CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %{{.*}} : index
  // CHECK: arith.divui %[[FIRST]], %{{.*}} : index
  // CHECK: %[[T:.*]] = arith.index_cast %[[FIRST]] : index to i32
  // CHECK: arith.shrui %[[T]], %{{.*}} : i32
  // CHECK-NOT: nvvm
  func.func @warpgroups_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c0_i32 = arith.constant 0 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %all = arith.constant -1 : i32
    %bytes = arith.constant 0 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %divided = arith.divui %tx, %c128 : index
      %t = arith.index_cast %tx : index to i32
      %shifted = arith.shrui %t, %c7_i32 : i32
      %same = nvvm.shfl.sync idx %all, %shifted, %c0_i32, %c31_i32 : i32 -> i32
      %index = arith.index_cast %same : i32 to index
      %isSame = arith.cmpi eq, %index, %divided : index
      scf.if %isSame {
        %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<8xi32>
        "mosaic_gpu.debug_print"(%v) <{format = "v = {}"}> : (vector<8xi32>) -> ()
      }
      gpu.terminator
    }
    return
  }

  // Each of 128 threads takes every 128th step; the program takes all of them.
  // CHECK-LABEL: func.func @shared_loop(
  // CHECK: kernel @shared_loop on <gpu, [<grid "x" = 1>]>(%[[S:.*]]: !pallas.ref<300xi32, smem>)
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 300 : index
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: scf.for %[[I:.*]] = %[[ZERO]] to %[[LAST]] step %[[ONE]] {
  // CHECK: pallas.swap %[[S]][%[[I]] index]
  // LOOP: last = [597 598 599]
  func.func @shared_loop_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c300 = arith.constant 300 : index
    %bytes = arith.constant 1200 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %lane = arith.remui %tx, %c128 : index
      scf.for %i = %lane to %c300 step %c128 {
        %n = arith.addi %i, %c300 : index
        %v = arith.index_cast %n : index to i32
        memref.store %v, %s[%i] : !s
      }
      gpu.barrier
      %last = memref.subview %s[297] [3] [1] : !s to memref<3xi32, strided<[1], offset: 297>, #gpu.address_space<workgroup>>
      %v = "mosaic_gpu.vector_load"(%last) : (memref<3xi32, strided<[1], offset: 297>, #gpu.address_space<workgroup>>) -> vector<3xi32>
      "mosaic_gpu.debug_print"(%v) <{format = "last = {}"}> : (vector<3xi32>) -> ()
      gpu.terminator
    }
    return
  }

  // Threads 0 and 1 of a warpgroup arrive, each at the barrier of one block:
  // the program plays them one after the other.
  // CHECK-LABEL: func.func @arrivals(
  // CHECK: kernel @arrivals on <gpu, [<grid "x" = 1>, <cluster "cluster_x" = 2>]>(%[[B:.*]]: !pallas.ref<1x!pallas.barrier<numArrivals = 2>, smem>
  // CHECK: scf.for %[[THREAD:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: scf.if
  // CHECK: %[[OWN:.*]] = pallas.slice_ref %[[B]][0]
  // CHECK-NEXT: %[[OF:.*]] = pallas.cluster_ref %[[OWN]], "cluster_x" = %{{.*}}
  // CHECK-NEXT: pallas.barrier_arrive %[[OF]]
  // CHECK: pallas.barrier_wait_parity
  func.func @arrivals_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %c2_i32 = arith.constant 2 : i32
    %c128_i32 = arith.constant 128 : i32
    %bytes = arith.constant 8 : i32
    gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %c2, %ncy = %c1, %ncz = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      %elected = nvvm.elect.sync -> i1
      nvvm.mbarrier.init %p, %c2_i32, predicate = %elected : !llvm.ptr<3>, i32, i1
      nvvm.fence.mbarrier.init
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      %t = arith.index_cast %tx : index to i32
      %lane = arith.remui %t, %c128_i32 : i32
      %arrives = arith.cmpi ult, %lane, %c2_i32 : i32
      %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      llvm.inline_asm has_side_effects "{ .reg .b32 mapped; @$0 mapa.shared::cluster.u32 mapped, $1, $2; @$0 mbarrier.arrive.shared::cluster.b64 _, [mapped]; }", "b,r,r" %arrives, %p, %lane : (i1, !llvm.ptr<3>, i32) -> ()
      mosaic_gpu.wait barrier(%b : !bar) parity(%false : i1)
      gpu.terminator
    }
    return
  }
}
