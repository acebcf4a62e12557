//===- Operations.cpp - What ODS writes of operations ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmHelpers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasOps.cpp.inc"
