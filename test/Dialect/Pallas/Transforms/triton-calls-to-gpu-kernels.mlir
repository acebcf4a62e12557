// RUN: pallas-opt %s --pallas-call-to-gpu-kernel | FileCheck %s
// RUN: pallas-run %s --entry=run_rows --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_large --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_partial --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_unmasked --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=run_views --diff-passes=pallas-call-to-gpu-kernel | FileCheck %s --check-prefix=SAME

// SAME: no pass changes the answer

// Programs of Triton run at once. Those of one row of the grid write to parts of
// one block of the result, so it stays where the array is.
// CHECK-LABEL: func.func @rows
// CHECK: on <gpu, [<grid "grid0" = 2>, <grid "grid1" = 4>]>(%[[X:.*]]: !pallas.ref<32x128xf32, gmem>, %[[O:.*]]: !pallas.ref<32x128xf32, gmem>)
// CHECK: pallas.copy_gmem_to_smem
// CHECK: %[[BLOCK:.*]] = pallas.slice_ref %[[O]][ds(%{{.*}}, 16), ds(%{{.*}}, 128)]
// CHECK: pallas.swap %[[BLOCK]][ds(%{{.*}}, 4), :]
// CHECK-NOT: pallas.copy_smem_to_gmem
// CHECK-LABEL: func.func @run_rows
func.func @rows(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %0 = pallas.pallas_call grid(2, 4)
    in(%x : tensor<32x128xf32>) block<[16, 128], default> map(%i, %j) -> (%i, 0)
    out(tensor<32x128xf32>) block<[16, 128], default> map(%i, %j) -> (%i, 0)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
    %j = pallas.program_id 1
    %c4 = arith.constant 4 : i32
    %at = arith.muli %j, %c4 : i32
    %v = pallas.get %xr[ds(%at, 4), :] : !pallas.ref<16x128xf32, default>
    %w = arith.addf %v, %v : tensor<4x128xf32>
    %old = pallas.swap %or[ds(%at, 4), :], %w : !pallas.ref<16x128xf32, default>, tensor<4x128xf32>
  }
  return %0 : tensor<32x128xf32>
}

func.func @run_rows() -> tensor<32x128xf32> {
  %x = pallas.iota 0 : tensor<32x128xf32>
  %0 = call @rows(%x) : (tensor<32x128xf32>) -> tensor<32x128xf32>
  return %0 : tensor<32x128xf32>
}

// A block that is too large for shared memory stays in its array, the other one
// is copied.
// CHECK-LABEL: func.func @large
// CHECK: (%[[X:.*]]: !pallas.ref<1024x64xf32, gmem>, %[[Y:.*]]: !pallas.ref<64xf32, gmem>, %{{.*}}: !pallas.ref<16x64xf32, gmem>)
// CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<1x64xf32, smem>, %{{.*}}: !pallas.ref<4x64xf32, smem>,
// CHECK: pallas.get %[[X]][ds(%{{.*}}, 4), :] : !pallas.ref<1024x64xf32, gmem>
// CHECK-LABEL: func.func @run_large
func.func @large(%x: tensor<1024x64xf32>, %y: tensor<64xf32>) -> tensor<16x64xf32> {
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<1024x64xf32>) block<[1024, 64], default>
    in(%y : tensor<64xf32>) block<[64], default>
    out(tensor<16x64xf32>) block<[4, 64], default> map(%i) -> (%i, 0)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<1024x64xf32, default>, %yr: !pallas.ref<64xf32, default>, %or: !pallas.ref<4x64xf32, default>) {
    %i = pallas.program_id 0
    %n = pallas.num_programs 0
    %at = arith.muli %i, %n : i32
    %v = pallas.get %xr[ds(%at, 4), :] : !pallas.ref<1024x64xf32, default>
    %row = pallas.get %yr[...] : !pallas.ref<64xf32, default>
    %b = pallas.broadcast %row dims [1] : tensor<64xf32> -> tensor<4x64xf32>
    %w = arith.addf %v, %b : tensor<4x64xf32>
    %old = pallas.swap %or[...], %w : !pallas.ref<4x64xf32, default>, tensor<4x64xf32>
  }
  return %0 : tensor<16x64xf32>
}

