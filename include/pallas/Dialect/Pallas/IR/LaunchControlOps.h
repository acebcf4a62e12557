//===- LaunchControlOps.h - Work of other blocks ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_LAUNCHCONTROLOPS_H
#define PALLAS_DIALECT_PALLAS_IR_LAUNCHCONTROLOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasLaunchControlOps.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_LAUNCHCONTROLOPS_H
