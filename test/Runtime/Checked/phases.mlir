// Waits for the parity of phases, as hardware has them.

// RUN: pallas-run %s --no-cache --entry ring --out %t.npy
// RUN: %python -c "import numpy, sys; assert (numpy.load(sys.argv[1]) == 6).all()" %t.npy
// RUN: pallas-run %s --no-cache --check --entry ring
// RUN: not pallas-run %s --no-cache --check --entry early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not pallas-run %s --no-cache --entry never 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not pallas-run %s --no-cache --entry never_alone 2>&1 | FileCheck %s --check-prefix=NEVER

!x = !pallas.ref<4x8xf32, gmem>
!row = !pallas.ref<8xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// One warpgroup fills the row four times, the other one empties it. At first it
// is empty: the producer's first wait, for parity 1, returns at once.
func.func @ring() -> tensor<8xf32> {
  %x = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                             [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
                             [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
                             [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]]> : tensor<4x8xf32>
  %o = pallas.mpmd_map in(%x : tensor<4x8xf32>) out(tensor<8xf32>)
      kernel @ring on <gpu, [<grid "x" = 1>, <thread "w" = 2>]>
          (%xg: !x, %og: !pallas.ref<8xf32, gmem>, %row: !row, %full: !bar, %empty: !bar) {
    %w = pallas.axis_index "w"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %isProducer = arith.cmpi eq, %w, %c0 : i32
    scf.if %isProducer {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %phase = arith.trunci %i : i32 to i1
        %true = arith.constant true
        %parity = arith.xori %phase, %true : i1
        pallas.barrier_wait_parity %empty, %parity : !bar
        %part = pallas.slice_ref %xg[%i, :] : !x
        pallas.copy_gmem_to_smem %part to %row signals %full : !pallas.ref<8xf32, gmem>, !row, !bar
      }
    } else {
      %zero = arith.constant dense<0.0> : tensor<8xf32>
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (tensor<8xf32>) : i32 {
        %parity = arith.trunci %i : i32 to i1
        pallas.barrier_wait_parity %full, %parity : !bar
        %v = pallas.get %row[...] : !row
        pallas.barrier_arrive %empty : !bar
        %next = arith.addf %acc, %v : tensor<8xf32>
        scf.yield %next : tensor<8xf32>
      }
      pallas.swap %og[...], %sum : !pallas.ref<8xf32, gmem>, tensor<8xf32>
    }
  }
  return %o : tensor<8xf32>
}

// A wait for parity 1 does not wait for the first phase.
func.func @early() -> tensor<8xf32> {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %o = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>)
      kernel @copy on <gpu, [<grid "x" = 1>]>
          (%xg: !pallas.ref<8xf32, gmem>, %og: !pallas.ref<8xf32, gmem>, %row: !row, %unused: !bar, %full: !bar) {
    %true = arith.constant true
    pallas.copy_gmem_to_smem %xg to %row signals %full : !pallas.ref<8xf32, gmem>, !row, !bar
    pallas.barrier_wait_parity %unused, %true : !bar
    // EARLY: phases.mlir:[[@LINE+1]]:10: error: data race: 'pallas.get' reads element [0] of {{.*}}, while 'pallas.copy_gmem_to_smem' at {{.*}}, started at grid point (0), may still be writing it
    %v = pallas.get %row[...] : !row
    pallas.swap %og[...], %v : !pallas.ref<8xf32, gmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

func.func @never() -> tensor<8xf32> {
  %o = pallas.mpmd_map out(tensor<8xf32>)
      kernel @wait on <gpu, [<grid "x" = 1>, <thread "w" = 2>]> (%og: !pallas.ref<8xf32, gmem>, %b: !bar) {
    %false = arith.constant false
    // NEVER: deadlock
    pallas.barrier_wait_parity %b, %false : !bar
  }
  return %o : tensor<8xf32>
}

func.func @never_alone() -> tensor<8xf32> {
  %o = pallas.mpmd_map out(tensor<8xf32>)
      kernel @wait on <gpu, [<grid "x" = 1>]> (%og: !pallas.ref<8xf32, gmem>, %b: !bar) {
    %false = arith.constant false
    pallas.barrier_wait_parity %b, %false : !bar
  }
  return %o : tensor<8xf32>
}
