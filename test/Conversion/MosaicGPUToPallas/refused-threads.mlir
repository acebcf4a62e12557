// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas --split-input-file --verify-diagnostics

// Barriers, semaphores, loops and prints of threads that have no form in pallas are an error where they stand.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @copy_of_another_device(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    %c0 = arith.constant 0 : i32
    %n = arith.constant 8192 : i32
    mosaic_gpu.arrive_expect_tx barrier(%b : !bar) %n
    // expected-error@+1 {{a copy of another device's memory has no form on CPUs; copies of boxes of this device's global memory have}}
    "mosaic_gpu.async_load"(%x, %s, %b, %c0, %c0, %c0) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 1>, slice_lengths = array<i64: 64, 32>}> : (memref<64x32xf32>, !s, !bar, i32, i32, i32) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @arrival_of_a_warpgroup_among_threads() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    %count = arith.constant 128 : i32
    %elected = nvvm.elect.sync -> i1
    %q = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    nvvm.mbarrier.init %p, %count, predicate = %elected : !llvm.ptr<3>, i32, i1
    nvvm.mbarrier.init %q, %count, predicate = %elected : !llvm.ptr<3>, i32, i1
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    %n = arith.constant 128 : i32
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    // expected-error@+1 {{arrives as a warpgroup at a barrier that counts threads; initialize it for what arrives there}}
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

func.func @barrier_of_a_stranger() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %q = llvm.mlir.zero : !llvm.ptr<3>
    %b = builtin.unrealized_conversion_cast %q : !llvm.ptr<3> to !bar
    %f = arith.constant false
    // expected-error@+1 {{names a barrier in a way that leads to no mosaic_gpu.slice_smem of barriers}}
    mosaic_gpu.wait barrier(%b : !bar) parity(%f : i1)
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @barrier_behind_the_last() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %q = llvm.getelementptr %p[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %b = builtin.unrealized_conversion_cast %q : !llvm.ptr<3> to !bar
    %f = arith.constant false
    // expected-error@+1 {{names barrier 2 of a slice that has 2}}
    mosaic_gpu.wait barrier(%b : !bar) parity(%f : i1)
    gpu.terminator
  }
  return
}

// -----

func.func @words_and_values() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = arith.constant 1 : i32
    // expected-error@+1 {{has 2 words in its format for 1 values; give a word for each value}}
    gpu.printf "%d %d", %n : i32
    gpu.terminator
  }
  return
}

// -----

func.func @string() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = arith.constant 1 : i32
    // expected-error@+1 {{prints by '%s', which has no form in the pallas dialect; print integers by %d, %i and %u, floats by %f}}
    gpu.printf "%s", %n : i32
    gpu.terminator
  }
  return
}

// -----

func.func @steps_of_a_warp(%x: memref<128xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %c64 = arith.constant 64 : index
    %lane = arith.remui %tx, %c128 : index
    // expected-error@+1 {{starts at the number of a thread; it has steps of 128 then, and carries no values}}
    scf.for %i = %lane to %c128 step %c64 {
      %n = arith.constant 1 : i32
      memref.store %n, %x[%i] : memref<128xi32>
    }
    gpu.terminator
  }
  return
}

// -----

func.func @print_in_shared_steps(%x: memref<128xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %lane = arith.remui %tx, %c128 : index
    %n = arith.constant 1 : i32
    scf.for %i = %lane to %c128 step %c128 {
      // expected-error@+1 {{is in a loop whose steps threads share; those compute by arith and math, and load and store elements}}
      gpu.printf "%d", %n : i32
    }
    gpu.terminator
  }
  return
}

// -----

// expected-error@+1 {{has memref<64xi32> in 'mosaic_gpu.arrays' for array 0; list the type of its memref there}}
func.func @types_of_arrays(%x: memref<128xi32>) attributes {mosaic_gpu.arrays = [memref<64xi32>]} {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    
    gpu.terminator
  }
  return
}

// -----

func.func @look_at_a_semaphore(%x: memref<64xf32>, %words: memref<4xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %d = builtin.unrealized_conversion_cast %words : memref<4xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %p = llvm.extractvalue %d[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %word = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32
    // expected-error@+1 {{looks at a semaphore outside of a loop that waits for a count}}
    %n = llvm.inline_asm has_side_effects "ld.relaxed.gpu.global.u32 $0, [$1];", "=r,l" %word : (!llvm.ptr) -> i32
    gpu.terminator
  }
  return
}

