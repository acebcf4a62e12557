// Blocks that hang over their array: what lies outside must not reach a result.

// RUN: not pallas-run %s --no-cache --check --entry sum 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: pallas-run %s --no-cache --check --entry sum_repaired
// RUN: not pallas-run %s --no-cache --check --entry top 2>&1 | FileCheck %s --check-prefix=TOP
// RUN: not pallas-run %s --no-cache --check --entry largest 2>&1 | FileCheck %s --check-prefix=LARGEST
// RUN: not pallas-run %s --no-cache --check --entry smallest 2>&1 | FileCheck %s --check-prefix=SMALLEST
// RUN: not pallas-run %s --no-cache --check --entry hits 2>&1 | FileCheck %s --check-prefix=HITS
// RUN: pallas-run %s --no-cache --check --entry hits_repaired
// RUN: pallas-run %s --no-cache --check --entry sines
// RUN: not pallas-run %s --no-cache --check --entry earlier_block 2>&1 | FileCheck %s --check-prefix=EARLIER
// RUN: not pallas-run %s --no-cache --check --entry product 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: pallas-run %s --no-cache --check --entry product_repaired
// RUN: not pallas-run %s --no-cache --check --entry times_zero 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not pallas-run %s --no-cache --check --entry neighbours 2>&1 | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: not pallas-run %s --no-cache --check --entry masked 2>&1 | FileCheck %s --check-prefix=MASKED
// RUN: pallas-run %s --no-cache --check --entry elementwise

!rows = !pallas.ref<8x4xf32, vmem>
!total = !pallas.ref<4xf32, vmem>

