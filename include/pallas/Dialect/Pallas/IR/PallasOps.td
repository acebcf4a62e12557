//===- PallasOps.td - All operations of the pallas dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_OPS_TD
#define PALLAS_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasAsyncOps.td"
include "pallas/Dialect/Pallas/IR/PallasCallOps.td"
include "pallas/Dialect/Pallas/IR/PallasComputeOps.td"
include "pallas/Dialect/Pallas/IR/PallasGPUOps.td"
include "pallas/Dialect/Pallas/IR/PallasGridOps.td"
include "pallas/Dialect/Pallas/IR/PallasRefOps.td"

#endif // PALLAS_OPS_TD
