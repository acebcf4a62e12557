// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

!r = !pallas.ref<8x128xf32, vmem>
!s = !pallas.ref<16xi32, smem>

// CHECK-LABEL: func.func @accesses
func.func @accesses(%r: !r, %s: !s, %i: i32, %j: index, %a: tensor<5xi32>, %v: tensor<8x128xf32>, %m: tensor<8x128xi1>) {
  // CHECK: pallas.get %{{.*}}[...] : !pallas.ref<8x128xf32, vmem>
  %0 = pallas.get %r[...] : !r
  // CHECK: pallas.get %{{.*}}[ds(%{{.*}}, 4), :]
  %1 = pallas.get %r[ds(%i, 4), :] : !r
  // CHECK: pallas.get %{{.*}}[%{{.*}} index, ds(0, 8, 2)]
  %2 = pallas.get %r[%j index, ds(0, 8, 2)] : !r
  // CHECK: pallas.get %{{.*}}[gather(%{{.*}} : tensor<5xi32>), :]
  %3 = pallas.get %r[gather(%a : tensor<5xi32>), :] : !r
  // CHECK: pallas.get %{{.*}}[3] : !pallas.ref<16xi32, smem>
  %4 = pallas.get %s[3] : !s
  // CHECK: pallas.swap %{{.*}}[...], %{{.*}} : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  %5 = pallas.swap %r[...], %v : !r, tensor<8x128xf32>
  // CHECK: pallas.addupdate
  pallas.addupdate %r[:, :], %v : !r, tensor<8x128xf32>
  // CHECK: pallas.masked_load %{{.*}}[...] mask %{{.*}} other %{{.*}} : !pallas.ref<8x128xf32, vmem>, tensor<8x128xi1>, other tensor<8x128xf32>
  %6 = pallas.masked_load %r[...] mask %m other %v : !r, tensor<8x128xi1>, other tensor<8x128xf32>
  // CHECK: pallas.masked_load %{{.*}}[...] : !pallas.ref<8x128xf32, vmem>
  %7 = pallas.masked_load %r[...] : !r
  // CHECK: pallas.masked_load %{{.*}}[ds(4, 8), ds(%{{.*}}, 16)] : !pallas.ref<8x128xf32, vmem>
  %over = pallas.masked_load %r[ds(4, 8), ds(%i, 16)] : !r
  // CHECK: pallas.masked_swap
  %8 = pallas.masked_swap %r[...], %v mask %m : !r, tensor<8x128xf32>, tensor<8x128xi1>
  // CHECK: pallas.atomic_rmw <add> %{{.*}}[%{{.*}}], %{{.*}} : !pallas.ref<16xi32, smem>, i32
  %9 = pallas.atomic_rmw <add> %s[%i], %i : !s, i32
  // CHECK: pallas.atomic_cas %{{.*}}[0], %{{.*}}, %{{.*}} : !pallas.ref<16xi32, smem>, i32
  %10 = pallas.atomic_cas %s[0], %i, %i : !s, i32
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%r: !r, %n: i32) {
  // CHECK: pallas.slice_ref %{{.*}}[%{{.*}}, ds(0, 64)] : !pallas.ref<8x128xf32, vmem>
  %0 = pallas.slice_ref %r[%n, ds(0, 64)] : !r
  // CHECK: pallas.slice_ref %{{.*}}[ds(0, %{{.*}}), :]
  %1 = pallas.slice_ref %r[ds(0, %n), :] : !r
  // CHECK: pallas.reshape_ref %{{.*}} : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<1024xf32, vmem>
  %2 = pallas.reshape_ref %r : !r -> !pallas.ref<1024xf32, vmem>
  // CHECK: pallas.bitcast_ref
  %3 = pallas.bitcast_ref %r : !r -> !pallas.ref<16x128xbf16, vmem>
  // CHECK: pallas.transpose_ref %{{.*}}, [1, 0]
  %4 = pallas.transpose_ref %r, [1, 0] : !r -> !pallas.ref<128x8xf32, vmem>
  return
}

// CHECK-LABEL: func.func @lifetimes
func.func @lifetimes(%v: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // CHECK: pallas.new_ref %{{.*}} : tensor<8x128xf32> -> !pallas.ref<8x128xf32, vmem>
  %0 = pallas.new_ref %v : tensor<8x128xf32> -> !r
  // CHECK: pallas.empty_ref : !pallas.ref<8x128xf32, vmem>
  %1 = pallas.empty_ref : !r
  // CHECK: pallas.free_ref
  pallas.free_ref %1 : !r
  // CHECK: pallas.get_global "counter" : !pallas.ref<1xi32, gmem>
  %2 = pallas.get_global "counter" : !pallas.ref<1xi32, gmem>
  // CHECK: pallas.freeze
  %3 = pallas.freeze %0 : !r
  return %3 : tensor<8x128xf32>
}
