// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas --split-input-file --verify-diagnostics

module attributes {mosaic_gpu.collective_metadata_used} {
// expected-error @below {{has 'mosaic_gpu.collective_metadata_used' without a table of addresses as its last array: i64, four numbers, and for each other array one per device and one more}}
func.func @no_table(%x: memref<64x32xf32>, %table: memref<5xi64>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    gpu.terminator
  }
  return
}
}

// -----

module attributes {mosaic_gpu.collective_metadata_used} {
func.func @arithmetic(%x: memref<2xi64>, %table: memref<7xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error @below {{reads an address of another device for arithmetic, which has no form in the pallas dialect; make a pointer to the array of it}}
    %entry = memref.load %table[%c5] : memref<7xi64>
    memref.store %entry, %x[%c0] : memref<2xi64>
    gpu.terminator
  }
  return
}
}

// -----

module attributes {mosaic_gpu.collective_metadata_used} {
func.func @header(%x: memref<2xi64>, %table: memref<7xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error @below {{reads the table of devices in a way that has no form in the pallas dialect; the number of this device is entry 0, as an i32, and addresses follow behind four numbers}}
    %entry = memref.load %table[%c1] : memref<7xi64>
    memref.store %entry, %x[%c0] : memref<2xi64>
    gpu.terminator
  }
  return
}
}

// -----

!desc = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
module attributes {mosaic_gpu.collective_metadata_used} {
func.func @no_array(%x: memref<2xi32>, %table: memref<7xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-error @below {{reads the address of array 3 on other devices, which the kernel does not take}}
    %entry = memref.load %table[%c9] : memref<7xi64>
    %pointer = llvm.inttoptr %entry : i64 to !llvm.ptr
    %0 = llvm.mlir.undef : !desc
    %1 = llvm.insertvalue %pointer, %0[1] : !desc
    %there = builtin.unrealized_conversion_cast %1 : !desc to memref<2xi32>
    %v = memref.load %there[%c0] : memref<2xi32>
    memref.store %v, %x[%c0] : memref<2xi32>
    gpu.terminator
  }
  return
}
}

// -----

!s = memref<64x32xf32, #gpu.address_space<workgroup>>
func.func @copy(%o: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 8192 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
    %zero = arith.constant 0 : i32
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    // expected-error @below {{'mosaic_gpu.async_store' op reaches other devices, but the kernel takes no table of their addresses, so their number is not known}}
    "mosaic_gpu.async_store"(%s, %o, %zero, %zero) <{commit_group = true, is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 32>}> : (!s, memref<64x32xf32>, i32, i32) -> ()
    gpu.terminator
  }
  return
}
