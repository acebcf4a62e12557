//===- PallasToMosaicTPU.h - From pallas to the tpu dialect -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PALLASTOMOSAICTPU_PALLASTOMOSAICTPU_H
#define PALLAS_CONVERSION_PALLASTOMOSAICTPU_PALLASTOMOSAICTPU_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace mlir::pallas {

#define GEN_PASS_DECL_CONVERTPALLASTOMOSAICTPU
#define GEN_PASS_DECL_PALLASCHECKTARGET
#include "pallas/Conversion/Passes.h.inc"

struct TPUChip;

/// Whether the chip has the SparseCores that kernels in `root` run on.
LogicalResult checkTPUMeshes(Operation *root, const TPUChip &chip);

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_PALLASTOMOSAICTPU_PALLASTOMOSAICTPU_H
