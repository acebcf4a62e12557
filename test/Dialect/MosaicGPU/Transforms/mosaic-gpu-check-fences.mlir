// RUN: pallas-opt %s --split-input-file --mosaic-gpu-check-fences --verify-diagnostics -o /dev/null

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>

func.func @initialization() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    // expected-note@+1 {{the last initialization is here}}
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    gpu.barrier
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    // expected-error@+1 {{is the first use of barriers behind their initialization, without a fence that shows it to copies and other blocks; put nvvm.fence.mbarrier.init in between}}
    "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (!bar) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>

func.func @meeting() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    // expected-note@+1 {{the last initialization is here}}
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    nvvm.fence.mbarrier.init
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
    // expected-error@+1 {{without a meeting of the block, whose other threads wait there; put gpu.barrier in between}}
    "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (!bar) -> ()
    gpu.terminator
  }
  return
}

// -----

// A step of the loop adds to registers that the step before has written. A fence
// anywhere in between will do.
!s = memref<64x64xf16, #gpu.address_space<workgroup>>
!acc = vector<64x64xf32>

func.func @registers() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : !acc
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    %start = "mosaic_gpu.optimization_barrier"(%zeros) : (!acc) -> !acc
    nvvm.wgmma.fence.aligned
    %fenced = scf.for %i = %c1 to %c4 step %c1 iter_args(%acc = %start) -> (!acc) {
      nvvm.wgmma.fence.aligned
      %sum = mosaic_gpu.wgmma accumulator(%acc : !acc) a(%s : !s) b(%s : !s) -> !acc
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %twice = arith.addf %sum, %sum : !acc
      scf.yield %twice : !acc
    }
    %again = "mosaic_gpu.optimization_barrier"(%fenced) : (!acc) -> !acc
    nvvm.wgmma.fence.aligned
    %last = scf.for %i = %c1 to %c4 step %c1 iter_args(%acc = %again) -> (!acc) {
      // expected-error@+1 {{adds to registers that another operation has written, without a fence; put nvvm.wgmma.fence.aligned in between}}
      %sum = mosaic_gpu.wgmma accumulator(%acc : !acc) a(%s : !s) b(%s : !s) -> !acc
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      // expected-note@+1 {{the registers are written here}}
      %twice = arith.addf %sum, %sum : !acc
      scf.yield %twice : !acc
    }
    gpu.terminator
  }
  return
}

// -----

!s = memref<64x64xf16, #gpu.address_space<workgroup>>
!acc = vector<64x64xf32>

func.func @group() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : !acc
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    %start = "mosaic_gpu.optimization_barrier"(%zeros) : (!acc) -> !acc
    nvvm.wgmma.fence.aligned
    %sum = mosaic_gpu.wgmma accumulator(%start : !acc) a(%s : !s) b(%s : !s) -> !acc
    nvvm.wgmma.commit.group.sync.aligned
    // expected-error@+1 {{is in no group of products when the kernel waits; put nvvm.wgmma.commit.group.sync.aligned behind it}}
    %more = mosaic_gpu.wgmma accumulator(%sum : !acc) a(%s : !s) b(%s : !s) -> !acc
    // expected-note@+1 {{the wait is here}}
    nvvm.wgmma.wait.group.sync.aligned 0
    gpu.terminator
  }
  return
}

// -----

!tbar = memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
!t = memref<128x64xf32, #mosaic_gpu.tmem>

func.func @tensor_memory() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %b = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !tbar
    %address = "mosaic_gpu.slice_smem"() <{offset = 8 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    // expected-error@+1 {{allocates 'memref<128x64xf32, #mosaic_gpu.tmem>' and never frees it, so that kernels that follow find less of it; put mosaic_gpu.tmem_dealloc at the end of the kernel}}
    %t = mosaic_gpu.tmem_alloc smem_ptr(%address : memref<i32, #gpu.address_space<workgroup>>) -> !t
    // expected-note@+1 {{the wait is here}}
    mosaic_gpu.wait barrier(%b : !tbar) parity(%true : i1)
    // expected-error@+1 {{accesses tensor memory behind a wait for products in it, without a fence; put nvvm.tcgen05.fence <after> behind the wait}}
    %v = "mosaic_gpu.async_load_tmem"(%t) : (!t) -> vector<128x64xf32>
    mosaic_gpu.wait barrier(%b : !tbar) parity(%true : i1)
    nvvm.tcgen05.fence <after>
    %w = "mosaic_gpu.async_load_tmem"(%t) : (!t) -> vector<128x64xf32>
    gpu.terminator
  }
  return
}
