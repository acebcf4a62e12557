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
// RUN: not pallas-run %s --entry=reverse --in %t/x.npy --diff-passes --out %t/o.npy 2>&1 | FileCheck %s --check-prefix=OUT
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
// OUT: --diff-passes compares results and writes none; leave out --out
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
