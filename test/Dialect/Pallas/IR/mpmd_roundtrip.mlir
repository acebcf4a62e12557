// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func @meshes
func.func @meshes(%x: tensor<8xf32>, %r: !pallas.ref<8xf32, hbm>, %n: i32) {
  // CHECK: pallas.mpmd_map
  // CHECK-NEXT: in(%{{.*}} : tensor<8xf32>)
  // CHECK-NEXT: in(%{{.*}} : !pallas.ref<8xf32, hbm>)
  // CHECK-NEXT: in(%{{.*}} : i32)
  // CHECK-NEXT: out(tensor<8xf32>)
  // CHECK-NEXT: aliases [0 -> 0]
  // CHECK-NEXT: external [#pallas.mesh<tensorcore, [<core "tc" = 1>]>]
  // CHECK-NEXT: kernel @scalars on <sc_scalar, [<core "core" = 2>]>(
  // CHECK: kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>(
  %0 = pallas.mpmd_map
    in(%x : tensor<8xf32>)
    in(%r : !pallas.ref<8xf32, hbm>)
    in(%n : i32)
    out(tensor<8xf32>)
    aliases [0 -> 0]
    external [#pallas.mesh<tensorcore, [<core "tc" = 1>]>]
    kernel @scalars on <sc_scalar, [<core "core" = 2>]> (%a: !pallas.ref<8xf32, hbm>, %b: !pallas.ref<8xf32, hbm>, %m: i32, %o: !pallas.ref<8xf32, hbm>) {}
    kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]> (%a: !pallas.ref<8xf32, hbm>, %b: !pallas.ref<8xf32, hbm>, %m: i32, %o: !pallas.ref<8xf32, hbm>) {}
  // CHECK: pallas.core_map <gpu, [<grid "x" = 8>, <cluster "c" = 2>, <thread "wg" = 3>]>
  pallas.core_map <gpu, [<grid "x" = 8>, <cluster "c" = 2>, <thread "wg" = 3>]> (%s: !pallas.ref<8xf32, smem>) {}
  return
}
