// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func @accesses
func.func @accesses(%r: !pallas.ref<64x128xf32, vmem>, %i: i32, %rows: tensor<5xi32>, %m: tensor<8xi1>) {
  // CHECK: pallas.check_access read "input 0" %{{.*}}[ds(%{{.*}}, 8), :] by "pallas.get" : !pallas.ref<64x128xf32, vmem>
  pallas.check_access read "input 0" %r[ds(%i, 8), :] by "pallas.get" : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_access write "output 0" %{{.*}}[...] by "pallas.swap"
  pallas.check_access write "output 0" %r[...] outside moved by "pallas.swap" : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_access update "output 0" %{{.*}}[gather(%{{.*}} : tensor<5xi32>), 0] by "pallas.addupdate"
  pallas.check_access update "output 0" %r[gather(%rows : tensor<5xi32>), 0] by "pallas.addupdate" : !pallas.ref<64x128xf32, vmem>
  // A slice whose elements outside are dropped may extend past its ref.
  // CHECK: pallas.check_access atomic "output 0" %{{.*}}[ds(60, 8), 0] mask %{{.*}} outside dropped by "pallas.atomic_rmw" : !pallas.ref<64x128xf32, vmem>, tensor<8xi1>
  pallas.check_access atomic "output 0" %r[ds(60, 8), 0] mask %m outside dropped by "pallas.atomic_rmw" : !pallas.ref<64x128xf32, vmem>, tensor<8xi1>
  // CHECK: pallas.check_access read "input 0" %{{.*}}[ds(60, 8), 0] outside allowed by "pallas.masked_load" : !pallas.ref
  pallas.check_access read "input 0" %r[ds(60, 8), 0] outside allowed by "pallas.masked_load" : !pallas.ref<64x128xf32, vmem>
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%r: !pallas.ref<64x128xf32, vmem>, %rows: !pallas.ref<5xi32, vmem>, %acc: !pallas.accumulator<64x128xf32>, %i: i32, %inside: i1) {
  // CHECK: pallas.check_bounds "scratch 0" %{{.*}}[%{{.*}}, ds(0, %{{.*}})] : !pallas.ref<64x128xf32, vmem>
  pallas.check_bounds "scratch 0" %r[%i, ds(0, %i)] : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_bounds "scratch 0" %{{.*}}[gather(%{{.*}} : !pallas.ref<5xi32, vmem>), :] : !pallas.ref<64x128xf32, vmem>
  pallas.check_bounds "scratch 0" %r[gather(%rows : !pallas.ref<5xi32, vmem>), :] : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_contents read "a ref" %{{.*}} by "pallas.freeze" : !pallas.ref<64x128xf32, vmem>
  pallas.check_contents read "a ref" %r by "pallas.freeze" : !pallas.ref<64x128xf32, vmem>
  // CHECK: pallas.check_contents write "scratch 0" %{{.*}} by "pallas.accumulator_store" : !pallas.accumulator<64x128xf32>
  pallas.check_contents write "scratch 0" %acc by "pallas.accumulator_store" : !pallas.accumulator<64x128xf32>
  // CHECK: pallas.check_tensor_bounds %{{.*}} by "tensor.extract"
  pallas.check_tensor_bounds %inside by "tensor.extract"
  return
}

// CHECK-LABEL: func.func @waits
func.func @waits(%t: !pallas.ref<128x128xf32, tmem>) {
  // CHECK: pallas.check_contents read async "scratch 0" %{{.*}} by "pallas.async_load_tmem" : !pallas.ref<128x128xf32, tmem>
  pallas.check_contents read async "scratch 0" %t by "pallas.async_load_tmem" : !pallas.ref<128x128xf32, tmem>
  // CHECK: pallas.check_commit copies
  pallas.check_commit copies
  // CHECK: pallas.check_commit stores
  pallas.check_commit stores
  // CHECK: pallas.check_wait copies pending 0
  pallas.check_wait copies pending 0
  // CHECK: pallas.check_wait sources pending 1
  pallas.check_wait sources pending 1
  // CHECK: pallas.check_wait products pending 2
  pallas.check_wait products pending 2
  // CHECK: pallas.check_tensor_memory_wait loads
  pallas.check_tensor_memory_wait loads
  // CHECK: pallas.check_tensor_memory_wait stores
  pallas.check_tensor_memory_wait stores
  return
}