// -----

func.func @signal_at_half_a_word(%x: memref<64xf32>, %words: memref<4xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %d = builtin.unrealized_conversion_cast %words : memref<4xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %p = llvm.extractvalue %d[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %word = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i16
    %one = arith.constant 1 : i32
    %elected = nvvm.elect.sync -> i1
    // expected-error@+1 {{counts at an address that is no word of the array of semaphores, which is the last one of the kernel}}
    llvm.inline_asm has_side_effects "@$2 red.release.gpu.global.add.u32 [$0], $1;", "l,r,b" %word, %one, %elected : (!llvm.ptr, i32, i1) -> !llvm.void
    gpu.terminator
  }
  return
}

// -----

func.func @shuffled_lanes() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %c31_i32 = arith.constant 31 : i32
  %all = arith.constant -1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = arith.index_cast %tx : index to i32
    // expected-error@+1 {{shuffles values that differ between the threads of a warp; only values that a warp has in common can be}}
    %same = nvvm.shfl.sync idx %all, %t, %c0_i32, %c31_i32 : i32 -> i32
    gpu.terminator
  }
  return
}

// -----

func.func @assembly_of_threads() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = arith.index_cast %tx : index to i32
    // expected-error@+1 {{is code for single threads; only arrivals at barriers of other blocks have a form for warpgroups}}
    llvm.inline_asm has_side_effects "nanosleep.u32 $0;", "r" %t : (i32) -> ()
    gpu.terminator
  }
  return
}

// -----

!array = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>

// expected-error@+1 {{takes 2 pointers, but makes no array of pointer 0; list the types of all arrays in 'mosaic_gpu.arrays'}}
func.func @pointer_of_no_array(%stream: !llvm.ptr, %list: !llvm.ptr) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %at = llvm.getelementptr %list[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %p = llvm.load %at : !llvm.ptr -> !llvm.ptr
  %none = llvm.mlir.undef : !array
  %half = llvm.insertvalue %p, %none[0] : !array
  %d = llvm.insertvalue %p, %half[1] : !array
  %x = builtin.unrealized_conversion_cast %d : !array to memref<64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %v = "mosaic_gpu.vector_load"(%x) : (memref<64xf32>) -> vector<64xf32>
    "mosaic_gpu.vector_store"(%v, %x) <{multimem = false}> : (vector<64xf32>, memref<64xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64)>

func.func @answer_that_nothing_expects() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %s = "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> !bar
    %d = builtin.unrealized_conversion_cast %s : !bar to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<16xi8, #gpu.address_space<workgroup>>
    // expected-error@+1 {{brings 16 bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in front of it expects them}}
    "mosaic_gpu.try_cluster_cancel"(%m, %s) : (memref<16xi8, #gpu.address_space<workgroup>>, !bar) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64)>

func.func @answer_of_eight_bytes() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %s = "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> !bar
    %d = builtin.unrealized_conversion_cast %s : !bar to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<16xi8, #gpu.address_space<workgroup>>
    // expected-note@+1 {{this expects 8 bytes}}
    mosaic_gpu.arrive_expect_tx barrier(%s : !bar) 8
    // expected-error@+1 {{brings 16 bytes to a barrier where 8 are expected; expect 16}}
    "mosaic_gpu.try_cluster_cancel"(%m, %s) : (memref<16xi8, #gpu.address_space<workgroup>>, !bar) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64)>
!answers = memref<2x16xi8, #gpu.address_space<workgroup>>
!answer = memref<16xi8, strided<[1], offset: 16>, #gpu.address_space<workgroup>>

func.func @answer_in_a_later_view() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %s = "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> !bar
    %d = builtin.unrealized_conversion_cast %s : !bar to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %all = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !answers
    mosaic_gpu.arrive_expect_tx barrier(%s : !bar) 16
    %m = memref.subview %all[1, 0] [1, 16] [1, 1] : !answers to !answer
    // expected-error@+1 {{writes to a view that is made behind the arrival for its bytes; make the view in front of that}}
    "mosaic_gpu.try_cluster_cancel"(%m, %s) : (!answer, !bar) -> ()
    gpu.terminator
  }
  return
}
