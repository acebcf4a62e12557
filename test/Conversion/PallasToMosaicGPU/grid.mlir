// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// The last axis of a grid runs fastest, which is x; z counts the rest.
// CHECK: gpu.launch {{.*}} in (%{{.*}} = %c5, %{{.*}} = %c4, %{{.*}} = %c6) threads
// CHECK-DAG: %[[X:.*]] = gpu.block_id  x
// CHECK-DAG: %[[Y:.*]] = gpu.block_id  y
// CHECK-DAG: %[[Z:.*]] = gpu.block_id  z
// CHECK-DAG: %[[AB:.*]] = arith.index_cast %[[Z]] : index to i32
// CHECK-DAG: arith.divui %[[AB]], %c3_i32
// CHECK-DAG: arith.remui %[[AB]], %c3_i32
func.func @grid(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "a" = 2>, <grid "b" = 3>, <grid "c" = 4>, <grid "d" = 5>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<1xi32, smem>) {
      %a = pallas.axis_index "a"
      %b = pallas.axis_index "b"
      %c = pallas.axis_index "c"
      %d = pallas.axis_index "d"
      %0 = arith.addi %a, %b : i32
      %1 = arith.muli %c, %d : i32
      %2 = arith.addi %0, %1 : i32
      %old = pallas.swap %s[0], %2 : !pallas.ref<1xi32, smem>, i32
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

// CHECK: gpu.launch async [%{{.*}}] clusters(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c2, %{{.*}} = %c1, %{{.*}} = %c1) blocks({{.*}}) in (%{{.*}} = %c8, %{{.*}} = %c1, %{{.*}} = %c1) threads({{.*}}) in (%{{.*}} = %c384,
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: gpu.barrier
// CHECK: %[[ID:.*]] = gpu.block_id  x
// CHECK: arith.divui %{{.*}}, %c2_i32
// CHECK: gpu.cluster_block_id  x
// The warpgroup is the same for all lanes.
// CHECK: %[[WG:.*]] = arith.shrui %{{.*}}, %c7_i32
// CHECK: nvvm.shfl.sync  idx %{{.*}}, %[[WG]],
func.func @cluster(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "g" = 4>, <cluster "c" = 2>, <thread "wg" = 3>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<1xi32, smem>) collective ["wg"] {
      %g = pallas.axis_index "g"
      %c = pallas.axis_index "c"
      %w = pallas.axis_index "wg"
      %0 = arith.addi %g, %c : i32
      %1 = arith.addi %0, %w : i32
      %old = pallas.swap %s[0], %1 : !pallas.ref<1xi32, smem>, i32
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

// The call around the kernel knows which operand gives its memory to a result.
// CHECK: func.func private @kernel_call({{.*}}) -> {{.*}} attributes {mosaic_gpu.aliases = array<i64: 0, 0>
func.func @aliased(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xf32>)
      aliases [0 -> 0]
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %or: !pallas.ref<64x128xf32, gmem>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

// Programs of a call are blocks, so their number is that of the block, and how
// many there are is known.
// CHECK: module @kernel
// CHECK: gpu.launch {{.*}} in (%{{.*}} = %c3, %{{.*}} = %c2, %{{.*}} = %c1) threads
// CHECK-DAG: gpu.block_id  y
// CHECK-DAG: gpu.block_id  x
// CHECK: arith.muli %{{.*}}, %c3_i32 : i32
func.func @programs() -> tensor<2x3xi32> {
  %0 = pallas.pallas_call grid(2, 3)
    out(tensor<2x3xi32>) block<[squeezed, squeezed], default> map(%i, %j) -> (%i, %j)
    semantics [parallel, parallel]
    kernel(%o: !pallas.ref<i32, default>) {
    %i = pallas.program_id 0
    %j = pallas.program_id 1
    %n = pallas.num_programs 1
    %row = arith.muli %i, %n : i32
    %number = arith.addi %row, %j : i32
    pallas.swap %o[...], %number : !pallas.ref<i32, default>, i32
  }
  return %0 : tensor<2x3xi32>
}

// -----

// An array that a call sees as a whole is one with the result that takes its memory.
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %[[X:.*]]) <{multimem = false}> : (vector<64x64xf32>, memref<64x64xf32>) -> ()
// CHECK: func.func private @kernel_call({{.*}}) -> {{.*}} attributes {mosaic_gpu.aliases = array<i64: 0, 0>
func.func @written_input(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.pallas_call grid()
    in(%x : tensor<64x64xf32>) block<[64, 64], gmem>
    out(tensor<64x64xf32>) block<[64, 64], gmem>
    aliases [0 -> 0]
    kernel(%xr: !pallas.ref<64x64xf32, gmem>, %or: !pallas.ref<64x64xf32, gmem>) {
    %ones = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.swap %xr[...], %ones : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Numbers count the axes of the grid, which need not come first in the mesh.
// CHECK: %[[ROW:.*]] = gpu.block_id  y
// CHECK: %[[A:.*]] = arith.index_cast %[[ROW]] : index to i32
// CHECK: %[[COLUMN:.*]] = gpu.block_id  x
// CHECK: %[[B:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[B]]
// CHECK: arith.muli %[[SUM]], %c5_i32
func.func @numbers(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<thread "wg" = 1>, <grid "a" = 4>, <grid "b" = 5>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<1xi32, smem>) {
      %a = pallas.program_id 0
      %b = pallas.program_id 1
      %n = pallas.num_programs 1
      %0 = arith.addi %a, %b : i32
      %1 = arith.muli %0, %n : i32
      %old = pallas.swap %s[0], %1 : !pallas.ref<1xi32, smem>, i32
    }
  }
  return %0 : tensor<256x128xf32>
}
