// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func private @blocks
// CHECK-SAME: #pallas.block<[128, squeezed, element<8, 1, 2>, bounded<8>, indirect<4>], vmem@sc_vector, pipeline = <3, lookahead, revisit, prefetched 1, delay_release 2>, transforms = [#pallas.tile<8>], origin = "a">
// CHECK-SAME: #pallas.dim<squeezed>
// CHECK-SAME: #pallas.indexer<[:, 3, ds(?, 8), ds(0, ?, 2), gather]>
// CHECK-SAME: #pallas.indexer<[...]>
func.func private @blocks() attributes {
  a = #pallas.block<[128, squeezed, element<8, 1, 2>, bounded<8>, indirect<4>], vmem@sc_vector, pipeline = <3, lookahead, revisit, prefetched 1, delay_release 2>, transforms = [#pallas.tile<8>], origin = "a">,
  b = #pallas.dim<squeezed>,
  c = #pallas.indexer<[:, 3, ds(?, 8), ds(0, ?, 2), gather]>,
  d = #pallas.indexer<[...]>
}

// CHECK-LABEL: func.func private @params
// CHECK-SAME: #pallas.tpu_params<vmemLimitBytes = 1, collectiveId = 2, internalScratchInBytes = 3, hasSideEffects = true, disableBoundsChecks = true, disableSemaphoreChecks = true, skipDeviceBarrier = true, shapeInvariantNumerics = false, needsLayoutPasses = false, useTCTilingOnSC = false, allowInputFusion = [true], flags = {a = 1 : i64}>
// CHECK-SAME: #pallas.gpu_params<>
// CHECK-SAME: #pallas.triton_params<numWarps = 4, numStages = 2>
// CHECK-SAME: #pallas.cost<flops = 1, transcendentals = 2, bytesAccessed = 3, remoteBytesTransferred = 4>
func.func private @params() attributes {
  a = #pallas.tpu_params<vmemLimitBytes = 1, collectiveId = 2, internalScratchInBytes = 3, hasSideEffects = true, disableBoundsChecks = true, disableSemaphoreChecks = true, skipDeviceBarrier = true, shapeInvariantNumerics = false, needsLayoutPasses = false, useTCTilingOnSC = false, allowInputFusion = [true], flags = {a = 1}>,
  b = #pallas.gpu_params<>,
  c = #pallas.triton_params<numWarps = 4, numStages = 2>,
  d = #pallas.cost<flops = 1, transcendentals = 2, bytesAccessed = 3, remoteBytesTransferred = 4>
}
