// Copies and products of GPUs, which run until they are waited for.

// RUN: not pallas-run %s --no-cache --check --entry read_early 2>&1 | FileCheck %s --check-prefix=READ
// RUN: pallas-run %s --no-cache --check --entry read_early_repaired
// RUN: not pallas-run %s --no-cache --check --entry stored_over 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: pallas-run %s --no-cache --check --entry stored_over_repaired
// RUN: not pallas-run %s --no-cache --check --entry never_waited 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not pallas-run %s --no-cache --check --entry operand_in_use 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: pallas-run %s --no-cache --check --entry operand_in_use_repaired
// RUN: not pallas-run %s --no-cache --check --entry released_early 2>&1 | FileCheck %s --check-prefix=RELEASED
// RUN: pallas-run %s --no-cache --check --entry released_early_repaired
// RUN: not pallas-run %s --no-cache --check --entry accumulator_early 2>&1 | FileCheck %s --check-prefix=ACC
// RUN: not pallas-run %s --no-cache --check --entry tensor_memory 2>&1 | FileCheck %s --check-prefix=TMEM
// RUN: not pallas-run %s --no-cache --check --entry first_not_zero 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not pallas-run %s --no-cache --check --entry uncommitted_store 2>&1 | FileCheck %s --check-prefix=COPYOUT
// RUN: pallas-run %s --no-cache --check --entry uncommitted_store_repaired
// RUN: not pallas-run %s --no-cache --check --entry uncommitted_in_call 2>&1 | FileCheck %s --check-prefix=INCALL
// RUN: pallas-run %s --no-cache --check --entry uncommitted_in_call_repaired
// RUN: not pallas-run %s --no-cache --check --entry uncommitted_operand 2>&1 | FileCheck %s --check-prefix=WGMMA
// RUN: pallas-run %s --no-cache --check --entry uncommitted_operand_repaired
// RUN: not pallas-run %s --no-cache --check --entry committed_too_early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not pallas-run %s --no-cache --check --entry uncommitted_neighbour 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
// RUN: pallas-run %s --no-cache --check --entry uncommitted_neighbour_repaired
// RUN: not pallas-run %s --no-cache --check --entry tensor_memory_overwritten 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: pallas-run %s --no-cache --check --entry tensor_memory_overwritten_repaired
// RUN: not pallas-run %s --no-cache --check --entry tensor_memory_not_committed 2>&1 | FileCheck %s --check-prefix=TSTORE
// RUN: pallas-run %s --no-cache --check --entry tensor_memory_not_committed_repaired
// RUN: pallas-run %s --no-cache --check --entry used_at_once
// RUN: pallas-run %s --no-cache --check --entry box_over_the_edge

!g = !pallas.ref<64x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!acc = !pallas.accumulator<64x64xf32>
!og = !pallas.ref<64x64xf32, gmem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
!t = !pallas.ref<64x64xf32, tmem>
!tensor_bar = !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>

func.func @read_early() -> tensor<64x64xf16> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf16>)
      kernel @copy on <gpu, [<grid "x" = 1>]> (%xg: !g, %or: !g, %t: !s, %come: !bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    // READ: gpu.mlir:[[@LINE+1]]:10: error: data race: 'pallas.get' reads element [0, 0] of {{.*}}, while 'pallas.copy_gmem_to_smem' at {{.*}}:[[@LINE-1]]:5, started at grid point (0), may still be writing it
    %v = pallas.get %t[...] : !s
    pallas.barrier_wait %come : !bar
    pallas.swap %or[...], %v : !g, tensor<64x64xf16>
  }
  return %o : tensor<64x64xf16>
}

func.func @read_early_repaired() -> tensor<64x64xf16> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf16>)
      kernel @copy on <gpu, [<grid "x" = 1>]> (%xg: !g, %or: !g, %t: !s, %come: !bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    %v = pallas.get %t[...] : !s
    pallas.swap %or[...], %v : !g, tensor<64x64xf16>
  }
  return %o : tensor<64x64xf16>
}

