// The LLVM module that code is made from, also where an object is cached.
// RUN: rm -rf %t && mkdir %t
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --dump-llvm=%t/first.ll
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --dump-llvm=%t/second.ll
// RUN: FileCheck %s < %t/first.ll
// RUN: FileCheck %s < %t/second.ll
// RUN: not pallas-run %s --no-cache --dump-llvm=%t/missing/a.ll 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not pallas-run %s --no-cache --dump-llvm=/dev/full 2>&1 | FileCheck %s --check-prefix=FULL

// CHECK: define void @_pallas_packed_answer(ptr
// ERROR: pallas-run: {{.*}}missing/a.ll: No such file or directory
// FULL: pallas-run: /dev/full: No space left on device

func.func @answer() -> tensor<2xi32> {
  %0 = arith.constant dense<42> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
