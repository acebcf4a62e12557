//===- MeshOps.h - Cores of meshes that are loops ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_MESHOPS_H
#define PALLAS_DIALECT_PALLAS_IR_MESHOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasMeshOps.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_MESHOPS_H
