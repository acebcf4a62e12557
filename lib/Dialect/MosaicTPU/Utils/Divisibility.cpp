//===- Divisibility.cpp - Known divisors of computed numbers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/Divisibility.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

using namespace mlir;
using namespace mlir::tpu;

int64_t mlir::tpu::getKnownMultiple(Value value, int64_t limit) {
  return pallas::getKnownMultiple(value, limit, [](Operation *op) -> int64_t {
    auto assume = dyn_cast<AssumeMultipleOp>(op);
    return assume ? assume.getMultiple() : 0;
  });
}
