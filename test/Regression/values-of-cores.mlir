// RUN: pallas-opt %s --pallas-meshes-to-loops --convert-pallas-to-cpu | FileCheck %s

// All cores use what was read in front of the mesh, also those that run behind a store of another
// one, so the value has to be a copy.

// CHECK-LABEL: func.func @read_before(
// CHECK: %[[R:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK: memref.copy %[[R]], %[[COPY]]
// CHECK: bufferization.to_tensor %[[COPY]]
// CHECK: scf.for
func.func @read_before(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, hbm>
  %o = pallas.empty_ref : !pallas.ref<2x8xf32, hbm>
  %v = pallas.get %r[...] : !pallas.ref<8xf32, hbm>
  pallas.core_map <tensorcore, [<core "c" = 2>]> () {
    %i = pallas.axis_index "c"
    %e = math.exp %v : tensor<8xf32>
    pallas.swap %o[%i, :], %e : !pallas.ref<2x8xf32, hbm>, tensor<8xf32>
    %z = arith.constant dense<0.0> : tensor<8xf32>
    pallas.swap %r[...], %z : !pallas.ref<8xf32, hbm>, tensor<8xf32>
  }
  %w = pallas.get %o[1, :] : !pallas.ref<2x8xf32, hbm>
  return %w : tensor<8xf32>
}
