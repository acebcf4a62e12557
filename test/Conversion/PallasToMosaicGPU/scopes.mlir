// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// Scopes that follow each other share memory and barriers; a scope in a scope
// lies behind it.
// CHECK: dynamic_shared_memory_size %[[BYTES:.*]] {
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 3072 : i32}> : () -> memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
// CHECK: "mosaic_gpu.initialize_barrier"{{.*}} num_barriers = 2
// CHECK-NOT: "mosaic_gpu.initialize_barrier"
// CHECK: gpu.barrier
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<256xf32, #gpu.address_space<workgroup>>
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> memref<512xf32, #gpu.address_space<workgroup>>
// CHECK: "mosaic_gpu.arrive"
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> memref<256xf32, #gpu.address_space<workgroup>>
// CHECK: "mosaic_gpu.arrive"
func.func @scopes(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<256xf32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<256xf32, smem>
      pallas.run_scoped (%t: !pallas.ref<512xf32, smem>, %b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
        %o0 = pallas.swap %t[ds(0, 256)], %v : !pallas.ref<512xf32, smem>, tensor<256xf32>
        %b1 = pallas.slice_ref %b[1] : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
        pallas.barrier_arrive %b1 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
      pallas.run_scoped (%t: !pallas.ref<256xf32, smem>, %b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
        %o1 = pallas.swap %t[...], %v : !pallas.ref<256xf32, smem>, tensor<256xf32>
        %b0 = pallas.slice_ref %b[0] : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
        pallas.barrier_arrive %b0 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
    }
  }
  return %0 : tensor<256x128xf32>
}

// At the end of a kernel the lane that has started a copy waits for it alone: its block keeps the memory until it ends.
// CHECK-LABEL: module @last_copy
// CHECK: bar.sync
// CHECK: "mosaic_gpu.async_store"
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: gpu.terminator
func.func @end(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xf32>)
      kernel @last_copy on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped () {
      pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
        %v = pallas.get %g[...] : !pallas.ref<64x128xf32, gmem>
        pallas.swap %s[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
        pallas.commit_smem
        pallas.copy_smem_to_gmem %s to %o : !pallas.ref<64x128xf32, smem>, !pallas.ref<64x128xf32, gmem>
      }
    }
  }
  return %0 : tensor<64x128xf32>
}
