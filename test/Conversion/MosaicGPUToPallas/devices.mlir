// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas --canonicalize --split-input-file | FileCheck %s

// The table behind all arrays tells how many devices there are: four numbers,
// four addresses of each of two arrays, and one of each on all devices.

!desc = !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>

// CHECK-LABEL: func.func @remote
// CHECK-SAME: attributes {pallas.device_mesh = {{\[}}["devices", 4]]}
// CHECK: kernel @remote on {{.*}}(%[[X:.*]]: !pallas.ref<64x32xf32, gmem>, %[[O:.*]]: !pallas.ref<64x32xf32, gmem>)
// CHECK: %[[DEVICE:.*]] = pallas.device_id
// CHECK: %[[PEER:.*]] = arith.addi %[[DEVICE]]
// CHECK: %[[THERE:.*]] = pallas.remote_ref %[[X]] device logical(%[[PEER]])
// CHECK: %[[V:.*]] = pallas.get %[[THERE]][...]
// CHECK: %[[THIRD:.*]] = pallas.remote_ref %[[O]] device logical(%c2_i32)
// CHECK: pallas.swap %[[THIRD]][...], %[[V]]
module attributes {mosaic_gpu.collective_metadata_used} {
func.func @remote(%x: memref<64x32xf32>, %o: memref<64x32xf32>, %table: memref<14xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    %number = memref.load %table[%c0] : memref<14xi64>
    %device = arith.trunci %number : i64 to i32
    %peer = arith.addi %device, %one : i32
    %index = arith.index_cast %peer : i32 to index
    %place = arith.addi %c4, %index : index
    %entry = memref.load %table[%place] : memref<14xi64>
    %pointer = llvm.inttoptr %entry : i64 to !llvm.ptr
    %0 = llvm.mlir.undef : !desc
    %1 = llvm.insertvalue %pointer, %0[0] : !desc
    %2 = llvm.insertvalue %pointer, %1[1] : !desc
    %there = builtin.unrealized_conversion_cast %2 : !desc to memref<64x32xf32>
    %v = "mosaic_gpu.vector_load"(%there) : (memref<64x32xf32>) -> vector<64x32xf32>
    %other = memref.load %table[%c10] : memref<14xi64>
    %to = llvm.inttoptr %other : i64 to !llvm.ptr
    %3 = llvm.insertvalue %to, %0[0] : !desc
    %4 = llvm.insertvalue %to, %3[1] : !desc
    %third = builtin.unrealized_conversion_cast %4 : !desc to memref<64x32xf32>
    "mosaic_gpu.vector_store"(%v, %third) <{multimem = false}> : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    gpu.terminator
  }
  return
}
}

// -----

// Loads of all devices name the memory of this one, stores that of all. Copies
// name devices themselves.

!desc = !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @all
// CHECK: kernel @all on {{.*}}(%[[X:.*]]: !pallas.ref<64x32xf32, gmem>, %[[O:.*]]: !pallas.ref<64x32xf32, gmem>
// CHECK: %[[SUM:.*]] = pallas.multimem_load_reduce <add> %[[X]] axes ["devices"]
// CHECK: %[[ALL:.*]] = pallas.multicast_ref %[[O]] axes ["devices"]
// CHECK: pallas.swap %[[ALL]][...], %[[SUM]]
// CHECK: %[[ALL:.*]] = pallas.multicast_ref %[[O]] axes ["devices"]
// CHECK: pallas.copy_smem_to_gmem %{{.*}} to %[[ALL]]
// CHECK: %[[THERE:.*]] = pallas.remote_ref %[[O]] device logical(%c1_i32)
// CHECK: pallas.copy_smem_to_gmem %{{.*}} to %[[THERE]]
module attributes {mosaic_gpu.collective_metadata_used} {
func.func @all(%x: memref<64x32xf32>, %o: memref<64x32xf32>, %table: memref<10xi64>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 8192 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %entry = memref.load %table[%c8] : memref<10xi64>
    %pointer = llvm.inttoptr %entry : i64 to !llvm.ptr
    %0 = llvm.mlir.undef : !desc
    %1 = llvm.insertvalue %pointer, %0[1] : !desc
    %from = builtin.unrealized_conversion_cast %1 : !desc to memref<64x32xf32>
    %v = "mosaic_gpu.multimem_load_reduce"(%from) <{reduction_type = 0 : i32}> : (memref<64x32xf32>) -> vector<64x32xf32>
    %other = memref.load %table[%c9] : memref<10xi64>
    %target = llvm.inttoptr %other : i64 to !llvm.ptr
    %2 = llvm.insertvalue %target, %0[1] : !desc
    %to = builtin.unrealized_conversion_cast %2 : !desc to memref<64x32xf32>
    "mosaic_gpu.vector_store"(%v, %to) <{multimem = true}> : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    "mosaic_gpu.async_store"(%s, %o, %zero, %zero) <{commit_group = true, is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 32>}> : (!s, memref<64x32xf32>, i32, i32) -> ()
    "mosaic_gpu.async_store"(%s, %o, %zero, %zero, %one) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, slice_lengths = array<i64: 64, 32>}> : (!s, memref<64x32xf32>, i32, i32, i32) -> ()
    gpu.terminator
  }
  return
}
}
