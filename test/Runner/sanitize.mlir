// REQUIRES: asan-runtime
// Accesses of compiled code that leave their memory are reported with their
// lines, on the stack, on the heap, in tables and on threads; others are not.
// RUN: rm -rf %t && mkdir %t && %python %root/examples/make-input.py %t/x.npy 4 1024
// RUN: not pallas-run %s --sanitize=address --no-cache --entry small --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not pallas-run %s --sanitize=address --no-cache --entry large --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not pallas-run %s --sanitize=address --no-cache --entry array --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not pallas-run %s --sanitize=address --no-cache --entry vectors --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not pallas-run %s --sanitize=address --no-cache --entry table --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not pallas-run %s --sanitize=address --no-cache --entry threads --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: pallas-run %s --sanitize=address --no-cache --entry inside --in %t/x.npy --out %t/y.npy
// RUN: pallas-run %s --no-cache --entry inside --in %t/x.npy --out %t/z.npy
// RUN: cmp %t/y.npy %t/z.npy

// The cache tells code with checks from code without.
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --entry inside --in %t/x.npy
// RUN: env PALLAS_CACHE_DIR=%t/cache PALLAS_SANITIZE=address pallas-run %s --time --entry inside --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: env PALLAS_CACHE_DIR=%t/cache PALLAS_SANITIZE=address not pallas-run %s --time --entry large --in %t/x.npy 2>&1 | FileCheck %s --check-prefixes=COMPILED,LARGE
// RUN: env PALLAS_CACHE_DIR=%t/cache PALLAS_SANITIZE=address not pallas-run %s --time --entry large --in %t/x.npy 2>&1 | FileCheck %s --check-prefixes=CACHED,LARGE

// RUN: not pallas-run %s --sanitize=memory --entry inside --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: env PALLAS_SANITIZE=memory not pallas-run %s --entry inside --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=VARIABLE

// COMPILED: compile: {{[0-9.]+}} ms{{$}}
// CACHED: compile: {{[0-9.]+}} ms (cached)
// UNKNOWN: there is no sanitizer 'memory'; the one that compiled code knows is 'address'
// VARIABLE: PALLAS_SANITIZE is 'memory'; the sanitizer that compiled code knows is 'address'

// SMALL: AddressSanitizer: stack-buffer-overflow
// SMALL: In compiled code:
// SMALL-NEXT: WRITE of size 4
// SMALL-NEXT: #0 {{.*}} in small at {{.*}}sanitize.mlir:[[@LINE+8]]:5
func.func @small(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloc() : memref<100xf32>
  %x = arith.constant 1.0 : f32
  %end = arith.constant 101 : index
  scf.for %i = %zero to %end step %one {
    memref.store %x, %m[%i] : memref<100xf32>
  }
  %v = memref.load %m[%zero] : memref<100xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}

// Without checks these two share one allocation, where the second begins at the
// end of the first.
// LARGE: AddressSanitizer: heap-buffer-overflow
// LARGE: In compiled code:
// LARGE-NEXT: WRITE of size 4
// LARGE-NEXT: #0 {{.*}} in large at {{.*}}sanitize.mlir:[[@LINE+9]]:5
func.func @large(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloc() : memref<20000xf32>
  %n = memref.alloc() : memref<20000xf32>
  %x = arith.constant 1.0 : f32
  %end = arith.constant 20001 : index
  scf.for %i = %zero to %end step %one {
    memref.store %x, %m[%i] : memref<20000xf32>
  }
  memref.copy %m, %n : memref<20000xf32> to memref<20000xf32>
  %v = memref.load %n[%zero] : memref<20000xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}

// ARRAY: AddressSanitizer: heap-buffer-overflow
// ARRAY: In compiled code:
// ARRAY-NEXT: READ of size 4
// ARRAY-NEXT: #0 {{.*}} in array at {{.*}}sanitize.mlir:[[@LINE+8]]:10
func.func @array(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 0.0 : f32
  %row = arith.constant 3 : index
  %end = arith.constant 1025 : index
  %sum = scf.for %i = %zero to %end step %one iter_args(%s = %x) -> f32 {
    %v = tensor.extract %a[%row, %i] : tensor<4x1024xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %r = tensor.from_elements %sum : tensor<f32>
  return %r : tensor<f32>
}

// VECTORS: AddressSanitizer: heap-buffer-overflow
// VECTORS: In compiled code:
// VECTORS-NEXT: WRITE of size 64
// VECTORS-NEXT: #0 {{.*}} in vectors at {{.*}}sanitize.mlir:[[@LINE+10]]:5
func.func @vectors(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloc() : memref<20000xf32>
  %x = arith.constant dense<1.0> : vector<16xf32>
  %start = arith.constant 8 : index
  %end = arith.constant 20000 : index
  %step = arith.constant 16 : index
  scf.for %i = %start to %end step %step {
    vector.store %x, %m[%i] : memref<20000xf32>, vector<16xf32>
  }
  %v = memref.load %m[%zero] : memref<20000xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}

memref.global "private" constant @numbers : memref<100xf32> = dense<2.0>
// TABLE: AddressSanitizer: global-buffer-overflow
// TABLE: In compiled code:
// TABLE-NEXT: READ of size 4
// TABLE-NEXT: #0 {{.*}} in table at {{.*}}sanitize.mlir:[[@LINE+8]]:10
func.func @table(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %m = memref.get_global @numbers : memref<100xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 0.0 : f32
  %end = arith.constant 101 : index
  %sum = scf.for %i = %zero to %end step %one iter_args(%s = %x) -> f32 {
    %v = memref.load %m[%i] : memref<100xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %r = tensor.from_elements %sum : tensor<f32>
  return %r : tensor<f32>
}

// THREADS: AddressSanitizer: heap-buffer-overflow
// THREADS: In compiled code:
// THREADS-NEXT: WRITE of size 4
// THREADS-NEXT: #0 {{.*}} in threads{{.*}} at {{.*}}sanitize.mlir:[[@LINE+8]]:5
func.func @threads(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloc() : memref<20000xf32>
  %x = arith.constant 1.0 : f32
  %end = arith.constant 20008 : index
  scf.parallel (%i) = (%zero) to (%end) step (%one) {
    memref.store %x, %m[%i] : memref<20000xf32>
    scf.reduce
  }
  %v = memref.load %m[%zero] : memref<20000xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}

func.func @inside(%a: tensor<4x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloc() : memref<20000xf32>
  %x = arith.constant 1.0 : f32
  %end = arith.constant 20000 : index
  scf.parallel (%i) = (%zero) to (%end) step (%one) {
    memref.store %x, %m[%i] : memref<20000xf32>
    scf.reduce
  }
  %v = memref.load %m[%zero] : memref<20000xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}
