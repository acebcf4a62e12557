// RUN: pallas-opt %s --pallas-call-to-gpu-kernel | FileCheck %s
// RUN: pallas-run %s --entry=run_add --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_sum --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_matmul --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_columns --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME

// SAME: no pass changes the answer

// One step: copy in, wait, body, copy out.
// CHECK-LABEL: func.func @add
// CHECK: kernel @kernel on <gpu, [<grid "grid0" = 4>]>(%[[X:.*]]: !pallas.ref<64x32xf32, gmem>, %[[O:.*]]: !pallas.ref<64x32xf32, gmem>)
// CHECK: pallas.run_scoped (%[[S:.*]]: !pallas.ref<1x16x32xf32, smem>, %[[T:.*]]: !pallas.ref<16x32xf32, smem>, %[[B:.*]]: !pallas.ref<1x!pallas.barrier<numArrivals = 1>, smem>)
// CHECK: %[[BARRIER:.*]] = pallas.slice_ref %[[B]][
// CHECK: %[[FROM:.*]] = pallas.slice_ref %[[X]][ds(%{{.*}}, 16), ds(%{{.*}}, 32)]
// CHECK: %[[TO:.*]] = pallas.slice_ref %[[S]][%{{.*}}, :, :]
// CHECK: pallas.copy_gmem_to_smem %[[FROM]] to %[[TO]] signals %[[BARRIER]]
// CHECK-NOT: scf.for
// CHECK: pallas.barrier_wait
// CHECK: pallas.get %{{.*}}[...] : !pallas.ref<16x32xf32, smem>
// CHECK: pallas.swap %[[T]][...]
// CHECK: pallas.commit_smem
// CHECK: pallas.copy_smem_to_gmem %[[T]] to %{{.*}} {commitGroup = false}
// CHECK: pallas.commit_smem_to_gmem_group
// CHECK: pallas.wait_smem_to_gmem 0
func.func @add(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    out(tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    attributes {compilerParams = [#pallas.gpu_params<>]}
    kernel(%xr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<16x32xf32, default>) {
    %i = pallas.program_id 0
    %n = pallas.num_programs 0
    %s = arith.addi %i, %n : i32
    %f = arith.sitofp %s : i32 to f32
    %t = pallas.broadcast %f dims [] : f32 -> tensor<16x32xf32>
    %v = pallas.get %xr[...] : !pallas.ref<16x32xf32, default>
    %w = arith.addf %v, %t : tensor<16x32xf32>
    %old = pallas.swap %or[...], %w : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

func.func @run_add() -> tensor<64x32xf32> {
  %x = pallas.iota 1 : tensor<64x32xf32>
  %0 = call @add(%x) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// A result with a block for each step: a ring of output blocks, whose copies are
// awaited before their slot is written again.
// CHECK-LABEL: func.func @sum
// CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<2x8x32xf32, smem>, %[[T:.*]]: !pallas.ref<2x8xf32, smem>, %{{.*}}: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>)
// CHECK-COUNT-2: pallas.copy_gmem_to_smem
// CHECK: scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step
// CHECK: pallas.barrier_wait
// CHECK: pallas.wait_smem_to_gmem 1 read_only
// CHECK: pallas.swap
// CHECK: pallas.commit_smem
// CHECK: pallas.copy_smem_to_gmem
// CHECK: pallas.commit_smem_to_gmem_group
// CHECK: %[[NEXT:.*]] = arith.addi %[[STEP]], %{{.*}} : i32
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]],
// CHECK: scf.if %[[MORE]] {
// CHECK: pallas.copy_gmem_to_smem
// CHECK: pallas.wait_smem_to_gmem 0
func.func @sum(%x: tensor<2x64x32xf32>) -> tensor<2x64xf32> {
  %0 = pallas.pallas_call grid(2, 8)
    in(%x : tensor<2x64x32xf32>) block<[squeezed, 8, 32], default> map(%i, %j) -> (%i, %j, 0)
    out(tensor<2x64xf32>) block<[squeezed, 8], default> map(%i, %j) -> (%i, %j)
    semantics [parallel, sequential]
    attributes {compilerParams = [#pallas.gpu_params<maxConcurrentSteps = 2>]}
    kernel(%xr: !pallas.ref<8x32xf32, default>, %or: !pallas.ref<8xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x32xf32, default>
    %s = pallas.reduce <add> %v dims [1] : tensor<8x32xf32>
    %old = pallas.swap %or[...], %s : !pallas.ref<8xf32, default>, tensor<8xf32>
  }
  return %0 : tensor<2x64xf32>
}

func.func @run_sum() -> tensor<2x64xf32> {
  %x = pallas.iota 1 : tensor<2x64x32xf32>
  %0 = call @sum(%x) : (tensor<2x64x32xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

// A result that all steps share, and an accumulator: blocks are copied again
// only when the products that read them are done.
// CHECK-LABEL: func.func @matmul
// CHECK: pallas.run_scoped (%[[ACC:.*]]: !pallas.accumulator<64x64xf32>,
// CHECK: scf.for
// CHECK: pallas.wgmma_ref %[[ACC]],
// CHECK: pallas.wgmma_wait 0
// CHECK: pallas.copy_smem_to_gmem
func.func @matmul(%x: tensor<64x192xf16>, %y: tensor<192x64xf16>) -> tensor<64x64xf32> {
  %0 = pallas.pallas_call grid(1, 3)
    in(%x : tensor<64x192xf16>) block<[64, 64], default> map(%i, %k) -> (%i, %k)
    in(%y : tensor<192x64xf16>) block<[64, 64], default> map(%i, %k) -> (%k, 0)
    out(tensor<64x64xf32>) block<[64, 64], default> map(%i, %k) -> (%i, 0)
    semantics [parallel, sequential]
    attributes {compilerParams = [#pallas.gpu_params<maxConcurrentSteps = 2>]}
    kernel(%xr: !pallas.ref<64x64xf16, default>, %yr: !pallas.ref<64x64xf16, default>, %or: !pallas.ref<64x64xf32, default>, %acc: !pallas.accumulator<64x64xf32>) {
    pallas.wgmma_ref %acc, %xr, %yr : !pallas.accumulator<64x64xf32>, !pallas.ref<64x64xf16, default>, !pallas.ref<64x64xf16, default>
    %k = pallas.program_id 1
    %c2 = arith.constant 2 : i32
    %last = arith.cmpi eq, %k, %c2 : i32
    scf.if %last {
      %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x64xf32> -> tensor<64x64xf32>
      %old = pallas.swap %or[...], %v : !pallas.ref<64x64xf32, default>, tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

func.func @run_matmul() -> tensor<64x64xf32> {
  %x = pallas.iota 0 : tensor<64x192xf16>
  %y = pallas.iota 1 : tensor<192x64xf16>
  %0 = call @matmul(%x, %y) : (tensor<64x192xf16>, tensor<192x64xf16>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Nothing says that programs may run at once, so they run in order: all add to
// one block.
// CHECK-LABEL: func.func @columns
// CHECK: on <gpu, [<grid "grid" = 1>]>
// CHECK: scf.for
// CHECK: pallas.copy_smem_to_gmem
func.func @columns(%x: tensor<64x32xf32>) -> tensor<32xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x32xf32>) block<[16, 32], default> map(%i) -> (%i, 0)
    out(tensor<32xf32>) block<[32], default> map(%i) -> (0)
    kernel(%xr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<32xf32, default>) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
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
  return %0 : tensor<32xf32>
}

func.func @run_columns() -> tensor<32xf32> {
  %x = pallas.iota 1 : tensor<64x32xf32>
  %0 = call @columns(%x) : (tensor<64x32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
