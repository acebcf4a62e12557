// RUN: pallas-opt %s --pallas-cpu-fuse | FileCheck %s

// Loops that do nothing go together with what is inside of them.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %a = arith.index_cast %i : index to i32
    scf.for %j = %c0 to %c1 step %c1 {
      %b = arith.index_cast %j : index to i32
      %s = arith.addi %a, %b : i32
    }
  }
  return
}
