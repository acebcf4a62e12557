//===- WindowOps.h - Windows of loops over grids ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_WINDOWOPS_H
#define PALLAS_DIALECT_PALLAS_IR_WINDOWOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasWindowOps.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_WINDOWOPS_H