// The wait lets one group of copies go on.
func.func @stored_over() -> tensor<2x64x64xf16> {
  %o = pallas.mpmd_map out(tensor<2x64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>]> (%or: !pallas.ref<2x64x64xf16, gmem>, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %two = arith.constant dense<2.0> : tensor<64x64xf16>
    %first = pallas.slice_ref %or[0, :, :] : !pallas.ref<2x64x64xf16, gmem>
    %second = pallas.slice_ref %or[1, :, :] : !pallas.ref<2x64x64xf16, gmem>
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    pallas.copy_smem_to_gmem %t to %first : !s, !g
    pallas.wait_smem_to_gmem 1 read_only
    // STORED: gpu.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [0, 0] of {{.*}}, while 'pallas.copy_smem_to_gmem' at {{.*}}, started at grid point (0), may still be reading it
    pallas.swap %t[...], %two : !s, tensor<64x64xf16>
    pallas.commit_smem
    pallas.copy_smem_to_gmem %t to %second : !s, !g
    pallas.wait_smem_to_gmem 0
  }
  return %o : tensor<2x64x64xf16>
}

func.func @stored_over_repaired() -> tensor<2x64x64xf16> {
  %o = pallas.mpmd_map out(tensor<2x64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>]> (%or: !pallas.ref<2x64x64xf16, gmem>, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %two = arith.constant dense<2.0> : tensor<64x64xf16>
    %first = pallas.slice_ref %or[0, :, :] : !pallas.ref<2x64x64xf16, gmem>
    %second = pallas.slice_ref %or[1, :, :] : !pallas.ref<2x64x64xf16, gmem>
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    pallas.copy_smem_to_gmem %t to %first : !s, !g
    pallas.wait_smem_to_gmem 0 read_only
    pallas.swap %t[...], %two : !s, tensor<64x64xf16>
    pallas.commit_smem
    pallas.copy_smem_to_gmem %t to %second : !s, !g
    pallas.wait_smem_to_gmem 0
  }
  return %o : tensor<2x64x64xf16>
}

func.func @never_waited() -> tensor<64x64xf16> {
  %o = pallas.mpmd_map out(tensor<64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>]> (%or: !g, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    // NEVER: gpu.mlir:[[@LINE+1]]:5: error: copy never waited for: 'pallas.copy_smem_to_gmem' copies {{.*}} at grid point (0), but nothing waits for its end
    pallas.copy_smem_to_gmem %t to %or : !s, !g
  }
  return %o : tensor<64x64xf16>
}

