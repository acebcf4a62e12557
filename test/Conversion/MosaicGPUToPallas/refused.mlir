// RUN: pallas-opt %s --split-input-file --convert-mosaic-gpu-to-pallas --verify-diagnostics

// What kernels for GPUs do that has no form in the pallas dialect.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @initialized_twice() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    // expected-error@+1 {{initializes barrier 0 of its slice a second time}}
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @more_than_there_are() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    // expected-error@+1 {{initializes 3 barriers of a slice that has 2; initialize those of one slice, at a constant position}}
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 3 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @two_counts() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error@+1 {{holds 2 barriers, of which nothing initializes number 1; initialize all of them}}
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @bytes_at_run_time() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    %n = arith.index_cast %bx : index to i32
    // expected-error@+1 {{expects a number of bytes that is no constant}}
    mosaic_gpu.arrive_expect_tx barrier(%b : !bar) %n
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @copy_that_nothing_expects(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    %c0_i32 = arith.constant 0 : i32
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    // expected-error@+1 {{brings 8192 bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in front of it in its block expects them}}
    "mosaic_gpu.async_load"(%x, %s, %b, %c0_i32, %c0_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<64x32xf32>, !s, !bar, i32, i32) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @bytes_that_nothing_brings() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    // expected-error@+1 {{expects 4096 bytes, but the copies to its barrier that follow in its block bring only 0}}
    mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 4096
    gpu.terminator
  }
  return
}

// -----

func.func @part_of_a_warpgroup() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %id = arith.constant 1 : i32
    // expected-error@+1 {{waits for threads that are no whole warpgroups; write 'bar.sync $0, N;' with a multiple of 128}}
    llvm.inline_asm has_side_effects "bar.sync $0, 64;", "r" %id : (i32) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @number_of_a_barrier() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %id = arith.index_cast %bx : index to i32
    // expected-error@+1 {{waits for other warpgroups at a barrier whose number is no constant}}
    llvm.inline_asm has_side_effects "bar.sync $0, 256;", "r" %id : (i32) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @assembly() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %id = arith.constant 1 : i32
    // expected-error@+1 {{is code that has no form in the pallas dialect; kernels may arrive at barriers of other blocks and use 'bar.sync'}}
    llvm.inline_asm has_side_effects "prefetch.global.L2 [$0];", "r" %id : (i32) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @past_the_end() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 4096 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    // expected-error@+1 {{ends at byte 8192, but the launch asks for 4096 bytes of shared memory; ask for more}}
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    %v = "mosaic_gpu.vector_load"(%s) : (!s) -> vector<64x32xf32>
    "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<64x32xf32>, !s) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @several_devices(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %v = arith.constant dense<0.0> : vector<64x32xf32>
    // expected-error@+1 {{stores on several devices to memory whose address there is not read from the table of devices}}
    "mosaic_gpu.vector_store"(%v, %x) <{multimem = true}> : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @dynamic_view() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    // expected-error@+1 {{has a size that is not constant; views of GPU memory have static shapes}}
    %w = memref.subview %s[0, 0] [%bx, 32] [1, 1] : !s to memref<?x32xf32, strided<[32, 1]>, #gpu.address_space<workgroup>>
    %f = arith.constant 0.0 : f32
    memref.store %f, %w[%c1, %c1] : memref<?x32xf32, strided<[32, 1]>, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @value_from_outside(%x: memref<64x32xf32>, %n: f32) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  // expected-note@+1 {{the value is made here}}
  %v = vector.broadcast %n : f32 to vector<64x32xf32>
  // expected-error@+1 {{uses a value of type 'vector<64x32xf32>' from outside; a kernel uses constants and arrays in global memory that the function takes}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    "mosaic_gpu.vector_store"(%v, %x) <{multimem = false}> : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @two_launches() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  // expected-note@+1 {{the first launch is here}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  // expected-error@+1 {{is a second launch; a function has one kernel}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  return
}

// -----

// expected-error@+1 {{launches its kernel inside of another operation; move the launch to the body of the function}}
func.func @conditional_launch(%c: i1) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  scf.if %c {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      gpu.terminator
    }
  }
  return
}

// -----

func.func @branches() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  // expected-error@+1 {{has branches between blocks; use operations of scf}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    cf.br ^next
  ^next:
    gpu.terminator
  }
  return
}

// -----

func.func @odd_clusters() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{has 3 blocks along a dimension of the grid, which clusters of 2 don't divide}}
  gpu.launch clusters(%cx, %cy, %cz) in (%kx = %c2, %ky = %c1, %kz = %c1) blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  return
}

// -----

!i = memref<64x32xi32, #gpu.address_space<workgroup>>

