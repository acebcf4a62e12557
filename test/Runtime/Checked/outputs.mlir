// Outputs that are not written, or come back after they were handed over.

// RUN: not pallas-run %s --no-cache --check --entry short_grid 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: pallas-run %s --no-cache --check --entry short_grid_repaired
// RUN: not pallas-run %s --no-cache --check --entry no_programs 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not pallas-run %s --no-cache --check --entry skipped 2>&1 | FileCheck %s --check-prefix=SKIPPED
// RUN: not pallas-run %s --no-cache --check --entry last_row 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not pallas-run %s --no-cache --check --entry second_output 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not pallas-run %s --no-cache --check --entry revisited 2>&1 | FileCheck %s --check-prefix=REVISITED
// RUN: pallas-run %s --no-cache --check --entry revisited_repaired
// RUN: pallas-run %s --no-cache --check --entry revisits_allowed
// RUN: pallas-run %s --no-cache --check --entry revisits_by_pointer
// RUN: not pallas-run %s --no-cache --check --entry short_by_pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not pallas-run %s --no-cache --check --entry unsorted 2>&1 | FileCheck %s --check-prefix=UNSORTED
// RUN: not pallas-run %s --no-cache --check --entry overlapping 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: pallas-run %s --no-cache --check --entry overlapping_repaired
// RUN: not pallas-run %s --no-cache --check --entry revisited_in_pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE

!block = !pallas.ref<8x4xf32, vmem>

