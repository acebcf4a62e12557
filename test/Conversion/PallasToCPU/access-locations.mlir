// RUN: pallas-opt %s --convert-pallas-to-cpu --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

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
