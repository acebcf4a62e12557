// Programs that differ along a parallel dimension may run at once, so nothing orders what they do to arrays that
// they access without windows.

// RUN: not pallas-run %s --no-cache --check --entry reads_of_others 2>&1 | FileCheck %s --check-prefix=READS
// RUN: pallas-run %s --no-cache --check --entry reads_of_others_repaired
// RUN: not pallas-run %s --no-cache --check --entry same_rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not pallas-run %s --no-cache --check --entry overwrites_what_others_read 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not pallas-run %s --no-cache --check --entry pointers 2>&1 | FileCheck %s --check-prefix=POINTERS
// RUN: pallas-run %s --no-cache --check --entry pointers_repaired
// RUN: pallas-run %s --no-cache --check --entry own_rows_in_turns
// RUN: pallas-run %s --no-cache --check --entry one_after_the_other
// RUN: pallas-run %s --no-cache --check --entry all_read

!block = !pallas.ref<8x4xf32, vmem>
!array = !pallas.ref<16x4xf32, any>
!rows = !pallas.ref<8x4xf32, any>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @reads_of_others() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<16x4xf32>) block<[16, 4], any>
      semantics [parallel]
      kernel(%or: !array, %t: !block, %done: !sem) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %later = arith.cmpi sgt, %i, %c0 : i32
    %ones = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %t[...], %ones : !block, tensor<8x4xf32>
    scf.if %later {
      %others = pallas.slice_ref %or[ds(%c0, 8), :] : !array
      // READS: parallel-arrays.mlir:[[@LINE+2]]:7: error: data race: 'pallas.dma_start' reads element [0, 0] of output 0 at grid point (1), while 'pallas.dma_start' at {{.*}}parallel-arrays.mlir:[[@LINE+6]]:5, started at grid point (0), may still be writing it
      // READS-NEXT: parallel-arrays.mlir:[[@LINE+1]]:7: note: programs that differ along a parallel dimension may run at the same time: let each access elements of its own, use atomic updates, or on a TPU call the dimension "arbitrary"
      pallas.dma_start %others to %t signals %done : !rows, !block, !sem
      pallas.dma_wait %others to %t signals %done : !rows, !block, !sem
    }
    %own = pallas.slice_ref %or[ds(%row, 8), :] : !array
    pallas.dma_start %t to %own signals %done : !block, !rows, !sem
    pallas.dma_wait %t to %own signals %done : !block, !rows, !sem
  }
  return %o : tensor<16x4xf32>
}

func.func @reads_of_others_repaired() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<16x4xf32>) block<[16, 4], any>
      semantics [arbitrary]
      kernel(%or: !array, %t: !block, %done: !sem) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %later = arith.cmpi sgt, %i, %c0 : i32
    %ones = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %t[...], %ones : !block, tensor<8x4xf32>
    scf.if %later {
      %others = pallas.slice_ref %or[ds(%c0, 8), :] : !array
      pallas.dma_start %others to %t signals %done : !rows, !block, !sem
      pallas.dma_wait %others to %t signals %done : !rows, !block, !sem
    }
    %own = pallas.slice_ref %or[ds(%row, 8), :] : !array
    pallas.dma_start %t to %own signals %done : !block, !rows, !sem
    pallas.dma_wait %t to %own signals %done : !block, !rows, !sem
  }
  return %o : tensor<16x4xf32>
}

// The last program starts at the rows of the one before.
func.func @same_rows() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(3) out(tensor<16x4xf32>) block<[16, 4], any>
      semantics [parallel]
      kernel(%or: !array, %t: !block, %done: !sem) {
    %i = pallas.program_id 0
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %part = arith.minsi %i, %c1 : i32
    %row = arith.muli %part, %c8 : i32
    %ones = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %t[...], %ones : !block, tensor<8x4xf32>
    %own = pallas.slice_ref %or[ds(%row, 8), :] : !array
    // ROWS: parallel-arrays.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [8, 0] of output 0 at grid point (2), while 'pallas.dma_start' at {{.*}}, started at grid point (1), may still be writing it
    pallas.dma_start %t to %own signals %done : !block, !rows, !sem
    pallas.dma_wait %t to %own signals %done : !block, !rows, !sem
    // ROWS: found 1 mistake
  }
  return %o : tensor<16x4xf32>
}

// Whatever order they have here: a program writes what one before it has read.
func.func @overwrites_what_others_read() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[16, 4], gmem> out(tensor<16x4xf32>) block<[16, 4], gmem>
      semantics [parallel]
      kernel(%xr: !pallas.ref<16x4xf32, gmem>, %or: !pallas.ref<16x4xf32, gmem>) {
    %i = pallas.program_id 0
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %part = pallas.get %xr[ds(%c8, 8), :] : !pallas.ref<16x4xf32, gmem>
    // BEFORE: parallel-arrays.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [8, 0] of input 0 at grid point (1), while 'pallas.get' at {{.*}}parallel-arrays.mlir:[[@LINE-1]]:13 at grid point (0), may still be reading it
    pallas.swap %xr[ds(%row, 8), :], %part : !pallas.ref<16x4xf32, gmem>, tensor<8x4xf32>
    pallas.swap %or[ds(%row, 8), :], %part : !pallas.ref<16x4xf32, gmem>, tensor<8x4xf32>
    // BEFORE: found 1 mistake
  }
  return %o : tensor<16x4xf32>
}

