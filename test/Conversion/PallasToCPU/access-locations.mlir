// RUN: pallas-opt %s --pallas-grids-to-loops --convert-pallas-to-cpu --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Memory is accessed at the operation that does so, not at the call that has the
// ref: lines of compiled code come from there.

!x = !pallas.ref<8xf32, vmem>

// CHECK-LABEL: func.func @accesses
func.func @accesses(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem> kernel(%xr: !x, %or: !x) {
    // CHECK: bufferization.to_tensor {{.*}} loc("{{.*}}access-locations.mlir":[[#@LINE+1]]:10)
    %v = pallas.get %xr[...] : !x
    // CHECK: memref.copy {{.*}} loc("{{.*}}access-locations.mlir":[[#@LINE+2]]:12)
    // CHECK: bufferization.materialize_in_destination {{.*}} loc("{{.*}}access-locations.mlir":[[#@LINE+1]]:12)
    %old = pallas.swap %or[...], %v : !x, tensor<8xf32>
    // CHECK: bufferization.materialize_in_destination {{.*}} loc("{{.*}}access-locations.mlir":[[#@LINE+1]]:5)
    pallas.addupdate %or[...], %old : !x, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// A view that changes the width of elements is a copy, made where it is used.

!words = !pallas.ref<8x8xi32, vmem>
!halves = !pallas.ref<16x8xi16, vmem>

// CHECK-LABEL: func.func @widths
func.func @widths(%x: tensor<8x8xi32>) -> tensor<16x8xi16> {
  %o = pallas.pallas_call grid() in(%x : tensor<8x8xi32>) block<[8, 8], vmem>
      out(tensor<16x8xi16>) block<[16, 8], vmem> kernel(%xr: !words, %or: !halves) {
    %view = pallas.bitcast_ref %xr : !words -> !halves
    // CHECK: linalg.generic
    // CHECK: } loc("{{.*}}access-locations.mlir":[[#@LINE+2]]:10)
    // CHECK: bufferization.to_tensor {{.*}} loc("{{.*}}access-locations.mlir":[[#@LINE+1]]:10)
    %v = pallas.get %view[...] : !halves
    %old = pallas.swap %or[...], %v : !halves, tensor<16x8xi16>
  }
  return %o : tensor<16x8xi16>
}
