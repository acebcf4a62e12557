// RUN: pallas-opt %s --pallas-discharge-state --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state --convert-pallas-to-linalg --split-input-file --verify-diagnostics \
// RUN:   | mlir-opt-22 --canonicalize --split-input-file -o /dev/null

// Windows come from the refs of a pipeline and go back to its outputs; what the
// body writes elsewhere, and what it carries, go through the loop as well.
// CHECK-LABEL: func.func @pipeline
// CHECK-SAME: %[[X:.*]]: tensor<32xf32>, %[[Y:.*]]: tensor<32xf32>, %[[N:.*]]: tensor<1xi32>
func.func @pipeline(%x: !pallas.ref<32xf32, hbm>, %y: !pallas.ref<32xf32, hbm>,
                    %n: !pallas.ref<1xi32, smem>) -> f32 {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[O:.*]] = %[[Y]], %[[K:.*]] = %[[N]], %[[S:.*]] = %{{.*}}) -> (tensor<32xf32>, tensor<1xi32>, f32)
  // CHECK: tensor.extract_slice %[[X]]
  // CHECK: tensor.insert %{{.*}} into %[[K]]
  // CHECK: tensor.insert_slice %{{.*}} into %[[O]]
  // CHECK: return %[[R]]#2, %[[X]], %[[R]]#0, %[[R]]#1
  %sum = pallas.emit_pipeline grid(4)
      in(%x : !pallas.ref<32xf32, hbm>) block<[8], vmem> map(%i) -> (%i)
      out(%y : !pallas.ref<32xf32, hbm>) block<[8], vmem> map(%i) -> (%i)
      carry(%zero : f32)
      kernel(%i: i32, %xr: !pallas.ref<8xf32, vmem>, %yr: !pallas.ref<8xf32, vmem>, %s: f32) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %yr[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    pallas.swap %n[0], %i : !pallas.ref<1xi32, smem>, i32
    %first = pallas.get %xr[0] : !pallas.ref<8xf32, vmem>
    %next = arith.addf %s, %first : f32
    pallas.yield %next : f32
  }
  return %sum : f32
}

// -----

// Blocks that hang over see padding, which does not go back.
// CHECK-LABEL: func.func @ragged
// CHECK: tensor.pad
// CHECK: tensor.pad
// CHECK: %[[P:.*]] = tensor.insert_slice %{{.*}} : tensor<8xf32> into tensor<16xf32>
// CHECK: tensor.extract_slice %[[P]][0] [12] [1]
func.func @ragged(%x: !pallas.ref<12xf32, hbm>, %y: !pallas.ref<12xf32, hbm>) {
  pallas.emit_pipeline grid(2)
      in(%x : !pallas.ref<12xf32, hbm>) block<[8], vmem> map(%i) -> (%i)
      out(%y : !pallas.ref<12xf32, hbm>) block<[8], vmem> map(%i) -> (%i)
      kernel(%i: i32, %xr: !pallas.ref<8xf32, vmem>, %yr: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %yr[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return
}
