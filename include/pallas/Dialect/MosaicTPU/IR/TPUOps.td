//===- TPUOps.td - All operations of the tpu dialect -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUOPS_TD
#define PALLAS_MOSAICTPU_TPUOPS_TD

include "pallas/Dialect/MosaicTPU/IR/TPUAsyncOps.td"
include "pallas/Dialect/MosaicTPU/IR/TPUMatmulOps.td"
include "pallas/Dialect/MosaicTPU/IR/TPUMemoryOps.td"
include "pallas/Dialect/MosaicTPU/IR/TPUMiscOps.td"
include "pallas/Dialect/MosaicTPU/IR/TPUVectorOps.td"

#endif // PALLAS_MOSAICTPU_TPUOPS_TD
