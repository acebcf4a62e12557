//===- PallasDialect.h - The pallas dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASDIALECT_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASDIALECT_H

#include "mlir/IR/Dialect.h"

#include "pallas/Dialect/Pallas/IR/PallasDialect.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASDIALECT_H
