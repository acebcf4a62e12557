// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --canonicalize | FileCheck %s
// RUN: pallas-run %s --entry=run_steady --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_folded --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME

// SAME: no pass changes the answer

// A block that all steps see is copied once, to memory without slots, and waited for in front of the steps.
// CHECK-LABEL: func.func @steady
// CHECK: pallas.run_scoped (%{{[^:]*}}: !pallas.ref<1x16x32xf32, smem>, %[[W:[^:]*]]: !pallas.ref<16x32xf32, smem>,
// CHECK-SAME: %{{[^:]*}}: !pallas.ref<1x!pallas.barrier<numArrivals = 1>, smem>, %[[ONCE:[^:]*]]: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>)
// CHECK: pallas.copy_gmem_to_smem %{{.*}} to %[[W]] signals %[[ONCE]]
// CHECK: pallas.copy_gmem_to_smem
// CHECK: pallas.barrier_wait %[[ONCE]]
// CHECK: scf.for
// CHECK: pallas.get %[[W]][...]
// CHECK: pallas.copy_gmem_to_smem
// CHECK-NOT: pallas.copy_gmem_to_smem
func.func @steady(%x: tensor<64x32xf32>, %w: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    in(%w : tensor<48x32xf32>) block<[16, 32], default> map(%i) -> (1, 0)
    out(tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<16x32xf32, default>, %wr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<16x32xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x32xf32, default>
    %u = pallas.get %wr[...] : !pallas.ref<16x32xf32, default>
    %s = arith.addf %v, %u : tensor<16x32xf32>
    %old = pallas.swap %or[...], %s : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

func.func @run_steady() -> tensor<64x32xf32> {
  %x = pallas.iota 0 : tensor<64x32xf32>
  %w = pallas.iota 1 : tensor<48x32xf32>
  %0 = call @steady(%x, %w) : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// i / 4 is zero in all four steps, so one barrier is left, and the result has one block.
// CHECK-LABEL: func.func @folded
// CHECK: pallas.run_scoped (%[[W:[^:]*]]: !pallas.ref<16x32xf32, smem>, %{{[^:]*}}: !pallas.ref<16x32xf32, smem>, %[[ONCE:[^:]*]]: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>)
// CHECK: pallas.copy_gmem_to_smem %{{.*}} to %[[W]] signals %[[ONCE]]
// CHECK-NOT: pallas.copy_gmem_to_smem
// CHECK: pallas.barrier_wait %[[ONCE]]
// CHECK: scf.for
// CHECK-NOT: pallas.barrier_wait
// CHECK: pallas.copy_smem_to_gmem
func.func @folded(%w: tensor<48x32xf32>) -> tensor<32x32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%w : tensor<48x32xf32>) block<[16, 32], default> map(%i) {
      %c4 = arith.constant 4 : i32
      %c0 = arith.constant 0 : i32
      %j = arith.divsi %i, %c4 : i32
      pallas.yield %j, %c0 : i32, i32
    }
    out(tensor<32x32xf32>) block<[16, 32], default> map(%i) {
      %c4 = arith.constant 4 : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %j = arith.divsi %i, %c4 : i32
      %k = arith.addi %j, %c1 : i32
      pallas.yield %k, %c0 : i32, i32
    }
    kernel(%wr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<16x32xf32, default>) {
    %i = pallas.program_id 0
    %f = arith.sitofp %i : i32 to f32
    %v = pallas.get %wr[...] : !pallas.ref<16x32xf32, default>
    %t = tensor.splat %f : tensor<16x32xf32>
    %s = arith.addf %v, %t : tensor<16x32xf32>
    %old = pallas.swap %or[...], %s : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
  }
  return %0 : tensor<32x32xf32>
}

func.func @run_folded() -> tensor<16x32xf32> {
  %w = pallas.iota 0 : tensor<48x32xf32>
  %0 = call @folded(%w) : (tensor<48x32xf32>) -> tensor<32x32xf32>
  // The kernel leaves the first block out.
  %1 = tensor.extract_slice %0[16, 0] [16, 32] [1, 1] : tensor<32x32xf32> to tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// A block that a step writes to comes back for each.
// CHECK-LABEL: func.func @written
// CHECK: pallas.run_scoped (%[[W:[^:]*]]: !pallas.ref<1x16x32xf32, smem>
// CHECK-COUNT-2: pallas.copy_gmem_to_smem
func.func @written(%w: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%w : tensor<48x32xf32>) block<[16, 32], default> map(%i) -> (1, 0)
    out(tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    kernel(%wr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<16x32xf32, default>) {
    %v = pallas.get %wr[...] : !pallas.ref<16x32xf32, default>
    %s = arith.addf %v, %v : tensor<16x32xf32>
    %old = pallas.swap %wr[...], %s : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
    %u = pallas.get %wr[...] : !pallas.ref<16x32xf32, default>
    %older = pallas.swap %or[...], %u : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
  }
  return %0 : tensor<64x32xf32>
}
