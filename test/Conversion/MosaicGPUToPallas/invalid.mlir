// RUN: pallas-opt %s --split-input-file --convert-mosaic-gpu-to-pallas --verify-diagnostics

// A value that differs between threads decides where the warpgroup goes.
func.func @thread() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-note@+1 {{the value is made here}}
    %first = arith.cmpi eq, %tx, %c1 : index
    // expected-error@+1 {{uses a value that differs between the threads of a warpgroup; kernels may use the index of the warpgroup, and elect the thread that starts a copy}}
    scf.if %first {
      nvvm.fence.mbarrier.init
    }
    gpu.terminator
  }
  return
}

// -----

func.func @threads() {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  // expected-error@+1 {{has blocks of 96 x 1 x 1 threads; warpgroups lie along x, with 128 threads each}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  return
}

// -----

func.func @bound(%n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-error@+1 {{has a grid size that is not a positive constant; launch with constants}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

func.func @bytes(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    // expected-note@+1 {{this expects 4096 bytes}}
    mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 4096
    // expected-error@+1 {{brings 8192 bytes to its barrier, where only 4096 are still expected; expect the bytes of all copies}}
    "mosaic_gpu.async_load"(%x, %s, %b, %c0_i32, %c0_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<64x32xf32>, !s, !bar, i32, i32) -> ()
    gpu.terminator
  }
  return
}

// -----

!s = memref<64x32xf32, #gpu.address_space<workgroup>>
!h = memref<64x32xf16, #gpu.address_space<workgroup>>

func.func @overlap(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant dense<0.0> : vector<64x32xf32>
  %h = arith.constant dense<0.0> : vector<64x32xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-note@+1 {{the other slice is here}}
    %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    // expected-error@+1 {{shares bytes 4096 to 8192 of shared memory with another slice that is in use at the same time}}
    %b = "mosaic_gpu.slice_smem"() <{offset = 4096 : i32}> : () -> !h
    "mosaic_gpu.vector_store"(%v, %a) <{multimem = false}> : (vector<64x32xf32>, !s) -> ()
    "mosaic_gpu.vector_store"(%h, %b) <{multimem = false}> : (vector<64x32xf16>, !h) -> ()
    %w = "mosaic_gpu.vector_load"(%a) : (!s) -> vector<64x32xf32>
    "mosaic_gpu.vector_store"(%w, %x) <{multimem = false}> : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

!s = memref<64x32xf32, #gpu.address_space<workgroup>>
!h = memref<64x32xf16, #gpu.address_space<workgroup>>

// The second loop reads what the first one has overwritten.
func.func @overlap_of_loops(%x: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant dense<0.0> : vector<64x32xf32>
  %h = arith.constant dense<0.0> : vector<64x32xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-note@+1 {{the other slice is here}}
      %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      // expected-error@+1 {{shares bytes 4096 to 8192 of shared memory with another slice that is in use at the same time}}
      %b = "mosaic_gpu.slice_smem"() <{offset = 4096 : i32}> : () -> !h
      "mosaic_gpu.vector_store"(%v, %a) <{multimem = false}> : (vector<64x32xf32>, !s) -> ()
      "mosaic_gpu.vector_store"(%h, %b) <{multimem = false}> : (vector<64x32xf16>, !h) -> ()
    }
    scf.for %i = %c0 to %c1 step %c1 {
      %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %b = "mosaic_gpu.slice_smem"() <{offset = 4096 : i32}> : () -> !h
      %w = "mosaic_gpu.vector_load"(%a) : (!s) -> vector<64x32xf32>
      "mosaic_gpu.vector_store"(%w, %x) <{multimem = false}> : (vector<64x32xf32>, memref<64x32xf32>) -> ()
      "mosaic_gpu.vector_store"(%h, %b) <{multimem = false}> : (vector<64x32xf16>, !h) -> ()
    }
    gpu.terminator
  }
  return
}

// -----

func.func @unknown() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error@+1 {{has no form in the pallas dialect here; of 'nvvm', a kernel may use}}
    nvvm.fence.sc.cluster
    gpu.terminator
  }
  return
}

// -----

// A branch behind both parts may not read the one that is over.
!flat = memref<32xi32, #gpu.address_space<workgroup>>
!fl = memref<32xf32, #gpu.address_space<workgroup>>
func.func @overwritten_mosaic_gpu() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 128 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<32xi32>
    %half = arith.constant dense<2.5> : vector<32xf32>
    // expected-note@+1 {{the other slice is here}}
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !flat
    // expected-error@+1 {{shares bytes 0 to 128 of shared memory with another slice that is in use at the same time}}
    %t = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !fl
    "mosaic_gpu.vector_store"(%half, %t) <{multimem = false}> : (vector<32xf32>, !fl) -> ()
    "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<32xi32>, !flat) -> ()
    %always = arith.cmpi eq, %bx, %c0 : index
    scf.if %always {
      %u = "mosaic_gpu.vector_load"(%t) : (!fl) -> vector<32xf32>
      "mosaic_gpu.debug_print"(%u) <{format = "first = {}"}> : (vector<32xf32>) -> ()
    } else {
      %w = "mosaic_gpu.vector_load"(%s) : (!flat) -> vector<32xi32>
      "mosaic_gpu.debug_print"(%w) <{format = "second = {}"}> : (vector<32xi32>) -> ()
    }
    gpu.terminator
  }
  return
}
