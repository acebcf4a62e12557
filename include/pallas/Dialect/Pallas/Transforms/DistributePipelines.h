//===- DistributePipelines.h - Parts of pipelines for cores -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_DISTRIBUTEPIPELINES_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_DISTRIBUTEPIPELINES_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// Gives each core its part of the pipelines under `root` whose grids are
/// shared along a core axis. Returns how many there were.
FailureOr<int64_t> distributePipelines(Operation *root);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_DISTRIBUTEPIPELINES_H
