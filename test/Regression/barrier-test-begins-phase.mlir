// A test that found its phase complete left the phase, so that the next test or
// wait was for the same one; on GPUs it is a wait that does not block.
// RUN: pallas-run %s --no-cache --entry=alone | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=alone --check | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=alone | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=shared | FileCheck %s --check-prefix=SHARED
// RUN: pallas-run %s --no-cache --entry=shared --check | FileCheck %s --check-prefix=SHARED

!b = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK: one arrival: 0
// CHECK: two arrivals: 1
// CHECK: again: 0
// CHECK: next phase: 1
func.func @alone() {
  pallas.run_scoped (%b: !b) {
    pallas.barrier_arrive %b : !b
    %0 = pallas.barrier_test %b : !b
    pallas.debug_print "one arrival: {}" %0 : i1 {unsignedValues = array<i1: true>}
    pallas.barrier_arrive %b : !b
    %1 = pallas.barrier_test %b : !b
    pallas.debug_print "two arrivals: {}" %1 : i1 {unsignedValues = array<i1: true>}
    %2 = pallas.barrier_test %b : !b
    pallas.debug_print "again: {}" %2 : i1 {unsignedValues = array<i1: true>}
    pallas.barrier_arrive %b : !b
    pallas.barrier_arrive %b : !b
    %3 = pallas.barrier_test %b : !b
    pallas.debug_print "next phase: {}" %3 : i1 {unsignedValues = array<i1: true>}
  }
  return
}

// Each warpgroup counts the phases that it has seen.

// SHARED-COUNT-2: again: 0
// SHARED-NOT: again
func.func @shared() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>, <thread "wg" = 2>]> () {
    pallas.run_scoped (%b: !b) collective ["wg"] {
      pallas.barrier_arrive %b : !b
      %first = pallas.barrier_test %b : !b
      scf.while (%done = %first) : (i1) -> () {
        %true = arith.constant true
        %more = arith.xori %done, %true : i1
        scf.condition(%more)
      } do {
        %done = pallas.barrier_test %b : !b
        scf.yield %done : i1
      }
      %again = pallas.barrier_test %b : !b
      pallas.debug_print "again: {}" %again : i1 {unsignedValues = array<i1: true>}
    }
  }
  return
}
