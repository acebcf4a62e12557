//===- PallasPhaseOps.h - Phases of barriers by parity ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASPHASEOPS_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASPHASEOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasPhaseOps.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASPHASEOPS_H
