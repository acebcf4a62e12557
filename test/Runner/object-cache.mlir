// A compiled object is used again by the same program, not by one that was
// built anew, also where the program is found by way of PATH.
// RUN: rm -rf %t && mkdir %t && cp %build/bin/pallas-run %t/pallas-run
// RUN: env PALLAS_CACHE_DIR=%t/cache PATH=%t pallas-run %s
// RUN: env PALLAS_CACHE_DIR=%t/cache PATH=%t pallas-run %s
// RUN: ls %t/cache/llvmcache-* | wc -l | FileCheck %s --check-prefix=ONE
// RUN: touch -d '2000-01-01' %t/pallas-run
// RUN: env PALLAS_CACHE_DIR=%t/cache PATH=%t pallas-run %s
// RUN: ls %t/cache/llvmcache-* | wc -l | FileCheck %s --check-prefix=TWO

// An entry that is damaged is compiled anew, and a folder that others can write
// is refused.
// RUN: rm -rf %t/cache && env PALLAS_CACHE_DIR=%t/cache pallas-run %s --time 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --time 2>&1 | FileCheck %s --check-prefix=CACHED
// RUN: truncate -s -1 %t/cache/llvmcache-*
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --time 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --time 2>&1 | FileCheck %s --check-prefix=CACHED
// RUN: env PALLAS_CACHE=0 PALLAS_CACHE_DIR=%t/cache pallas-run %s --time 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: chmod g+w %t/cache
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --time 2>&1 | FileCheck %s --check-prefixes=REFUSED,COMPILED

// REFUSED: warning: compiled code is not kept in '{{.*}}/cache': what is kept there is run, and the folder can be written by others (mode 720); take that right away with chmod go-w; PALLAS_CACHE_DIR names another folder, and with PALLAS_CACHE=0 nothing is kept
// COMPILED: compile: {{[0-9.]+}} ms{{$}}
// CACHED: compile: {{[0-9.]+}} ms (cached){{$}}
// ONE: {{^}}1{{$}}
// TWO: {{^}}2{{$}}

func.func @answer() -> tensor<2xi32> {
  %0 = arith.constant dense<42> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
