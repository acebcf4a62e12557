//===- RegisterTiles.h - Squares of elements in registers -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_REGISTERTILES_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_REGISTERTILES_H

#include "mlir/IR/Builders.h"

namespace mlir::pallas::cpu {

/// Transposes as many vectors as each of them has elements.
SmallVector<Value> transposeTile(OpBuilder &b, Location loc,
                                 SmallVector<Value> rows);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_REGISTERTILES_H
