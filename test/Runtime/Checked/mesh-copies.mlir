// Async copies of several cores, which nothing orders: each core waits for its
// own copies only.

// RUN: not pallas-run %s --no-cache --check --entry same_rows 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --no-cache --check --entry same_rows_repaired
// RUN: not pallas-run %s --no-cache --check --entry same_rows_of_map 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: not pallas-run %s --no-cache --check --entry store_and_copy 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not pallas-run %s --no-cache --check --entry copy_and_load 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not pallas-run %s --no-cache --check --entry copy_and_copied 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: not pallas-run %s --no-cache --check --entry subcores 2>&1 | FileCheck %s --check-prefix=SUBCORES
// RUN: pallas-run %s --no-cache --check --entry subcores_repaired
// RUN: not pallas-run %s --no-cache --check --entry handed_over_too_early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: pallas-run %s --no-cache --check --entry handed_over
// RUN: not pallas-run %s --no-cache --check --entry blocks_with_barriers 2>&1 | FileCheck %s --check-prefix=BLOCKS

!rows = !pallas.ref<2x8x128xf32, hbm>
!row = !pallas.ref<8x128xf32, hbm>
!block = !pallas.ref<8x128xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!array = tensor<2x8x128xf32>

// The first copy and its semaphore are gone when the second core comes to the
// same memory.
func.func @same_rows() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.pallas_call grid() in(%x : !array) block<[2, 8, 128], hbm> out(!array) block<[2, 8, 128], hbm>
      kernel(%xr: !rows, %or: !rows) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %core = pallas.axis_index "core"
      pallas.run_scoped (%t: !block, %done: !dma) {
        %from = pallas.slice_ref %xr[%core, :, :] : !rows
        %to = pallas.slice_ref %or[0, :, :] : !rows
        pallas.dma_start %from to %t signals %done : !row, !block, !dma
        pallas.dma_wait %from to %t signals %done : !row, !block, !dma
        // SAME: mesh-copies.mlir:[[@LINE+1]]:9: error: data race: 'pallas.dma_start' writes element [0, 0, 0] of output 0 at grid point (1), while 'pallas.dma_start' at {{.*}}mesh-copies.mlir:[[@LINE+1]]:9, started at grid point (0), may still be writing it
        pallas.dma_start %t to %to signals %done : !block, !row, !dma
        pallas.dma_wait %t to %to signals %done : !block, !row, !dma
      }
    }
  }
  return %o : !array
}

func.func @same_rows_repaired() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.pallas_call grid() in(%x : !array) block<[2, 8, 128], hbm> out(!array) block<[2, 8, 128], hbm>
      kernel(%xr: !rows, %or: !rows) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %core = pallas.axis_index "core"
      pallas.run_scoped (%t: !block, %done: !dma) {
        %from = pallas.slice_ref %xr[%core, :, :] : !rows
        %to = pallas.slice_ref %or[%core, :, :] : !rows
        pallas.dma_start %from to %t signals %done : !row, !block, !dma
        pallas.dma_wait %from to %t signals %done : !row, !block, !dma
        pallas.dma_start %t to %to signals %done : !block, !row, !dma
        pallas.dma_wait %t to %to signals %done : !block, !row, !dma
      }
    }
  }
  return %o : !array
}

// The same with scratch of the call, whose instances follow each other.
func.func @same_rows_of_map() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.mpmd_map in(%x : !array) out(!array)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%xr: !rows, %or: !rows, %t: !block, %done: !dma) {
    %core = pallas.axis_index "core"
    %from = pallas.slice_ref %xr[%core, :, :] : !rows
    %to = pallas.slice_ref %or[0, :, :] : !rows
    pallas.dma_start %from to %t signals %done : !row, !block, !dma
    pallas.dma_wait %from to %t signals %done : !row, !block, !dma
    // MAP: mesh-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [0, 0, 0] of {{.*}} at grid point (1), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
    pallas.dma_start %t to %to signals %done : !block, !row, !dma
    pallas.dma_wait %t to %to signals %done : !block, !row, !dma
  }
  return %o : !array
}