func.func @sum() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<13x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<13x4xf32>) block<[8, 4], vmem, origin = "rows"> map(%i) -> (%i, 0)
      out(tensor<4xf32>) block<[4], vmem>
      kernel(%xr: !rows, %or: !total) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<4xf32>
      pallas.swap %or[...], %z : !total, tensor<4xf32>
    }
    // SUM: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [13, 0] of input 0 (rows) at grid point (1), which lies outside of the array; result 0 depends on it at [0]
    %v = pallas.get %xr[...] : !rows
    %s = pallas.reduce <add> %v dims [0] : tensor<8x4xf32>
    pallas.addupdate %or[...], %s : !total, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @sum_repaired() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<13x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<13x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<4xf32>) block<[4], vmem>
      kernel(%xr: !rows, %or: !total) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
    %first = arith.cmpi eq, %p, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<4xf32>
      pallas.swap %or[...], %z : !total, tensor<4xf32>
    }
    %v = pallas.get %xr[...] : !rows
    %start = arith.muli %p, %c8 : i32
    %starts = pallas.broadcast %start : i32 -> tensor<8x4xi32>
    %row = pallas.iota 0 : tensor<8x4xi32>
    %at = arith.addi %starts, %row : tensor<8x4xi32>
    %end = arith.constant dense<13> : tensor<8x4xi32>
    %inside = arith.cmpi slt, %at, %end : tensor<8x4xi32>
    %w = arith.select %inside, %v, %zeros : tensor<8x4xi1>, tensor<8x4xf32>
    %s = pallas.reduce <add> %w dims [0] : tensor<8x4xf32>
    pallas.addupdate %or[...], %s : !total, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @top() -> tensor<1xi32> {
  %x = arith.constant dense<[-3, -1, -4, -1, -5]> : tensor<5xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xi32>) block<[8], vmem> map() -> (0)
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xi32, vmem>, %or: !pallas.ref<1xi32, smem>) {
    // TOP: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [5] of input 0, which lies outside of the array
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, vmem>
    %m = pallas.reduce <max> %v dims [0] : tensor<8xi32>
    pallas.swap %or[0], %m : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

// Padding may be larger or smaller than any element.
func.func @largest() -> tensor<1xi32> {
  %x = arith.constant dense<[900, 7000, 50000, 100, 101]> : tensor<5xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xi32>) block<[8], vmem> map() -> (0)
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xi32, vmem>, %or: !pallas.ref<1xi32, smem>) {
    // LARGEST: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [5] of input 0, which lies outside of the array
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, vmem>
    %m = pallas.reduce <max> %v dims [0] : tensor<8xi32>
    pallas.swap %or[0], %m : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

func.func @smallest() -> tensor<1xi32> {
  %x = arith.constant dense<[900, -7000, 50000, 100, 101]> : tensor<5xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xi32>) block<[8], vmem> map() -> (0)
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xi32, vmem>, %or: !pallas.ref<1xi32, smem>) {
    // SMALLEST: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [5] of input 0, which lies outside of the array
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, vmem>
    %m = pallas.reduce <min> %v dims [0] : tensor<8xi32>
    pallas.swap %or[0], %m : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

// NaN is not greater than anything, but another number may be.
func.func @hits() -> tensor<1xi32> {
  %x = arith.constant dense<[9.0, 2.0, 17.0, 3.0, 16.0]> : tensor<5xf32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xf32>) block<[8], vmem> map() -> (0)
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<1xi32, smem>) {
    // HITS: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [5] of input 0, which lies outside of the array
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    %limit = arith.constant dense<8.0> : tensor<8xf32>
    %hit = arith.cmpf ogt, %v, %limit : tensor<8xf32>
    %n = arith.extui %hit : tensor<8xi1> to tensor<8xi32>
    %s = pallas.reduce <add> %n dims [0] : tensor<8xi32>
    pallas.swap %or[0], %s : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

func.func @hits_repaired() -> tensor<1xi32> {
  %x = arith.constant dense<[9.0, 2.0, 17.0, 3.0, 16.0]> : tensor<5xf32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xf32>) block<[8], vmem> map() -> (0)
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<1xi32, smem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    %limit = arith.constant dense<8.0> : tensor<8xf32>
    %above = arith.cmpf ogt, %v, %limit : tensor<8xf32>
    %inside = arith.constant dense<[1, 1, 1, 1, 1, 0, 0, 0]> : tensor<8xi1>
    %hit = arith.andi %above, %inside : tensor<8xi1>
    %n = arith.extui %hit : tensor<8xi1> to tensor<8xi32>
    %s = pallas.reduce <add> %n dims [0] : tensor<8xi32>
    pallas.swap %or[0], %s : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

// The buffer of a pipeline: its last block is shorter than one before.
func.func @earlier_block() -> tensor<4xi32> {
  %x = arith.constant dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<7xi32>) block<[7], any>
      out(tensor<4xi32>) block<[4], any>
      kernel(%xr: !pallas.ref<7xi32, any>, %or: !pallas.ref<4xi32, any>, %b: !pallas.ref<4xi32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    scf.for %at = %c0 to %c8 step %c4 : i32 {
      %isFirst = arith.cmpi eq, %at, %c0 : i32
      %rows = arith.select %isFirst, %c4, %c3 : i32
      %part = pallas.slice_ref %xr[ds(%at, %rows)] : !pallas.ref<7xi32, any>
      %filled = pallas.slice_ref %b[ds(0, %rows)] : !pallas.ref<4xi32, vmem>
      pallas.dma_start %part to %filled signals %s {pallas.fills_buffer} : !pallas.ref<?xi32, any>, !pallas.ref<?xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %part to %filled signals %s : !pallas.ref<?xi32, any>, !pallas.ref<?xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
    // EARLIER: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [3] of scratch 0, which lies outside of the array; result 0 depends on it at [3]
    %v = pallas.get %b[...] : !pallas.ref<4xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xi32, any>, tensor<4xi32>
  }
  return %o : tensor<4xi32>
}

// The contraction runs over columns that neither operand has.
func.func @product() -> tensor<8x8xf32> {
  %x = arith.constant dense<1.0> : tensor<8x12xf32>
  %y = arith.constant dense<1.0> : tensor<12x8xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8x12xf32>) block<[8, 8], vmem> map(%k) -> (0, %k)
      in(%y : tensor<12x8xf32>) block<[8, 8], vmem> map(%k) -> (%k, 0)
      out(tensor<8x8xf32>) block<[8, 8], vmem>
      kernel(%xr: !pallas.ref<8x8xf32, vmem>, %yr: !pallas.ref<8x8xf32, vmem>, %or: !pallas.ref<8x8xf32, vmem>) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<8x8xf32>
      pallas.swap %or[...], %z : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    }
    // PRODUCT: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [0, 12] of input 0 at grid point (1), which lies outside of the array
    %a = pallas.get %xr[...] : !pallas.ref<8x8xf32, vmem>
    // PRODUCT: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [12, 0] of input 1 at grid point (1), which lies outside of the array
    %b = pallas.get %yr[...] : !pallas.ref<8x8xf32, vmem>
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
  }
  return %o : tensor<8x8xf32>
}

func.func @product_repaired() -> tensor<8x8xf32> {
  %x = arith.constant dense<1.0> : tensor<8x12xf32>
  %y = arith.constant dense<1.0> : tensor<12x8xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<8x12xf32>) block<[8, 4], vmem> map(%k) -> (0, %k)
      in(%y : tensor<12x8xf32>) block<[4, 8], vmem> map(%k) -> (%k, 0)
      out(tensor<8x8xf32>) block<[8, 8], vmem>
      kernel(%xr: !pallas.ref<8x4xf32, vmem>, %yr: !pallas.ref<4x8xf32, vmem>, %or: !pallas.ref<8x8xf32, vmem>) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<8x8xf32>
      pallas.swap %or[...], %z : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<8x4xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<4x8xf32, vmem>
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
  }
  return %o : tensor<8x8xf32>
}

