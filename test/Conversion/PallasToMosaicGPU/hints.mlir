// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Promises and hints: what has an operation becomes it, other ones are dropped.

// CHECK-LABEL: module @kernel
// CHECK: nvvm.setmaxregister increase 232
// CHECK: %[[I:.*]] = gpu.block_id x
// CHECK: %[[B:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[M:.*]] = mosaic_gpu.assume_multiple %[[B]], 8 : i32
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"
// CHECK: %[[BOTH:.*]]:2 = "mosaic_gpu.optimization_barrier"(%[[V]], %[[M]]) : (vector<64x128xi32>, i32) -> (vector<64x128xi32>, i32)
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[BOTH]]#1 : i32 to vector<64x128xi32>
// CHECK: arith.addi %[[BOTH]]#0, %[[SPREAD]]
// CHECK: llvm.inline_asm has_side_effects "nanosleep.u32 $0;", "r" %c100_i32
// CHECK: nvvm.setmaxregister decrease 40
func.func @hints(%x: tensor<64x128xi32>) -> tensor<64x128xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xi32>)
      out(tensor<64x128xi32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%xr: !pallas.ref<64x128xi32, gmem>, %or: !pallas.ref<64x128xi32, gmem>) {
    pallas.set_max_registers 232 increase
    pallas.run_scoped (%s: !pallas.ref<64x128xi32, smem>) {
      %i = pallas.axis_index "i"
      %ns = arith.constant 100 : i32
      %m = pallas.multiple_of %i, [8] : i32
      %v = pallas.get %s[...] : !pallas.ref<64x128xi32, smem>
      %w = pallas.max_contiguous %v, [1, 128] : tensor<64x128xi32>
      %kept, %n = pallas.optimization_barrier %w, %m : tensor<64x128xi32>, i32 -> tensor<64x128xi32>, i32
      %b = pallas.broadcast %n dims [] : i32 -> tensor<64x128xi32>
      %sum = arith.addi %kept, %b : tensor<64x128xi32>
      pallas.delay %ns
      pallas.swap %s[...], %sum : !pallas.ref<64x128xi32, smem>, tensor<64x128xi32>
    }
    pallas.set_max_registers 40
  }
  return %0 : tensor<64x128xi32>
}

// Attributes of the compiler become those of its operations.

// CHECK-LABEL: module @transfers
// CHECK: "mosaic_gpu.async_load"({{.*}}) <{collective = [], oob_fill_mode = 1 : i32,
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%[[S:.*]]) <{optimized = false}>
// CHECK: "mosaic_gpu.vector_store"(%[[V]], %[[S]]) <{multimem = false, optimized = false}>
// CHECK: "mosaic_gpu.vector_store"(%[[V]], %[[S]]) <{atomic_type = 0 : i32, multimem = false, optimized = false}>
// CHECK: "mosaic_gpu.async_load"({{.*}}) <{collective = [], oob_fill_mode = 2 : i32,
func.func @transfers(%x: tensor<64x128xi32>) -> tensor<64x128xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xi32>)
      out(tensor<64x128xi32>)
      kernel @transfers on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xi32, gmem>, %or: !pallas.ref<64x128xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      pallas.copy_gmem_to_smem %xr to %s signals %b {mosaic_gpu.oob_fill_mode = 1 : i32} : !pallas.ref<64x128xi32, gmem>, !pallas.ref<64x128xi32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %v = pallas.get %s[...] {mosaic_gpu.optimized = false} : !pallas.ref<64x128xi32, smem>
      pallas.swap %s[...], %v {mosaic_gpu.optimized = false} : !pallas.ref<64x128xi32, smem>, tensor<64x128xi32>
      pallas.atomic_rmw <add> %s[...], %v {mosaic_gpu.optimized = false} : !pallas.ref<64x128xi32, smem>, tensor<64x128xi32>
      pallas.copy_gmem_to_smem %xr to %s signals %b : !pallas.ref<64x128xi32, gmem>, !pallas.ref<64x128xi32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return %0 : tensor<64x128xi32>
}
