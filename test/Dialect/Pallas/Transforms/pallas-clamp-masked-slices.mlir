// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-clamp-masked-slices | FileCheck %s
// RUN: %python -c "import numpy as np; np.save('%t/n.npy', np.array([0, 8, 16, 20], np.int32)); np.save('%t/x.npy', np.arange(384, dtype=np.float32).reshape(24, 16))"
// RUN: pallas-run %s --entry=hangs_over --in %t/n.npy --in %t/x.npy --diff-passes=pallas-clamp-masked-slices | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// The slice inside that is nearest is accessed, and its elements go back to
// their places.
// CHECK-LABEL: func.func @hangs_over
// CHECK: arith.minsi
// CHECK: %[[INSIDE:.*]] = arith.maxsi
// CHECK: %[[V:.*]] = pallas.get %{{.*}}[ds(%[[INSIDE]], 8), ds(0, 16)]
// CHECK: pallas.roll %[[V]]
// CHECK: arith.select

func.func @hangs_over(%n: tensor<4xi32>, %x: tensor<24x16xf32>) -> tensor<32x16xf32> {
  %o = pallas.pallas_call grid(4) prefetch(%n : tensor<4xi32>)
      in(%x : tensor<24x16xf32>) block<[24, 16], vmem> map(%i) -> (0, 0)
      out(tensor<32x16xf32>) block<[8, 16], vmem> map(%i) -> (%i, 0)
      kernel(%nr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<24x16xf32, vmem>, %or: !pallas.ref<8x16xf32, vmem>) {
    %p = pallas.program_id 0
    %start = pallas.get %nr[%p] : !pallas.ref<4xi32, smem>
    %rows = pallas.iota 0 : tensor<8x16xi32>
    %first = pallas.broadcast %start dims [] : i32 -> tensor<8x16xi32>
    %row = arith.addi %rows, %first : tensor<8x16xi32>
    %end = arith.constant dense<24> : tensor<8x16xi32>
    %mask = arith.cmpi slt, %row, %end : tensor<8x16xi32>
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    %v = pallas.masked_load %xr[ds(%start, 8), :] mask %mask other %zero : !pallas.ref<24x16xf32, vmem>, tensor<8x16xi1>, other tensor<8x16xf32>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
  }
  return %o : tensor<32x16xf32>
}

