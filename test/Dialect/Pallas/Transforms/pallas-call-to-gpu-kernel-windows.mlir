// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --canonicalize | FileCheck %s
// RUN: pallas-run %s --entry=run_revisited --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_in_place --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_partial --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_odd --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME

// SAME: no pass changes the answer

// A block that two steps see is copied by the second one, and its slot moves on
// with the next block.
// CHECK-LABEL: func.func @revisited
// CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<1x16x32xf32, smem>, %[[T:.*]]: !pallas.ref<1x32xf32, smem>,
// CHECK: %[[NEXT:.*]] = arith.addi %[[STEP:.*]], %c1_i32
// CHECK: %[[PLACE:.*]] = arith.remsi %[[NEXT]], %c2_i32
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PLACE]], %c0_i32
// CHECK: scf.if %[[LAST]] {
// CHECK: pallas.copy_smem_to_gmem
func.func @revisited(%x: tensor<96x32xf32>) -> tensor<3x32xf32> {
  %0 = pallas.pallas_call grid(3, 2)
    in(%x : tensor<96x32xf32>) block<[16, 32], default> map(%i, %j) {
      %c2 = arith.constant 2 : i32
      %c0 = arith.constant 0 : i32
      %0 = arith.muli %i, %c2 : i32
      %1 = arith.addi %0, %j : i32
      pallas.yield %1, %c0 : i32, i32
    }
    out(tensor<3x32xf32>) block<[squeezed, 32], default> map(%i, %j) -> (%i, 0)
    kernel(%xr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<32xf32, default>) {
    %j = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %j, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<32xf32>
      %old = pallas.swap %or[...], %zero : !pallas.ref<32xf32, default>, tensor<32xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<16x32xf32, default>
    %s = pallas.reduce <add> %v dims [0] : tensor<16x32xf32>
    %t = pallas.get %or[...] : !pallas.ref<32xf32, default>
    %u = arith.addf %s, %t : tensor<32xf32>
    %old = pallas.swap %or[...], %u : !pallas.ref<32xf32, default>, tensor<32xf32>
  }
  return %0 : tensor<3x32xf32>
}

func.func @run_revisited() -> tensor<3x32xf32> {
  %x = pallas.iota 0 : tensor<96x32xf32>
  %0 = call @revisited(%x) : (tensor<96x32xf32>) -> tensor<3x32xf32>
  return %0 : tensor<3x32xf32>
}

// A result in the memory of an input; blocks of TPUs lie in shared memory, too.
// CHECK-LABEL: func.func @in_place
// CHECK: pallas.mpmd_map
// CHECK: aliases [0 -> 0]
// CHECK: !pallas.ref<1x16x32xf32, smem>
func.func @in_place(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x32xf32>) block<[16, 32], vmem> map(%i) -> (%i, 0)
    out(tensor<64x32xf32>) block<[16, 32], vmem> map(%i) -> (%i, 0)
    aliases [0 -> 0]
    kernel(%xr: !pallas.ref<16x32xf32, vmem>, %or: !pallas.ref<16x32xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x32xf32, vmem>
    %w = arith.addf %v, %v : tensor<16x32xf32>
    %old = pallas.swap %or[...], %w : !pallas.ref<16x32xf32, vmem>, tensor<16x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

func.func @run_in_place() -> tensor<64x32xf32> {
  %x = pallas.iota 0 : tensor<64x32xf32>
  %0 = call @in_place(%x) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// What the kernel does not write keeps what the input held.
// CHECK-LABEL: func.func @partial
// CHECK: pallas.barrier_wait
// CHECK: %[[OLD:.*]] = pallas.get %{{.*}} : !pallas.ref<1x16x32xf32, smem>
// CHECK: pallas.swap %{{.*}}, %[[OLD]]
func.func @partial(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    out(tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    aliases [0 -> 0]
    kernel(%xr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<16x32xf32, default>) {
    %c = arith.constant dense<-1.0> : tensor<8x32xf32>
    %old = pallas.swap %or[ds(8, 8), :], %c : !pallas.ref<16x32xf32, default>, tensor<8x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

func.func @run_partial() -> tensor<64x32xf32> {
  %x = pallas.iota 0 : tensor<64x32xf32>
  %0 = call @partial(%x) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// Rows of 12 bytes can't be copied, so the kernel sees them where they lie.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: pallas.copy
// CHECK: pallas.get %{{.*}} : !pallas.ref<8x3xi32, gmem>
func.func @odd(%x: tensor<8x3xi32>) -> tensor<8x3xi32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<8x3xi32>) block<[2, 3], default> map(%i) -> (%i, 0)
    out(tensor<8x3xi32>) block<[2, 3], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<2x3xi32, default>, %or: !pallas.ref<2x3xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<2x3xi32, default>
    %w = arith.addi %v, %v : tensor<2x3xi32>
    %old = pallas.swap %or[...], %w : !pallas.ref<2x3xi32, default>, tensor<2x3xi32>
  }
  return %0 : tensor<8x3xi32>
}

func.func @run_odd() -> tensor<8x3xi32> {
  %x = pallas.iota 0 : tensor<8x3xi32>
  %0 = call @odd(%x) : (tensor<8x3xi32>) -> tensor<8x3xi32>
  return %0 : tensor<8x3xi32>
}
