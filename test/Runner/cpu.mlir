// RUN: rm -rf %t && mkdir %t
// RUN: pallas-run %s --no-cache --cpu=diamondrapids --emit=obj -o %t/new.o
// RUN: llvm-nm %t/new.o | FileCheck %s --check-prefix=OBJECT
// RUN: not pallas-run %s --no-cache --cpu=diamondrapids 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: env PALLAS_CPU=diamondrapids not pallas-run %s --no-cache 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: env PALLAS_CPU=diamondrapids pallas-run %s --no-cache --cpu=native
// RUN: not pallas-run %s --no-cache --cpu=native --pipeline-options=cpu=x86-64 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: pallas-run %s --no-cache --pipeline-options=cpu=x86-64
// RUN: not pallas-run %s --emit=obj 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not pallas-run %s -o %t/never.o 2>&1 | FileCheck %s --check-prefix=RESULTS
// RUN: not pallas-run %s --emit=obj -o %t/never.o --time 2>&1 | FileCheck %s --check-prefix=TIME

// Code that is lowered already is for one CPU.
// RUN: pallas-opt %s --pallas-to-llvm=cpu=x86-64-v2 -o %t/lowered.mlir
// RUN: env -u PALLAS_CPU pallas-run %t/lowered.mlir --no-cache
// RUN: pallas-run %t/lowered.mlir --no-cache --cpu=x86-64-v2
// RUN: not pallas-run %t/lowered.mlir --no-cache --cpu=x86-64 2>&1 | FileCheck %s --check-prefix=LOWERED

// Objects of one CPU are not those of another.
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --cpu=x86-64 --time 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --cpu=x86-64-v2 --time 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: env PALLAS_CACHE_DIR=%t/cache PALLAS_CPU=x86-64 pallas-run %s --time 2>&1 | FileCheck %s --check-prefix=CACHED
// RUN: not ls %t/never.o

// OBJECT: T _pallas_packed_one
// LACKS: pallas-run: the CPU 'diamondrapids' has {{.*}}avx10.2{{.*}}, which this machine lacks ('{{.*}}'); choose a CPU that has no more than this machine, or native
// TWO: pallas-run: the engine is asked for the CPU 'native', and its pipeline for 'x86-64'; name one
// FILE: pallas-run: --emit=obj needs a file for the object; name it with -o
// RESULTS: pallas-run: -o is for what --emit makes; results go to files with --out
// TIME: pallas-run: --emit=obj makes an object of the whole module and runs nothing; leave out --time
// LOWERED: pallas-run: the module was lowered for the CPU 'x86-64-v2', and can't be compiled for 'x86-64'; lower it with --pallas-to-llvm=cpu=x86-64
// COMPILED: compile:
// COMPILED-NOT: cached
// CACHED: cached

func.func @one() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
