// An operation without a place has that of the innermost one around it that
// has one.

// RUN: not pallas-run %s --no-cache --check --entry kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not pallas-run %s --no-cache --check --entry branch 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not pallas-run %s --no-cache --check --entry function 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: pallas-run %s --no-cache --check --entry function --allow=uninitialised-read@rows.py:7

!block = !pallas.ref<8x4xf32, vmem>

// KERNEL: call.py:3:5: error: uninitialised read: 'pallas.get'
func.func @kernel() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<8x4xf32>) block<[8, 4], vmem> kernel(%or: !block, %t: !block) {
    %v = pallas.get %t[...] : !block loc(unknown)
    pallas.swap %or[...], %v : !block, tensor<8x4xf32> loc(unknown)
  } loc("call.py":3:5)
  return %o : tensor<8x4xf32> loc(unknown)
} loc("function.py":1:1)

// BRANCH: body.py:5:9: error: uninitialised read: 'pallas.get'
func.func @branch() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<8x4xf32>) block<[8, 4], vmem> kernel(%or: !block, %t: !block) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %one : !block, tensor<8x4xf32>
    scf.if %first {
      %v = pallas.get %t[...] : !block loc(unknown)
      pallas.swap %or[...], %v : !block, tensor<8x4xf32> loc(unknown)
    } loc("body.py":5:9)
  } loc("call.py":3:5)
  return %o : tensor<8x4xf32>
}

// FUNCTION: rows.py:7:1: error: uninitialised read: 'pallas.get'
func.func @function() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid() out(tensor<8x4xf32>) block<[8, 4], vmem> kernel(%or: !block, %t: !block) {
    %v = pallas.get %t[...] : !block loc(unknown)
    pallas.swap %or[...], %v : !block, tensor<8x4xf32> loc(unknown)
  } loc(unknown)
  return %o : tensor<8x4xf32> loc(unknown)
} loc("rows.py":7:1)
