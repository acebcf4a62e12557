// Programs that differ along a parallel dimension may run on different cores.

// RUN: not pallas-run %s --no-cache --check --entry running_sum 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: pallas-run %s --no-cache --check --entry running_sum_repaired
// RUN: pallas-run %s --no-cache --check --entry sum_of_each
// RUN: not pallas-run %s --no-cache --check --entry shared_window 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: pallas-run %s --no-cache --check --entry shared_window_repaired
// RUN: pallas-run %s --no-cache --check --entry shared_window --allow=uninitialised-read
// RUN: not pallas-run %s --no-cache --check --entry rows_of_one_window 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: pallas-run %s --no-cache --check --entry rows_of_one_window_repaired
// RUN: pallas-run %s --no-cache --check --entry window_as_scratch

!block = !pallas.ref<8x4xf32, vmem>

func.func @running_sum() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      semantics [parallel]
      kernel(%xr: !block, %or: !block, %sum: !block) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %sum[...], %zeros : !block, tensor<8x4xf32>
    }
    %v = pallas.get %xr[...] : !block
    // SCRATCH: parallel-programs.mlir:[[@LINE+3]]:12: error: uninitialised read: 'pallas.get' reads element [0, 0] of scratch 0 at grid point (1), which only programs at other points of a parallel dimension have written; result 0 depends on it at [8, 0]
    // SCRATCH-NEXT: note: write every element before it is read, or call the dimension "arbitrary"
    // SCRATCH: the check found 1 mistake
    %old = pallas.get %sum[...] : !block
    %new = arith.addf %old, %v : tensor<8x4xf32>
    pallas.swap %sum[...], %new : !block, tensor<8x4xf32>
    pallas.swap %or[...], %new : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @running_sum_repaired() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      semantics [arbitrary]
      kernel(%xr: !block, %or: !block, %sum: !block) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %sum[...], %zeros : !block, tensor<8x4xf32>
    }
    %v = pallas.get %xr[...] : !block
    %old = pallas.get %sum[...] : !block
    %new = arith.addf %old, %v : tensor<8x4xf32>
    pallas.swap %sum[...], %new : !block, tensor<8x4xf32>
    pallas.swap %or[...], %new : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// Each program along the parallel dimension starts with zeros.
func.func @sum_of_each() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<32x4xf32>
  %o = pallas.pallas_call grid(2, 2)
      in(%x : tensor<32x4xf32>) block<[8, 4], vmem> map(%i, %j) {
        %c2 = arith.constant 2 : i32
        %c0 = arith.constant 0 : i32
        %row = arith.muli %i, %c2 : i32
        %block = arith.addi %row, %j : i32
        pallas.yield %block, %c0 : i32, i32
      }
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i, %j) -> (%i, 0)
      semantics [parallel, arbitrary]
      kernel(%xr: !block, %or: !block, %sum: !block) {
    %j = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %j, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %sum[...], %zeros : !block, tensor<8x4xf32>
    }
    %v = pallas.get %xr[...] : !block
    %old = pallas.get %sum[...] : !block
    %new = arith.addf %old, %v : tensor<8x4xf32>
    pallas.swap %sum[...], %new : !block, tensor<8x4xf32>
    pallas.swap %or[...], %new : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @shared_window() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<8x4xf32>) block<[8, 4], vmem> map(%i) -> (0, 0)
      semantics [parallel]
      kernel(%xr: !block, %or: !block) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %or[...], %zeros : !block, tensor<8x4xf32>
    }
    %v = pallas.get %xr[...] : !block
    // WINDOW: parallel-programs.mlir:[[@LINE+2]]:12: error: uninitialised read: 'pallas.get' reads element [0, 0] of output 0 at grid point (1), which only programs at other points of a parallel dimension have written; result 0 depends on it at [0, 0]
    // WINDOW: the check found 1 mistake
    %old = pallas.get %or[...] : !block
    %new = arith.addf %old, %v : tensor<8x4xf32>
    pallas.swap %or[...], %new : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @shared_window_repaired() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<8x4xf32>) block<[8, 4], vmem> map(%i) -> (0, 0)
      semantics [arbitrary]
      kernel(%xr: !block, %or: !block) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %or[...], %zeros : !block, tensor<8x4xf32>
    }
    %v = pallas.get %xr[...] : !block
    %old = pallas.get %or[...] : !block
    %new = arith.addf %old, %v : tensor<8x4xf32>
    pallas.swap %or[...], %new : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// Each core would copy out a window with the rows of its own programs only.
func.func @rows_of_one_window() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  // ROWS: parallel-programs.mlir:[[@LINE+2]]:8: error: output revisited: 'pallas.pallas_call' returns element [0, 0] of output 0, in block (0, 0), whose window programs share that differ along a parallel dimension; result 0 depends on it at [0, 0]
  // ROWS-NEXT: note: call the dimension "arbitrary", or let its index choose the window
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[16, 4], vmem> map(%i) -> (0, 0)
      semantics [parallel]
      kernel(%xr: !block, %or: !pallas.ref<16x4xf32, vmem>) {
    %i = pallas.program_id 0
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[ds(%row, 8), :], %v : !pallas.ref<16x4xf32, vmem>, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @rows_of_one_window_repaired() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[16, 4], vmem> map(%i) -> (0, 0)
      semantics [arbitrary]
      kernel(%xr: !block, %or: !pallas.ref<16x4xf32, vmem>) {
    %i = pallas.program_id 0
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[ds(%row, 8), :], %v : !pallas.ref<16x4xf32, vmem>, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// A window that each program fills before it reads it, and no caller looks at.
func.func @window_as_scratch() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o, %unused = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<8x4xf32>) block<[8, 4], vmem> map(%i) -> (0, 0)
      semantics [parallel]
      kernel(%xr: !block, %or: !block, %s: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %s[...], %v : !block, tensor<8x4xf32>
    %w = pallas.get %s[...] : !block
    pallas.swap %or[...], %w : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}
