//===- AccumulatorReads.h - Reads of products under way ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_ACCUMULATORREADS_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_ACCUMULATORREADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Numbers the products that make values, and puts an accumulator_deref in
/// front of each operation that reads such a value, with the numbers of the
/// products that may have made it.
void markAccumulatorReads(func::FuncOp func);

/// The number of a product; zero without one.
int64_t getProductNumber(Operation *op);

/// The products that may make the value that is read. A negative number means
/// the run before the last one.
ArrayRef<int64_t> getProducts(AccumulatorDerefOp op);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_ACCUMULATORREADS_H
