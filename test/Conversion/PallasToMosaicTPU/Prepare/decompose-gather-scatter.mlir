// RUN: pallas-opt %s --pallas-decompose-gather-scatter | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(96, dtype=np.float32).reshape(12, 8)); np.save('%t/i.npy', np.array([[3], [0], [11], [3]], np.int32))"
// RUN: pallas-run %s --entry=rows --in %t/x.npy --in %t/i.npy --diff-passes=pallas-decompose-gather-scatter | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=updates --in %t/x.npy --in %t/i.npy --diff-passes=pallas-decompose-gather-scatter | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// Whole rows are taken along their dimension.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: pallas.gather
// CHECK: pallas.take_along
func.func @rows(%x: tensor<12x8xf32>, %i: tensor<4x1xi32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<12x8xf32>) block<[12, 8], vmem>
      in(%i : tensor<4x1xi32>) block<[4, 1], vmem>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !pallas.ref<12x8xf32, vmem>, %ir: !pallas.ref<4x1xi32, vmem>, %or: !pallas.ref<4x8xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<12x8xf32, vmem>
    %at = pallas.get %ir[...] : !pallas.ref<4x1xi32, vmem>
    %g = pallas.gather %a at %at offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 8] mode promise_in_bounds : tensor<12x8xf32>, tensor<4x1xi32> -> tensor<4x8xf32>
    pallas.swap %or[...], %g : !pallas.ref<4x8xf32, vmem>, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}

// One update after the other.
// CHECK-LABEL: func.func @updates
// CHECK-NOT: pallas.scatter
// CHECK-COUNT-4: arith.select
func.func @updates(%x: tensor<12x8xf32>, %i: tensor<4x1xi32>) -> tensor<12x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<12x8xf32>) block<[12, 8], vmem>
      in(%i : tensor<4x1xi32>) block<[4, 1], vmem>
      out(tensor<12x8xf32>) block<[12, 8], vmem>
      kernel(%xr: !pallas.ref<12x8xf32, vmem>, %ir: !pallas.ref<4x1xi32, vmem>, %or: !pallas.ref<12x8xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<12x8xf32, vmem>
    %at = pallas.get %ir[...] : !pallas.ref<4x1xi32, vmem>
    %u = pallas.get %xr[ds(0, 4), :] : !pallas.ref<12x8xf32, vmem>
    %g = pallas.scatter combining <add> %a at %at, %u window [1] inserted [0] batching [] x [] map [0] : tensor<12x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>
    pallas.swap %or[...], %g : !pallas.ref<12x8xf32, vmem>, tensor<12x8xf32>
  }
  return %o : tensor<12x8xf32>
}