// Times zero is no mask, since what lies outside may be infinite.
func.func @times_zero() -> tensor<1xf32> {
  %x = arith.constant dense<1.0> : tensor<5xf32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xf32>) block<[8], vmem> map() -> (0)
      out(tensor<1xf32>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<1xf32, smem>) {
    // ZERO: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [5] of input 0, which lies outside of the array
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    %mask = arith.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]> : tensor<8xf32>
    %w = arith.mulf %v, %mask : tensor<8xf32>
    %s = pallas.reduce <add> %w dims [0] : tensor<8xf32>
    pallas.swap %or[0], %s : !pallas.ref<1xf32, smem>, f32
  }
  return %o : tensor<1xf32>
}

// Windows of three elements around each element of an array padded by one.
func.func @neighbours() -> tensor<6xf16> {
  %x = arith.constant dense<1.0> : tensor<6xf16>
  %o = pallas.pallas_call grid(6)
      in(%x : tensor<6xf16>) block<[element<3, 1, 1>], vmem> map(%i) -> (%i)
      out(tensor<6xf16>) block<[squeezed], smem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<3xf16, vmem>, %or: !pallas.ref<f16, smem>) {
    // NEIGHBOURS: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.get' reads element [0] of input 0 at grid point (0), which lies outside of the array; result 0 depends on it at [0]
    %v = pallas.get %xr[...] : !pallas.ref<3xf16, vmem>
    %s = pallas.reduce <add> %v dims [0] : tensor<3xf16>
    pallas.swap %or[...], %s : !pallas.ref<f16, smem>, f16
  }
  return %o : tensor<6xf16>
}

func.func @masked() -> tensor<1xi8> {
  %x = arith.constant dense<[3, 1, 4, 1, 5]> : tensor<5xi8>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xi8>) block<[8], vmem> map() -> (0)
      out(tensor<1xi8>) block<[1], smem>
      kernel(%xr: !pallas.ref<8xi8, vmem>, %or: !pallas.ref<1xi8, smem>) {
    %at = pallas.iota 0 : tensor<8xi32>
    %end = arith.constant dense<6> : tensor<8xi32>
    %m = arith.cmpi slt, %at, %end : tensor<8xi32>
    %zero = arith.constant dense<0> : tensor<8xi8>
    // MASKED: padding.mlir:[[@LINE+1]]:10: error: padding in a result: 'pallas.masked_load' reads element [5] of input 0, which lies outside of the array
    %v = pallas.masked_load %xr[...] mask %m other %zero : !pallas.ref<8xi8, vmem>, tensor<8xi1>, other tensor<8xi8>
    %s = pallas.reduce <add> %v dims [0] : tensor<8xi8>
    pallas.swap %or[0], %s : !pallas.ref<1xi8, smem>, i8
  }
  return %o : tensor<1xi8>
}

// What a program writes outside of the array is dropped.
func.func @elementwise() -> tensor<13x4xf32> {
  %x = arith.constant dense<1.0> : tensor<13x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<13x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<13x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !rows, %or: !rows) {
    %v = pallas.get %xr[...] : !rows
    %w = math.exp %v : tensor<8x4xf32>
    pallas.swap %or[...], %w : !rows, tensor<8x4xf32>
  }
  return %o : tensor<13x4xf32>
}

// A sine of padding may be computed another way than those of its neighbors in
// the vector, whose results stay what they are.
func.func @sines() -> tensor<5x12xf32> {
  %row = pallas.iota 0 : tensor<5x12xi32>
  %column = pallas.iota 1 : tensor<5x12xi32>
  %sum = arith.addi %row, %column : tensor<5x12xi32>
  %whole = arith.sitofp %sum : tensor<5x12xi32> to tensor<5x12xf32>
  %step = arith.constant dense<1.37> : tensor<5x12xf32>
  %x = arith.mulf %whole, %step : tensor<5x12xf32>
  %0 = pallas.pallas_call grid(2)
      in(%x : tensor<5x12xf32>) block<[5, 10], vmem> map(%i) -> (0, %i)
      out(tensor<5x12xf32>) block<[5, 10], vmem> map(%i) -> (0, %i)
      kernel(%a: !pallas.ref<5x10xf32, vmem>, %b: !pallas.ref<5x10xf32, vmem>) {
    %1 = pallas.get %a[...] : !pallas.ref<5x10xf32, vmem>
    %2 = math.sin %1 : tensor<5x10xf32>
    %3 = pallas.swap %b[...], %2 : !pallas.ref<5x10xf32, vmem>, tensor<5x10xf32>
  }
  return %0 : tensor<5x12xf32>
}
