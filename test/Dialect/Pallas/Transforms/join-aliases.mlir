// RUN: pallas-opt %s --pallas-mpmd-to-call | FileCheck %s
// RUN: pallas-opt %s --pallas-grids-to-loops --pallas-meshes-to-loops --convert-pallas-to-cpu | FileCheck %s --check-prefix=CPU

// Kernels on meshes reach an input and the output aliased to it as one array.
// CHECK-LABEL: func.func @refs
// CHECK: pallas.pallas_call
// CHECK: kernel(%{{.*}}: !pallas.ref<8x128xf32, hbm>, %[[OUT:.*]]: !pallas.ref<8x128xf32, hbm>)
// CHECK: pallas.swap %[[OUT]][...]

// CPU-LABEL: func.func @refs
// CPU: %[[OUT:.*]] = memref.alloc()
// CPU: memref.copy %{{.*}}, %[[OUT]]
// CPU-NOT: memref.alloc
// CPU: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT]]
func.func @refs(%x: tensor<8x128xf32>, %v: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      aliases [0 -> 0]
      kernel on <tensorcore, [<core "c" = 1>]>(
          %a: !pallas.ref<8x128xf32, hbm>, %b: !pallas.ref<8x128xf32, hbm>) {
    %one = arith.constant dense<1.0> : tensor<8x128xf32>
    pallas.swap %a[...], %one : !pallas.ref<8x128xf32, hbm>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// Windows of an array are copies of it, which share nothing.
// CPU-LABEL: func.func @windows
// CPU: memref.alloc
// CPU: memref.alloc
func.func @windows(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      aliases [0 -> 0]
      kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
    %one = arith.constant dense<1.0> : tensor<8x128xf32>
    pallas.swap %a[...], %one : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// So do the kernels of several meshes.
// CPU-LABEL: func.func @two_meshes
// CPU: %[[OUT:.*]] = memref.alloc()
// CPU: memref.copy %{{.*}}, %[[OUT]]
// CPU-NOT: memref.alloc
// CPU: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT]]
func.func @two_meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8xf32>)
      out(tensor<8xf32>)
      aliases [0 -> 0]
      kernel on <sc_scalar, [<core "c" = 1>]> (%a: !pallas.ref<8xf32, hbm>, %b: !pallas.ref<8xf32, hbm>) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    pallas.swap %a[...], %one : !pallas.ref<8xf32, hbm>, tensor<8xf32>
  }
      kernel on <sc_vector, [<core "c" = 1>, <subcore "s" = 16>]> (%a: !pallas.ref<8xf32, hbm>, %b: !pallas.ref<8xf32, hbm>) {}
  return %o : tensor<8xf32>
}
