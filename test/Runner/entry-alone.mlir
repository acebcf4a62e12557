// With --entry, functions that it does not need are not compiled, at any stage of the module.

// RUN: not pallas-run %s --no-cache --entry=refused 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: pallas-run %s --no-cache --entry=six --dump-llvm=%t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: pallas-opt %s --pallas-to-llvm | pallas-run - --no-cache --entry=six --dump-llvm=%t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: not pallas-run %s --no-cache --entry=nowhere 2>&1 | FileCheck %s --check-prefix=PRIVATE

// REFUSED: nowhere
// PRIVATE: nowhere

// CHECK-NOT: refused
// CHECK-NOT: four
// CHECK: define {{.*}}@_pallas_packed_six
// CHECK-NOT: refused
// CHECK-NOT: four

func.func private @nowhere() -> i32

func.func @refused() -> i32 {
  %0 = call @nowhere() : () -> i32
  return %0 : i32
}

func.func @four() -> i32 {
  %0 = arith.constant 4 : i32
  return %0 : i32
}

func.func @three(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  return %1 : i32
}

func.func @six() -> i32 {
  %0 = arith.constant 2 : i32
  %1 = call @three(%0) : (i32) -> i32
  return %1 : i32
}