// One core stores, the other one copies.
func.func @store_and_copy() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.mpmd_map in(%x : !array) out(!array)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%xr: !rows, %or: !rows, %t: !block, %done: !dma) {
    %core = pallas.axis_index "core"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %core, %c0 : i32
    %from = pallas.slice_ref %xr[%core, :, :] : !rows
    pallas.dma_start %from to %t signals %done : !row, !block, !dma
    pallas.dma_wait %from to %t signals %done : !row, !block, !dma
    scf.if %first {
      %one = arith.constant dense<1.0> : !array
      pallas.swap %or[...], %one : !rows, !array
    } else {
      %to = pallas.slice_ref %or[1, :, :] : !rows
      // STORE: mesh-copies.mlir:[[@LINE+1]]:7: error: data race: 'pallas.dma_start' writes element [1, 0, 0] of {{.*}} at grid point (1), while 'pallas.swap' at {{.*}} at grid point (0), may still be writing it
      pallas.dma_start %t to %to signals %done : !block, !row, !dma
      pallas.dma_wait %t to %to signals %done : !block, !row, !dma
    }
  }
  return %o : !array
}

// One core copies, the other one reads what comes.
func.func @copy_and_load() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.mpmd_map in(%x : !array) out(!array)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%xr: !rows, %or: !rows, %t: !block, %done: !dma) {
    %core = pallas.axis_index "core"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %core, %c0 : i32
    %from = pallas.slice_ref %xr[%core, :, :] : !rows
    pallas.dma_start %from to %t signals %done : !row, !block, !dma
    pallas.dma_wait %from to %t signals %done : !row, !block, !dma
    scf.if %first {
      %to = pallas.slice_ref %or[0, :, :] : !rows
      pallas.dma_start %t to %to signals %done : !block, !row, !dma
      pallas.dma_wait %t to %to signals %done : !block, !row, !dma
    } else {
      // LOAD: mesh-copies.mlir:[[@LINE+1]]:12: error: data race: 'pallas.get' reads element [0, 0, 0] of {{.*}} at grid point (1), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
      %v = pallas.get %or[0, :, :] : !rows
      pallas.swap %or[1, :, :], %v : !rows, tensor<8x128xf32>
    }
  }
  return %o : !array
}

// One core copies, the other one copies on.
func.func @copy_and_copied() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.mpmd_map in(%x : !array) out(!array)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%xr: !rows, %or: !rows, %t: !block, %done: !dma) {
    %core = pallas.axis_index "core"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %core, %c0 : i32
    %from = pallas.slice_ref %xr[%core, :, :] : !rows
    %here = pallas.slice_ref %or[0, :, :] : !rows
    %there = pallas.slice_ref %or[1, :, :] : !rows
    scf.if %first {
      pallas.dma_start %from to %here signals %done : !row, !row, !dma
      pallas.dma_wait %from to %here signals %done : !row, !row, !dma
    } else {
      // COPIED: mesh-copies.mlir:[[@LINE+1]]:7: error: data race: 'pallas.dma_start' reads element [0, 0, 0] of {{.*}} at grid point (1), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
      pallas.dma_start %here to %there signals %done : !row, !row, !dma
      pallas.dma_wait %here to %there signals %done : !row, !row, !dma
    }
  }
  return %o : !array
}

// Subcores 2 k and 2 k + 1 write the same row.
func.func @subcores() -> tensor<16x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %o = pallas.mpmd_map in(%x : tensor<16x128xf32>) out(tensor<16x128xf32>)
      kernel @copy on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<16x128xf32, hbm>, %or: !pallas.ref<16x128xf32, hbm>, %t: !pallas.ref<1x128xf32, vmem>, %done: !dma) {
    %sub = pallas.axis_index "subcore"
    %c1 = arith.constant 1 : i32
    %half = arith.shrui %sub, %c1 : i32
    %from = pallas.slice_ref %xr[ds(%sub, 1), :] : !pallas.ref<16x128xf32, hbm>
    %to = pallas.slice_ref %or[ds(%half, 1), :] : !pallas.ref<16x128xf32, hbm>
    pallas.dma_start %from to %t signals %done : !pallas.ref<1x128xf32, hbm>, !pallas.ref<1x128xf32, vmem>, !dma
    pallas.dma_wait %from to %t signals %done : !pallas.ref<1x128xf32, hbm>, !pallas.ref<1x128xf32, vmem>, !dma
    // SUBCORES: mesh-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [0, 0] of {{.*}} at grid point (0, 1), while 'pallas.dma_start' at {{.*}}, started at grid point (0, 0), may still be writing it (8 times)
    pallas.dma_start %t to %to signals %done : !pallas.ref<1x128xf32, vmem>, !pallas.ref<1x128xf32, hbm>, !dma
    pallas.dma_wait %t to %to signals %done : !pallas.ref<1x128xf32, vmem>, !pallas.ref<1x128xf32, hbm>, !dma
  }
  return %o : tensor<16x128xf32>
}

