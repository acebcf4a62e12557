// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --check --entry=addresses
// RUN: pallas-run %s --no-cache --check --entry=meetings
// RUN: pallas-run %s --no-cache --check --entry=blocks

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<4x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!remote = memref<!mosaic_gpu.barrier, #mosaic_gpu.smem_cluster>
!third = memref<!mosaic_gpu.barrier, strided<[], offset: 3>, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // Addresses in bytes, in barriers, constant, computed, and views lead back to
  // the slice that holds the barriers.
  // CHECK-LABEL: func.func @addresses(
  // CHECK: kernel @addresses on <gpu, [<grid "x" = 4>]>(%[[B:.*]]: !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>)
  // CHECK: %[[PHASE:.*]] = arith.constant false
  // CHECK: %[[B1:.*]] = pallas.slice_ref %[[B]][1]
  // CHECK-NEXT: pallas.barrier_arrive %[[B1]]
  // CHECK: %[[B1:.*]] = pallas.slice_ref %[[B]][1]
  // CHECK-NEXT: pallas.barrier_wait_parity %[[B1]], %[[PHASE]]
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : index
  // CHECK-NEXT: %[[BI:.*]] = pallas.slice_ref %[[B]][%[[AT]] index]
  // CHECK-NEXT: pallas.barrier_arrive %[[BI]]
  // CHECK: %[[B3:.*]] = pallas.slice_ref %[[B]][3]
  // CHECK-NEXT: pallas.barrier_arrive %[[B3]]
  func.func @addresses_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %zero = arith.constant 0 : i32
    %ticks = arith.constant 10000000 : i32
    %bytes = arith.constant 32 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      gpu.barrier
      %p1 = llvm.getelementptr %p[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %b1 = builtin.unrealized_conversion_cast %p1 : !llvm.ptr<3> to !bar
      "mosaic_gpu.arrive"(%b1) <{orders_tensor_core = false}> : (!bar) -> ()
      nvvm.mbarrier.try_wait.parity %p1, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %i = arith.remui %bx, %c2 : index
      %j = arith.index_cast %i : index to i64
      %pi = llvm.getelementptr %p[%j] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %pi1 = llvm.getelementptr %pi[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
      %bi = builtin.unrealized_conversion_cast %pi1 : !llvm.ptr<3> to !bar
      "mosaic_gpu.arrive"(%bi) <{orders_tensor_core = false}> : (!bar) -> ()
      %view = memref.subview %bs[3] [1] [1] : !bars to !third
      "mosaic_gpu.arrive"(%view) <{orders_tensor_core = false}> : (!third) -> ()
      gpu.terminator
    }
    return
  }

  // Barriers with a number have no memory; here each is a ref, at which as many
  // warpgroups arrive. One warpgroup alone waits for nobody.
  // CHECK-LABEL: func.func @meetings(
  // CHECK: kernel @meetings on <gpu, [<grid "x" = 1>, <thread "warpgroup" = 3>]>(%[[ALL:.*]]: !pallas.ref<!pallas.barrier<numArrivals = 3>, smem>, %[[PAIR:.*]]: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>)
  // CHECK: pallas.barrier_arrive %[[ALL]]
  // CHECK-NEXT: pallas.barrier_wait %[[ALL]]
  // CHECK: scf.if
  // CHECK-NEXT: pallas.barrier_arrive %[[PAIR]]
  // CHECK-NEXT: pallas.barrier_wait %[[PAIR]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: }
  func.func @meetings_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c384 = arith.constant 384 : index
    %c2_i32 = arith.constant 2 : i32
    %c5_i32 = arith.constant 5 : i32
    %c6_i32 = arith.constant 6 : i32
    %c7_i32 = arith.constant 7 : i32
    %bytes = arith.constant 0 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c384, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      gpu.barrier
      %t = arith.index_cast %tx : index to i32
      %wg = arith.shrui %t, %c7_i32 : i32
      %isOfPair = arith.cmpi slt, %wg, %c2_i32 : i32
      scf.if %isOfPair {
        llvm.inline_asm has_side_effects "bar.sync $0, 256;", "r" %c5_i32 : (i32) -> ()
      } else {
        llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %c6_i32 : (i32) -> ()
      }
      gpu.terminator
    }
    return
  }

  // Blocks of a cluster meet at one barrier, and arrive at those of each other.
  // CHECK-LABEL: func.func @blocks(
  // CHECK: kernel @blocks on <gpu, [<grid "x" = 2>, <cluster "cluster_x" = 2>]>(%[[B:.*]]: !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>, %[[MEET:.*]]: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["cluster_x"], numArrivals = 1>, smem>)
  // CHECK: pallas.barrier_arrive %[[MEET]]
  // CHECK-NEXT: pallas.barrier_wait %[[MEET]]
  // CHECK: %[[OWN:.*]] = pallas.slice_ref %[[B]][0]
  // CHECK-NEXT: %[[OTHER:.*]] = pallas.cluster_ref %[[OWN]], "cluster_x" = 
  // CHECK-NEXT: pallas.barrier_arrive %[[OTHER]]
  // CHECK: pallas.barrier_wait_parity
  func.func @blocks_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %bytes = arith.constant 32 : i32
    gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %c2, %ncy = %c1, %ncz = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      %rank = gpu.cluster_block_id x
      %own = arith.index_cast %rank : index to i32
      %one = arith.constant 1 : i32
      %other = arith.xori %own, %one : i32
      %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      %remote = "mosaic_gpu.get_cluster_ref"(%b, %other) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!bar, i32) -> !remote
      "mosaic_gpu.arrive"(%remote) <{orders_tensor_core = false}> : (!remote) -> ()
      mosaic_gpu.wait barrier(%b : !bar) parity(%false : i1)
      gpu.terminator
    }
    return
  }

  // A store and its arrival go to the same block; an arrival of all threads is one of the
  // warpgroup, at the block that has this number in a cluster of 2x2, whose blocks all meet.
  // CHECK-LABEL: func.func @stores(
  // CHECK: kernel @stores on {{.*}}(%[[B:.*]]: !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>, %{{.*}}: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = {{\[\[}}"cluster_y", "cluster_x"]], numArrivals = 1>, smem>, %[[S:.*]]: !pallas.ref<64x32xi32, smem>)
  // CHECK: %[[THERE:.*]] = pallas.cluster_ref %[[S]], "cluster_y" = %[[ID:.*]] : !pallas.ref<64x32xi32, smem>
  // CHECK-NEXT: pallas.atomic_rmw <max> %[[THERE]][...], %{{.*}} {mosaic_gpu.optimized = false}
  // CHECK-NEXT: %[[OWN:.*]] = pallas.slice_ref %[[B]][0]
  // CHECK-NEXT: %[[THEIRS:.*]] = pallas.cluster_ref %[[OWN]], "cluster_y" = %[[ID]]
  // CHECK-NEXT: pallas.barrier_arrive %[[THEIRS]]
  // CHECK-DAG: %[[X:.*]] = arith.remui %[[NUMBER:.*]], %{{.*}} : i32
  // CHECK-DAG: %[[Y:.*]] = arith.divui %[[NUMBER]], %{{.*}} : i32
  // CHECK: %[[COLUMN:.*]] = pallas.cluster_ref %{{.*}}, "cluster_x" = %[[X]]
  // CHECK-NEXT: %[[LAST:.*]] = pallas.cluster_ref %[[COLUMN]], "cluster_y" = %[[Y]]
  // CHECK-NEXT: pallas.barrier_arrive %[[LAST]]
  func.func @stores_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 8224 : i32
    gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %c2, %ncy = %c2, %ncz = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xi32, #gpu.address_space<workgroup>>
      %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      %y = gpu.cluster_block_id y
      %own = arith.index_cast %y : index to i32
      %one = arith.constant 1 : i32
      %other = arith.xori %own, %one : i32
      %v = "mosaic_gpu.vector_load"(%s) : (memref<64x32xi32, #gpu.address_space<workgroup>>) -> vector<64x32xi32>
      %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      "mosaic_gpu.async_store_smem"(%v, %s, %b, %other) <{atomic_type = 2 : i32, cluster_dim = 1 : i32, optimized = false}> : (vector<64x32xi32>, memref<64x32xi32, #gpu.address_space<workgroup>>, !bar, i32) -> ()
      llvm.inline_asm has_side_effects "{ .reg .b32 there; mapa.shared::cluster.u32 there, $0, $1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }", "r,r" %p, %other : (!llvm.ptr<3>, i32) -> !llvm.void
      gpu.terminator
    }
    return
  }
}
