// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>

// Two warps meet three times. An arrival of a warp counts once, and each warp
// keeps the phase that it waits for: the word is memory of a thread.

// CHECK-LABEL: func.func @meet(
// CHECK: kernel @meet on
// CHECK-SAME: %[[O:.*]]: !pallas.ref<2xi32, gmem>, %[[B:.*]]: !pallas.ref<1x!pallas.barrier<numArrivals = 2>, smem>
// CHECK: pallas.run_scoped (%[[PHASE:.*]]: !pallas.ref<4xi32, smem>)
// CHECK-COUNT-4: pallas.swap %[[PHASE]][{{.*}}], %{{.*}} : !pallas.ref<4xi32, smem>, i32
// CHECK: pallas.core_map <warp, [<warp "warp" = 4>]>
// CHECK: pallas.barrier_arrive
// CHECK: %[[W:.*]] = pallas.axis_index "warp"
// CHECK: %[[I:.*]] = arith.index_cast %[[W]] : i32 to index
// CHECK: pallas.get %[[PHASE]][%[[I]]
// CHECK: %[[W2:.*]] = pallas.axis_index "warp"
// CHECK: %[[I2:.*]] = arith.index_cast %[[W2]] : i32 to index
// CHECK: pallas.swap %[[PHASE]][%[[I2]]
// CHECK: pallas.barrier_wait_parity
module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @meet_mosaic_gpu(%o: memref<2xi32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0 : i32
    %bytes = arith.constant 8 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      %phase = memref.alloca() : memref<i32>
      memref.store %zero, %phase[] : memref<i32>
      nvvm.fence.mbarrier.init
      gpu.barrier
      "mosaic_gpu.warp_map"(%p, %phase, %o) ({
      ^bb0(%q: !llvm.ptr<3>, %word: memref<i32>, %out: memref<2xi32>):
        %i0 = arith.constant 0 : index
        %i1 = arith.constant 1 : index
        %i3 = arith.constant 3 : index
        %c0_i32 = arith.constant 0 : i32
        %c1_i32 = arith.constant 1 : i32
        %c2_i32 = arith.constant 2 : i32
        %c4_i32 = arith.constant 4 : i32
        %c5_i32 = arith.constant 5 : i32
        %c31_i32 = arith.constant 31 : i32
        %all = arith.constant -1 : i32
        %ticks = arith.constant 10000000 : i32
        %x = gpu.thread_id x
        %t = arith.index_cast %x : index to i32
        %n = arith.shrui %t, %c5_i32 : i32
        %same = nvvm.shfl.sync idx %all, %n, %c0_i32, %c31_i32 : i32 -> i32
        %warp = arith.remui %same, %c4_i32 : i32
        %arrives = arith.cmpi slt, %warp, %c2_i32 : i32
        scf.if %arrives {
          %b = builtin.unrealized_conversion_cast %q : !llvm.ptr<3> to !bar
          %sum = scf.for %i = %i0 to %i3 step %i1 iter_args(%s = %c5_i32) -> (i32) {
            "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (!bar) -> ()
            %w = memref.load %word[] : memref<i32>
            %next = arith.xori %w, %c1_i32 : i32
            memref.store %next, %word[] : memref<i32>
            nvvm.mbarrier.try_wait.parity %q, %w, %ticks : !llvm.ptr<3>, i32, i32
            %s1 = arith.addi %s, %w : i32
            scf.yield %s1 : i32
          }
          %at = arith.index_cast %warp : i32 to index
          %to = memref.subview %out[%at] [1] [1] : memref<2xi32> to memref<i32, strided<[], offset: ?>>
          memref.store %sum, %to[] : memref<i32, strided<[], offset: ?>>
        }
      }) : (!llvm.ptr<3>, memref<i32>, memref<2xi32>) -> ()
      gpu.terminator
    }
    return
  }
}
