// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(32, dtype=np.float32).reshape(4, 8)); np.save('%t/n.npy', np.arange(8, dtype=np.int32))"
// RUN: pallas-run %s --entry=reverse --in %t/x.npy --diff-passes | FileCheck %s --check-prefix=CLEAN
// RUN: not pallas-test-run %s --entry=reverse --in %t/x.npy \
// RUN:     --diff-passes='canonicalize,pallas-discharge-state,func.func(cse,test-swap-subtraction),canonicalize' > %t/report 2> %t/error
// RUN: FileCheck %s --check-prefix=WRONG < %t/report
// RUN: FileCheck %s --check-prefix=ERROR < %t/error
// RUN: pallas-test-run %s --entry=reverse --in %t/x.npy --tolerance=10 \
// RUN:     --diff-passes=test-swap-subtraction | FileCheck %s --check-prefix=NEAR
// RUN: not pallas-run %s --entry=reverse --in %t/x.npy --diff-passes=nonsense 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: pallas-run %s --entry=reverse --in %t/x.npy --diff-passes=canonicalize --out %t/o.npy
// RUN: %python -c "import numpy as np; np.testing.assert_allclose(np.load('%t/o.npy'), np.e - np.load('%t/x.npy'), rtol=1e-5)"
// RUN: not pallas-run %s --entry=backward --in %t/x.npy --diff-passes 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not pallas-run %s --entry=reverse --in %t/x.npy --tolerance=3 2>&1 | FileCheck %s --check-prefix=NO-DIFF
// RUN: not pallas-test-run %s --entry=reverse --in %t/x.npy --diff-passes=canonicalize,test-crash,cse | FileCheck %s --check-prefix=CRASH
// RUN: not pallas-test-run %s --entry=reverse --in %t/x.npy --diff-passes=canonicalize,test-crash-code,cse | FileCheck %s --check-prefix=CODE
// RUN: not pallas-test-run %s --entry=reverse --in %t/x.npy --diff-passes=test-endless-code,cse --time-limit=2 | FileCheck %s --check-prefix=ENDLESS
// RUN: not pallas-test-run %s --entry=reverse --in %t/x.npy --diff-passes=cse,test-fail,canonicalize 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not pallas-run %s --entry=reverse --in %t/n.npy --diff-passes 2>&1 | FileCheck %s --check-prefix=INPUT

// The module is executed after every pass, nested ones too, down to LLVM.
// CLEAN: pallas-to-llvm: [[PASSES:[0-9]+]] passes, executed after [[PASSES]]{{$}}
// CLEAN-NEXT: no pass changes the answer
// CLEAN: pallas-discharge-state,canonicalize,cse,pallas-to-llvm: [[MORE:[0-9]+]] passes, executed after [[MORE]]{{$}}
// CLEAN-NEXT: no pass changes the answer

// WRONG: pass 4, test-swap-subtraction on func.func @reverse, changes the answer: 32 of 32 elements of result 0 differ; at [0, 0] it is
// ERROR: pallas-run: a pass changes the answer
// NEAR: no pass changes the answer
// BAD: pallas-run: bad --diff-passes: {{.*}}'nonsense' does not refer to a registered pass
// ENTRY: pallas-run: the module has no function 'backward'; it has reverse
// NO-DIFF: --tolerance belongs to --diff-passes; name that, too

// Neither a pass that crashes nor code that does ends the tool; both are named.
// CRASH: 2 passes, executed after 1
// CRASH-NEXT: pass 2, test-crash on builtin.module, changes the answer: the pass itself ends with signal 6 (Aborted)
// CODE: pass 2, test-crash-code on builtin.module, changes the answer: its code ends with signal 4 (Illegal instruction)
// ENDLESS: pass 1, test-endless-code on builtin.module, changes the answer: its code does not end in time
// FAIL: pass 2, test-fail on builtin.module, fails
// INPUT: holds elements of NumPy type '<i4', but the function takes f32
func.func @reverse(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<4x8xf32>) block<[2, 8], vmem> map(%i) -> (%i, 0)
      out(tensor<4x8xf32>) block<[2, 8], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<2x8xf32, vmem>, %or: !pallas.ref<2x8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2x8xf32, vmem>
    %c = arith.constant dense<1.0> : tensor<2x8xf32>
    %e = math.exp %c : tensor<2x8xf32>
    %d = arith.subf %e, %v : tensor<2x8xf32>
    pallas.swap %or[...], %d : !pallas.ref<2x8xf32, vmem>, tensor<2x8xf32>
  }
  return %o : tensor<4x8xf32>
}
