// RUN: pallas-opt %s --pallas-join-aliased-refs | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(64, dtype=np.float32).reshape(8, 8))"
// RUN: pallas-run %s --entry=refs --in %t/x.npy --diff-passes=pallas-join-aliased-refs | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// Reads of the input go to the output, which is the same array.
// CHECK-LABEL: func.func @refs
// CHECK: kernel{{.*}}(%[[IN:.*]]: !pallas.ref<8x8xf32, hbm>, %[[OUT:.*]]: !pallas.ref<8x8xf32, hbm>)
// CHECK: pallas.get %[[OUT]][...]
// CHECK: pallas.swap %[[OUT]][...]
func.func @refs(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8x8xf32>)
      out(tensor<8x8xf32>)
      aliases [0 -> 0]
      kernel on <tensorcore, [<core "c" = 1>]> (%xr: !pallas.ref<8x8xf32, hbm>, %or: !pallas.ref<8x8xf32, hbm>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, hbm>
    %w = arith.addf %v, %v : tensor<8x8xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x8xf32, hbm>, tensor<8x8xf32>
  }
  return %o : tensor<8x8xf32>
}

// Windows are copies of their own, and each keeps its name.
// CHECK-LABEL: func.func @windows
// CHECK: kernel(%[[IN:.*]]: !pallas.ref<4x8xf32, vmem>, %[[OUT:.*]]: !pallas.ref<4x8xf32, vmem>)
// CHECK: pallas.get %[[IN]][...]
// CHECK: pallas.swap %[[OUT]][...]
func.func @windows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8x8xf32>) block<[4, 8], vmem> map(%i) -> (%i, 0)
      out(tensor<8x8xf32>) block<[4, 8], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<4x8xf32, vmem>, %or: !pallas.ref<4x8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4x8xf32, vmem>, tensor<4x8xf32>
  }
  return %o : tensor<8x8xf32>
}