// Programs of Triton run at once.
func.func @pointers() -> tensor<1xi32> {
  %x = arith.constant dense<0> : tensor<1xi32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<1xi32>) block<[1], default> out(tensor<1xi32>) block<[1], default> aliases [0 -> 0]
      attributes {compilerParams = [#pallas.triton_params<numWarps = 4>]}
      kernel(%xr: !pallas.ref<1xi32, default>, %or: !pallas.ref<1xi32, default>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // POINTERS: parallel-arrays.mlir:[[@LINE+1]]:12: error: data race: 'pallas.get' reads element [0] of output 0 at grid point (1), while 'pallas.swap' at {{.*}}parallel-arrays.mlir:[[@LINE+3]]:5 at grid point (0), may still be writing it
    %old = pallas.get %or[%c0] : !pallas.ref<1xi32, default>
    %new = arith.addi %old, %c1 : i32
    pallas.swap %or[%c0], %new : !pallas.ref<1xi32, default>, i32
  }
  return %o : tensor<1xi32>
}

func.func @pointers_repaired() -> tensor<1xi32> {
  %x = arith.constant dense<0> : tensor<1xi32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<1xi32>) block<[1], default> out(tensor<1xi32>) block<[1], default> aliases [0 -> 0]
      attributes {compilerParams = [#pallas.triton_params<numWarps = 4>]}
      kernel(%xr: !pallas.ref<1xi32, default>, %or: !pallas.ref<1xi32, default>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %old = pallas.atomic_rmw <add> %or[%c0], %c1 : !pallas.ref<1xi32, default>, i32
  }
  return %o : tensor<1xi32>
}

// The steps of several programs take turns, each in its own rows.
func.func @own_rows_in_turns() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(3, 2) out(tensor<16x4xf32>) block<[16, 4], any>
      semantics [arbitrary, parallel]
      kernel(%or: !array, %t: !block, %done: !sem) {
    %i = pallas.program_id 1
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %ones = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %t[...], %ones : !block, tensor<8x4xf32>
    %own = pallas.slice_ref %or[ds(%row, 8), :] : !array
    pallas.dma_start %t to %own signals %done : !block, !rows, !sem
    pallas.dma_wait %t to %own signals %done : !block, !rows, !sem
    pallas.dma_start %own to %t signals %done : !rows, !block, !sem
    pallas.dma_wait %own to %t signals %done : !rows, !block, !sem
  }
  return %o : tensor<16x4xf32>
}

// Two grids, each with one program, are in order.
func.func @one_after_the_other() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %y = pallas.pallas_call grid(1)
      in(%x : tensor<16x4xf32>) block<[16, 4], gmem> out(tensor<16x4xf32>) block<[16, 4], gmem>
      semantics [parallel]
      kernel(%xr: !pallas.ref<16x4xf32, gmem>, %or: !pallas.ref<16x4xf32, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x4xf32, gmem>
    pallas.swap %or[...], %v : !pallas.ref<16x4xf32, gmem>, tensor<16x4xf32>
  }
  %o = pallas.pallas_call grid(2)
      in(%y : tensor<16x4xf32>) block<[16, 4], gmem> out(tensor<16x4xf32>) block<[8, 4], smem> map(%i) -> (%i, 0)
      semantics [parallel]
      kernel(%yr: !pallas.ref<16x4xf32, gmem>, %or: !pallas.ref<8x4xf32, smem>) {
    %i = pallas.program_id 0
    %c8 = arith.constant 8 : i32
    %row = arith.muli %i, %c8 : i32
    %v = pallas.get %yr[ds(%row, 8), :] : !pallas.ref<16x4xf32, gmem>
    pallas.swap %or[...], %v : !pallas.ref<8x4xf32, smem>, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @all_read() -> tensor<12xf32> {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<4xf32>) block<[4], gmem> out(tensor<12xf32>) block<[12], gmem>
      semantics [parallel]
      kernel(%xr: !pallas.ref<4xf32, gmem>, %or: !pallas.ref<12xf32, gmem>) {
    %i = pallas.program_id 0
    %c4 = arith.constant 4 : i32
    %at = arith.muli %i, %c4 : i32
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, gmem>
    pallas.swap %or[ds(%at, 4)], %v : !pallas.ref<12xf32, gmem>, tensor<4xf32>
  }
  return %o : tensor<12xf32>
}
