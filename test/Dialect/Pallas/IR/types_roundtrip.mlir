// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func private @refs
// CHECK-SAME: !pallas.ref<f32, smem>
// CHECK-SAME: !pallas.ref<?x128xbf16, any>
// CHECK-SAME: !pallas.ref<4xi1, vmem@sc_vector>
// CHECK-SAME: !pallas.ref<4xf8E4M3FN, hbm>, !pallas.ref<4xf8E5M2, cmem>, !pallas.ref<4xf6E2M3FN, host>, !pallas.ref<4xf4E2M1FN, vmem_shared>
// CHECK-SAME: !pallas.ref<4xi4, index>, !pallas.ref<4xi64, key>, !pallas.ref<4xindex, default>, !pallas.ref<4xf64, error>, !pallas.ref<4xf16, regs>
func.func private @refs(!pallas.ref<f32, smem>, !pallas.ref<?x128xbf16, any>, !pallas.ref<4xi1, vmem@sc_vector>,
    !pallas.ref<4xf8E4M3FN, hbm>, !pallas.ref<4xf8E5M2, cmem>, !pallas.ref<4xf6E2M3FN, host>, !pallas.ref<4xf4E2M1FN, vmem_shared>,
    !pallas.ref<4xi4, index>, !pallas.ref<4xi64, key>, !pallas.ref<4xindex, default>, !pallas.ref<4xf64, error>, !pallas.ref<4xf16, regs>)

// CHECK-LABEL: func.func private @layouts
// CHECK-SAME: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>, #pallas.transpose<1, 0>, #pallas.reshape<4096>, #pallas.bitcast<i16>]>
func.func private @layouts(!pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>, #pallas.transpose<1, 0>, #pallas.reshape<4096>, #pallas.bitcast<i16>]>)

// CHECK-LABEL: func.func private @others
// CHECK-SAME: !pallas.accumulator<64x128xf32>, !pallas.pinned<tensor<8xf32>>, !pallas.ref<2x!pallas.dma_semaphore, semaphore>
// CHECK-SAME: !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>
// CHECK-SAME: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 2, leaderTracked = true>, smem>
// CHECK-SAME: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = {{\[\[}}"x", "z"], "y"], numArrivals = 1>, smem>
func.func private @others(!pallas.accumulator<64x128xf32>, !pallas.pinned<tensor<8xf32>>, !pallas.ref<2x!pallas.dma_semaphore, semaphore>,
    !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>,
    !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 2, leaderTracked = true>, smem>,
    !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "z"], "y"], numArrivals = 1>, smem>)

// CHECK-LABEL: func.func private @tensor_memory
// CHECK-SAME: !pallas.ref<128x64xf16, tmem, [#pallas.tensor_memory<packing = 2>]>
// CHECK-SAME: !pallas.ref<128x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales, collective = true>]>
// CHECK-SAME: !pallas.ref<256x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales_m64_collective>]>
// CHECK-SAME: !pallas.ref<128x64xi2, tmem, [#pallas.tensor_memory<layout = sparse_metadata>]>
// CHECK-SAME: !pallas.ref<64x64xf32, tmem, [#pallas.tensor_memory<layout = m64_collective>]>
func.func private @tensor_memory(!pallas.ref<128x64xf16, tmem, [#pallas.tensor_memory<packing = 2>]>,
    !pallas.ref<128x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales, collective = true>]>,
    !pallas.ref<256x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales_m64_collective>]>,
    !pallas.ref<128x64xi2, tmem, [#pallas.tensor_memory<layout = sparse_metadata>]>,
    !pallas.ref<64x64xf32, tmem, [#pallas.tensor_memory<layout = m64_collective>]>)
