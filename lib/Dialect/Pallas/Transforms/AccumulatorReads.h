//===- AccumulatorReads.h - Reads of products under way ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_ACCUMULATORREADS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_ACCUMULATORREADS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::pallas {

/// The products of a module that make values, by number from 1 on.
using ProductNumbers = DenseMap<Operation *, int64_t>;
ProductNumbers numberProducts(ModuleOp module);

/// Puts a check in front of each operation that reads the value of a product,
/// with the numbers of the products that may have made it.
void checkAccumulatorReads(ModuleOp module, const ProductNumbers &numbers);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_ACCUMULATORREADS_H