func.func @limited_counter(%x: memref<64x32xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %c0_i32 = arith.constant 0 : i32
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !i
    // expected-error@+1 {{counts up or down to a limit, which has no form in the pallas dialect; use add, min, max, and, or, xor}}
    "mosaic_gpu.async_store"(%s, %x, %c0_i32, %c0_i32) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, reduction_op = 3 : i32, slice_lengths = array<i64: 64, 32>}> : (!i, memref<64x32xi32>, i32, i32) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @warpgroup_in_warp() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    "mosaic_gpu.warp_map"() ({
      %id = arith.constant 1 : i32
      // expected-error@+1 {{waits for all warps of a warpgroup in the code of one warp; wait by nvvm.bar.warp.sync there}}
      llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %id : (i32) -> ()
    }) : () -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @untracked(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %false = arith.constant false
  %bytes = arith.constant 32768 : i32
  gpu.launch clusters(%cx, %cy, %cz) in (%kx = %c2, %ky = %c1, %kz = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %d = builtin.unrealized_conversion_cast %bs : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
    %p = llvm.extractvalue %d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
    mosaic_gpu.arrive_expect_tx barrier(%bar : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 16384
    // expected-error@+1 {{is tracked by the first block of a pair, but no mosaic_gpu.arrive_expect_tx of that block alone comes before it}}
    "mosaic_gpu.async_load"(%x, %s, %bar, %c0_i32, %c0_i32) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_replicated, oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @half_tracked(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %false = arith.constant false
  %bytes = arith.constant 32768 : i32
  gpu.launch clusters(%cx, %cy, %cz) in (%kx = %c2, %ky = %c1, %kz = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %d = builtin.unrealized_conversion_cast %bs : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
    %p = llvm.extractvalue %d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
    %id = gpu.cluster_block_id x
    %n = arith.index_cast %id : index to i32
    %first = arith.cmpi eq, %n, %c0_i32 : i32
    scf.if %first {
      mosaic_gpu.arrive_expect_tx barrier(%bar : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 8192
    }
    // expected-error@+1 {{brings 16384 bytes of two blocks to a barrier where 8192 are expected; expect those of both}}
    "mosaic_gpu.async_load"(%x, %s, %bar, %c0_i32, %c0_i32) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_replicated, oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @allocates_twice(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %false = arith.constant false
  %bytes = arith.constant 32768 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %w = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    // expected-note@+1 {{the first allocation is here}}
    %all = mosaic_gpu.tmem_alloc smem_ptr(%w : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    // expected-error@+1 {{allocates tensor memory a second time; allocate all columns at once, and slice them}}
    %more = mosaic_gpu.tmem_alloc smem_ptr(%w : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    gpu.terminator
  }
  return
}

// -----

func.func @overlapping_columns(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %false = arith.constant false
  %bytes = arith.constant 32768 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %w = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %all = mosaic_gpu.tmem_alloc smem_ptr(%w : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    // expected-note@+1 {{the other slice is here}}
    %a = "mosaic_gpu.slice_tmem"(%all) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    // expected-error@+1 {{shares columns 32 to 64 of tensor memory with another slice that is in use at the same time; uses of the one must end before those of the other begin}}
    %b = "mosaic_gpu.slice_tmem"(%all) <{offset = 32 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %v = "mosaic_gpu.async_load_tmem"(%a) : (memref<128x64xf32, #mosaic_gpu.tmem>) -> vector<128x64xf32>
    "mosaic_gpu.async_store_tmem"(%v, %b) : (vector<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
    "mosaic_gpu.async_store_tmem"(%v, %a) : (vector<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @reduced_rows(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 32768 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %w = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %all = mosaic_gpu.tmem_alloc smem_ptr(%w : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %a = "mosaic_gpu.slice_tmem"(%all) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    // expected-error@+1 {{reduces each row (max) as it loads; load without 'reduce', and reduce the vector}}
    %v:2 = "mosaic_gpu.async_load_tmem"(%a) <{reduce = 1 : i32}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> (vector<128x64xf32>, vector<128xf32>)
    "mosaic_gpu.async_store_tmem"(%v#0, %a) : (vector<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @primitive_of_threads() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error@+1 {{holds 'llvm.intr.assume', code for threads; it may hold fences}}
    "mosaic_gpu.custom_primitive"() <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
      %true = llvm.mlir.constant(true) : i1
      llvm.intr.assume %true : i1
      "mosaic_gpu.return"() : () -> ()
    }) : () -> ()
    gpu.terminator
  }
  return
}

// -----

// The thread that the second warp elects is not the first one.
func.func @election_of_the_second_warp() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c1_i32 = arith.constant 1 : i32
  %c5_i32 = arith.constant 5 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = arith.index_cast %tx : index to i32
    %warp = arith.shrui %t, %c5_i32 : i32
    %is = arith.cmpi eq, %warp, %c1_i32 : i32
    %elected = nvvm.elect.sync -> i1
    // expected-note@+1 {{the value is made here}}
    %both = arith.andi %is, %elected : i1
    // expected-error@+1 {{uses a value that differs between the threads of a warpgroup; kernels may use the index of the warpgroup, and elect the thread that starts a copy}}
    scf.if %both {
      gpu.printf "hello\0A"
    }
    gpu.terminator
  }
  return
}
