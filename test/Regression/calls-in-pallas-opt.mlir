// The pipelines of pallas-opt inline calls, as those of pallas-run do.
// RUN: pallas-opt %s --pallas-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @six
// CHECK-NOT: llvm.call
// CHECK: llvm.add
func.func private @three(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  return %1 : i32
}

func.func @six(%x: i32) -> i32 {
  %0 = call @three(%x) : (i32) -> i32
  return %0 : i32
}