// The next block comes while a product may still read the one before.
func.func @operand_in_use() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<2x64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<2x64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !pallas.ref<2x64x64xf16, gmem>, %or: !og, %t: !s, %come: !bar) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    pallas.run_scoped (%acc: !acc) {
      scf.for %k = %c0 to %c2 step %c1 : i32 {
        %part = pallas.slice_ref %xg[%k, :, :] : !pallas.ref<2x64x64xf16, gmem>
        // OPERAND: gpu.mlir:[[@LINE+1]]:9: error: data race: 'pallas.copy_gmem_to_smem' writes element [0, 0] of {{.*}}, while 'pallas.wgmma_ref' at {{.*}}, started at grid point (0), may still be reading it
        pallas.copy_gmem_to_smem %part to %t signals %come : !g, !s, !bar
        pallas.barrier_wait %come : !bar
        pallas.wgmma_ref %acc, %t, %t : !acc, !s, !s
      }
      %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

func.func @operand_in_use_repaired() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<2x64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<2x64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !pallas.ref<2x64x64xf16, gmem>, %or: !og, %t: !s, %come: !bar) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    pallas.run_scoped (%acc: !acc) {
      scf.for %k = %c0 to %c2 step %c1 : i32 {
        %part = pallas.slice_ref %xg[%k, :, :] : !pallas.ref<2x64x64xf16, gmem>
        pallas.copy_gmem_to_smem %part to %t signals %come : !g, !s, !bar
        pallas.barrier_wait %come : !bar
        pallas.wgmma_ref %acc, %t, %t : !acc, !s, !s
        pallas.wgmma_wait 0
      }
      %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

// One product is left under way, so the pipeline has to keep its block.
func.func @released_early() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x256xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x256xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !pallas.ref<64x256xf16, gmem>, %or: !og) {
    %c0 = arith.constant 0 : i32
    pallas.run_scoped (%acc: !acc) {
      // RELEASED: gpu.mlir:[[@LINE+1]]:7: error: data race: 'pallas.emit_pipeline' refills element [0, 0] of input 0 at grid point (0), step (1), while 'pallas.wgmma_ref' at {{.*}}, started at grid point (0), step (0), may still be reading it
      pallas.emit_pipeline grid(4)
          in(%xg : !pallas.ref<64x256xf16, gmem>) block<[64, 64], smem, pipeline = <2>> map(%k) -> (0, %k)
          attributes {maxConcurrentSteps = 2 : i64}
          kernel(%k: i32, %xs: !s) {
        pallas.wgmma_ref %acc, %xs, %xs : !acc, !s, !s
        pallas.wgmma_wait 1
      }
      %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

func.func @released_early_repaired() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x256xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x256xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !pallas.ref<64x256xf16, gmem>, %or: !og) {
    pallas.run_scoped (%acc: !acc) {
      pallas.emit_pipeline grid(4)
          in(%xg : !pallas.ref<64x256xf16, gmem>) block<[64, 64], smem, pipeline = <2, delay_release 1>> map(%k) -> (0, %k)
          attributes {maxConcurrentSteps = 2 : i64}
          kernel(%k: i32, %xs: !s) {
        pallas.wgmma_ref %acc, %xs, %xs : !acc, !s, !s
        pallas.wgmma_wait 1
      }
      %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

func.func @accumulator_early() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%xg: !g, %or: !og, %t: !s, %come: !bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    pallas.run_scoped (%acc: !acc) {
      pallas.wgmma_ref %acc, %t, %t : !acc, !s, !s
      // ACC: gpu.mlir:[[@LINE+1]]:12: error: data race: 'pallas.accumulator_deref' reads element [0, 0] of scoped ref 0 at grid point (0), while 'pallas.wgmma_ref' at {{.*}}, started at grid point (0), may still be writing it
      %v = pallas.accumulator_deref %acc wait 1 : !acc -> tensor<64x64xf32>
      pallas.wgmma_wait 0
      pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

// Nobody waits for the barrier that follows the product.
func.func @tensor_memory() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !g, %or: !og, %t: !s, %come: !bar, %acc: !pallas.ref<64x64xf32, tmem>, %done: !tensor_bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    %no = arith.constant false
    pallas.tcgen05_mma %acc, %t, %t accumulate %no signals %done : !pallas.ref<64x64xf32, tmem>, !s, !s, !tensor_bar
    // TMEM: gpu.mlir:[[@LINE+1]]:10: error: data race: 'pallas.async_load_tmem' reads element [0, 0] of {{.*}}, while 'pallas.tcgen05_mma' at {{.*}}, started at grid point (0), may still be writing it
    %v = pallas.async_load_tmem %acc : !pallas.ref<64x64xf32, tmem> -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.barrier_wait %done : !tensor_bar
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// The first product adds to tensor memory that nothing has set.
func.func @first_not_zero() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !g, %or: !og, %t: !s, %come: !bar, %acc: !pallas.ref<64x64xf32, tmem>, %done: !tensor_bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    %yes = arith.constant true
    // FIRST: gpu.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.tcgen05_mma' reads element [0, 0] of {{.*}} at grid point (0), which nothing has written
    pallas.tcgen05_mma %acc, %t, %t accumulate %yes signals %done : !pallas.ref<64x64xf32, tmem>, !s, !s, !tensor_bar
    pallas.barrier_wait %done : !tensor_bar
    %v = pallas.async_load_tmem %acc : !pallas.ref<64x64xf32, tmem> -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Copies see stores to shared memory after they are committed.
func.func @uncommitted_store() -> tensor<64x64xf16> {
  %o = pallas.mpmd_map out(tensor<64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>]> (%or: !g, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    // COPYOUT: gpu.mlir:[[@LINE+1]]:5: error: store not committed: 'pallas.copy_smem_to_gmem' reads element [0, 0] of {{.*}} at grid point (0), which 'pallas.swap' at {{.*}}:[[@LINE-1]]:5 has written at grid point (0) without a 'pallas.commit_smem' in between
    pallas.copy_smem_to_gmem %t to %or : !s, !g
    pallas.wait_smem_to_gmem 0
  }
  return %o : tensor<64x64xf16>
}

func.func @uncommitted_store_repaired() -> tensor<64x64xf16> {
  %o = pallas.mpmd_map out(tensor<64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>]> (%or: !g, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    pallas.copy_smem_to_gmem %t to %or : !s, !g
    pallas.wait_smem_to_gmem 0
  }
  return %o : tensor<64x64xf16>
}

// The commit comes before a part of the stores.
func.func @committed_too_early() -> tensor<64x64xf16> {
  %o = pallas.mpmd_map out(tensor<64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>]> (%or: !g, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %row = arith.constant dense<2.0> : tensor<64xf16>
    pallas.swap %t[5, :], %row : !s, tensor<64xf16>
    // EARLY: gpu.mlir:[[@LINE+1]]:5: error: store not committed: 'pallas.copy_smem_to_gmem' reads element [5, 0] of
    pallas.copy_smem_to_gmem %t to %or : !s, !g
    pallas.wait_smem_to_gmem 0
  }
  return %o : tensor<64x64xf16>
}

// What has come by a copy needs no commit, what is stored over it does.
func.func @uncommitted_operand() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%xg: !g, %or: !og, %t: !s, %come: !bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    %v = pallas.get %t[...] : !s
    %twice = arith.addf %v, %v : tensor<64x64xf16>
    pallas.swap %t[...], %twice : !s, tensor<64x64xf16>
    pallas.run_scoped (%acc: !acc) {
      // WGMMA: gpu.mlir:[[@LINE+1]]:7: error: store not committed: 'pallas.wgmma_ref' reads element [0, 0] of
      pallas.wgmma_ref %acc, %t, %t : !acc, !s, !s
      %r = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %r : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

func.func @uncommitted_operand_repaired() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<64x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%xg: !g, %or: !og, %t: !s, %come: !bar) {
    pallas.copy_gmem_to_smem %xg to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    %v = pallas.get %t[...] : !s
    %twice = arith.addf %v, %v : tensor<64x64xf16>
    pallas.swap %t[...], %twice : !s, tensor<64x64xf16>
    pallas.run_scoped (%acc: !acc) {
      pallas.commit_smem
      pallas.wgmma_ref %acc, %t, %t : !acc, !s, !s
      %r = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %r : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

// One warpgroup stores, and the other one copies.
func.func @uncommitted_neighbour() -> tensor<64x64xf16> {
  %o = pallas.mpmd_map out(tensor<64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>, <thread "w" = 2>]> (%or: !g, %t: !s, %stored: !bar) {
    %w = pallas.axis_index "w"
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %w, %c0 : i32
    scf.if %isFirst {
      %one = arith.constant dense<1.0> : tensor<64x64xf16>
      pallas.swap %t[...], %one : !s, tensor<64x64xf16>
      pallas.barrier_arrive %stored : !bar
    } else {
      pallas.barrier_wait %stored : !bar
      // NEIGHBOUR: gpu.mlir:[[@LINE+1]]:7: error: store not committed: 'pallas.copy_smem_to_gmem' reads element [0, 0] of {{.*}} at grid point {{.*}}, which 'pallas.swap' at
      pallas.copy_smem_to_gmem %t to %or : !s, !g
      pallas.wait_smem_to_gmem 0
    }
  }
  return %o : tensor<64x64xf16>
}

func.func @uncommitted_neighbour_repaired() -> tensor<64x64xf16> {
  %o = pallas.mpmd_map out(tensor<64x64xf16>)
      kernel @store on <gpu, [<grid "x" = 1>, <thread "w" = 2>]> (%or: !g, %t: !s, %stored: !bar) {
    %w = pallas.axis_index "w"
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %w, %c0 : i32
    scf.if %isFirst {
      %one = arith.constant dense<1.0> : tensor<64x64xf16>
      pallas.swap %t[...], %one : !s, tensor<64x64xf16>
      pallas.commit_smem
      pallas.barrier_arrive %stored : !bar
    } else {
      pallas.barrier_wait %stored : !bar
      pallas.copy_smem_to_gmem %t to %or : !s, !g
      pallas.wait_smem_to_gmem 0
    }
  }
  return %o : tensor<64x64xf16>
}

// A load may go on reading tensor memory after its value is there.
func.func @tensor_memory_overwritten() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @registers on <gpu, [<grid "x" = 1>]> (%or: !og, %acc: !t) {
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.async_store_tmem %one to %acc : tensor<64x64xf32>, !t
    pallas.commit_tmem
    %v = pallas.async_load_tmem %acc : !t -> tensor<64x64xf32>
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    // OVERWRITTEN: gpu.mlir:[[@LINE+1]]:5: error: data race: 'pallas.async_store_tmem' writes element [0, 0] of {{.*}}, while 'pallas.async_load_tmem' at {{.*}}:[[@LINE-2]]:10, started at grid point (0), may still be reading it
    pallas.async_store_tmem %v to %acc : tensor<64x64xf32>, !t
    pallas.commit_tmem
  }
  return %o : tensor<64x64xf32>
}

func.func @tensor_memory_overwritten_repaired() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @registers on <gpu, [<grid "x" = 1>]> (%or: !og, %acc: !t) {
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.async_store_tmem %one to %acc : tensor<64x64xf32>, !t
    pallas.commit_tmem
    %v = pallas.async_load_tmem %acc : !t -> tensor<64x64xf32>
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.async_store_tmem %v to %acc : tensor<64x64xf32>, !t
    pallas.commit_tmem
  }
  return %o : tensor<64x64xf32>
}

// A load sees stores after they are committed.
func.func @tensor_memory_not_committed() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @registers on <gpu, [<grid "x" = 1>]> (%or: !og, %acc: !t) {
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.async_store_tmem %one to %acc : tensor<64x64xf32>, !t
    // TSTORE: gpu.mlir:[[@LINE+1]]:10: error: data race: 'pallas.async_load_tmem' reads element [0, 0] of {{.*}}, while 'pallas.async_store_tmem' at {{.*}}:[[@LINE-1]]:5, started at grid point (0), may still be writing it
    %v = pallas.async_load_tmem %acc : !t -> tensor<64x64xf32>
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

func.func @tensor_memory_not_committed_repaired() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @registers on <gpu, [<grid "x" = 1>]> (%or: !og, %acc: !t) {
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.async_store_tmem %one to %acc : tensor<64x64xf32>, !t
    pallas.commit_tmem
    %v = pallas.async_load_tmem %acc : !t -> tensor<64x64xf32>
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// The value of a load may be used, and the kernel end, without a wait.
func.func @used_at_once() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @registers on <gpu, [<grid "x" = 1>]> (%or: !og, %acc: !t) {
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.async_store_tmem %one to %acc : tensor<64x64xf32>, !t
    pallas.commit_tmem
    %v = pallas.async_load_tmem %acc : !t -> tensor<64x64xf32>
    pallas.swap %or[...], %v : !og, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Zeros of a box that hangs over its array come with the copy.
func.func @box_over_the_edge() -> tensor<64x64xf32> {
  %x = arith.constant dense<1.0> : tensor<96x64xf16>
  %o = pallas.mpmd_map in(%x : tensor<96x64xf16>) out(tensor<64x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]>
          (%xg: !pallas.ref<96x64xf16, gmem>, %or: !og, %t: !s, %come: !bar) {
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %start = arith.muli %c1, %c64 : i32
    %part = pallas.slice_ref %xg[ds(%start, 64), :] : !pallas.ref<96x64xf16, gmem>
    pallas.copy_gmem_to_smem %part to %t signals %come : !g, !s, !bar
    pallas.barrier_wait %come : !bar
    pallas.run_scoped (%acc: !acc) {
      pallas.wgmma_ref %acc, %t, %t : !acc, !s, !s
      %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
      pallas.swap %or[...], %v : !og, tensor<64x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

// Outside of a mesh, too, where the copy is the first thing that others may
// race with.
func.func @uncommitted_in_call() -> tensor<64x64xf16> {
  %o = pallas.pallas_call grid(2) out(tensor<64x64xf16>) block<[32, 64], gmem> map(%i) -> (%i, 0)
      kernel(%or: !pallas.ref<32x64xf16, gmem>) {
    %one = arith.constant dense<1.0> : tensor<32x64xf16>
    pallas.run_scoped (%t: !pallas.ref<32x64xf16, smem>) {
      pallas.swap %t[...], %one : !pallas.ref<32x64xf16, smem>, tensor<32x64xf16>
      // INCALL: gpu.mlir:[[@LINE+1]]:7: error: store not committed: 'pallas.copy_smem_to_gmem' reads element [0, 0] of {{.*}} at grid point (0), which 'pallas.swap' at {{.*}} has written at grid point (0) without a 'pallas.commit_smem' in between (2 times)
      pallas.copy_smem_to_gmem %t to %or : !pallas.ref<32x64xf16, smem>, !pallas.ref<32x64xf16, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %o : tensor<64x64xf16>
}

func.func @uncommitted_in_call_repaired() -> tensor<64x64xf16> {
  %o = pallas.pallas_call grid(2) out(tensor<64x64xf16>) block<[32, 64], gmem> map(%i) -> (%i, 0)
      kernel(%or: !pallas.ref<32x64xf16, gmem>) {
    %one = arith.constant dense<1.0> : tensor<32x64xf16>
    pallas.run_scoped (%t: !pallas.ref<32x64xf16, smem>) {
      pallas.swap %t[...], %one : !pallas.ref<32x64xf16, smem>, tensor<32x64xf16>
      pallas.commit_smem
      pallas.copy_smem_to_gmem %t to %or : !pallas.ref<32x64xf16, smem>, !pallas.ref<32x64xf16, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %o : tensor<64x64xf16>
}
