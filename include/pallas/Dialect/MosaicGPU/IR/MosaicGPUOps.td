//===- MosaicGPUOps.td - All operations of the dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_OPS_TD
#define PALLAS_MOSAICGPU_OPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUBarrierOps.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUCopyOps.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUMatmulOps.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUMemoryOps.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUStructureOps.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUTensorMemoryOps.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUVectorOps.td"

#endif // PALLAS_MOSAICGPU_OPS_TD
