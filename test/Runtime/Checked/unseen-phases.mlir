// A barrier that completes a phase nobody has waited for: a wait that is still
// to come takes the next phase for it, since hardware compares parities.

// RUN: not pallas-run %s --no-cache --check --entry twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not pallas-run %s --no-cache --check --entry each 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: not pallas-run %s --no-cache --check --entry copies 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: pallas-run %s --no-cache --check --entry twice --allow=phase-never-waited-for
// RUN: pallas-run %s --no-cache --entry twice
// RUN: pallas-run %s --no-cache --check --entry together
// RUN: pallas-run %s --no-cache --check --entry drained
// RUN: pallas-run %s --no-cache --check --entry anew

!x = !pallas.ref<8xf32, gmem>
!row = !pallas.ref<8xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
!both = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// A single warpgroup.
func.func @twice() -> tensor<8xf32> {
  %o = pallas.mpmd_map out(tensor<8xf32>)
      kernel @twice on <gpu, [<grid "x" = 1>]> (%og: !x, %b: !bar) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    pallas.barrier_arrive %b : !bar
    // TWICE: unseen-phases.mlir:[[@LINE+2]]:5: error: phase never waited for: 'pallas.barrier_arrive' completes phase 2 of {{.*}}, but nothing has waited for phase 1{{$}}
    // TWICE: note: wait for each phase before the next one completes
    pallas.barrier_arrive %b : !bar
    pallas.swap %og[...], %zero : !x, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// Each of two warpgroups completes a phase where the barrier should count both.
func.func @each() -> tensor<8xf32> {
  %o = pallas.mpmd_map out(tensor<8xf32>)
      kernel @each on <gpu, [<grid "x" = 1>, <thread "w" = 2>]> (%og: !x, %b: !bar) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %c0 = arith.constant 0 : i32
    %w = pallas.axis_index "w"
    // EACH: unseen-phases.mlir:[[@LINE+1]]:5: error: phase never waited for: 'pallas.barrier_arrive' completes phase 2
    pallas.barrier_arrive %b : !bar
    %isFirst = arith.cmpi eq, %w, %c0 : i32
    scf.if %isFirst {
      pallas.swap %og[...], %zero : !x, tensor<8xf32>
    }
  }
  return %o : tensor<8xf32>
}

// One wait for two copies.
func.func @copies() -> tensor<8xf32> {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %o = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>)
      kernel @copies on <gpu, [<grid "x" = 1>]> (%xg: !x, %og: !x, %a: !row, %c: !row, %b: !bar) {
    pallas.copy_gmem_to_smem %xg to %a signals %b : !x, !row, !bar
    // COPIES: unseen-phases.mlir:[[@LINE+1]]:5: error: phase never waited for: 'pallas.copy_gmem_to_smem' completes phase 2
    pallas.copy_gmem_to_smem %xg to %c signals %b : !x, !row, !bar
    pallas.barrier_wait %b : !bar
    pallas.barrier_wait %b : !bar
    %v = pallas.get %a[...] : !row
    %u = pallas.get %c[...] : !row
    %sum = arith.addf %v, %u : tensor<8xf32>
    pallas.swap %og[...], %sum : !x, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// Both arrive and wait, in each of four phases.
func.func @together() -> tensor<8xf32> {
  %o = pallas.mpmd_map out(tensor<8xf32>)
      kernel @together on <gpu, [<grid "x" = 1>, <thread "w" = 2>]> (%og: !x, %b: !both) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %w = pallas.axis_index "w"
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      pallas.barrier_arrive %b : !both
      pallas.barrier_wait %b : !both
    }
    %isFirst = arith.cmpi eq, %w, %c0 : i32
    scf.if %isFirst {
      pallas.swap %og[...], %zero : !x, tensor<8xf32>
    }
  }
  return %o : tensor<8xf32>
}

// A pipeline ends with a slot that is released, and waited for no more.
func.func @drained() -> tensor<8xf32> {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %o = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>)
      kernel @drained on <gpu, [<grid "x" = 1>, <thread "w" = 2>]> (%xg: !x, %og: !x, %row: !row, %full: !bar, %empty: !bar) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %w = pallas.axis_index "w"
    %isProducer = arith.cmpi eq, %w, %c0 : i32
    scf.if %isProducer {
      pallas.copy_gmem_to_smem %xg to %row signals %full : !x, !row, !bar
      scf.for %i = %c1 to %c3 step %c1 : i32 {
        pallas.barrier_wait %empty : !bar
        pallas.copy_gmem_to_smem %xg to %row signals %full : !x, !row, !bar
      }
    } else {
      %zero = arith.constant dense<0.0> : tensor<8xf32>
      %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<8xf32>) : i32 {
        pallas.barrier_wait %full : !bar
        %v = pallas.get %row[...] : !row
        pallas.barrier_arrive %empty : !bar
        %next = arith.addf %acc, %v : tensor<8xf32>
        scf.yield %next : tensor<8xf32>
      }
      pallas.swap %og[...], %sum : !x, tensor<8xf32>
    }
  }
  return %o : tensor<8xf32>
}

// A barrier of a scope that begins again is a new one.
func.func @anew() -> tensor<8xf32> {
  %o = pallas.mpmd_map out(tensor<8xf32>)
      kernel @anew on <gpu, [<grid "x" = 1>]> (%og: !x) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    scf.for %i = %c0 to %c3 step %c1 : i32 {
      pallas.run_scoped (%b: !bar) {
        pallas.barrier_arrive %b : !bar
      }
    }
    pallas.swap %og[...], %zero : !x, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}
