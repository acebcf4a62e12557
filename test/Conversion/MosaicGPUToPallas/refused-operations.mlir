// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas --split-input-file --verify-diagnostics

// Operations of the dialect that have no form in pallas are an error by name.

func.func @scope_of_memory() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    // expected-error@+1 {{'mosaic_gpu.alloca_scope' op has no form in the pallas dialect here; of 'mosaic_gpu', a kernel may use barriers, slices of shared and tensor memory, copies, loads and stores of vectors, products, and operations on vectors}}
    %0 = "mosaic_gpu.alloca_scope"() ({
      %m = "mosaic_gpu.alloc_smem"() <{alignment = 1024 : i64}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
      %n = arith.constant 1 : i32
      "mosaic_gpu.alloca_scope.return"(%n) : (i32) -> ()
    }) : () -> i32
    gpu.terminator
  }
  return
}

// -----

func.func @scope_of_buffers() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    // expected-error@+1 {{'mosaic_gpu.run_scoped' op has no form in the pallas dialect here; of 'mosaic_gpu', a kernel may use barriers, slices of shared and tensor memory, copies, loads and stores of vectors, products, and operations on vectors}}
    "mosaic_gpu.run_scoped"() <{buffer_attrs = [#mosaic_gpu.smem_alloc<alignment = 1024 : i64>]}> ({
    ^bb0(%m: memref<64xf32, #gpu.address_space<workgroup>>):
      "mosaic_gpu.return"() : () -> ()
    }) : () -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @sum_of_devices(%g: memref<64x128xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    // expected-error@+1 {{'mosaic_gpu.multimem_load_reduce' op reaches other devices, but the kernel takes no table of their addresses, so their number is not known}}
    %v = "mosaic_gpu.multimem_load_reduce"(%g) <{reduction_type = 0 : i32}> : (memref<64x128xf32>) -> vector<64x128xf32>
    "mosaic_gpu.debug_print"(%v) <{format = "{}"}> : (vector<64x128xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

// A test may be for the state of an arrival instead of a phase's parity.

func.func @test_of_a_state() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 8 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %d = builtin.unrealized_conversion_cast %bs : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
    %p = llvm.extractvalue %d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %state = arith.constant 0 : i64
    // expected-error@+1 {{tests for the state that an arrival has yielded, which has no form on CPUs; test for the parity of a phase, an i32}}
    %done = nvvm.mbarrier.test.wait %p, %state : !llvm.ptr<3>, i64 -> i1
    gpu.terminator
  }
  return
}

// -----

func.func @atomic_product(%o: memref<256xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 3 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error@+1 {{multiplies atomically, which has no form in the pallas dialect; compare and swap}}
    %0 = memref.atomic_rmw muli %n, %o[%c1] : (i32, memref<256xi32>) -> i32
    gpu.terminator
  }
  return
}

// -----

func.func @atomic_code(%o: memref<256xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 3 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error@+1 {{updates memory by code that is not known; it compares for equality, and selects the new value or the one that is there}}
    %0 = memref.generic_atomic_rmw %o[%c1] : memref<256xi32> {
    ^bb0(%current: i32):
      %next = arith.muli %current, %n : i32
      memref.atomic_yield %next : i32
    }
    gpu.terminator
  }
  return
}
