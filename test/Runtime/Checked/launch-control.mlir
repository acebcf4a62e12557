// Questions for the work of other blocks. Hardware writes the answer until the phase of its barrier has been
// waited for, and without work its indices mean nothing.

// RUN: pallas-run %s --no-cache --check --entry right
// RUN: not pallas-run %s --no-cache --check --entry early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not pallas-run %s --no-cache --check --entry reused 2>&1 | FileCheck %s --check-prefix=REUSED
// RUN: not pallas-run %s --no-cache --check --entry twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not pallas-run %s --no-cache --check --entry unasked 2>&1 | FileCheck %s --check-prefix=UNASKED
// RUN: not pallas-run %s --no-cache --check --entry unchecked 2>&1 | FileCheck %s --check-prefix=UNCHECKED
// RUN: pallas-opt %s --pallas-insert-checks | pallas-opt | FileCheck %s --check-prefix=PRINTED

!answer = !pallas.ref<16xi8, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
!both = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
!out = !pallas.ref<4xi32, gmem>

// PRINTED-LABEL: func.func @right
// PRINTED: pallas.check_product reads %{{.*}} updates %{{.*}} accumulate %{{.*}} signals
func.func @right() -> tensor<4xi32> {
  %0 = pallas.mpmd_map out(tensor<4xi32>)
      kernel @right on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> (%o: !out, %m: !answer, %b: !both, %read: !both) {
    %own = pallas.axis_index "i"
    %w = pallas.axis_index "wg"
    %c2 = arith.constant 2 : i32
    %first = arith.muli %own, %c2 : i32
    %at = arith.addi %first, %w : i32
    pallas.try_cluster_cancel %m signals %b : !answer, !both
    pallas.barrier_wait %b : !both
    %i, %found = pallas.query_cluster_cancel %m along ["i"] : !answer
    pallas.barrier_arrive %read : !both
    pallas.barrier_wait %read : !both
    pallas.try_cluster_cancel %m signals %b : !answer, !both
    pallas.barrier_wait %b : !both
    %j, %again = pallas.query_cluster_cancel %m along ["i"] : !answer
    %v = arith.select %found, %i, %own : i32
    %u = arith.select %again, %j, %v : i32
    pallas.swap %o[%at], %u : !out, i32
  }
  return %0 : tensor<4xi32>
}

func.func @early() {
  pallas.mpmd_map
      kernel @early on <gpu, [<grid "i" = 2>]> (%m: !answer, %b: !bar) {
    // EARLY: launch-control.mlir:[[@LINE+2]]:18: error: data race: 'pallas.query_cluster_cancel' reads element [0] of {{.*}} at grid point (0), while 'pallas.try_cluster_cancel' at {{.*}}launch-control.mlir:[[@LINE+1]]:5, started at grid point (0), may still be writing it
    pallas.try_cluster_cancel %m signals %b : !answer, !bar
    %i, %found = pallas.query_cluster_cancel %m along ["i"] : !answer
    pallas.barrier_wait %b : !bar
  }
  return
}

// The other warpgroup may not have read the first answer yet.
func.func @reused() {
  pallas.mpmd_map
      kernel @reused on <gpu, [<grid "i" = 1>, <thread "wg" = 2>]> (%m: !answer, %b: !both, %c: !both) {
    pallas.try_cluster_cancel %m signals %b : !answer, !both
    pallas.barrier_wait %b : !both
    %i, %found = pallas.query_cluster_cancel %m along ["i"] : !answer
    // REUSED: launch-control.mlir:[[@LINE+1]]:5: error: data race: 'pallas.try_cluster_cancel' writes element {{.*}}, while 'pallas.query_cluster_cancel' at {{.*}} may still be reading it
    pallas.try_cluster_cancel %m signals %c : !answer, !both
    pallas.barrier_wait %c : !both
  }
  return
}

func.func @twice() {
  pallas.mpmd_map
      kernel @twice on <gpu, [<grid "i" = 1>]> (%m: !answer, %b: !bar) {
    pallas.try_cluster_cancel %m signals %b : !answer, !bar
    // TWICE: launch-control.mlir:[[@LINE+1]]:5: error: phase never waited for: 'pallas.try_cluster_cancel' completes phase 2 of {{.*}}, but nothing has waited for phase 1
    pallas.try_cluster_cancel %m signals %b : !answer, !bar
    pallas.barrier_wait %b : !bar
    pallas.barrier_wait %b : !bar
  }
  return
}

func.func @unasked() -> tensor<4xi32> {
  %0 = pallas.mpmd_map out(tensor<4xi32>)
      kernel @unasked on <gpu, [<grid "i" = 4>]> (%o: !out, %m: !answer) {
    %own = pallas.axis_index "i"
    // UNASKED: launch-control.mlir:[[@LINE+1]]:18: error: uninitialised read: 'pallas.query_cluster_cancel' reads element {{.*}} which nothing has written
    %i, %found = pallas.query_cluster_cancel %m along ["i"] : !answer
    %c-1 = arith.constant -1 : i32
    %v = arith.select %found, %c-1, %own : i32
    pallas.swap %o[%own], %v : !out, i32
  }
  return %0 : tensor<4xi32>
}

func.func @unchecked() -> tensor<4xi32> {
  %0 = pallas.mpmd_map out(tensor<4xi32>)
      kernel @unchecked on <gpu, [<grid "i" = 4>]> (%o: !out, %m: !answer, %b: !bar) {
    %own = pallas.axis_index "i"
    pallas.try_cluster_cancel %m signals %b : !answer, !bar
    pallas.barrier_wait %b : !bar
    // UNCHECKED: launch-control.mlir:[[@LINE+1]]:18: error: uninitialised read: 'pallas.query_cluster_cancel' reads the index of work that was not found at grid point {{.*}}, which nothing has written
    %i, %found = pallas.query_cluster_cancel %m along ["i"] : !answer
    %v = arith.addi %own, %i : i32
    pallas.swap %o[%own], %v : !out, i32
  }
  return %0 : tensor<4xi32>
}
