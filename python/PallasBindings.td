//===- PallasBindings.td - Operations that frontends make --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "pallas/Dialect/Pallas/IR/PallasLaunchControlOps.td"
include "pallas/Dialect/Pallas/IR/PallasOps.td"