func.func @short_grid() -> tensor<20x4xf32> {
  // SHORT: outputs.mlir:[[@LINE+2]]:8: error: output not written: 'pallas.pallas_call' returns element [16, 0] of output 0 (sums), in block (2, 0), which no program has written; result 0 depends on it at [16, 0]
  // SHORT-NEXT: outputs.mlir:[[@LINE+1]]:8: note: let some program write to every element, or alias an input to the output; where a program writes a part of its window, it has to copy the rest from the window of that input
  %o = pallas.pallas_call grid(2)
      out(tensor<20x4xf32>) block<[8, 4], vmem, origin = "sums"> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @short_grid_repaired() -> tensor<20x4xf32> {
  %o = pallas.pallas_call grid(3)
      out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @no_programs() -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : i32
  // EMPTY: outputs.mlir:[[@LINE+1]]:8: error: output not written: 'pallas.pallas_call' returns element [0, 0] of output 0, in block (0, 0)
  %o = pallas.pallas_call grid(%c0) out(tensor<8x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// Every third program has nothing to do, and leaves its block as it is.
func.func @skipped() -> tensor<32x4xf32> {
  // SKIPPED: outputs.mlir:[[@LINE+1]]:8: error: output not written: 'pallas.pallas_call' returns element [16, 0] of output 0, in block (2, 0)
  %o = pallas.pallas_call grid(4) out(tensor<32x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %p = pallas.program_id 0
    %c2 = arith.constant 2 : i32
    %does = arith.cmpi ne, %p, %c2 : i32
    scf.if %does {
      %v = arith.constant dense<1.0> : tensor<8x4xf32>
      pallas.swap %or[...], %v : !block, tensor<8x4xf32>
    }
  }
  return %o : tensor<32x4xf32>
}

// The loop over rows ends one too early.
func.func @last_row() -> tensor<8x4xf32> {
  // ROW: outputs.mlir:[[@LINE+1]]:8: error: output not written: 'pallas.pallas_call' returns element [7, 0] of output 0, in block (0, 0)
  %o = pallas.pallas_call grid() out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %v = arith.constant dense<1.0> : tensor<4xf32>
    scf.for %row = %c0 to %c7 step %c1 : i32 {
      pallas.swap %or[%row, :], %v : !block, tensor<4xf32>
    }
  }
  return %o : tensor<8x4xf32>
}

func.func @second_output() -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // SECOND: outputs.mlir:[[@LINE+1]]:10: error: output not written: 'pallas.pallas_call' returns element [0, 0] of output 1, in block (0, 0), which no program has written; result 1 depends on it
  %o:2 = pallas.pallas_call grid()
      out(tensor<8x4xf32>) block<[8, 4], vmem> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block, %pr: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o#0, %o#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// The inner dimension of the grid walks over the output.
func.func @revisited() -> tensor<16x4xf32> {
  // REVISITED: outputs.mlir:[[@LINE+2]]:8: error: output revisited: 'pallas.pallas_call' comes back to the window of output 0 at [0, 0] at grid point (1, 0) after other windows of it (2 times)
  // REVISITED-NEXT: outputs.mlir:[[@LINE+1]]:8: note: order the grid so that programs which share an output window follow each other
  %o = pallas.pallas_call grid(2, 2) out(tensor<16x4xf32>) block<[8, 4], vmem> map(%k, %i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @revisited_repaired() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2, 2) out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i, %k) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @revisits_allowed() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2, 2)
      out(tensor<16x4xf32>) block<[8, 4], vmem, pipeline = <1, revisit>> map(%k, %i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// Blocks of Triton are pointers into the array: programs may come back to them,
// and each may write a part.
func.func @revisits_by_pointer() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2, 2) out(tensor<16x4xf32>) block<[8, 4], default> map(%k, %i) -> (%i, 0)
      attributes {compilerParams = [#pallas.triton_params<numWarps = 4>]}
      kernel(%or: !pallas.ref<8x4xf32, default>) {
    %k = pallas.program_id 0
    %c4 = arith.constant 4 : i32
    %at = arith.muli %k, %c4 : i32
    %v = arith.constant dense<1.0> : tensor<4x4xf32>
    pallas.swap %or[ds(%at, 4), :], %v : !pallas.ref<8x4xf32, default>, tensor<4x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @short_by_pointer() -> tensor<16x4xf32> {
  // POINTER: outputs.mlir:[[@LINE+2]]:8: error: output not written: {{.*}} element [4, 0] of output 0
  // POINTER-NEXT: outputs.mlir:[[@LINE+1]]:8: note: let some program write to every element, or alias an input to the output{{$}}
  %o = pallas.pallas_call grid(1, 2) out(tensor<16x4xf32>) block<[8, 4], default> map(%k, %i) -> (%i, 0)
      attributes {compilerParams = [#pallas.triton_params<numWarps = 4>]}
      kernel(%or: !pallas.ref<8x4xf32, default>) {
    %v = arith.constant dense<1.0> : tensor<4x4xf32>
    pallas.swap %or[ds(0, 4), :], %v : !pallas.ref<8x4xf32, default>, tensor<4x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// Sums by group of a table that is not sorted.
func.func @unsorted() -> tensor<2x4xf32> {
  %groups = arith.constant dense<[0, 1, 0]> : tensor<3xi32>
  // UNSORTED: outputs.mlir:[[@LINE+1]]:8: error: output revisited: 'pallas.pallas_call' comes back to the window of output 0 at [0, 0] at grid point (2) after other windows of it
  %o = pallas.pallas_call grid(3)
      prefetch(%groups : tensor<3xi32>)
      out(tensor<2x4xf32>) block<[1, 4], vmem> map(%i, %g) {
        %c0 = arith.constant 0 : i32
        %group = pallas.get %g[%i] : !pallas.ref<3xi32, smem>
        pallas.yield %group, %c0 : i32, i32
      }
      kernel(%g: !pallas.ref<3xi32, smem>, %or: !pallas.ref<1x4xf32, vmem>) {
    %v = arith.constant dense<1.0> : tensor<1x4xf32>
    pallas.swap %or[...], %v : !pallas.ref<1x4xf32, vmem>, tensor<1x4xf32>
  }
  return %o : tensor<2x4xf32>
}

func.func @revisited_in_pipeline() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<16x4xf32>) block<[16, 4], any>
      kernel(%or: !pallas.ref<16x4xf32, any>) {
    // PIPELINE: outputs.mlir:[[@LINE+1]]:5: error: output revisited: 'pallas.emit_pipeline' comes back to the window of output 0 at [0, 0] at grid point (0), step (2)
    pallas.emit_pipeline grid(4)
        out(%or : !pallas.ref<16x4xf32, any>) block<[8, 4], vmem> map(%k) {
          %c0 = arith.constant 0 : i32
          %c2 = arith.constant 2 : i32
          %b = arith.remsi %k, %c2 : i32
          pallas.yield %b, %c0 : i32, i32
        }
        kernel(%k: i32, %os: !block) {
      %v = arith.constant dense<1.0> : tensor<8x4xf32>
      pallas.swap %os[...], %v : !block, tensor<8x4xf32>
    }
  }
  return %o : tensor<16x4xf32>
}

// Windows that start at any element: each one is copied out while the next ones are written.
func.func @overlapping() -> tensor<12x4xf32> {
  // OVERLAP: outputs.mlir:[[@LINE+2]]:8: error: output revisited: 'pallas.pallas_call' puts the window of output 0 at [2, 0] at grid point (1), where it overlaps an earlier one at [0, 0] (4 times)
  // OVERLAP-NEXT: outputs.mlir:[[@LINE+1]]:8: note: let each element lie in one window of the output
  %o = pallas.pallas_call grid(5) out(tensor<12x4xf32>) block<[element<4>, element<4>], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        %c2 = arith.constant 2 : i32
        %at = arith.muli %i, %c2 : i32
        pallas.yield %at, %c0 : i32, i32
      }
      kernel(%or: !pallas.ref<4x4xf32, vmem>) {
    %v = arith.constant dense<1.0> : tensor<4x4xf32>
    pallas.swap %or[...], %v : !pallas.ref<4x4xf32, vmem>, tensor<4x4xf32>
  }
  return %o : tensor<12x4xf32>
}

func.func @overlapping_repaired() -> tensor<12x4xf32> {
  %o = pallas.pallas_call grid(3) out(tensor<12x4xf32>) block<[element<4>, element<4>], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        %c4 = arith.constant 4 : i32
        %at = arith.muli %i, %c4 : i32
        pallas.yield %at, %c0 : i32, i32
      }
      kernel(%or: !pallas.ref<4x4xf32, vmem>) {
    %v = arith.constant dense<1.0> : tensor<4x4xf32>
    pallas.swap %or[...], %v : !pallas.ref<4x4xf32, vmem>, tensor<4x4xf32>
  }
  return %o : tensor<12x4xf32>
}
