// Runs that never end do so with --time-limit, at the operation that loops or
// waits.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %root/examples/make-input.py %t/x.npy 8
// RUN: not pallas-run %s --no-cache --time-limit=1 --entry spins --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=SPINS
// RUN: not pallas-run %s --no-cache --time-limit=1 --entry spins --in %t/x.npy -O0 2>&1 | FileCheck %s --check-prefix=SPINS
// RUN: not pallas-run %s --no-cache --time-limit=1 --entry spins --in %t/x.npy --check 2>&1 | FileCheck %s --check-prefix=SPINS
// RUN: not pallas-run %s --no-cache --time-limit=1 --entry long --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=LONG

// A device that waits for one that loops comes behind it.
// RUN: not pallas-run %s --no-cache --time-limit=1 --entry one_spins --devices=2 --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=BOTH

// The timeline has what came before.
// RUN: not pallas-run %s --no-cache --time-limit=1 --entry one_spins --devices=2 --in %t/x.npy --perfetto=%t/part.json 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: FileCheck %s --check-prefix=PART --input-file=%t/part.json

// Code from the cache has lines. A run that ends has results.
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --entry ends --in %t/x.npy --out %t/y.npy
// RUN: env PALLAS_CACHE_DIR=%t/cache pallas-run %s --time-limit=60 --entry ends --in %t/x.npy --out %t/z.npy
// RUN: cmp %t/y.npy %t/z.npy
// RUN: env PALLAS_CACHE_DIR=%t/cache not pallas-run %s --time-limit=1 --entry spins --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=SPINS
// RUN: env PALLAS_CACHE_DIR=%t/cache not pallas-run %s --time-limit=1 --entry spins --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=SPINS

// RUN: not pallas-run %s --time-limit=0 --entry ends --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pallas-run %s --time-limit=-1 --entry ends --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pallas-run %s --time-limit=0.5 --entry ends --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pallas-run %s --time-limit=4294967296 --entry ends --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pallas-run %s --time-limit=0 --diff-passes --entry ends --in %t/x.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pallas-run %s --time-limit=1 --emit=obj -o %t/never.npy 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: not ls %t/never.npy

// BAD: pallas-run: '{{.*}}' is no --time-limit; give whole seconds, from 1 to 4294967295
// OBJECT: leave out --time-limit

!x = !pallas.ref<8xf32, vmem>
!any = !pallas.ref<8xf32, any>
!sem = !pallas.ref<!pallas.semaphore, semaphore>

// SPINS: time-limit.mlir:[[@LINE+6]]:10: error: the run has not ended within 1 second; 'scf.while' still runs here
// SPINS: pallas-run: the run has not ended within 1 second; a longer --time-limit lets it go on
func.func @spins(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem> kernel(%xr: !x, %or: !x) {
    %v = pallas.get %xr[...] : !x
    %r = scf.while (%a = %v) : (tensor<8xf32>) -> tensor<8xf32> {
      %true = arith.constant true
      scf.condition(%true) %a : tensor<8xf32>
    } do {
    ^bb0(%a: tensor<8xf32>):
      %b = arith.addf %a, %a : tensor<8xf32>
      %old = pallas.swap %or[...], %b : !x, tensor<8xf32>
      scf.yield %b : tensor<8xf32>
    }
  }
  return %o : tensor<8xf32>
}

// The call loops over its grid.
// LONG: time-limit.mlir:[[@LINE+2]]:8: error: the run has not ended within 1 second; 'pallas.pallas_call' still runs here
func.func @long(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(1000000, 1000000)
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !x, %or: !x) {
    %v = pallas.get %xr[...] : !x
    %e = math.exp %v : tensor<8xf32>
    %old = pallas.swap %or[...], %e : !x, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

func.func @one_spins(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[8], any>
      out(tensor<8xf32>) block<[8], any>
      kernel(%xr: !any, %or: !any, %s: !sem) {
    %me = pallas.device_id
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %me, %c0 : i32
    pallas.semaphore_signal %s, %c1 : !sem
    pallas.semaphore_wait %s, %c1 : !sem
    scf.if %first {
      // BOTH: time-limit.mlir:[[@LINE+1]]:7: error: {{.*}}'scf.while' still runs here
      scf.while : () -> () {
        %true = arith.constant true
        scf.condition(%true)
      } do {
        %v = pallas.get %xr[...] : !any
        %old = pallas.swap %or[...], %v : !any, tensor<8xf32>
        scf.yield
      }
      pallas.semaphore_signal %s, %c1 device logical(%c1) : !sem
    } else {
      // BOTH: time-limit.mlir:[[@LINE+2]]:7: error: {{.*}}'pallas.semaphore_wait' still waits here
      // PART: {"args":{"place":"{{.*}}","unfinished":true}
      pallas.semaphore_wait %s, %c1 : !sem
    }
  }
  return %o : tensor<8xf32>
}

func.func @ends(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