func.func @run_large() -> tensor<16x64xf32> {
  %x = pallas.iota 0 : tensor<1024x64xf32>
  %y = pallas.iota 0 : tensor<64xf32>
  %0 = call @large(%x, %y) : (tensor<1024x64xf32>, tensor<64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// Blocks in global memory are parts of their array.
// CHECK-LABEL: func.func @views
// CHECK: (%[[X:.*]]: !pallas.ref<2x8x64xf32, gmem>, %[[O:.*]]: !pallas.ref<2x8x64xf32, gmem>)
// CHECK-DAG: %[[FROM:.*]] = pallas.slice_ref %[[X]][%{{.*}}, ds(%{{.*}}, 8), ds(%{{.*}}, 64)]
// CHECK-DAG: %[[TO:.*]] = pallas.slice_ref %[[O]][%{{.*}}, ds(%{{.*}}, 8), ds(%{{.*}}, 64)]
// CHECK: pallas.get %[[FROM]]
// CHECK: pallas.swap %[[TO]]
// CHECK-LABEL: func.func @run_views
func.func @views(%x: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %0 = pallas.pallas_call grid(2, 8)
    in(%x : tensor<2x8x64xf32>) block<[squeezed, 8, 64], gmem> map(%i, %j) -> (%i, 0, 0)
    out(tensor<2x8x64xf32>) block<[squeezed, 8, 64], gmem> map(%i, %j) -> (%i, 0, 0)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<8x64xf32, gmem>, %or: !pallas.ref<8x64xf32, gmem>) {
    %j = pallas.program_id 1
    %v = pallas.get %xr[%j, :] : !pallas.ref<8x64xf32, gmem>
    %w = arith.addf %v, %v : tensor<64xf32>
    %old = pallas.swap %or[%j, :], %w : !pallas.ref<8x64xf32, gmem>, tensor<64xf32>
  }
  return %0 : tensor<2x8x64xf32>
}

func.func @run_views() -> tensor<2x8x64xf32> {
  %x = pallas.iota 1 : tensor<2x8x64xf32>
  %0 = call @views(%x) : (tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  return %0 : tensor<2x8x64xf32>
}

// Of partial blocks whose rows the hardware can't copy, the kernel accesses the
// elements of the array; those behind its end are left out.
// CHECK-LABEL: func.func @partial
// CHECK: (%[[X:.*]]: !pallas.ref<2x10x7xf32, gmem>, %[[Y:.*]]: !pallas.ref<7xf32, gmem>, %[[O:.*]]: !pallas.ref<10x7xf32, gmem>)
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: pallas.masked_load %[[X]][%{{.*}}, ds(%[[ROW]], 2), ds(0, 8)] mask %{{.*}} other %{{.*}} : !pallas.ref<2x10x7xf32, gmem>
// CHECK: pallas.get %{{.*}}[...] : !pallas.ref<8xf32, smem>
// CHECK: pallas.masked_swap %[[O]][ds(%{{.*}}, 2), ds(0, 8)], %{{.*}} mask %{{.*}} : !pallas.ref<10x7xf32, gmem>
// CHECK: pallas.masked_swap %[[O]][%{{.*}}, ds(0, 8)], %{{.*}} mask %{{.*}} : !pallas.ref<10x7xf32, gmem>
// CHECK-LABEL: func.func @run_partial
func.func @partial(%x: tensor<2x10x7xf32>, %y: tensor<7xf32>) -> tensor<10x7xf32> {
  %0 = pallas.pallas_call grid(3)
    in(%x : tensor<2x10x7xf32>) block<[squeezed, 4, 8], default> map(%i) -> (1, %i, 0)
    in(%y : tensor<7xf32>) block<[8], default>
    out(tensor<10x7xf32>) block<[4, 8], default> map(%i) -> (%i, 0)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<4x8xf32, default>, %yr: !pallas.ref<8xf32, default>, %or: !pallas.ref<4x8xf32, default>) {
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant dense<7> : tensor<8xi32>
    %lane = pallas.iota 0 : tensor<8xi32>
    %inside = arith.cmpi slt, %lane, %c7 : tensor<8xi32>
    %mask = pallas.broadcast %inside dims [1] : tensor<8xi1> -> tensor<2x8xi1>
    %zero = arith.constant dense<0.0> : tensor<2x8xf32>
    %v = pallas.masked_load %xr[ds(%c0, 2), :] mask %mask other %zero : !pallas.ref<4x8xf32, default>, tensor<2x8xi1>, other tensor<2x8xf32>
    %row = pallas.get %yr[...] : !pallas.ref<8xf32, default>
    %b = pallas.broadcast %row dims [1] : tensor<8xf32> -> tensor<2x8xf32>
    %w = arith.addf %v, %b : tensor<2x8xf32>
    %old = pallas.masked_swap %or[ds(0, 2), :], %w mask %mask : !pallas.ref<4x8xf32, default>, tensor<2x8xf32>, tensor<2x8xi1>
    %third = pallas.swap %or[2, :], %row : !pallas.ref<4x8xf32, default>, tensor<8xf32>
    %fourth = pallas.swap %or[3, :], %row : !pallas.ref<4x8xf32, default>, tensor<8xf32>
  }
  return %0 : tensor<10x7xf32>
}

func.func @run_partial() -> tensor<10x7xf32> {
  %x = pallas.iota 2 : tensor<2x10x7xf32>
  %y = pallas.iota 0 : tensor<7xf32>
  %0 = call @partial(%x, %y) : (tensor<2x10x7xf32>, tensor<7xf32>) -> tensor<10x7xf32>
  return %0 : tensor<10x7xf32>
}

// A mask that is true everywhere is none. Rows of a partial block are stored in the array, as they are known to be in the block.
// CHECK-LABEL: func.func @unmasked
// CHECK: (%[[X:.*]]: !pallas.ref<8x128xf32, gmem>, %[[O:.*]]: !pallas.ref<8x100xf32, gmem>, %[[P:.*]]: !pallas.ref<8x128xf32, gmem>)
// CHECK: pallas.masked_swap %[[O]][%{{.*}}, ds(0, 128)]
// CHECK: pallas.swap %[[P]][%{{.*}}, :]
// CHECK-LABEL: func.func @run_unmasked
func.func @unmasked(%x: tensor<8x128xf32>) -> (tensor<8x100xf32>, tensor<8x128xf32>) {
  %0:2 = pallas.pallas_call grid(8)
    in(%x : tensor<8x128xf32>) block<[8, 128], default> map(%i) -> (0, 0)
    out(tensor<8x100xf32>) block<[8, 128], default> map(%i) -> (0, 0)
    out(tensor<8x128xf32>) block<[8, 128], default> map(%i) -> (0, 0)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>, %pr: !pallas.ref<8x128xf32, default>) {
    %i = pallas.program_id 0
    %v = pallas.get %xr[%i, :] : !pallas.ref<8x128xf32, default>
    %mask = arith.constant dense<true> : tensor<128xi1>
    %a = pallas.masked_swap %or[%i, :], %v mask %mask : !pallas.ref<8x128xf32, default>, tensor<128xf32>, tensor<128xi1>
    %b = pallas.masked_swap %pr[%i, :], %v mask %mask : !pallas.ref<8x128xf32, default>, tensor<128xf32>, tensor<128xi1>
  }
  return %0#0, %0#1 : tensor<8x100xf32>, tensor<8x128xf32>
}

func.func @run_unmasked() -> (tensor<8x100xf32>, tensor<8x128xf32>) {
  %x = pallas.iota 0 : tensor<8x128xf32>
  %0:2 = call @unmasked(%x) : (tensor<8x128xf32>) -> (tensor<8x100xf32>, tensor<8x128xf32>)
  return %0#0, %0#1 : tensor<8x100xf32>, tensor<8x128xf32>
}
