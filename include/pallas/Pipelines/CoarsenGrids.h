//===- CoarsenGrids.h - The option that joins steps of grids ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PIPELINES_COARSENGRIDS_H
#define PALLAS_PIPELINES_COARSENGRIDS_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

/// Appends the pass that the option `coarsen` of a pipeline asks for, which
/// lists coarsening factors; without any, calls have theirs by attribute. None
/// for `off`. With `reassociate`, sums may be added up in another order.
void addGridCoarsening(OpPassManager &pm, ArrayRef<std::string> coarsen,
                       bool reassociate);

/// For `auto`, and without the option, the cost model chooses for calls that
/// have no attribute.
void addTPUGridCoarsening(OpPassManager &pm, ArrayRef<std::string> coarsen,
                          bool reassociate, StringRef chip);

} // namespace mlir::pallas

#endif // PALLAS_PIPELINES_COARSENGRIDS_H
