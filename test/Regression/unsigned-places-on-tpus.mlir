// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(126, dtype=np.int32).reshape(126, 1)); np.save('%t/i.npy', np.array([2**32 - 57], np.uint32).view(np.int32))"
// RUN: pallas-run %s --in %t/x.npy --in %t/i.npy --out %t/clip.npy --out %t/fill.npy --diff-passes=pallas-decompose-gather-scatter | FileCheck %s
// RUN: pallas-opt %s --pallas-decompose-gather-scatter | FileCheck %s --check-prefix=FORM

// CHECK: executed after 1
// CHECK-NEXT: no pass changes the answer

// The bug: places without a sign come as 64 bits, of which the lowering for TPUs took the lower 32. The
// largest ones were negative then, and `clip` took the first row for the last.

// FORM: %[[LARGEST:.*]] = arith.constant dense<2147483647> : tensor<1x1xi32>
// FORM: arith.minui %{{.*}}, %[[LARGEST]] : tensor<1x1xi32>
func.func @far(%x: tensor<126x1xi32>, %i: tensor<1xi32>) -> (tensor<1x1xi32>, tensor<1x1xi32>) {
  %0:2 = pallas.pallas_call grid()
      in(%x : tensor<126x1xi32>) block<[126, 1], default>
      in(%i : tensor<1xi32>) block<[1], default>
      out(tensor<1x1xi32>) block<[1, 1], default>
      out(tensor<1x1xi32>) block<[1, 1], default>
      kernel(%xr: !pallas.ref<126x1xi32, default>, %ir: !pallas.ref<1xi32, default>, %clipped: !pallas.ref<1x1xi32, default>, %filled: !pallas.ref<1x1xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<126x1xi32, default>
    %at = pallas.get %ir[...] : !pallas.ref<1xi32, default>
    %places = pallas.broadcast %at dims [0] : tensor<1xi32> -> tensor<1x1xi32>
    %wide = arith.extui %places : tensor<1x1xi32> to tensor<1x1xi64>
    %last = pallas.gather %v at %wide offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 1] mode clip : tensor<126x1xi32>, tensor<1x1xi64> -> tensor<1x1xi32>
    pallas.swap %clipped[...], %last : !pallas.ref<1x1xi32, default>, tensor<1x1xi32>
    %none = pallas.gather %v at %wide offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 1] mode fill : tensor<126x1xi32>, tensor<1x1xi64> -> tensor<1x1xi32>
    pallas.swap %filled[...], %none : !pallas.ref<1x1xi32, default>, tensor<1x1xi32>
  }
  return %0#0, %0#1 : tensor<1x1xi32>, tensor<1x1xi32>
}
