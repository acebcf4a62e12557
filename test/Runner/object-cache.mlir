// A compiled object is used again by the same program, not by one that was
// built anew, also where the program is found by way of PATH.
// RUN: rm -rf %t && mkdir %t && cp %build/bin/pallas-run %t/pallas-run
// RUN: env PALLAS_CACHE_DIR=%t/cache PATH=%t pallas-run %s
// RUN: env PALLAS_CACHE_DIR=%t/cache PATH=%t pallas-run %s
// RUN: ls %t/cache | wc -l | FileCheck %s --check-prefix=ONE
// RUN: touch -d '2000-01-01' %t/pallas-run
// RUN: env PALLAS_CACHE_DIR=%t/cache PATH=%t pallas-run %s
// RUN: ls %t/cache | wc -l | FileCheck %s --check-prefix=TWO

// ONE: {{^}}1{{$}}
// TWO: {{^}}2{{$}}

func.func @answer() -> tensor<2xi32> {
  %0 = arith.constant dense<42> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
