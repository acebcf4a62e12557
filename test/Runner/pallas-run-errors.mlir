// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/arrays.py %t
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pallas-run %s --no-cache --entry double --in %t/shape.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not pallas-run %s --no-cache --entry double --in %t/dtype.npy 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not pallas-run %s --no-cache --entry double --in %t/magic.npy 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: not pallas-run %s --no-cache --entry double --in %t/truncated.npy 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// RUN: not pallas-run %s --no-cache --entry double --in %t/fortran.npy 2>&1 | FileCheck %s --check-prefix=FORTRAN
// RUN: not pallas-run %s --no-cache --entry double --in %t/missing.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not pallas-run %s --no-cache --entry triple --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not pallas-run %s --no-cache --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=CHOOSE
// RUN: not pallas-run %s --no-cache --entry waits --in %t/good.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: not pallas-run %s --no-cache --entry double --in %t/truncated.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// RUN: not pallas-run %s --no-cache --check --entry unwritten --in %t/good.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --out %t/never.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --out %t/nowhere/out.npy 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --cpu=x86-64-v5 --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy -O9 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --diff-passes --tolerance=nan 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --tolerance=1 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not pallas-run %s --no-cache --entry double --in %t/good.npy --diff-passes --check 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not pallas-run %S/Inputs/not-on-cpus.mlir --no-cache --in %t/good.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not pallas-run %t/good.npy --no-cache 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not pallas-run %s --no-cache --entry both --in %t/good.npy --out %t/never.npy --out %t/nowhere/out.npy 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not pallas-run %s --no-cache --entry both --in %t/good.npy --out %t/never.npy --out %t 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// RUN: not pallas-run %s --no-cache --entry both --in %t/good.npy --out %t/never.npy --out /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not pallas-run %s --no-cache --entry both --devices=2 --in %t/good.npy --out %t/never.npy --out %t/nowhere/out.npy 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not pallas-run %s --no-cache --entry both --devices=x=2,x=2 --in %t/good.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=AXES
// RUN: not ls %t/never.npy
// RUN: pallas-run %s --no-cache --entry double --in %t/good.npy --out %t/out.npy
// RUN: %python %S/Inputs/arrays.py %t check

// COUNT: pallas-run: 'double' has 1 inputs, but 2 --in were given
// SHAPE: pallas-run: input 0 of 'double' is tensor<4x8xf32>, but tensor<8x4xf32> was given
// DTYPE: dtype.npy: holds elements of NumPy type '<f8', but the function takes f32
// MAGIC: magic.npy: not a .npy file
// TRUNCATED: truncated.npy: truncated: 128 bytes of data expected, 28 present
// FORTRAN: fortran.npy: stored in Fortran order
// MISSING: missing.npy: No such file or directory
// ENTRY: the module has no function 'triple'; it has double, waits, unwritten
// CHOOSE: the module has 4 functions (double, waits, unwritten, both); choose one with --entry
// UNWRITTEN: error: output not written: 'pallas.pallas_call' returns element [0, 0] of output 0
// OUTPUTS: pallas-run: 'double' has 1 results, but 2 --out were given
// DIRECTORY: is a directory; name a file in it
// FULL: /dev/full: No space left on device
// AXES: 'x=2,x=2' is no mesh of devices; {{.*}}each with a name of its own
// NOWHERE: nowhere/out.npy{{.*}}: No such file or directory
// FEATURE: pallas-run: there is no CPU 'x86-64-v5'; the nearest names are {{.*}} and native is the CPU of this machine
// LEVEL: pallas-run: there is no optimization level 9; use one from -O0 to -O3
// TOLERANCE: pallas-run: a --tolerance of nan lets nothing be equal; use one of at least 0
// ALONE: pallas-run: --tolerance belongs to --diff-passes; name that, too
// PLAIN: pallas-run: --diff-passes compares plain runs on one device; leave out --check
// FORM: not-on-cpus.mlir":7:{{.*}}takes memory of several devices
// MODULE: good.npy is not a valid module
// DEADLOCK: pallas-run-errors.mlir{{.*}}deadlock: this waits for a semaphore that nothing is left to signal: it is 0, and the wait is for

func.func @double(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.addf %x, %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @waits(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], vmem>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !pallas.ref<4x8xf32, vmem>, %or: !pallas.ref<4x8xf32, vmem>,
             %s: !pallas.ref<!pallas.semaphore, semaphore>) {
    %c1 = arith.constant 1 : i32
    pallas.semaphore_wait %s, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return %o : tensor<4x8xf32>
}

func.func @unwritten(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid() out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%or: !pallas.ref<4x8xf32, vmem>) {
  }
  return %o : tensor<4x8xf32>
}

// Either all files appear or none.
func.func @both(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y = arith.addf %x, %x : tensor<4x8xf32>
  return %x, %y : tensor<4x8xf32>, tensor<4x8xf32>
}
