// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

!g = !pallas.ref<64x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK-LABEL: func.func @predicates
// CHECK-NEXT: pallas.copy_gmem_to_smem %{{.*}} to %{{.*}} signals %{{[^ ]*}} : !pallas.ref
// CHECK-NEXT: pallas.copy_smem_to_gmem %{{.*}} to %{{[^ ]*}} : !pallas.ref
// CHECK-NEXT: pallas.commit_smem_to_gmem_group
// CHECK-NEXT: return
func.func @predicates(%g: !g, %s: !s, %bar: !bar) {
  %true = arith.constant true
  %false = arith.constant false
  pallas.copy_gmem_to_smem %g to %s signals %bar if %true : !g, !s, !bar
  pallas.copy_gmem_to_smem %g to %s signals %bar if %false : !g, !s, !bar
  pallas.copy_smem_to_gmem %s to %g if %true : !s, !g
  // An empty group is one that a wait counts.
  pallas.copy_smem_to_gmem %s to %g if %false : !s, !g
  pallas.copy_smem_to_gmem %s to %g if %false {commitGroup = false} : !s, !g
  return
}

// -----

// CHECK-LABEL: func.func @layouts
// CHECK: %[[A:.*]] = pallas.layout_cast %{{.*}} layout "wgmma"
// CHECK-NEXT: %[[B:.*]] = pallas.layout_cast %[[A]] {{.*}} layout "strided"
// CHECK-NEXT: return %[[B]]
func.func @layouts(%v: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.layout_cast %v : tensor<128x128xf32> layout "wgmma"
  %1 = pallas.layout_cast %0 : tensor<128x128xf32> layout "wgmma"
  %2 = pallas.layout_cast %1 : tensor<128x128xf32> layout "strided"
  return %2 : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @prefetch
// CHECK-NEXT: pallas.async_prefetch
func.func @prefetch(%g: !pallas.ref<64x64xf16, gmem>) {
  pallas.async_prefetch %g : !pallas.ref<64x64xf16, gmem>
  return
}
