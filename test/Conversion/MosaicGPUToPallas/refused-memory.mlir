// RUN: pallas-opt %s --split-input-file --convert-mosaic-gpu-to-pallas --verify-diagnostics

// Barriers and arrays are found by following addresses back to what makes them.

!s = memref<64x32xf32, #gpu.address_space<workgroup>>
func.func @dynamic_steps(%g: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = memref.load %g[%c1] : memref<64xi32>
    %step = arith.index_cast %n : i32 to index
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    // expected-error@+1 {{has a step that is not constant; use unit steps}}
    %v = memref.subview %s[0, 0] [8, 8] [%step, 1] : !s to memref<8x8xf32, strided<[?, 1]>, #gpu.address_space<workgroup>>
    %x = "mosaic_gpu.vector_load"(%v) : (memref<8x8xf32, strided<[?, 1]>, #gpu.address_space<workgroup>>) -> vector<8x8xf32>
    "mosaic_gpu.debug_print"(%x) <{format = "x = {}"}> : (vector<8x8xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>

func.func @counts() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error@+1 {{holds barriers of which one counts 2 arrivals and one 1; initialize all barriers of a slice with the same count}}
    %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    %p1 = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    "mosaic_gpu.initialize_barrier"(%p1) <{arrival_count = 2 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    gpu.terminator
  }
  return
}

// -----

!ptr = !llvm.ptr
!list = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
func.func @array_of_no_pointer(%p: !ptr) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = llvm.mlir.zero : !ptr
  %u = llvm.mlir.undef : !list
  %d = llvm.insertvalue %n, %u[1] : !list
  // expected-error@+1 {{makes an array of a pointer that the function does not take; load it from a constant position of the list of pointers}}
  %g = builtin.unrealized_conversion_cast %d : !list to memref<64xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  return
}

// -----

!ptr = !llvm.ptr
!list = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
func.func @array_twice(%p: !ptr) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %at = llvm.getelementptr %p[0] : (!ptr) -> !ptr, !ptr
  %a = llvm.load %at : !ptr -> !ptr
  %u = llvm.mlir.undef : !list
  %d = llvm.insertvalue %a, %u[1] : !list
  %g = builtin.unrealized_conversion_cast %d : !list to memref<64xi32>
  // expected-error@+1 {{is array 0 of the kernel a second time}}
  %h = builtin.unrealized_conversion_cast %d : !list to memref<64xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %x = "mosaic_gpu.vector_load"(%g) : (memref<64xi32>) -> vector<64xi32>
    "mosaic_gpu.debug_print"(%x) <{format = "x = {}"}> : (vector<64xi32>) -> ()
    gpu.terminator
  }
  return
}

// -----

!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>

func.func @count_of_run_time(%g: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = memref.load %g[%c0] : memref<1xi32>
    %bs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bars
    %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
    %p = llvm.extractvalue %d[1] : !desc
    %elected = nvvm.elect.sync -> i1
    // expected-error@+1 {{counts a number of arrivals that is not a positive constant}}
    nvvm.mbarrier.init %p, %n, predicate = %elected : !llvm.ptr<3>, i32, i1
    gpu.terminator
  }
  return
}