func.func @subcores_repaired() -> tensor<16x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %o = pallas.mpmd_map in(%x : tensor<16x128xf32>) out(tensor<16x128xf32>)
      kernel @copy on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<16x128xf32, hbm>, %or: !pallas.ref<16x128xf32, hbm>, %t: !pallas.ref<1x128xf32, vmem>, %done: !dma) {
    %sub = pallas.axis_index "subcore"
    %from = pallas.slice_ref %xr[ds(%sub, 1), :] : !pallas.ref<16x128xf32, hbm>
    %to = pallas.slice_ref %or[ds(%sub, 1), :] : !pallas.ref<16x128xf32, hbm>
    pallas.dma_start %from to %t signals %done : !pallas.ref<1x128xf32, hbm>, !pallas.ref<1x128xf32, vmem>, !dma
    pallas.dma_wait %from to %t signals %done : !pallas.ref<1x128xf32, hbm>, !pallas.ref<1x128xf32, vmem>, !dma
    pallas.dma_start %t to %to signals %done : !pallas.ref<1x128xf32, vmem>, !pallas.ref<1x128xf32, hbm>, !dma
    pallas.dma_wait %t to %to signals %done : !pallas.ref<1x128xf32, vmem>, !pallas.ref<1x128xf32, hbm>, !dma
  }
  return %o : tensor<16x128xf32>
}

// The signal that the rows are there comes before the copy's end.
func.func @handed_over_too_early() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.mpmd_map in(%x : !array) out(!array)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%xr: !rows, %or: !rows, %done: !dma, %ready: !sem) {
    %core = pallas.axis_index "core"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %core, %c0 : i32
    %from = pallas.slice_ref %xr[0, :, :] : !rows
    %here = pallas.slice_ref %or[0, :, :] : !rows
    %there = pallas.slice_ref %or[1, :, :] : !rows
    scf.if %first {
      pallas.dma_start %from to %here signals %done : !row, !row, !dma
      pallas.semaphore_signal %ready, %c1 core %c1 : !sem
      pallas.dma_wait %from to %here signals %done : !row, !row, !dma
    } else {
      pallas.semaphore_wait %ready, %c1 : !sem
      // EARLY: mesh-copies.mlir:[[@LINE+1]]:7: error: data race: 'pallas.dma_start' reads element [0, 0, 0] of {{.*}} at grid point (1), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
      pallas.dma_start %here to %there signals %done : !row, !row, !dma
      pallas.dma_wait %here to %there signals %done : !row, !row, !dma
    }
  }
  return %o : !array
}

func.func @handed_over() -> !array {
  %x = arith.constant dense<1.0> : !array
  %o = pallas.mpmd_map in(%x : !array) out(!array)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%xr: !rows, %or: !rows, %done: !dma, %ready: !sem) {
    %core = pallas.axis_index "core"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %core, %c0 : i32
    %from = pallas.slice_ref %xr[0, :, :] : !rows
    %here = pallas.slice_ref %or[0, :, :] : !rows
    %there = pallas.slice_ref %or[1, :, :] : !rows
    scf.if %first {
      pallas.dma_start %from to %here signals %done : !row, !row, !dma
      pallas.dma_wait %from to %here signals %done : !row, !row, !dma
      pallas.semaphore_signal %ready, %c1 core %c1 : !sem
    } else {
      pallas.semaphore_wait %ready, %c1 : !sem
      pallas.dma_start %here to %there signals %done : !row, !row, !dma
      pallas.dma_wait %here to %there signals %done : !row, !row, !dma
    }
  }
  return %o : !array
}

// Barriers order the threads of a block, not blocks that have the same shared
// memory one after the other.
func.func @blocks_with_barriers() -> tensor<64xf32> {
  %o = pallas.mpmd_map out(tensor<64xf32>)
      kernel @pass on <gpu, [<grid "x" = 2>, <thread "wg" = 2>]>
          (%og: !pallas.ref<64xf32, gmem>, %full: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    pallas.barrier_arrive %full : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.barrier_wait %full : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    scf.if %first {
      %one = arith.constant dense<1.0> : tensor<64xf32>
      // BLOCKS: mesh-copies.mlir:[[@LINE+1]]:7: error: data race: 'pallas.swap' writes element [0] of {{.*}} at grid point (1, 0), while 'pallas.swap' at {{.*}} at grid point (0, 0), may still be writing it
      pallas.swap %og[...], %one : !pallas.ref<64xf32, gmem>, tensor<64xf32>
    }
  }
  return %o : tensor<64xf32>
}
