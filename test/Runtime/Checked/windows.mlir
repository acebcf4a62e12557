// Index maps that put windows outside of the array.

// RUN: not pallas-run %s --no-cache --check --entry one_too_far 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: pallas-run %s --no-cache --check --entry one_too_far_repaired
// RUN: not pallas-run %s --no-cache --check --entry negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not pallas-run %s --no-cache --check --entry from_table 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not pallas-run %s --no-cache --check --entry past_table 2>&1 | FileCheck %s --check-prefix=PAST
// RUN: not pallas-run %s --no-cache --check --entry output_window 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not pallas-run %s --no-cache --check --entry step_of_pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not pallas-run %s --no-cache --check --entry only_padding 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: pallas-run %s --no-cache --check --entry overhanging

!block = !pallas.ref<8x4xf32, vmem>

func.func @one_too_far() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  // FAR: windows.mlir:[[@LINE+2]]:8: error: window out of bounds: 'pallas.pallas_call' puts the window of input 0 (rows) at [16, 0] at grid point (1), outside of the array, which has size 16 in dimension 0
  // FAR-NEXT: windows.mlir:[[@LINE+1]]:8: note: let the index map yield blocks of which at least one element lies in the array
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem, origin = "rows"> map(%i) {
        %c1 = arith.constant 1 : i32
        %c0 = arith.constant 0 : i32
        %next = arith.addi %i, %c1 : i32
        pallas.yield %next, %c0 : i32, i32
      }
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @one_too_far_repaired() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) {
        %c1 = arith.constant 1 : i32
        %c0 = arith.constant 0 : i32
        %next = arith.addi %i, %c1 : i32
        %there = arith.minsi %next, %c1 : i32
        pallas.yield %there, %c0 : i32, i32
      }
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @negative() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  // NEGATIVE: windows.mlir:[[@LINE+1]]:8: error: window out of bounds: 'pallas.pallas_call' puts the window of input 0 at [-8, 0] at grid point (0), outside of the array
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) {
        %c1 = arith.constant 1 : i32
        %c0 = arith.constant 0 : i32
        %before = arith.subi %i, %c1 : i32
        pallas.yield %before, %c0 : i32, i32
      }
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// The table of blocks holds a row instead of a block.
func.func @from_table() -> tensor<24x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %table = arith.constant dense<[1, 0, 8]> : tensor<3xi32>
  // TABLE: windows.mlir:[[@LINE+1]]:8: error: window out of bounds: 'pallas.pallas_call' puts the window of input 0 at [64, 0] at grid point (2)
  %o = pallas.pallas_call grid(3)
      prefetch(%table : tensor<3xi32>)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i, %t) {
        %c0 = arith.constant 0 : i32
        %b = pallas.get %t[%i] : !pallas.ref<3xi32, smem>
        pallas.yield %b, %c0 : i32, i32
      }
      out(tensor<24x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%t: !pallas.ref<3xi32, smem>, %xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<24x4xf32>
}

// The table of blocks has no entry for the last program.
func.func @past_table() -> tensor<24x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %table = arith.constant dense<[1, 0]> : tensor<2xi32>
  %o = pallas.pallas_call grid(3)
      prefetch(%table : tensor<2xi32>)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i, %t) {
        %c0 = arith.constant 0 : i32
        // PAST: windows.mlir:[[@LINE+1]]:14: error: access out of bounds: 'pallas.get' accesses index 2 in dimension 0 of index operand 0 at grid point (2), which has size 2
        %b = pallas.get %t[%i] : !pallas.ref<2xi32, smem>
        pallas.yield %b, %c0 : i32, i32
      }
      out(tensor<24x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%t: !pallas.ref<2xi32, smem>, %xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<24x4xf32>
}

// The grid has more programs than the output has blocks.
func.func @output_window() -> tensor<16x4xf32> {
  // OUTPUT: windows.mlir:[[@LINE+1]]:8: error: window out of bounds: 'pallas.pallas_call' puts the window of output 0 at [16, 0] at grid point (2)
  %o = pallas.pallas_call grid(3)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @step_of_pipeline() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<16x4xf32>) block<[16, 4], any>
      out(tensor<16x4xf32>) block<[16, 4], any>
      kernel(%xr: !pallas.ref<16x4xf32, any>, %or: !pallas.ref<16x4xf32, any>) {
    // PIPELINE: windows.mlir:[[@LINE+1]]:5: error: window out of bounds: 'pallas.emit_pipeline' puts the window of input 0 at [16, 0] at grid point (0), step (2)
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<16x4xf32, any>) block<[8, 4], vmem> map(%k) -> (%k, 0)
        out(%or : !pallas.ref<16x4xf32, any>) block<[8, 4], vmem> map(%k) {
          %c1 = arith.constant 1 : i32
          %c0 = arith.constant 0 : i32
          %b = arith.minsi %k, %c1 : i32
          pallas.yield %b, %c0 : i32, i32
        }
        kernel(%k: i32, %xs: !block, %os: !block) {
      %v = pallas.get %xs[...] : !block
      pallas.swap %os[...], %v : !block, tensor<8x4xf32>
    }
  }
  return %o : tensor<16x4xf32>
}

// The whole window of the first program is padding.
func.func @only_padding() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<6xf32>
  // ELEMENT: windows.mlir:[[@LINE+1]]:8: error: window out of bounds: 'pallas.pallas_call' puts the window of input 0 at [0] at grid point (0)
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<6xf32>) block<[element<2, 2, 0>], vmem> map(%i) -> (%i)
      out(tensor<4xf32>) block<[squeezed], smem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<2xf32, vmem>, %or: !pallas.ref<f32, smem>) {
    %one = arith.constant 1.0 : f32
    pallas.swap %or[...], %one : !pallas.ref<f32, smem>, f32
  }
  return %o : tensor<4xf32>
}

// One row of the last window lies in the array.
func.func @overhanging() -> tensor<17x4xf32> {
  %x = arith.constant dense<1.0> : tensor<17x4xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<17x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<17x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<17x4xf32>
}
